"""Damaged files of exported programs: one error that names the file, whatever is wrong with it."""

import json
import os
import random
import zipfile

import pytest
import torch
from torch import nn
from torch.export.pt2_archive import PT2ArchiveReader, PT2ArchiveWriter

import hexagon_mlir as hx
from hexagon_mlir.frontend.torch.archive.read import read

PROGRAM, EXAMPLES = "models/model.json", "data/sample_inputs/model.pt"
WEIGHTS, CONSTANTS = "data/weights/model_weights_config.json", "data/constants/model_constants_config.json"


class Model(nn.Module):
    """A weight, a buffer, a constant, nested arguments and results."""

    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)
        self.register_buffer("shift", torch.zeros(4))
        self.table = torch.arange(4.0)

    def forward(self, x, named):
        y = nn.functional.gelu(self.linear(x)) * self.table + named["row"]
        return {"sum": y.sum(-1), "rows": [self.shift + y[0]]}


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A file that is whole."""
    file = tmp_path_factory.mktemp("whole") / "m.pt2"
    torch.export.save(torch.export.export(Model().eval(), (torch.randn(3, 4), {"row": torch.randn(4)})), file)
    return file


def records(file):
    with open(file, "rb") as stream:
        archive = PT2ArchiveReader(stream)
        return {name: archive.read_bytes(name) for name in archive.get_file_names()}


def write(file, content):
    file.unlink(missing_ok=True)
    with PT2ArchiveWriter(str(file)) as writer:
        for name, data in content.items():
            if not name.startswith((".data", "byteorder")):
                writer.write_bytes(name, data)


def refused(file, load=hx.compile):
    with pytest.raises(hx.HexError, match=r"m\.pt2: error: pt2: (cannot read an exported program|not read)") as caught:
        load(file)
    (diagnostic,) = caught.value.diagnostics
    assert "\n" not in diagnostic.message and diagnostic.hint
    return diagnostic.message


def without(name):
    return lambda content: content.pop(name)


def replaced(name, data):
    return lambda content: content.update({name: data})


def edited(name, *path, to):
    def change(content):
        document = found = json.loads(content[name])
        for key in path[:-1]:
            found = found[key]
        if to is None:
            del found[path[-1]]
        else:
            found[path[-1]] = to
        content[name] = json.dumps(document).encode()

    return change


GRAPH = ("graph_module", "graph")
DAMAGE = {
    "no program": without(PROGRAM),
    "no weights": without(WEIGHTS),
    "no constants": without(CONSTANTS),
    "no examples": without(EXAMPLES),
    "no bytes of a weight": without("data/weights/weight_0"),
    "bytes of a weight cut": replaced("data/weights/weight_0", bytes(9)),
    "no bytes in a weight": replaced("data/weights/weight_0", b""),
    "format": replaced("archive_format", b"pt3"),
    "version": replaced("archive_version", b"x"),
    "program empty": replaced(PROGRAM, b""),
    "program not text": replaced(PROGRAM, b"\xff\xfe{}"),
    "program nested deeply": replaced(PROGRAM, b"[" * 100_000),
    "program a number": replaced(PROGRAM, b"3"),
    "program of nothing": replaced(PROGRAM, b"{}"),
    "weights a list": replaced(WEIGHTS, b"[]"),
    "examples cut": replaced(EXAMPLES, b"PK\3\4"),
    "no graph": edited(PROGRAM, "graph_module", "graph", to=None),
    "nodes a number": edited(PROGRAM, *GRAPH, "nodes", to=3),
    "no nodes": edited(PROGRAM, *GRAPH, "nodes", to=[]),
    "no values": edited(PROGRAM, *GRAPH, "tensor_values", to={}),
    "a type nobody knows": edited(PROGRAM, *GRAPH, "tensor_values", "x", "dtype", to=99),
    "a size as text": edited(PROGRAM, *GRAPH, "tensor_values", "x", "sizes", 0, to="3"),
    "schema of the future": edited(PROGRAM, "schema_version", "major", to=99),
    "no calls of modules": edited(PROGRAM, "graph_module", "module_call_graph", to=[]),
    "a weight of another shape": edited(WEIGHTS, "config", "linear.weight", "tensor_meta", "sizes", 0,
                                        to={"as_int": 3}),
    "a weight beyond its bytes": edited(WEIGHTS, "config", "linear.weight", "tensor_meta", "storage_offset",
                                        to={"as_int": 1 << 40}),
    "a weight on another device": edited(WEIGHTS, "config", "linear.weight", "tensor_meta", "device", "type",
                                         to="cuda"),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_damaged_records(whole, tmp_path, name):
    content = records(whole)
    DAMAGE[name](content)
    write(tmp_path / "m.pt2", content)
    refused(tmp_path / "m.pt2")


def test_other_files(tmp_path):
    file = tmp_path / "m.pt2"
    for content in (b"", b"PK", b"PK\5\6" + bytes(18), b"no archive", os.urandom(5000)):
        file.write_bytes(content)
        refused(file)
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("x", "y")
    refused(file)
    file.unlink()
    assert "No such file" in refused(file)
    file.mkdir()
    assert "Is a directory" in refused(file)


def test_every_truncation(whole, tmp_path):
    data, file = whole.read_bytes(), tmp_path / "m.pt2"
    for end in range(0, len(data), 997):
        file.write_bytes(data[:end])
        refused(file)


def test_random_bytes(whole, tmp_path):
    """Wherever they are: the zip's directory, headers of its entries, documents, weights."""
    data, file, draw = whole.read_bytes(), tmp_path / "m.pt2", random.Random(4)
    failed = 0
    for _ in range(50):
        changed = bytearray(data)
        if draw.random() < 0.5:
            changed[draw.randrange(len(data))] ^= 1 << draw.randrange(8)
        else:
            start = draw.choice([draw.randrange(len(data)), draw.randrange(len(data) - 1500, len(data))])
            changed[start : start + draw.randrange(100)] = draw.randbytes(draw.randrange(100))
        file.write_bytes(changed)
        try:
            read(file)
        except hx.HexError as error:
            failed += 1
            assert "m.pt2: error: pt2: " in str(error)
    assert failed > 15


