"""Named ops of several steps, and shapes without elements, through the default pipeline and the simulator."""

import numpy as np
import pytest
from batch import on_simulator


@pytest.mark.ieee_arithmetic
def test_softmax_and_layouts_as_named_ops():
    """Rows with infinities and NaN as PyTorch has them; a padded pack and its unpack."""
    call, _ = on_simulator("""
func.func @softmax(%x: tensor<5x100xf32>) -> tensor<5x100xf32> {
  %e = tensor.empty() : tensor<5x100xf32>
  %0 = linalg.softmax dimension(1) ins(%x : tensor<5x100xf32>) outs(%e : tensor<5x100xf32>) -> tensor<5x100xf32>
  return %0 : tensor<5x100xf32>
}
func.func @pack(%x: tensor<20x33xf32>, %y: tensor<3x3x8x11xf32>) -> tensor<3x3x8x11xf32> {
  %c = arith.constant 0.0 : f32
  %0 = linalg.pack %x padding_value(%c : f32) inner_dims_pos = [0, 1] inner_tiles = [8, 11] into %y
      : tensor<20x33xf32> -> tensor<3x3x8x11xf32>
  return %0 : tensor<3x3x8x11xf32>
}
func.func @unpack(%x: tensor<3x3x8x11xf32>, %y: tensor<20x33xf32>) -> tensor<20x33xf32> {
  %0 = linalg.unpack %x inner_dims_pos = [0, 1] inner_tiles = [8, 11] into %y
      : tensor<3x3x8x11xf32> -> tensor<20x33xf32>
  return %0 : tensor<20x33xf32>
}
""")
    x = np.random.default_rng(0).normal(0, 3, (5, 100)).astype(np.float32)
    x[1], x[2, 3], x[3, 4], x[4, 7] = -np.inf, np.nan, -np.inf, np.inf
    with np.errstate(invalid="ignore"):
        e = np.exp(x.astype(np.float64) - x.max(axis=1, keepdims=True))
    result = np.full_like(x, 99)
    call("softmax", [x, result])
    np.testing.assert_allclose(result, e / e.sum(axis=1, keepdims=True), atol=1e-7)
    rows = np.random.default_rng(1).normal(0, 3, (20, 33)).astype(np.float32)
    tiles, back = np.full((3, 3, 8, 11), 99, np.float32), np.full_like(rows, 99)
    call("pack", [rows, tiles.copy(), tiles])
    padded = np.pad(rows, ((0, 4), (0, 0)))
    np.testing.assert_array_equal(tiles, padded.reshape(3, 8, 3, 11).transpose(0, 2, 1, 3))
    call("unpack", [tiles, back.copy(), back])
    np.testing.assert_array_equal(back, rows)


def test_arguments_without_elements():
    """A sum of nothing is where it started; upstream has no calling convention for [4, 0]."""
    call, _ = on_simulator("""
func.func @f(%x: tensor<4x0xf32>, %s: tensor<4xf32>) -> (tensor<4x0xf32>, tensor<4xf32>) {
  %0 = arith.addf %x, %x : tensor<4x0xf32>
  %1 = linalg.reduce {arith.addf} ins(%0 : tensor<4x0xf32>) outs(%s : tensor<4xf32>) dimensions = [1]
  return %0, %1 : tensor<4x0xf32>, tensor<4xf32>
}
""")
    start, result = np.arange(4, dtype=np.float32), np.full(4, 99, np.float32)
    none = np.zeros((4, 0), np.float32)
    call("f", [none, start, none.copy(), result])
    np.testing.assert_array_equal(result, start)
