"""Every lane of the golden vectors through the rules of the reference interpreter, and the orders of lanes beside."""

import functools
import re
from pathlib import Path

import numpy as np
import pytest

from hexagon_mlir.sim.reference import Model, Vector, find_chip
from hexagon_mlir.sim.reference.arithmetic import DEFAULT_EXTENSION

GOLDEN = Path(__file__).parents[2] / "golden" / "qfloat" / "qfloat.npz"
BYTES = 128
MODELS = {
    "v75": Model("chip", "legacy"), "v79": Model("chip", "extended"), "v81": Model("chip", "extended"),
    "ieee": Model("chip", "legacy"),
}  # fmt: skip
LATER = re.compile(r"f8|:rnd")
"""IEEE forms of v79 and v81; all others are run as v75 and as v79."""


@functools.cache
def golden():
    """(generation, form) -> {field: column}."""
    with np.load(GOLDEN) as data:
        columns = {}
        for key in data.files:
            generation, rest = key.split("/", 1)
            form, name = rest.rsplit("/", 1)
            columns.setdefault((generation, form), {})[name] = data[key]
    return columns


FORMS = sorted(golden())


def registers(column, extensions=None):
    """The column as 128-byte registers, the last one filled up with zeros."""
    lanes = BYTES // column.itemsize
    padded = np.concatenate([column, np.zeros(-column.size % lanes, column.dtype)]).reshape(-1, lanes)
    if extensions is None:
        return [Vector(row.view(np.uint8)) for row in padded]
    bits = np.concatenate([extensions, np.zeros(padded.size - column.size, np.uint8)]).reshape(padded.shape)
    if column.itemsize == 2:
        bits = bits[:, ::2] | bits[:, 1::2] << 2
    return [Vector(row.view(np.uint8), x.copy()) for row, x in zip(padded, bits, strict=True)]


def extensions_of(vector, itemsize):
    return vector.extensions(8 * itemsize)


def lanes_of(vector, dtype):
    data = vector.data if isinstance(vector, Vector) else np.ascontiguousarray(vector)
    return data.view(np.uint8).view(dtype)


def woven(low, high):
    return np.stack([low, high], -1).reshape(-1)


def split(column):
    """Even and odd entries; a column of odd length gets one more."""
    column = np.append(column, column[:1]) if column.size % 2 else column
    return column[::2].copy(), column[1::2].copy()


def run_one(rule, form, fields):
    """(result, extension bits or None) of a form whose sources have a lane for each entry."""
    a, out = fields["a"], fields["out"]
    columns = [registers(a, fields.get("aext"))]
    if "b" in fields:
        columns.append(registers(fields["b"], fields.get("bext")))
    if "c" in fields:
        parts = split(fields["c"]) if form.startswith("VV") else (fields["c"],)
        accumulators = [registers(part) for part in parts]
        columns.insert(0, list(zip(*accumulators, strict=True)) if form.startswith("VV") else accumulators[0])
    found, bits = [], []
    for operands in zip(*columns, strict=True):
        result = rule(*operands)
        if form.startswith("VV"):
            found.append(woven(*(lanes_of(half, out.dtype) for half in result)))
            bits.append(woven(*(getattr(half, "extension", DEFAULT_EXTENSION) for half in result)))
        elif form.startswith("Q"):
            mask = result.reshape(-1, a.itemsize)
            assert (mask == mask[:, :1]).all()
            found.append(mask[:, 0])
        else:
            found.append(lanes_of(result, out.dtype))
            whole = result if isinstance(result, Vector) else Vector(result)
            bits.append(extensions_of(whole, out.itemsize))
    return np.concatenate(found), np.concatenate(bits) if bits else None


def run_narrowing(rule, form, fields):
    """Two registers to one: entry i comes to lane i (of bytes by ``vcvt``, in pairs from each register)."""
    a, out = fields["a"], fields["out"]
    if re.match(r"V\.u?b=vcvt", form):
        count = -(-a.size // 4) * 4
        rows = np.resize(a, count).reshape(-1, 2, 2)
        sources = [rows[:, i].reshape(-1) for i in (0, 1)]
    else:
        sources = list(split(a))
    bits = [None, None]
    if "aext" in fields:
        bits = list(split(fields["aext"]))
    first, second = (registers(column, x) for column, x in zip(sources, bits, strict=True))
    found = []
    for pair in zip(first, second, strict=True):
        result = rule(pair) if "VV." in form else rule(*pair)
        found.append(lanes_of(result, out.dtype))
    return np.concatenate(found), None


NARROWING = re.compile(r"V\.\w+=(VV\.|vcvt\(V\.\w+,)")


@functools.cache
def run(generation, form, model):
    fields = golden()[generation, form]
    rule = find_chip(form, model)
    assert rule is not None, f"no rule for {form}"
    return (run_narrowing if NARROWING.match(form) else run_one)(rule, form, fields)


def models_of(generation, form):
    if generation != "ieee":
        return [MODELS[generation]]
    later = Model("chip", "extended")
    return [later] if LATER.search(form) else [MODELS["ieee"], later]


@pytest.mark.parametrize(("generation", "form"), FORMS, ids=[f"{g} {f}" for g, f in FORMS])
def test_every_lane(generation, form):
    fields = golden()[generation, form]
    want, count = fields["out"], fields["out"].size
    for model in models_of(generation, form):
        got, bits = run(generation, form, model)
        wrong = np.nonzero(got[:count] != want)[0]
        rows = [{name: hex(int(column[i])) for name, column in fields.items()} | {"got": hex(int(got[i]))}
                for i in wrong[:3]]  # fmt: skip
        assert wrong.size == 0, f"{wrong.size} of {count}: {rows}"
        if "outext" in fields:
            differ = np.nonzero(bits[:count] != fields["outext"])[0]
            assert differ.size == 0, f"extension bits of {differ.size} of {count}, first lane {differ[:1]}"


def test_the_whole_file_is_run():
    """All forms and lanes that its description promises; every form is one of the tests above."""
    assert len(FORMS) == 115
    assert sum(golden()[key]["out"].size for key in FORMS) == 26_858
    counts = {g: sum(generation == g for generation, _ in FORMS) for g in MODELS}
    assert counts == {"v75": 30, "v79": 27, "v81": 19, "ieee": 39}
