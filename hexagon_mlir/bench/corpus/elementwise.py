"""Kernels of the corpus that compute each element by itself."""

from __future__ import annotations

from math import erf, factorial

import numpy as np

from hexagon_mlir.bench.corpus.builders import chain, of_sizes, op, triton
from hexagon_mlir.bench.corpus.entry import Entry

_TERMS = 16
_ONE = "%one = arith.constant 1.0 : f32"


def _series() -> Entry:
    """Horner's rule for the first terms of exp(x)."""
    lines, value = [], f"%c{_TERMS - 1}"
    for number in range(_TERMS):
        lines.append(f"%c{number} = arith.constant {1 / factorial(number):.17e} : f32")
    for number in reversed(range(_TERMS - 1)):
        result = "%r" if number == 0 else f"%s{number}"
        lines += [f"%p{number} = arith.mulf {value}, %a0 : f32",
                  f"{result} = arith.addf %p{number}, %c{number} : f32"]
        value = result
    return chain(f"exponent series of {_TERMS} terms", lines, (1 << 18,),
                 lambda x: sum(x**number / factorial(number) for number in range(_TERMS)))


def _long_chain(x: np.ndarray, y: np.ndarray, z: np.ndarray) -> np.ndarray:
    t = np.minimum(np.maximum(x * y + z, x - y), 4.0)
    u = np.abs(t) * z - x
    return np.maximum(u * t + y, u) * 0.5


_GELU = """  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]} ins(%x0 : tensor<16x16384xf16>) outs(%e : tensor<16x16384xf16>) {
    ^bb0(%a: f16, %old: f16):
      %half = arith.constant 0.5 : f32
      %one = arith.constant 1.0 : f32
      %root = arith.constant 0.70710678 : f32
      %x = arith.extf %a : f16 to f32
      %u = arith.mulf %x, %root : f32
      %v = math.erf %u : f32
      %w = arith.addf %v, %one : f32
      %y = arith.mulf %x, %w : f32
      %z = arith.mulf %y, %half : f32
      %n = arith.truncf %z : f32 to f16
      linalg.yield %n : f16
  } -> tensor<16x16384xf16>"""


def _rotated(x: np.ndarray, cos: np.ndarray, sin: np.ndarray) -> np.ndarray:
    a, b = np.split(x, 2, axis=1)
    return np.concatenate([a * cos - b * sin, b * cos + a * sin], axis=1)


ENTRIES = (
    of_sizes("vector add", (64, 16384), (64, 16384)),
    of_sizes("GELU", (16, 16384), (16, 16384)),
    chain("SiLU", [_ONE, "%n = arith.negf %a0 : f32", "%x = math.exp %n : f32", "%d = arith.addf %x, %one : f32",
                   "%r = arith.divf %a0, %d : f32"], (16, 16384), lambda x: x / (1 + np.exp(-x))),
    chain("chain of 4", ["%p = arith.mulf %a0, %a1 : f32", "%q = arith.addf %p, %a0 : f32",
                         "%t = arith.maximumf %q, %a1 : f32", "%r = arith.subf %t, %a0 : f32"], (1 << 18,),
          lambda x, y: np.maximum(x * y + x, y) - x, 2),
    _series(),
    chain("chain of 12", ["%half = arith.constant 0.5 : f32", "%four = arith.constant 4.0 : f32",
                          "%b = arith.mulf %a0, %a1 : f32", "%c = arith.addf %b, %a2 : f32",
                          "%d = arith.subf %a0, %a1 : f32", "%f = arith.maximumf %c, %d : f32",
                          "%t = arith.minimumf %f, %four : f32", "%g = math.absf %t : f32",
                          "%h = arith.mulf %g, %a2 : f32", "%u = arith.subf %h, %a0 : f32",
                          "%k = arith.mulf %u, %t : f32", "%l = arith.addf %k, %a1 : f32",
                          "%m = arith.maximumf %l, %u : f32", "%r = arith.mulf %m, %half : f32"], (1 << 17,),
          _long_chain, 3),
    op("GELU f16", _GELU, ("16x16384xf16", "16x16384xf16"),
       lambda x: x * 0.5 * (1 + np.vectorize(erf, otypes=[float])(x * 0.70710678)), 1e-3),
    triton("rope", "rope", ("512x128xf32", "512x64xf32", "512x64xf32", "512x128xf32"), _rotated, grid=(4, 1, 1),
           ROWS=128, HALF=64),
)
