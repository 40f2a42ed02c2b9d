"""Files of exported programs: nothing in them runs when they are read, unless the user says so."""

import contextlib
import io
import json
import os
import pickle
import sys
import zipfile
from collections import OrderedDict

import numpy as np
import pytest
import torch
from torch import nn
from torch.export import Dim
from torch.export.pt2_archive import PT2ArchiveReader, PT2ArchiveWriter

import hexagon_mlir as hx
from hexagon_mlir.cli.hexmlir import main
from hexagon_mlir.frontend.torch.archive.expressions import check_condition, check_size
from hexagon_mlir.frontend.torch.archive.read import read
from hexagon_mlir.frontend.torch.archive.refusal import Refused

PROGRAM, EXAMPLES = "models/model.json", "data/sample_inputs/model.pt"
WEIGHTS, CONSTANTS = "data/weights/model_weights_config.json", "data/constants/model_constants_config.json"
IMPORTED = "made_by_an_import"


class Makes:
    """Pickled, it makes a folder when it is read."""

    def __init__(self, folder):
        self.folder = folder

    def __reduce__(self):
        return os.mkdir, (self.folder,)


class Small(nn.Module):
    """A weight, a buffer, a dynamic size, a condition on it."""

    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)
        self.register_buffer("scale", torch.tensor([1.0, 2.0, 3.0, 4.0]))

    def forward(self, x, table):
        y = self.linear(x) * self.scale
        if x.shape[0] % 2 == 0:
            y = y + table["row"]
        return {"rows": y, "halves": [y.reshape(-1, 2)]}


@pytest.fixture
def small(tmp_path):
    """A file that is as it should be."""
    file = tmp_path / "small.pt2"
    rows = 2 * Dim("half", max=16)
    program = torch.export.export(Small().eval(), (torch.randn(6, 4), {"row": torch.randn(4)}),
                                  dynamic_shapes=({0: rows}, {"row": {}}))
    torch.export.save(program, file)
    return file


def rewrite(file, **changes):
    """Put other records into the archive: by name, content, or what makes it of the content that is there."""
    with open(file, "rb") as stream:
        archive = PT2ArchiveReader(stream)
        records = {name: archive.read_bytes(name) for name in archive.get_file_names()}
    for name, change in changes["records"].items():
        records[name] = change(records[name]) if callable(change) else change
    os.unlink(file)
    with PT2ArchiveWriter(str(file)) as writer:
        for name, data in records.items():
            if not name.startswith((".data", "byteorder")):
                writer.write_bytes(name, data)


def saved(value):
    stream = io.BytesIO()
    torch.save(value, stream)
    return stream.getvalue()


def edited(change):
    """Changes a document of the archive in place."""
    def edit(data):
        document = json.loads(data)
        change(document)
        return json.dumps(document).encode()

    return edit


def pickled(table, name):
    def change(document):
        entry = {"path_name": name, "is_param": False, "use_pickle": True, "tensor_meta": None}
        document["config"] = {**document["config"], "evil": entry}

    return {table: edited(change)}


def in_program(change):
    return {PROGRAM: edited(change)}


def nodes(document):
    return document["graph_module"]["graph"]["nodes"]


def values(document):
    return document["graph_module"]["graph"]["tensor_values"]


def signature(document):
    return document["graph_module"]["module_call_graph"][0]["signature"]


def specialised(kind, context):
    spec = [1, {"type": kind, "context": context, "children_spec": []}]
    return lambda document: signature(document).update(out_spec=json.dumps(spec))


def first_size(document, expression):
    sizes = values(document)["x"]["sizes"]
    sizes[0] = {"as_expr": {"expr_str": expression, "hint": {"as_int": 6}}}


def renamed(document, name):
    """Call the first input ``name`` wherever it stands."""
    text = json.dumps(document["graph_module"]).replace('"name": "x"', '"name": ' + json.dumps(name))
    document["graph_module"] = json.loads(text)
    values(document)[name] = values(document)["x"]
    signature(document)["forward_arg_names"] = None


