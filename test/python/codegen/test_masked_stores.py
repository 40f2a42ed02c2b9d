"""A masked store at the end of a small buffer is seen by the loads that follow.

LLVM 22 counts the lanes that are masked off as accessed; in an object of known size it then took the store and a load
of the same bytes for independent, and moved the load up. Buffers have room for a whole last vector since.
"""

import numpy as np
import pytest

import hexagon_mlir as hx

ROTATED_DIFFERENCE = """
func.func @f(%x: tensor<8xf32>) -> tensor<4xf32> {
  %w = tensor.empty() : tensor<8xf32>
  %y = linalg.add ins(%x, %x : tensor<8xf32>, tensor<8xf32>) outs(%w : tensor<8xf32>) -> tensor<8xf32>
  %a = tensor.extract_slice %y[0] [4] [2] : tensor<8xf32> to tensor<4xf32>
  %b = tensor.extract_slice %y[1] [4] [2] : tensor<8xf32> to tensor<4xf32>
  %e = tensor.empty() : tensor<4xf32>
  %d = linalg.sub ins(%a, %b : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %d : tensor<4xf32>
}
"""


@pytest.mark.ieee_arithmetic
def test_strided_loads_after_a_masked_store():
    x = np.arange(8, dtype=np.float32) ** 2
    (result,) = hx.compile(ROTATED_DIFFERENCE).run(x).outputs
    np.testing.assert_array_equal(result, 2 * (x[0::2] - x[1::2]))
