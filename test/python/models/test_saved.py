"""``model.json`` of a saved model: read against its schema, what does not fit is one error, nothing is imported."""

import json
import random
import sys
from collections import OrderedDict, deque, namedtuple

import pytest
import torch
from torch import nn
from torch.utils import _pytree as pytree

import hexagon_mlir as hx
from hexagon_mlir.frontend.torch.nesting import as_data, as_spec

IMPORTED = "imported_by_a_model"
Pair = namedtuple("Pair", "left right")
X = {"rows": torch.linspace(-1, 1, 80).reshape(4, 20), "table": Pair(torch.tensor([1, 8, 0, 3]), [torch.ones(4)])}


class Every(nn.Module):
    """Weights, a buffer that is written, an index, an argument that is written, results of all kinds."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(1)
        self.linear, self.rows = nn.Linear(20, 30), nn.Embedding(9, 20)
        self.register_buffer("count", torch.zeros(4))

    def forward(self, x, *, scale):
        self.count.add_(1)
        left, (right,) = x["table"]
        y = nn.functional.gelu(self.linear(self.rows(left) + x["rows"]))
        right.mul_(2)
        return Pair(y @ y.T * scale, {"more": [self.count + 0, None, 7, float("inf"), True], 3: right + 1})


def fresh():
    return {"rows": X["rows"], "table": Pair(X["table"].left, [torch.ones(4)])}


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """The folder of a model, its document, and what it computes."""
    folder = tmp_path_factory.mktemp("saved")
    model = hx.compile(torch.export.export(Every().eval(), (fresh(),), {"scale": torch.tensor(3.0)}))
    model.save(folder)
    expected = model(fresh(), scale=torch.tensor(2.0))
    assert type(expected) is Pair
    return folder, json.loads((folder / "model.json").read_text()), expected


@pytest.fixture
def other(saved, tmp_path):
    """A copy of the folder with another document."""
    folder, document, _ = saved

    def write(change):
        for name in ("weights.bin", "kernels"):
            (tmp_path / name).symlink_to(folder / name)
        copy = json.loads(json.dumps(document))
        changed = change(copy)
        (tmp_path / "model.json").write_text(json.dumps(copy if changed is None else changed))
        return tmp_path

    return write


def test_loaded_model_gives_the_same(saved):
    folder, _, expected = saved
    arguments = fresh()
    left, right = hx.load(folder)(arguments, scale=torch.tensor(2.0))
    assert torch.equal(left, expected.left)
    assert right["more"][1:] == [None, 7, float("inf"), True] and torch.equal(right[3], expected.right[3])
    assert torch.allclose(right["more"][0], torch.ones(4))
    assert torch.allclose(arguments["table"][1][0], torch.full((4,), 2.0))


def test_names_of_tuples_and_order_of_dicts_do_not_matter_to_a_loaded_model(saved):
    model = hx.load(saved[0])
    plain = OrderedDict(rows=X["rows"], table=(X["table"].left, [torch.ones(4)]))
    assert torch.equal(model(plain, scale=torch.tensor(2.0))[0], saved[2].left)
    with pytest.raises(hx.HexError, match="the arguments are"):
        model({"rows": X["rows"], "table": [X["table"].left, [torch.ones(4)]]}, scale=torch.tensor(2.0))


@pytest.mark.parametrize("value", [
    1, (), [], {}, (1, [2, {"a": (3,), 4: []}]), {"x": None}, ((1, 2), {"deep": [[[[5]]]]})], ids=str)
def test_nestings_are_read_back(value):
    spec = pytree.tree_structure(value)
    assert as_spec(as_data(spec)) == spec


def test_nesting_in_another_type_is_not_saved(tmp_path):
    class Queue(nn.Module):
        def forward(self, x):
            return deque([x + 1])

    model = hx.compile(torch.export.export(Queue(), (torch.ones(3),)))
    assert type(model(torch.ones(3))) is deque
    with pytest.raises(hx.HexError, match="nested in a deque"):
        model.save(tmp_path / "out")
    assert not (tmp_path / "out").exists()


def evil_spec():
    return json.dumps([1, {"type": "collections.defaultdict", "children_spec": [], "context": {
        "default_factory_module": IMPORTED, "default_factory_name": "x", "dict_context": []}}])


def evil_enumeration():
    return json.dumps([1, {"type": "builtins.dict", "children_spec": [], "context": json.dumps(
        [{"__enum__": True, "fqn": f"{IMPORTED}:x", "name": "y"}])}])


@pytest.mark.parametrize("format_", [4, 5])
@pytest.mark.parametrize("spec", [evil_spec(), evil_enumeration()])
@pytest.mark.parametrize("key", ["in_spec", "out_spec"])
def test_nothing_is_imported(other, tmp_path, monkeypatch, key, spec, format_):
    (tmp_path / f"{IMPORTED}.py").write_text("x = list\n")
    monkeypatch.syspath_prepend(tmp_path)
    folder = other(lambda d: d.update({key: spec, "format": format_}))
    with pytest.raises(hx.HexError, match=r"model\.json: error: load: "):
        hx.load(folder)(fresh(), scale=torch.tensor(2.0))
    assert IMPORTED not in sys.modules


def place(*path):
    """Puts a value there."""
    def change(value):
        def edit(document):
            for key in path[:-1]:
                document = document[key]
            document[path[-1]] = value

        return edit

    return change


def without(key):
    return lambda document: document.pop(key) and None


WRONG = {
    "target": (place("target")("v99"), "unknown target 'v99'"),
    "target that is a path": (place("target")("../base"), r"unknown target '\.\./base'"),
    "no target": (without("target"), "missing required field `target`"),
    "unknown field": (place("hook")("x"), "contains unknown field `hook`"),
    "not an object": (lambda d: [d], "Expected `object`, got `array`"),
    "format": (place("format")("5"), "Expected `int`, got `str`"),
    "negative size": (place("buffers", 0, "shape")([-2, 30]), "buffers.0. of shape"),
    "large size": (place("buffers", 0, "shape")([1 << 40]), "buffers.0. of shape"),
    "size as text": (place("buffers", 0, "shape")(["20"]), r"Expected `int`, got `str` - at `\$\.buffers\[0\]\.shape"),
    "bytes": (place("buffers", 1, "nbytes")(4), "has 4 bytes"),
    "bytes as number": (place("buffers", 1, "nbytes")(4.5), "Expected `int`, got `float`"),
    "element": (place("buffers", 1, "element")("f128"), "elements of type 'f128'"),
    "argument twice": (place("buffers", 1, "argument")(0), "'buffers' are not of"),
    "kernel": (place("calls", 0, "kernel")(77), "calls.0. is of kernel 77"),
    "negative kernel": (place("calls", 0, "kernel")(-1), "calls.0. is of kernel -1"),
    "reads what is not there": (place("calls", 0, "arguments")([99]), "reads buffer 99"),
    "negative buffer": (place("calls", 0, "arguments")([-1]), "reads buffer -1"),
    "reads what comes later": (lambda d: d["calls"].reverse(), "which nothing has written"),
    "writes a weight": (place("calls", 0, "results")([0, 1]), "writes buffer 0, which is not its own"),
    "no operands": (place("calls", 0, "arguments")([]), "its kernel takes"),
    "count of calls": (place("kernels", 0, "calls")(5), "calls, not 5"),
    "hash": (place("kernels", 0, "sha256")("../../x"), r"kernels\[0\]\.sha256"),
    "name of a kernel": (place("kernels", 0, "name")("f; evil"), r"kernels\[0\]\.name"),
    "seconds": (place("kernels", 0, "seconds")("fast"), "Expected `float`, got `str`"),
    "arena": (place("kernels", 0, "memory", "arena_bytes")(1 << 33), "bytes of TCM"),
    "negative arena": (place("kernels", 0, "memory", "arena_bytes")(-128), "bytes of TCM"),
    "tile": (place("kernels", 0, "memory")({"arena_bytes": 0, "tiles": [{
        "argument": 9, "offset": 0, "row_bytes": 128, "rows": 1, "stride": 128, "slot_bytes": 128}]}),
             "begins with a tile"),
    "argument in TCM": (place("buffers", 0, "in_tcm")(True), "buffers.0. is in TCM, but"),
    "TCM as text": (place("buffers", 0, "in_tcm")("yes"), "Expected `bool`, got `str`"),
    "output": (place("outputs", 0)(99), "output 0 is not of the shape"),
    "shape of an output": (place("output_shapes", 0)([3, 3]), "output 0 is not of the shape"),
    "fewer outputs": (lambda d: d["outputs"].pop() and None, "are not of equal length"),
    "type of a result": (place("result_dtypes", 0)("bfloat16"), "of type bfloat16 is made of"),
    "unknown type": (place("result_dtypes", 0)("complex64"), "Invalid enum value 'complex64'"),
    "offset of a weight": (place("weights", "0", "offset")(1 << 50), "the file has"),
    "negative offset": (place("weights", "0", "offset")(-4), "Expected `int` >= 0"),
    "shape of a weight": (place("weights", "0", "shape")([1]), "weight 0 is not of the shape"),
    "number of a weight": (place("weights", "x")({"offset": 0, "shape": [], "dtype": "bool"}), "Expected `int`"),
    "state": (place("states")([77]), "'weights' and 'states'"),
    "input": (place("inputs", 0)(0), "'weights' and 'states'"),
    "fewer names": (lambda d: d["names"].pop() and None, "are not of equal length"),
    "name": (place("names", 0)("a b"), "Expected `str` matching regex"),
    "bounds": (place("bounds")({"99": [0, 1]}), "'bounds' of argument 99"),
    "bounds the other way": (lambda d: [pair.reverse() for pair in d["bounds"].values()] and None, "'bounds'"),
    "mutation": (place("mutations", 0)({"result": 99, "state": 3}), "'mutations'"),
    "mutation of nothing": (place("mutations", 0)({"result": 0}), "'mutations'"),
    "mutation far away": (place("mutations", 1)({"result": 0, "argument": 1000}), "'in_spec' has"),
    "result": (place("results", 0)(99), "'results' name output 99"),
    "fewer arguments": (place("in_spec", "parts", 0, "parts")([]), "'in_spec' has 1 arguments"),
    "arguments as a list": (place("in_spec", "parts", 0)({"type": "list", "parts": []}), "is not a tuple of"),
    "more results": (place("out_spec")({"type": "list", "parts": [None]}), "'out_spec' has 1 results"),
    "kind of nesting": (place("out_spec")({"type": "deque", "parts": [None]}), "Invalid value 'deque'"),
    "keys": (place("in_spec", "parts", 1, "keys")([]), "a dict has 0 keys"),
    "statistics": (place("result", "phases")([1]), r"Expected `object`, got `array` - at `\$\.result"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_document(other, name):
    change, message = WRONG[name]
    with pytest.raises(hx.HexError, match=message) as caught:
        hx.load(other(change))
    (diagnostic,) = caught.value.diagnostics
    assert "\n" not in diagnostic.message and diagnostic.hint
    assert diagnostic.place.file.endswith(("model.json", "weights.bin"))


@pytest.mark.parametrize("text", ["", "{", "null", "[" * 100_000, '{"format": 5}', '{"format": 5e99}', "\ud800"])
def test_wrong_text(saved, tmp_path, text):
    (tmp_path / "model.json").write_bytes(text.encode("utf-8", "surrogatepass"))
    with pytest.raises(hx.HexError, match=r"model\.json: error: load: (no compiled model|format)"):
        hx.load(tmp_path)


def spots(value, path=()):
    """Every place in a document."""
    for key, part in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield (*path, key)
        yield from spots(part, (*path, key))


def test_random_changes_are_errors_or_models(saved, other, tmp_path):
    """Of those that still are models: whatever they compute, they compute it, or say why not."""
    _, document, _ = saved
    draw = random.Random(3)
    values = [None, True, -1, 0, 1, 3, 1 << 31, 1 << 63, -(1 << 70), 1.5, "", "x", [], [0], [[]], {}, {"type": "list"}]
    places = list(spots(document))
    other(lambda d: None)
    refused = ran = 0
    for _ in range(400):
        copy = json.loads(json.dumps(document))
        *path, last = draw.choice(places)
        holder = copy
        for key in path:
            holder = holder[key]
        if draw.random() < 0.2:
            del holder[last]
        else:
            holder[last] = draw.choice([*values, holder[draw.choice(list(holder))] if isinstance(holder, dict)
                                        else draw.choice(holder)])
        (tmp_path / "model.json").write_text(json.dumps(copy))
        try:
            model = hx.load(tmp_path)
            ran += 1
            model(fresh(), scale=torch.tensor(2.0))
        except hx.HexError as error:
            refused += 1
            assert "\n" not in error.diagnostics[0].message
    assert refused > 200 and ran > 20
