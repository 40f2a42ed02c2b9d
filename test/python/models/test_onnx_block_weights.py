"""ONNX Runtime's products with weights of a few bits in blocks, against numpy."""

import numpy as np
import onnx
import pytest
import torch
from onnx import TensorProto, helper, numpy_helper

import hexagon_mlir as hx

pytestmark = pytest.mark.only_values

MICROSOFT = "com.microsoft"


def packed(numbers, bits):
    """Rows of numbers as bytes, the first ones in the lowest bits, filled up with zeros."""
    each = 8 // bits
    padded = np.pad(numbers, [(0, 0), (0, -numbers.shape[1] % each)]).astype(np.uint8).reshape(len(numbers), -1, each)
    return np.bitwise_or.reduce(padded << np.arange(0, 8, bits, dtype=np.uint8), axis=-1).astype(np.uint8)


def model_of(file, rows, inputs, kind, depth, columns, bits, block):
    node = helper.make_node("MatMulNBits", ["x", *inputs], ["y"], domain=MICROSOFT, K=depth, N=columns, bits=bits,
                            block_size=block, accuracy_level=4)
    tensors = [numpy_helper.from_array(value, name) for name, value in inputs.items() if name]
    graph = helper.make_graph([node], "g", [helper.make_tensor_value_info("x", kind, [rows, depth])],
                              [helper.make_tensor_value_info("y", kind, [rows, columns])], tensors)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21), helper.make_opsetid(MICROSOFT, 1)]),
              file)
    return str(file)


CASES = {  # bits, block, depth, columns, rows, zero points, bias
    "as GGUF's Q4_0": (4, 32, 256, 70, 1, None, False),
    "zero points": (4, 32, 192, 70, 2, "bytes", True),
    "an odd number of blocks": (4, 64, 320, 33, 3, "bytes", False),
    "a last block that is filled up": (4, 128, 200, 70, 1, "bytes", True),
    "zero points that are no integers": (4, 32, 96, 20, 2, "numbers", False),
    "8 bits": (8, 32, 128, 70, 1, "bytes", True),
    "2 bits": (2, 16, 64, 10, 4, None, False),
    "many rows": (4, 32, 128, 70, 40, "bytes", False),
}


@pytest.mark.full_except(
    "a last block that is filled up-float32", "zero points that are no integers-float16", "2 bits-float32")
@pytest.mark.parametrize(("case", "dtype"), [*((case, np.float32) for case in CASES),
                                             ("zero points", np.float16), ("many rows", np.float16),
                                             ("zero points that are no integers", np.float16)])
def test_values(case, dtype, tmp_path):
    bits, block, depth, columns, rows, zero_points, has_bias = CASES[case]
    random = np.random.default_rng(3)
    blocks = -(-depth // block)
    numbers = random.integers(0, 1 << bits, (columns, blocks * block))
    scales = (random.random((columns, blocks)) * 0.02 + 0.01).astype(dtype)
    zeros = np.full((columns, blocks), 1 << bits - 1)
    inputs = {"codes": packed(numbers, bits).reshape(columns, blocks, -1), "scales": scales.reshape(-1)}
    if zero_points == "bytes":
        zeros = random.integers(0, 1 << bits, (columns, blocks))
        inputs["zeros"] = packed(zeros, bits).reshape(-1)
    elif zero_points == "numbers":
        zeros = (random.random((columns, blocks)) * 16).astype(dtype)
        inputs["zeros"] = zeros
    bias = random.standard_normal(columns).astype(dtype) if has_bias else np.zeros(columns, dtype)
    if has_bias:
        inputs |= {"": None, "bias": bias}  # no order of blocks
    file = model_of(tmp_path / "m.onnx", rows, inputs, TensorProto.FLOAT if dtype == np.float32 else
                    TensorProto.FLOAT16, depth, columns, bits, block)
    x = random.standard_normal((rows, depth)).astype(dtype)
    compiled = hx.compile(file)
    (got,) = compiled(torch.from_numpy(x))
    weights = ((numbers.reshape(columns, blocks, block) - zeros[..., None].astype(np.float64))
               * scales[..., None].astype(np.float64)).reshape(columns, -1)[:, :depth]
    expected = x.astype(np.float64) @ weights.T + bias
    bound = np.abs(x).astype(np.float64) @ np.abs(weights.T) + np.abs(bias)
    assert got.dtype == torch.from_numpy(x).dtype
    assert (np.abs(got.numpy() - expected) / bound).max() < (2e-3 if dtype == np.float16 else 2e-6)
    if block >= 32 and zero_points != "numbers":
        assert compiled.result.saved_bytes > 0


@pytest.mark.parametrize(("bits", "block", "codes", "message"), [
    (3, 32, (10, 2, 12), "there is no code for 3 bits in blocks of 32"),
    (4, 24, (10, 3, 12), "there is no code for 4 bits in blocks of 24"),
    (4, 32, (10, 2, 8), "are not those of 10 rows of 64 weights in blocks of 32"),
])
def test_refused(bits, block, codes, message, tmp_path):
    inputs = {"codes": np.zeros(codes, np.uint8), "scales": np.ones((10, 2), np.float32)}
    file = model_of(tmp_path / "m.onnx", 1, inputs, TensorProto.FLOAT, 64, 10, bits, block)
    with pytest.raises(hx.HexError, match=message):
        hx.compile(file)


def test_an_order_of_blocks(tmp_path):
    random = np.random.default_rng(3)
    numbers, scales = random.integers(0, 16, (10, 64)), (random.random((10, 2)) + 0.5).astype(np.float32)
    order = random.integers(0, 2, 64).astype(np.int32)
    inputs = {"codes": packed(numbers, 4).reshape(10, 2, -1), "scales": scales, "": None, "order": order}
    file = model_of(tmp_path / "m.onnx", 2, inputs, TensorProto.FLOAT, 64, 10, 4, 32)
    x = random.standard_normal((2, 64)).astype(np.float32)
    (got,) = hx.compile(file)(torch.from_numpy(x))
    np.testing.assert_allclose(got.numpy(), x @ ((numbers - 8) * scales[:, order]).T, rtol=1e-4, atol=1e-4)
