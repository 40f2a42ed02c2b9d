"""Values and cycles of copies of many rows, which `hexagon-copy-lowering` leaves to DMA."""

import numpy as np
import pytest

import hexagon_mlir as hx

HALVES = """func.func @f(%x: tensor<12x64x64xf32>) -> tensor<12x64x64xf32> {
  %left = tensor.extract_slice %x[0, 0, 0] [12, 64, 32] [1, 1, 1] : tensor<12x64x64xf32> to tensor<12x64x32xf32>
  %right = tensor.extract_slice %x[0, 0, 32] [12, 64, 32] [1, 1, 1] : tensor<12x64x64xf32> to tensor<12x64x32xf32>
  %0 = tensor.concat dim(2) %right, %left
      : (tensor<12x64x32xf32>, tensor<12x64x32xf32>) -> tensor<12x64x64xf32>
  return %0 : tensor<12x64x64xf32>
}"""
ROLLED = """func.func @f(%x: tensor<64x12x64xf32>) -> tensor<64x12x64xf32> {
  %left = tensor.extract_slice %x[0, 0, 0] [64, 12, 63] [1, 1, 1] : tensor<64x12x64xf32> to tensor<64x12x63xf32>
  %right = tensor.extract_slice %x[0, 0, 63] [64, 12, 1] [1, 1, 1] : tensor<64x12x64xf32> to tensor<64x12x1xf32>
  %0 = tensor.concat dim(2) %right, %left : (tensor<64x12x1xf32>, tensor<64x12x63xf32>) -> tensor<64x12x64xf32>
  return %0 : tensor<64x12x64xf32>
}"""
FRAMED = """func.func @f(%x: tensor<3x64x64xf32>) -> tensor<3x66x66xf32> {
  %zero = arith.constant 0.0 : f32
  %0 = tensor.pad %x low[0, 1, 1] high[0, 1, 1] {
  ^bb0(%i: index, %j: index, %k: index):
    tensor.yield %zero : f32
  } : tensor<3x64x64xf32> to tensor<3x66x66xf32>
  return %0 : tensor<3x66x66xf32>
}"""


@pytest.mark.parametrize(("text", "shape", "expected", "cycles"), [
    (HALVES, (12, 64, 64), lambda x: np.roll(x, 32, 2), 9_000),  # 8,248, by loops of vectors 596,584
    (ROLLED, (64, 12, 64), lambda x: np.roll(x, 1, 2), 9_000),  # 8,248, by such loops 603,244
    (FRAMED, (3, 64, 64), lambda x: np.pad(x, ((0, 0), (1, 1), (1, 1))), 6_000),  # 5,290, 80,492
], ids=["halves", "rolled", "framed"])
def test_rows_apart(text, shape, expected, cycles):
    x = np.random.default_rng(1).standard_normal(shape).astype(np.float32)
    run = hx.compile(text).run(x)
    np.testing.assert_array_equal(run.outputs[0], expected(x))
    assert run.cycles <= cycles