def attacks(folder):
    """By name: the records of an archive that makes ``folder``, and what is said of it."""
    evil = saved(Makes(folder))
    call = f"__import__('os').mkdir({folder!r})"
    unquoted = "__import__(" + "+".join(f"chr({ord(c)})" for c in "os") + ").mkdir(" + "+".join(
        f"chr({ord(c)})" for c in folder) + ")"
    key = '"+__import__("os").mkdir("' + folder + '")+"'
    return {
        "weight": ({**pickled(WEIGHTS, "weight_9"), "data/weights/weight_9": evil}, "the weight 'evil' is pickled"),
        "constant": ({**pickled(CONSTANTS, "tensor_9"), "data/constants/tensor_9": evil},
                     "the constant 'evil' is pickled"),
        "object": ({**pickled(CONSTANTS, "opaque_obj_0"), "data/constants/opaque_obj_0": pickle.dumps(Makes(folder))},
                   "the constant 'evil' is pickled"),
        "all weights": ({"data/weights/model.pt": evil}, "'data/weights/model.pt' is pickled"),
        "all constants": ({"data/constants/model.pt": evil}, "'data/constants/model.pt' is pickled"),
        "example inputs": ({EXAMPLES: evil}, "the example inputs are pickled objects"),
        "size": (in_program(lambda d: first_size(d, call)), "is no expression of sizes"),
        "size without quotes": (in_program(lambda d: first_size(d, unquoted)), "is no expression of sizes"),
        "condition": (in_program(lambda d: d["guards_code"].append(f"{call} is None")), "is no expression of sizes"),
        "operator": (in_program(lambda d: nodes(d).insert(0, {
            "target": "torch.os.mkdir", "inputs": [{"name": "", "arg": {"as_string": folder}, "kind": 1}],
            "outputs": [{"as_none": True}], "metadata": {}})), "none of PyTorch's own operators"),
        "file operator": (in_program(lambda d: nodes(d)[0].update(target="torch.ops.aten.from_file.default")),
                          "none of PyTorch's own operators"),
        "name of an argument": (in_program(lambda d: signature(d).update(
            forward_arg_names=["x", f"table={call}"])), "is no name"),
        "name of an input": (in_program(lambda d: renamed(d, f"x={call}")), "is no name"),
        "type of results": (in_program(specialised("collections.defaultdict", {
            "default_factory_module": IMPORTED, "default_factory_name": "x", "dict_context": []})), "are nested"),
        "enumeration": (in_program(specialised("builtins.dict", json.dumps(
            [{"__enum__": True, "fqn": f"{IMPORTED}:x", "name": "y"}]))), "is no plain text"),
        "key": ({EXAMPLES: saved(((torch.randn(6, 4), {key: torch.randn(4)}), {}))}, "is no plain text"),
        "native code": ({"data/aotinductor/model/x.so": b"\x7fELF"}, "belongs to native code"),
    }


UNPROVEN = {"operator", "file operator", "name of an argument", "name of an input", "native code"}
"""Those that PyTorch 2.13 stumbles over before they do harm."""


@pytest.mark.parametrize("name", [pytest.param(name, marks=[pytest.mark.full] * (name == "condition"))
                                  for name in sorted(attacks(""))])
def test_nothing_runs(small, tmp_path, monkeypatch, name):
    made = tmp_path / "made"
    (tmp_path / f"{IMPORTED}.py").write_text(f"import os\nos.mkdir({str(made)!r})\n")
    monkeypatch.syspath_prepend(tmp_path)
    records, message = attacks(str(made))[name]
    rewrite(small, records=records)
    with pytest.raises(hx.HexError, match=r"small\.pt2: error: pt2: not read, as it could run code: ") as caught:
        hx.compile(small)
    assert message in str(caught.value) and "--trust" in str(caught.value)
    assert not made.exists()
    with contextlib.suppress(Exception):  # whatever comes of it
        hx.compile(small, trust=True).specialize_to([[6, 4], [4]])
    assert made.exists() == (name not in UNPROVEN)
    sys.modules.pop(IMPORTED, None)


def test_program_of_another_name_is_looked_at_too(small, tmp_path):
    made = tmp_path / "made"
    with open(small, "rb") as stream:
        archive = PT2ArchiveReader(stream)
        twin = archive.read_bytes(PROGRAM)
        copies = {name.replace("model", "other"): archive.read_bytes(name) for name in (WEIGHTS, CONSTANTS)}
    rewrite(small, records={**copies, "models/other.json": twin, EXAMPLES.replace("model.", "other."):
                            saved(Makes(str(made)))})
    with pytest.raises(hx.HexError, match="the example inputs are pickled objects"):
        hx.compile(small)
    assert not made.exists()


