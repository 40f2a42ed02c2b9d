"""ONNX files that are not as they should be: one error that names the file; nothing outside of its folder is read."""

import os
import random

import numpy as np
import onnx
import pytest
import torch
from onnx import TensorProto, numpy_helper

import hexagon_mlir as hx
from hexagon_mlir.cli.hexmlir import main


def model():
    made = onnx.parser.parse_model('<ir_version: 9, opset_import: ["" : 19]> g (float[2,8] x) => (float[2,8] r) '
                                   "{ a = MatMul(x, w) r = Add(a, b) }")
    weights = np.linspace(-1, 1, 72, dtype=np.float32)
    made.graph.initializer.extend([numpy_helper.from_array(weights[:64].reshape(8, 8), "w"),
                                   numpy_helper.from_array(weights[64:], "b")])
    return made


def external(**entries):
    made = model()
    tensor = made.graph.initializer[0]
    tensor.ClearField("raw_data")
    tensor.data_location = TensorProto.EXTERNAL
    for key, value in entries.items():
        entry = tensor.external_data.add()
        entry.key, entry.value = key, value
    return made


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The current folder: that of the model, beside one that is not."""
    inside = tmp_path / "inside"
    inside.mkdir()
    (inside / "w.bin").write_bytes(np.linspace(-1, 1, 64, dtype=np.float32).tobytes())
    (tmp_path / "w.bin").write_bytes(bytes(256))
    (inside / "link.bin").symlink_to(tmp_path / "w.bin")
    os.mkfifo(inside / "pipe.bin")
    monkeypatch.chdir(inside)
    return inside


def refused(made, message):
    onnx.save_model(made, "m.onnx")
    with pytest.raises(hx.HexError, match=message) as caught:
        hx.compile("m.onnx")
    (diagnostic,) = caught.value.diagnostics
    assert "\n" not in diagnostic.message and diagnostic.place.file in ("m.onnx", "hexmlir")


@pytest.mark.parametrize(("location", "message"), [
    ("a\0b", "outside the model's folder"), ("\0", "outside"), ("../w.bin", "outside"),
    ("../inside/../w.bin", "outside"),
    ("/etc/passwd", "outside"), ("link.bin", "outside"), ("", "outside"), (".", "no file of bytes"),
    ("..", "outside"), ("pipe.bin", "no file of bytes"), ("none.bin", "No such file"), ("x" * 5000, "too long"),
    ("m.onnx/x", "Not a directory")])
def test_bytes_elsewhere(folder, location, message):
    refused(external(location=location), message)


@pytest.mark.parametrize(("entries", "message"), [
    ({"offset": "x"}, "the offset of the bytes of 'w' is 'x'"), ({"offset": "-4"}, "is '-4'"),
    ({"offset": ""}, "is ''"),
    ({"offset": "9" * 20}, "the offset"), ({"offset": "1.5"}, "the offset"), ({"offset": "4"}, "end too early"),
    ({"length": "x"}, "the length of the bytes of 'w' is 'x'"), ({"length": "252"}, "end too early")])
def test_wrong_places(folder, entries, message):
    refused(external(location="w.bin", **entries), message)


def test_bytes_in_a_file_beside(folder):
    onnx.save_model(external(location="w.bin", offset="0", length="256"), "m.onnx")
    x = torch.linspace(0, 1, 16).reshape(2, 8)
    w = torch.from_numpy(np.fromfile("w.bin", np.float32)).reshape(8, 8)
    bias = torch.from_numpy(np.linspace(-1, 1, 72, dtype=np.float32)[64:])
    torch.testing.assert_close(hx.compile("m.onnx")(x)[0], x @ w + bias, rtol=0, atol=1e-5)


@pytest.mark.parametrize("dims", [(-1, 8), (8, -8), (-8, -8)])
@pytest.mark.parametrize("make", [model, lambda: external(location="w.bin")], ids=["inside", "beside"])
def test_negative_shapes(folder, make, dims):
    made = make()
    made.graph.initializer[0].dims[:] = dims
    refused(made, r"'w' has the shape \(-?8?1?, -?8\)")


@pytest.mark.parametrize("number", [0, 1])
def test_no_values(folder, number):
    made = model()
    made.graph.initializer[number].ClearField("raw_data")
    refused(made, "the values of '[wb]': cannot reshape")


@pytest.mark.parametrize("size", [-3, 1 << 50])
def test_sizes_of_inputs(folder, size):
    made = model()
    made.graph.input[0].type.tensor_type.shape.dim[0].dim_value = size
    refused(made, "an input of shape")


def test_sizes_on_the_command_line(folder, capsys):
    made = model()
    made.graph.input[0].type.tensor_type.shape.dim[0].dim_param = "n"
    made.graph.output[0].type.tensor_type.shape.dim[0].dim_param = "n"
    onnx.save_model(made, "m.onnx")
    program = torch.export.export(torch.nn.Linear(8, 8), (torch.randn(2, 8),),
                                  dynamic_shapes=({0: torch.export.Dim("n")},))
    torch.export.save(program, "m.pt2")
    for file in ("m.onnx", "m.pt2"):
        assert main(["compile", file, "-o", "out", "--shapes=99999999999x8"]) == 1
        assert "an input of shape (99999999999, 8)" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["1", "class", "a b", "x=print()", "self", "ü", 'a"b', "x\ny"])
def test_names_of_inputs(folder, name):
    """PyTorch writes source with them."""
    made = model()
    made.graph.input[0].name = made.graph.node[0].input[0] = name
    twin = made.graph.input.add()
    twin.CopyFrom(made.graph.input[0])
    twin.name = "".join(c if c.isalnum() else "_" for c in name) + "_"
    made.graph.node[1].input[1] = twin.name
    onnx.save_model(made, "m.onnx")
    x = torch.linspace(0, 1, 16).reshape(2, 8)
    w = torch.from_numpy(np.linspace(-1, 1, 72, dtype=np.float32)[:64].reshape(8, 8))
    torch.testing.assert_close(hx.compile("m.onnx")(x, 2 * x)[0], x @ w + 2 * x, rtol=0, atol=1e-5)


def test_random_bytes(folder):
    data, draw, failed = model().SerializeToString(), random.Random(8), 0
    for _ in range(60):
        changed = bytearray(data)
        for _ in range(draw.choice((1, 1, 3))):
            changed[draw.choice((draw.randrange(40), draw.randrange(len(data) - 160, len(data))))] = draw.randrange(256)
        (folder / "m.onnx").write_bytes(changed[: draw.choice((None, None, None, draw.randrange(len(data))))])
        try:
            hx.compile("m.onnx")
        except hx.HexError:
            failed += 1
    assert failed > 20
