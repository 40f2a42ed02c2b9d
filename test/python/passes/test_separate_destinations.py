"""Two results that start from one filled tensor, written to memory one after the other, do not overwrite each other."""

import numpy as np
import pytest

import hexagon_mlir as hx

TWO_SUMS = """
func.func @f(%x: memref<4x100xi32>, %y: memref<4x100xi32>, %a: memref<4xi32>, %b: memref<4xi32>) {
  %c = arith.constant 0 : i32
  %tx = bufferization.to_tensor %x restrict : memref<4x100xi32> to tensor<4x100xi32>
  %ty = bufferization.to_tensor %y restrict : memref<4x100xi32> to tensor<4x100xi32>
  %e = tensor.empty() : tensor<4xi32>
  %f = linalg.fill ins(%c : i32) outs(%e : tensor<4xi32>) -> tensor<4xi32>
  %r = linalg.reduce { arith.addi } ins(%tx : tensor<4x100xi32>) outs(%f : tensor<4xi32>) dimensions = [1]
  %s = linalg.reduce { arith.addi } ins(%ty : tensor<4x100xi32>) outs(%f : tensor<4xi32>) dimensions = [1]
  bufferization.materialize_in_destination %r in restrict writable %a : (tensor<4xi32>, memref<4xi32>) -> ()
  bufferization.materialize_in_destination %s in restrict writable %b : (tensor<4xi32>, memref<4xi32>) -> ()
  return
}
"""


@pytest.mark.parametrize("pipeline", ["default", "scalar"])
def test_two_sums(pipeline):
    x = np.arange(400, dtype=np.int32).reshape(4, 100)
    y = 3 * x + 1
    a, b = np.zeros(4, np.int32), np.zeros(4, np.int32)
    hx.compile(TWO_SUMS, pipeline=pipeline).run(x, y, a, b)
    assert a.tolist() == x.sum(1).tolist()
    assert b.tolist() == y.sum(1).tolist()