@pytest.mark.parametrize("ending", [".JSON", ".json5", "_json", ""])
def test_program_without_its_ending_is_refused(small, tmp_path, ending):
    """PyTorch cuts five letters off whatever they are: what we looked at would not be what it reads."""
    made, ours, theirs = tmp_path / "made", f"the_other{ending}", f"the_other{ending}"[:-5]
    with open(small, "rb") as stream:
        archive = PT2ArchiveReader(stream)
        records = {name: archive.read_bytes(name) for name in (PROGRAM, EXAMPLES, WEIGHTS, CONSTANTS)}
    evil = edited(lambda d: d["config"].update(evil={
        "path_name": "weight_9", "is_param": False, "use_pickle": True, "tensor_meta": None}))(records[WEIGHTS])
    twins = {name.replace("model_", f"{each}_").replace("model.pt", f"{each}.pt"): data
             for each in (ours, theirs) for name, data in records.items() if name != PROGRAM}
    rewrite(small, records={**twins, f"models/{ours}": records[PROGRAM], WEIGHTS.replace("model_", f"{theirs}_"): evil,
                            "data/weights/weight_9": saved(Makes(str(made)))})
    with pytest.raises(hx.HexError, match=f"could run code: 'models/{ours}' is no program"):
        hx.compile(small)
    assert not made.exists()
    with contextlib.suppress(Exception):
        hx.compile(small, trust=True)
    assert made.exists()


def test_format_of_before(tmp_path):
    """Which PyTorch falls back to when it stumbles over the new one: all of it is pickled."""
    made, file = tmp_path / "made", tmp_path / "old.pt2"
    with zipfile.ZipFile(file, "w") as archive:
        for name, data in {"version": b"8.20", "serialized_exported_program.json": b"{}",
                           "serialized_state_dict.pt": b"", "serialized_example_inputs.pt": b"",
                           "serialized_constants.pt": saved(Makes(str(made)))}.items():
            archive.writestr(f"{name}", data)
    with pytest.raises(hx.HexError, match=r"old\.pt2: error: pt2: "):
        hx.compile(file)
    assert not made.exists()


