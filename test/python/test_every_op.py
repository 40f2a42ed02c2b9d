"""Whatever verifies is compiled or refused by name: a sample of what ``scripts/walk_ops.py`` does in full."""

import functools
import re

import numpy as np
import op_walk
import pytest
from op_programs import TYPES, programs, signatures

import hexagon_mlir as hx


@functools.cache
def everything():
    """All programs; made for the first test, since collecting tests should not take seconds."""
    return list(programs())


def basics():
    """The numbers of those that come first, of no operation of a list."""
    return [number for number, (name, _, _) in enumerate(everything()) if re.match("(tensor|buffer) ", name)]


def operations():
    """The numbers of the others."""
    return range(len(basics()), len(everything()))


def wrong(numbers, kind, target="v75"):
    return [f"{step}: {everything()[number][0]}: {text}" for number, step, text in op_walk.walk(numbers, kind, target)]


def test_every_operation_is_there():
    names = {name for dialect in ("arith", "math") for name, _, _ in signatures(dialect)}
    assert {"arith.divsi", "arith.mului_extended", "arith.truncf", "arith.cmpf", "arith.select", "math.powf",
            "math.ctlz", "math.fpowi", "math.sincos"} <= names
    assert len(names) > 80
    assert {t for _, types, _ in signatures("arith") for t in types} == set(TYPES)


@pytest.mark.parametrize("first", [0, *(pytest.param(first, marks=pytest.mark.full) for first in range(1, 16))])
def test_passes_refuse_by_name(first):
    assert not wrong([*basics()[::17][first::16], *operations()[::197][first::16]], "pass")


@pytest.mark.parametrize("part", [0, *(pytest.param(part, marks=pytest.mark.full) for part in range(1, 4))])
@pytest.mark.parametrize(("target", "first"), [("v68", 5), ("v75", 25), ("v79", 45)])
def test_the_pipeline_refuses_by_name(target, first, part):
    assert not wrong([*basics()[first::97][part::4], *operations()[first::1201][part::4]], "pipeline", target)


def test_a_crash_and_a_bare_error_are_found(monkeypatch, tmp_path):
    """By the number of the program and the name of the step; the programs after it are walked too."""
    (tmp_path / "walker.py").write_text(f"""
import os, sys
sys.path[:0] = {[str(op_walk.__file__).rsplit("/", 1)[0]]!r}
import op_walk
def outcome(text, step, target):
    if "math.sqrt" in text:
        os.abort()
    return op_walk.described(KeyError("x")) if "math.rsqrt" in text else None
op_walk.outcome = outcome
op_walk._work(*sys.argv[1:])
""")
    monkeypatch.setattr(op_walk, "__file__", str(tmp_path / "walker.py"))
    numbers = [next(k for k in operations() if everything()[k][0].startswith(f"math.{name} f32 -> f32, scalar"))
               for name in ("sqrt", "rsqrt", "tanh")]
    assert list(op_walk.walk(numbers, "pipeline")) == [
        (numbers[0], op_walk.WHOLE, "the process ended with -6"), (numbers[1], op_walk.WHOLE, "KeyError: 'x'")]


@pytest.mark.parametrize("element", ("i1", "i32", "index"))
def test_softmax_of_integers_is_refused(element):
    """Upstream's decomposition of it crashes."""
    name = f"tensor softmax {element} 8"
    with pytest.raises(hx.HexError, match=f"hexagon-decompose-named-ops: softmax of {element}"):
        hx.compile(next(text for found, _, text in everything() if found == name))


@pytest.mark.parametrize(("name", "combine"), [
    ("addi", np.add), ("maxsi", np.maximum), ("minsi", np.minimum), ("xori", np.bitwise_xor), ("muli", np.multiply)])
def test_indices_are_reduced(name, combine):
    found = f"arith.{name} index,index -> index, reduction of memref"
    text = next(text for entry, _, text in everything() if entry == found)
    x, y = np.random.default_rng(0).integers(-9, 9, (3, 40), dtype=np.int32), np.array([3, -5, 7], np.int32)
    expected = combine(y, combine.reduce(x, 1, dtype=np.int32))
    hx.compile(text).run(x, y)
    np.testing.assert_array_equal(y, expected)
