"""Kernels of the corpus that reduce rows, with and without work on each element afterwards."""

from __future__ import annotations

import numpy as np

from hexagon_mlir.bench.corpus.builders import of_sizes, op, triton

_LAYER_NORM = """  %row = tensor.empty() : tensor<256xf32>
  %zero = arith.constant 0.0 : f32
  %zeros = linalg.fill ins(%zero : f32) outs(%row : tensor<256xf32>) -> tensor<256xf32>
  %sums = linalg.reduce {arith.addf} ins(%x0 : tensor<256x768xf32>) outs(%zeros : tensor<256xf32>) dimensions = [1]
  %squares = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>,
      affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x0, %sums : tensor<256x768xf32>, tensor<256xf32>) outs(%zeros : tensor<256xf32>) {
    ^bb0(%a: f32, %sum: f32, %old: f32):
      %one = arith.constant 1.3020833333333333e-3 : f32
      %mean = arith.mulf %sum, %one : f32
      %d = arith.subf %a, %mean : f32
      %q = arith.mulf %d, %d : f32
      %t = arith.addf %q, %old : f32
      linalg.yield %t : f32
  } -> tensor<256xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>,
      affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%x0, %sums, %squares, %x1, %x2 :
          tensor<256x768xf32>, tensor<256xf32>, tensor<256xf32>, tensor<768xf32>, tensor<768xf32>)
      outs(%e : tensor<256x768xf32>) {
    ^bb0(%a: f32, %sum: f32, %square: f32, %weight: f32, %bias: f32, %old: f32):
      %one = arith.constant 1.3020833333333333e-3 : f32
      %small = arith.constant 1.0e-5 : f32
      %mean = arith.mulf %sum, %one : f32
      %variance = arith.mulf %square, %one : f32
      %p = arith.addf %variance, %small : f32
      %k = math.rsqrt %p : f32
      %d = arith.subf %a, %mean : f32
      %s = arith.mulf %d, %k : f32
      %t = arith.mulf %s, %weight : f32
      %y = arith.addf %t, %bias : f32
      linalg.yield %y : f32
  } -> tensor<256x768xf32>"""


def _layer_norm(x: np.ndarray, weight: np.ndarray, bias: np.ndarray) -> np.ndarray:
    apart = x - x.mean(axis=1, keepdims=True)
    return apart / np.sqrt((apart**2).mean(axis=1, keepdims=True) + 1e-5) * weight + bias


def _softmax(x: np.ndarray) -> np.ndarray:
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


ENTRIES = (
    of_sizes("softmax", (64, 781), (64, 781)),
    of_sizes("RMS norm", (127, 513), (127, 513)),
    op("sum of rows", "  %r = linalg.reduce {arith.addf} ins(%x0 : tensor<256x1000xf32>) outs(%e : tensor<256xf32>) "
       "dimensions = [1]", ("256x1000xf32", "256xf32"), lambda x: x.sum(axis=1), fill="0.0"),
    triton("online softmax", "online_softmax", ("64x4096xf32", "64x4096xf32"), _softmax, grid=(4, 1, 1),
           ROWS=16, COLUMNS=4096, BLOCK=512),
    op("layer norm", _LAYER_NORM, ("256x768xf32", "768xf32", "768xf32", "256x768xf32"), _layer_norm),
)