def test_command_line(small, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    np.save("x.npy", np.ones((6, 4), np.float32))
    np.save("row.npy", np.ones(4, np.float32))
    records, _ = attacks("made")["example inputs"]
    rewrite(small, records=records)
    for words in (["compile", "small.pt2", "-o", "out", "--shapes=6x4,4"],
                  ["compile", "small.pt2", "-o", "out", "--shapes=6x4,4", "--emit=asm"],
                  ["run", "small.pt2", "--args", "x.npy", "row.npy"]):
        assert main(words) == 1
        error = capsys.readouterr().err
        assert error.count("\n") == 2 and "small.pt2: error: pt2: not read" in error and "hint: --trust" in error
        assert not os.path.exists("made")
        assert main([*words, "--trust"]) == 1  # what was pickled is no example input
        assert os.path.isdir("made") and "cannot read an exported program" in capsys.readouterr().err
        os.rmdir("made")
    (tmp_path / "k.mlir").write_text("func.func @f() { return }")
    assert main(["run", "k.mlir", "--trust"]) == 1
    assert "--trust is for PyTorch programs" in capsys.readouterr().err


class Kinds(nn.Module):
    """Views of one weight, a constant, a tied weight, an empty tensor, a mutated buffer, integers."""

    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(4, 4, bias=False), nn.Linear(4, 4, bias=False)
        self.second.weight = self.first.weight
        self.register_buffer("count", torch.zeros(1, dtype=torch.int64))
        self.register_buffer("steps", torch.arange(8.0).bfloat16()[::2], persistent=False)
        self.table = torch.arange(4.0)

    def forward(self, x, *, shift=None, parts=()):
        self.count.add_(1)
        y = self.second(self.first(x)) + self.steps.float() * self.table + torch.tensor([1.5, 2.5, 3.5, 4.5])
        y = nn.functional.gelu(y, approximate="tanh") + torch.einsum("ij,jk->ik", x, self.first.weight)
        return (y + sum(parts), None, 7, [self.count + 0])


@pytest.mark.parametrize("trust", [False, pytest.param(True, marks=pytest.mark.full)])
def test_what_pytorch_writes_is_read(small, tmp_path, trust):
    model, x = Kinds().eval(), torch.randn(3, 4)
    file = tmp_path / "kinds.pt2"
    parts = [torch.ones(4), torch.full((4,), 2.0)]
    torch.export.save(torch.export.export(model, (x,), {"parts": parts}), file)
    expected = model(x, parts=parts)
    compiled = hx.compile(file, trust=trust)
    result = compiled(x, parts=parts)
    torch.testing.assert_close(result[0], expected[0], rtol=0, atol=1e-5)
    assert result[1:3] == (None, 7) and result[3][0].item() == 1
    other = hx.compile(small, trust=trust)
    for rows in (2, 6):
        assert other(torch.zeros(rows, 4), {"row": torch.ones(4)})["halves"][0].shape == (2 * rows, 2)
    with pytest.raises(hx.HexError, match="the program does not take 5x4"):
        other(torch.zeros(5, 4), {"row": torch.ones(4)})


def test_every_kind_of_dynamic_size_is_read(tmp_path):
    class Sizes(nn.Module):
        def forward(self, x, named):
            n = x.shape[1]
            y = nn.functional.interpolate(x[:, :, ::2], scale_factor=1.5)
            return y.reshape(-1), torch.arange(n // 2 + 1), torch.zeros(max(n, 4)), named["a"] + 1

    named = OrderedDict(a=torch.zeros(3))
    program = torch.export.export(Sizes(), (torch.randn(4, 8, 16), named),
                                  dynamic_shapes=({1: Dim.AUTO, 2: Dim.AUTO}, {"a": {}}))
    torch.export.save(program, tmp_path / "sizes.pt2")
    restored = read(tmp_path / "sizes.pt2")
    arguments = (torch.randn(4, 10, 22), named)
    for one, other in zip(restored.module()(*arguments), program.module()(*arguments), strict=True):
        assert torch.equal(one, other)


@pytest.mark.parametrize("text", [
    "f()", "s0.func", "s0[0]", "[s0]", "'s0'.x", "(lambda: 1)()", "__import__", "Symbol('s0', positive=f())", "s0 # x",
    "Symbol('print(1)')", "s0 if s1 else s2", "s\n0", "f'{s0}'", "*s0", "s0 := 3", "getattr(s0)", "Float('s0()')", ""])
def test_wrong_sizes(text):
    with pytest.raises(Refused, match="is no expression of sizes"):
        check_size(text)


@pytest.mark.parametrize("text", [
    "9**9**9", "Pow(9, Pow(9, 9))", "Pow(9, exp=9)", "(9**64)**64", "9**(99*99)", "1<<999999999", "LShift(1, 999)",
    "PowByNatural(9, 9**9)", "Pow(Integer(9), Integer(999))", "Max(" + ", ".join(f"s{i}" for i in range(300)) + ")"])
def test_sizes_that_take_for_ever(text):
    with pytest.raises(Refused, match="could keep PyTorch busy for ever"):
        check_size(text)
    with pytest.raises(Refused, match="could keep PyTorch busy for ever"):
        check_condition(f"{text} == 0")


@pytest.mark.parametrize("text", ["s0**2", "Pow(Symbol('s77', positive=True, integer=True), Integer(3))",
                                  "Pow(Add(Symbol('s7'), Integer(4096)), Rational(1, 2))", "2**-1*s0", "Max(1, s0)"])
def test_powers_of_sizes(text):
    check_size(text)


@pytest.mark.parametrize("text", [
    "Float('1e999999999')", "Symbol('1" + "0" * 40 + "')"])
def test_numbers_of_endless_digits(text):
    with pytest.raises(Refused, match="is no expression of sizes"):
        check_size(text)


@pytest.mark.parametrize("text", [
    "L['x'].__class__", "L['x'].backward()", "math.__dict__", "torch.load('x')", "torch.sym_int.x", "L['a\\'b'].dim()",
    'L["a\'b"].dim()', "os.getcwd()", "[x for x in L]", "L['x'].size()[0] == f()"])
def test_wrong_conditions(text):
    with pytest.raises(Refused, match="is no expression of sizes"):
        check_condition(text)
