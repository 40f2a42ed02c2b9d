"""ONNX models of bytes compute with bytes, and give the values of onnx's reference evaluator."""

import numpy as np
import onnx
import pytest
import torch
from onnx import numpy_helper, parser
from onnx.reference import ReferenceEvaluator

import hexagon_mlir as hx
from hexagon_mlir.frontend.onnx.model import read
from hexagon_mlir.frontend.torch.capture import from_exported
from hexagon_mlir.frontend.torch.graph import dtype_of
from hexagon_mlir.frontend.torch.passes import run_passes

pytestmark = pytest.mark.only_values

RANDOM = np.random.default_rng(5)
KINDS = {onnx.TensorProto.FLOAT: np.float32, onnx.TensorProto.UINT8: np.uint8, onnx.TensorProto.INT8: np.int8}


def signed(*shape):
    return RANDOM.integers(-127, 128, shape).astype(np.int8)


def words(*shape):
    return RANDOM.integers(-3000, 3000, shape).astype(np.int32)


def scales(*shape):
    return (RANDOM.random(shape) * 0.01 + 0.001).astype(np.float32)


SCHEMES = {"s": np.float32(0.031), "z": np.uint8(119), "t": np.float32(0.27), "u": np.uint8(7)}
GRAPHS = {
    # name: text, weights, whether all of it computes with integers after a first conversion
    "linear layer, a scale for each channel": (
        "(uint8[7,70] q) => (uint8[7,83] r) { d = DequantizeLinear(q, s, z) w = DequantizeLinear<axis=1>(m, v, o)"
        " b = DequantizeLinear<axis=0>(c, k) y = Gemm(d, w, b) e = Relu(y) r = QuantizeLinear(e, t, u) }",
        {"m": signed(70, 83), "v": scales(83), "o": np.zeros(83, np.int8), "c": words(83),
         "k": scales(83) / 100}, True),
    "weights quantized in the file": (
        "(float[5,70] x) => (uint8[5,19] r) { q = QuantizeLinear(x, s, z) d = DequantizeLinear(q, s, z)"
        " a = QuantizeLinear(m, v, o) w = DequantizeLinear(a, v, o) y = MatMul(d, w) e = Add(y, c)"
        " r = QuantizeLinear(e, t, u) }",
        {"m": (signed(70, 19) / 1000).astype(np.float32), "v": np.float32(0.001), "o": np.int8(0),
         "c": scales(19)}, False),
    "bytes without sign": (
        "(uint8[5,70] q) => (uint8[5,19] r) { d = DequantizeLinear(q, s, z) w = DequantizeLinear(m, v, o)"
        " y = MatMul(d, w) r = QuantizeLinear(y, t, u) }",
        {"m": RANDOM.integers(0, 256, (70, 19)).astype(np.uint8), "v": np.float32(0.003), "o": np.uint8(101)}, True),
    "image": (
        "(uint8[1,6,9,8] q) => (int8[1,11] r) { d = DequantizeLinear(q, s, z) w = DequantizeLinear<axis=0>(m, v)"
        " b = DequantizeLinear<axis=0>(c, k) y = Conv<strides=[2,2],auto_pad=\"SAME_UPPER\">(d, w, b)"
        " l = Constant<value = float {0.0}>() h = Constant<value = float {6.0}>() e = Clip(y, l, h)"
        " p = QuantizeLinear(e, g, n) f = DequantizeLinear(p, g, n) i = HardSwish(f) j = QuantizeLinear(i, g, n)"
        " a = DequantizeLinear(j, g, n) o = GlobalAveragePool(a) x = Flatten(o) r = QuantizeLinear(x, g, n) }",
        {"m": signed(11, 6, 3, 3), "v": scales(11), "c": words(11), "k": scales(11) / 100, "g": np.float32(0.043),
         "n": np.int8(-90)}, True),
    "QLinearMatMul": (
        "(uint8[9,70] q) => (uint8[9,19] r) { r = QLinearMatMul(q, s, z, m, v, o, t, u) }",
        {"m": signed(70, 19), "v": np.float32(0.004), "o": np.int8(3)}, True),
    "QLinearConv": (
        "(uint8[2,6,9,8] q) => (uint8[2,10,10,8] r) { r = QLinearConv<pads=[2,1,1,1]>(q, s, z, m, v, o, t, u, c) }",
        {"m": signed(10, 6, 3, 3), "v": scales(10), "o": np.zeros(10, np.int8), "c": words(10)}, True),
    "MatMulInteger": (
        "(uint8[9,70] q) => (int32[9,83] r) { r = MatMulInteger(q, m, z, o) }",
        {"m": signed(70, 83), "o": RANDOM.integers(-1, 1, 83).astype(np.int8)}, True),
    "ConvInteger": (
        "(uint8[1,6,9,8] q) => (int32[1,10,9,8] r) { r = ConvInteger<pads=[1,1,1,1]>(q, m, z) }",
        {"m": signed(10, 6, 3, 3)}, True),
    "scales of the run": (
        "(float[9,70] x) => (int32[9,19] r, uint8 zero) { q, k, zero = DynamicQuantizeLinear(x)"
        " r = MatMulInteger(q, m, zero) }", {"m": signed(70, 19)}, False),
}


