"""Kernels of the corpus that move elements: transposes, look-ups, sorting."""

from __future__ import annotations

import numpy as np

from hexagon_mlir.bench.corpus.builders import op, triton
from hexagon_mlir.bench.corpus.entry import Entry

_ROWS = """  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]} ins(%x1 : tensor<512xi32>) outs(%e : tensor<512x256xf32>) {
    ^bb0(%number: i32, %old: f32):
      %row = arith.index_cast %number : i32 to index
      %column = linalg.index 1 : index
      %v = tensor.extract %x0[%row, %column] : tensor<1000x256xf32>
      linalg.yield %v : f32
  } -> tensor<512x256xf32>"""
_ELEMENTS = """  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]} ins(%x1 : tensor<65536xi32>) outs(%e : tensor<65536xf32>) {
    ^bb0(%number: i32, %old: f32):
      %at = arith.index_cast %number : i32 to index
      %v = tensor.extract %x0[%at] : tensor<1024xf32>
      linalg.yield %v : f32
  } -> tensor<65536xf32>"""


def _looked_up(table: np.ndarray, numbers: np.ndarray) -> np.ndarray:
    return table[numbers.astype(np.int64)]


def _transpose(name: str, rows: int, columns: int, element: str) -> Entry:
    source, result = f"{rows}x{columns}x{element}", f"{columns}x{rows}x{element}"
    return op(name, f"  %r = linalg.transpose ins(%x0 : tensor<{source}>) outs(%e : tensor<{result}>) "
              "permutation = [1, 0]", (source, result), np.transpose)


ENTRIES = (
    _transpose("transpose", 512, 384, "f32"),
    _transpose("transpose f16", 512, 512, "f16"),
    _transpose("transpose i8", 512, 1024, "i8"),
    op("gather of rows", _ROWS, ("1000x256xf32", "512xi32", "512x256xf32"), _looked_up),
    op("gather of elements", _ELEMENTS, ("1024xf32", "65536xi32", "65536xf32"), _looked_up),
    triton("sort of rows", "sort", ("32x64xf32", "32x64xf32"), lambda x: np.sort(x, axis=1), 0.0, ROWS=32, COLUMNS=64),
)