def spots(value, path=()):
    for key, part in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield (*path, key)
        yield from spots(part, (*path, key))


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.full) for seed in (1, 2, 3))])
def test_programs_that_do_not_fit(whole, tmp_path, seed):
    """Another number, name or shape somewhere: PyTorch may find that out when it decomposes."""
    content, draw, file = records(whole), random.Random(seed), tmp_path / "m.pt2"
    document = json.loads(content[PROGRAM])
    places = [path for path in spots(document) if "metadata" not in path]
    failed = 0
    for _ in range(12):
        copy = json.loads(json.dumps(document))
        *path, last = draw.choice(places)
        holder = copy
        for key in path:
            holder = holder[key]
        match holder[last]:
            case bool():
                holder[last] = not holder[last]
            case int() as number:
                holder[last] = draw.choice([0, 1, 2, 5, -1, number + 1])
            case str():
                holder[last] = draw.choice(["", "x", "linear", "torch.ops.aten.relu.default"])
            case list() as parts:
                holder[last] = draw.choice([[], parts[::-1], parts[:-1], parts * 2])
            case _:
                del holder[last]
        write(file, {**content, PROGRAM: json.dumps(copy).encode()})
        try:
            hx.compile(file)
        except hx.HexError as error:
            failed += 1
            assert all("\n" not in diagnostic.message for diagnostic in error.diagnostics)
    assert failed > 3


def test_program_with_a_weight_of_the_wrong_type(whole, tmp_path):
    content = records(whole)
    document = json.loads(content[PROGRAM])
    document["graph_module"]["graph"]["tensor_values"]["x"]["dtype"] = 5
    write(tmp_path / "m.pt2", {**content, PROGRAM: json.dumps(document).encode()})
    with pytest.raises(hx.HexError, match=r"PyTorch refuses 'aten\.mm\.default' here"):
        hx.compile(tmp_path / "m.pt2")