def model_of(text, **weights):
    model = parser.parse_model(f'<ir_version: 10, opset_import: ["" : 21]>\nmain {text}')
    model.graph.initializer.extend(numpy_helper.from_array(np.array(v), n) for n, v in weights.items())
    return model


def inputs_of(model):
    """The same for each model, whatever other tests run: means without ties, which go upwards (docs/models.md)."""
    random = np.random.default_rng(7)
    for value in model.graph.input:
        shape = [d.dim_value for d in value.type.tensor_type.shape.dim]
        kind = KINDS[value.type.tensor_type.elem_type]
        yield (random.standard_normal(shape) if kind == np.float32 else random.integers(0, 256, shape)).astype(kind)


@pytest.mark.ieee_arithmetic
@pytest.mark.full_except("image", "QLinearConv", "QLinearMatMul", "MatMulInteger", "scales of the run")
@pytest.mark.parametrize("name", GRAPHS)
def test_values(name, tmp_path):
    text, weights, whole = GRAPHS[name]
    used = {key: value for key, value in SCHEMES.items() if key not in weights}
    model = model_of(text, **used, **weights)
    onnx.save(model, tmp_path / "model.onnx")
    inputs = list(inputs_of(model))
    got = hx.compile(str(tmp_path / "model.onnx"))(*map(torch.from_numpy, inputs))
    names = [value.name for value in model.graph.input]
    expected = ReferenceEvaluator(model).run(None, dict(zip(names, inputs, strict=True)))
    for ours, theirs in zip(got, expected, strict=True):
        np.testing.assert_array_equal(ours.numpy(), theirs)
        assert theirs.ndim == 0 or np.unique(theirs).size > 8
    graph = from_exported(read(str(tmp_path / "model.onnx")).export())
    run_passes(graph)
    kinds = {dtype_of(node) for node in graph.graph.nodes if node.op == "call_function"}
    assert (torch.float32 not in kinds) == whole


def test_clip_keeps_nan(tmp_path):
    model = model_of("(float[5] x) => (float[5] r) { l = Constant<value = float {-0.5}>()"
                     " h = Constant<value = float {2.0}>() r = Clip(x, l, h) }")
    onnx.save(model, tmp_path / "model.onnx")
    x = torch.tensor([torch.nan, -3.0, 0.25, 9.0, torch.inf])
    (got,) = hx.compile(str(tmp_path / "model.onnx"))(x)
    np.testing.assert_array_equal(got.numpy(), np.float32([np.nan, -0.5, 0.25, 2, 2]))
