"""Kernels with the values they should give: the Triton examples on small ragged sizes, and linalg functions."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from support import ROOT

from hexagon_mlir.settings import DEFAULT_SETTINGS, Settings


@dataclass(frozen=True)
class Case:
    """``text`` gives the MLIR; ``arguments`` what to pass; ``expected`` the result (of a Triton kernel: argument
    ``out`` after the run); ``grid`` launches a Triton kernel; ``changed_by`` are passes that must change it, those of
    ``always`` without an estimate whether it pays."""

    name: str
    entry: str
    text: Callable[[], str]
    arguments: tuple[Any, ...]
    expected: np.ndarray
    tolerance: float
    grid: tuple[int, int, int] | None = None
    out: int = -1
    changed_by: tuple[str, ...] = ()
    always: tuple[str, ...] = ()
    settings: Settings = DEFAULT_SETTINGS


def example(name: str) -> Any:
    """The module ``examples/<name>.py``."""
    spec = importlib.util.spec_from_file_location(f"example_{name}", ROOT / "examples" / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _ttir(name: str, signature: dict[str, str], constants: dict[str, int]) -> Callable[[], str]:
    def text() -> str:
        from hexagon_mlir.frontend.triton.kernel import from_kernel

        return from_kernel(getattr(example(name), name), signature, constants)

    return text


def _random(*shape: int, dtype: Any = np.float32) -> np.ndarray:
    return np.random.default_rng(shape[0]).normal(0, 2, shape).astype(dtype)


def _gelu(x: np.ndarray) -> np.ndarray:
    v = x.astype(np.float64)
    return v / 2 * (1 + np.tanh(np.sqrt(2 / np.pi) * (v + 0.044715 * v**3)))


def _softmax(x: np.ndarray) -> np.ndarray:
    e = np.exp(x.astype(np.float64) - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def triton_cases() -> list[Case]:
    """The examples; every size leaves a ragged last block."""
    n, block = 300, 128
    x, y = _random(n), _random(n)[::-1].copy()
    rows, columns = 5, 100
    matrix, weight = _random(rows, columns), _random(columns)
    a, b = _random(9, 70), _random(70, 33)
    mean = (matrix.astype(np.float64) ** 2).mean(axis=1, keepdims=True)
    empty = np.zeros_like
    return [
        Case("vector_add", "vector_add",
             _ttir("vector_add", {"x": "*fp32", "y": "*fp32", "out": "*fp32", "n": "i32"}, {"BLOCK": block}),
             (x, y, empty(x), n), x + y, 0.0, (3, 1, 1), 2),
        *[Case(f"gelu_{kind}", "gelu",
               _ttir("gelu", {"x": f"*{kind}", "out": f"*{kind}", "n": "i32"}, {"BLOCK": block}),
               (x.astype(dtype), np.zeros(n, dtype), n), _gelu(x.astype(dtype)), error, (3, 1, 1), 1)
          for kind, dtype, error in (("fp32", np.float32, 1e-6), ("fp16", np.float16, 1e-3))],
        Case("softmax", "softmax",
             _ttir("softmax", {"x": "*fp32", "out": "*fp32", "columns": "i32", "stride": "i32"}, {"BLOCK": 128}),
             (matrix, empty(matrix), columns, columns), _softmax(matrix), 1e-6, (rows, 1, 1), 1),
        Case("rms_norm", "rms_norm",
             _ttir("rms_norm", {"x": "*fp32", "weight": "*fp32", "out": "*fp32", "columns": "i32", "stride": "i32",
                                "eps": "fp32"}, {"BLOCK": 128}),
             (matrix, weight, empty(matrix), columns, columns, 1e-6),
             matrix / np.sqrt(mean + 1e-6) * weight, 1e-5, (rows, 1, 1), 2),
        Case("matmul", "matmul",
             _ttir("matmul", {"a": "*fp32", "b": "*fp32", "c": "*fp32",
                              **dict.fromkeys(("M", "N", "K", "a_row", "a_column", "b_row", "b_column", "c_row"),
                                              "i32")},
                   {"BLOCK_M": 8, "BLOCK_N": 32, "BLOCK_K": 32}),
             (a, b, np.zeros((9, 33), np.float32), 9, 33, 70, 70, 1, 33, 1, 33), a.astype(np.float64) @ b, 1e-4,
             (2, 2, 1), 2),
    ]


SCALED_EXP = """func.func @scaled_exp(%x: tensor<5x100xf32>, %s: tensor<5xf32>) -> tensor<5x100xf32> {
  %e = tensor.empty() : tensor<5x100xf32>
  %0 = linalg.broadcast ins(%s : tensor<5xf32>) outs(%e : tensor<5x100xf32>) dimensions = [1]
  %1 = linalg.mul ins(%x, %0 : tensor<5x100xf32>, tensor<5x100xf32>) outs(%e : tensor<5x100xf32>) -> tensor<5x100xf32>
  %2 = math.exp %1 : tensor<5x100xf32>
  %3 = arith.addf %2, %x : tensor<5x100xf32>
  return %3 : tensor<5x100xf32>
}
"""
MATMUL_RELU = """func.func @matmul_relu(%a: tensor<9x70xf16>, %b: tensor<70x33xf16>, %c: tensor<33xf32>)
    -> tensor<9x33xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<9x33xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<9x33xf32>) -> tensor<9x33xf32>
  %m = linalg.matmul ins(%a, %b : tensor<9x70xf16>, tensor<70x33xf16>) outs(%f : tensor<9x33xf32>) -> tensor<9x33xf32>
  %w = linalg.broadcast ins(%c : tensor<33xf32>) outs(%e : tensor<9x33xf32>) dimensions = [0]
  %s = linalg.add ins(%m, %w : tensor<9x33xf32>, tensor<9x33xf32>) outs(%e : tensor<9x33xf32>) -> tensor<9x33xf32>
  %r = linalg.max ins(%s, %f : tensor<9x33xf32>, tensor<9x33xf32>) outs(%e : tensor<9x33xf32>) -> tensor<9x33xf32>
  return %r : tensor<9x33xf32>
}
"""
ROW_EXTREMES = """func.func @row_extremes(%x: tensor<7x130xi8>) -> tensor<7xi32> {
  %low = arith.constant -1000 : i32
  %e = tensor.empty() : tensor<7x130xi32>
  %w = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<7x130xi8>) outs(%e : tensor<7x130xi32>) {
    ^bb0(%a: i8, %o: i32):
      %c = arith.extsi %a : i8 to i32
      %i = linalg.index 1 : index
      %k = arith.index_cast %i : index to i32
      %s = arith.addi %c, %k : i32
      linalg.yield %s : i32
  } -> tensor<7x130xi32>
  %r = tensor.empty() : tensor<7xi32>
  %f = linalg.fill ins(%low : i32) outs(%r : tensor<7xi32>) -> tensor<7xi32>
  %m = linalg.reduce ins(%w : tensor<7x130xi32>) outs(%f : tensor<7xi32>) dimensions = [1]
    (%in: i32, %out: i32) {
      %b = arith.maxsi %in, %out : i32
      linalg.yield %b : i32
    }
  return %m : tensor<7xi32>
}
"""
CONVOLUTION = """func.func @convolution(%x: tensor<1x9x13x3xf32>, %w: tensor<3x2x3x37xf32>, %b: tensor<37xf32>)
    -> tensor<1x5x7x37xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x11x14x3xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x11x14x3xf32>) -> tensor<1x11x14x3xf32>
  %p = tensor.insert_slice %x into %f[0, 1, 1, 0] [1, 9, 13, 3] [1, 1, 1, 1]
      : tensor<1x9x13x3xf32> into tensor<1x11x14x3xf32>
  %o = tensor.empty() : tensor<1x5x7x37xf32>
  %i = linalg.broadcast ins(%b : tensor<37xf32>) outs(%o : tensor<1x5x7x37xf32>) dimensions = [0, 1, 2]
  %r = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>}
      ins(%p, %w : tensor<1x11x14x3xf32>, tensor<3x2x3x37xf32>) outs(%i : tensor<1x5x7x37xf32>)
      -> tensor<1x5x7x37xf32>
  return %r : tensor<1x5x7x37xf32>
}
"""


CONVOLUTION_F16 = """func.func @convolution_f16(%x: tensor<1x9x13x40xf16>, %w: tensor<3x3x40x36xf16>,
    %b: tensor<36xf32>) -> tensor<1x9x13x36xf32> {
  %zero = arith.constant 0.0 : f16
  %e = tensor.empty() : tensor<1x11x15x40xf16>
  %f = linalg.fill ins(%zero : f16) outs(%e : tensor<1x11x15x40xf16>) -> tensor<1x11x15x40xf16>
  %p = tensor.insert_slice %x into %f[0, 1, 1, 0] [1, 9, 13, 40] [1, 1, 1, 1]
      : tensor<1x9x13x40xf16> into tensor<1x11x15x40xf16>
  %o = tensor.empty() : tensor<1x9x13x36xf32>
  %i = linalg.broadcast ins(%b : tensor<36xf32>) outs(%o : tensor<1x9x13x36xf32>) dimensions = [0, 1, 2]
  %s = linalg.conv_2d_nhwc_hwcf ins(%p, %w : tensor<1x11x15x40xf16>, tensor<3x3x40x36xf16>)
      outs(%i : tensor<1x9x13x36xf32>) -> tensor<1x9x13x36xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(n, y, x, c) -> (n, y, x, c)>,
                                        affine_map<(n, y, x, c) -> (n, y, x, c)>],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%s : tensor<1x9x13x36xf32>) outs(%o : tensor<1x9x13x36xf32>) {
    ^bb0(%v: f32, %old: f32):
      %h = arith.truncf %v : f32 to f16
      %u = arith.extf %h : f16 to f32
      linalg.yield %u : f32
  } -> tensor<1x9x13x36xf32>
  return %r : tensor<1x9x13x36xf32>
}
"""


MATMUL_BIAS = """func.func @matmul_bias(%a: tensor<45x150xf16>, %b: tensor<150x200xf16>, %c: tensor<200xf16>)
    -> tensor<45x200xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<45x200xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<45x200xf32>) -> tensor<45x200xf32>
  %p = linalg.matmul ins(%a, %b : tensor<45x150xf16>, tensor<150x200xf16>) outs(%f : tensor<45x200xf32>)
      -> tensor<45x200xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>,
                                        affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%p, %c : tensor<45x200xf32>, tensor<200xf16>) outs(%e : tensor<45x200xf32>) {
    ^bb0(%x: f32, %y: f16, %o: f32):
      %h = arith.truncf %x : f32 to f16
      %s = arith.addf %h, %y : f16
      %w = arith.extf %s : f16 to f32
      linalg.yield %w : f32
  } -> tensor<45x200xf32>
  return %r : tensor<45x200xf32>
}
"""

FEW_COLUMNS = """func.func @few_columns(%a: tensor<45x150xf32>, %b: tensor<150x3xf32>, %c: tensor<45x3xf32>)
    -> tensor<45x3xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<45x150xf32>, tensor<150x3xf32>) outs(%c : tensor<45x3xf32>) -> tensor<45x3xf32>
  return %r : tensor<45x3xf32>
}
"""

MATMUL_TANH = """func.func @matmul_tanh(%a: tensor<45x150xf16>, %b: tensor<150x70xf16>) -> tensor<45x70xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<45x70xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<45x70xf32>) -> tensor<45x70xf32>
  %p = linalg.matmul ins(%a, %b : tensor<45x150xf16>, tensor<150x70xf16>) outs(%f : tensor<45x70xf32>)
      -> tensor<45x70xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%p : tensor<45x70xf32>) outs(%e : tensor<45x70xf32>) {
    ^bb0(%x: f32, %o: f32):
      %t = math.tanh %x : f32
      linalg.yield %t : f32
  } -> tensor<45x70xf32>
  return %r : tensor<45x70xf32>
}
"""


BYTES = """func.func @bytes(%a: tensor<100x250xi8>, %b: tensor<250x300xi8>) -> tensor<100x300xi32> {
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<100x300xi32>
  %f = linalg.fill ins(%zero : i32) outs(%e : tensor<100x300xi32>) -> tensor<100x300xi32>
  %p = linalg.matmul ins(%a, %b : tensor<100x250xi8>, tensor<250x300xi8>) outs(%f : tensor<100x300xi32>)
      -> tensor<100x300xi32>
  return %p : tensor<100x300xi32>
}
"""


ACCUMULATED = """func.func @accumulated(%a: tensor<45x150xf16>, %b: tensor<150x70xf16>, %c: tensor<45x70xf32>,
    %d: tensor<45xf32>) -> tensor<45x70xf32> {
  %old = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>,
      affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%c, %d : tensor<45x70xf32>, tensor<45xf32>) outs(%c : tensor<45x70xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %0 = arith.mulf %x, %y : f32
    linalg.yield %0 : f32
  } -> tensor<45x70xf32>
  %p = linalg.matmul ins(%a, %b : tensor<45x150xf16>, tensor<150x70xf16>) outs(%old : tensor<45x70xf32>)
      -> tensor<45x70xf32>
  return %p : tensor<45x70xf32>
}
"""
"""A product that is added to a rescaled matrix, as in attention by blocks of keys."""


EXTENDED = """func.func @extended(%a: tensor<45x150xf16>, %b: tensor<150x70xf16>) -> tensor<45x70xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<45x70xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<45x70xf32>) -> tensor<45x70xf32>
  %x = arith.extf %a : tensor<45x150xf16> to tensor<45x150xf32>
  %y = arith.extf %b : tensor<150x70xf16> to tensor<150x70xf32>
  %p = linalg.matmul ins(%x, %y : tensor<45x150xf32>, tensor<150x70xf32>) outs(%f : tensor<45x70xf32>)
      -> tensor<45x70xf32>
  return %p : tensor<45x70xf32>
}
"""


SPLIT = """func.func @split(%a: tensor<45x150xf32>, %b: tensor<150x70xf32>) -> tensor<45x70xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<45x70xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<45x70xf32>) -> tensor<45x70xf32>
  %p = linalg.matmul ins(%a, %b : tensor<45x150xf32>, tensor<150x70xf32>) outs(%f : tensor<45x70xf32>)
      -> tensor<45x70xf32>
  %n = arith.negf %p : tensor<45x70xf32>
  return %n : tensor<45x70xf32>
}
"""
CONVOLUTION_GROUPS = """func.func @convolution_groups(%x: tensor<1x5x9x64xf16>, %w: tensor<2x2x32x64xf16>)
    -> tensor<1x4x8x64xf32> {
  %zero = arith.constant 0.0 : f32
  %o = tensor.empty() : tensor<1x4x8x64xf32>
  %i = linalg.fill ins(%zero : f32) outs(%o : tensor<1x4x8x64xf32>) -> tensor<1x4x8x64xf32>
  %s = linalg.generic {indexing_maps = [
      affine_map<(n, y, x, o, ky, kx, c) -> (n, y + ky, x + kx, o floordiv 32 * 32 + c)>,
      affine_map<(n, y, x, o, ky, kx, c) -> (ky, kx, c, o)>, affine_map<(n, y, x, o, ky, kx, c) -> (n, y, x, o)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %w : tensor<1x5x9x64xf16>, tensor<2x2x32x64xf16>) outs(%i : tensor<1x4x8x64xf32>) {
    ^bb0(%a: f16, %b: f16, %old: f32):
      %u = arith.extf %a : f16 to f32
      %v = arith.extf %b : f16 to f32
      %m = arith.mulf %u, %v : f32
      %new = arith.addf %old, %m : f32
      linalg.yield %new : f32
  } -> tensor<1x4x8x64xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(n, y, x, c) -> (n, y, x, c)>,
                                        affine_map<(n, y, x, c) -> (n, y, x, c)>],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%s : tensor<1x4x8x64xf32>) outs(%o : tensor<1x4x8x64xf32>) {
    ^bb0(%v: f32, %old: f32):
      %h = arith.truncf %v : f32 to f16
      %u = arith.extf %h : f16 to f32
      linalg.yield %u : f32
  } -> tensor<1x4x8x64xf32>
  return %r : tensor<1x4x8x64xf32>
}
"""


def _convolved_groups(x: np.ndarray, w: np.ndarray) -> np.ndarray:
    """Two groups of 32 channels, 2 x 2 taps."""
    windows = np.lib.stride_tricks.sliding_window_view(x.astype(np.float64), w.shape[:2], axis=(1, 2))
    return np.concatenate([np.einsum("nhwcyx,yxcf->nhwf", windows[:, :, :, group], w.astype(np.float64)[..., group])
                           for group in (slice(32), slice(32, 64))], axis=-1)


def _convolved_f16(x: np.ndarray, w: np.ndarray, b: np.ndarray) -> np.ndarray:
    padded = np.pad(x.astype(np.float64), ((0, 0), (1, 1), (1, 1), (0, 0)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, w.shape[:2], axis=(1, 2))
    return np.einsum("nhwcyx,yxcf->nhwf", windows, w.astype(np.float64)) + b


def _convolved(x: np.ndarray, w: np.ndarray, b: np.ndarray) -> np.ndarray:
    padded = np.pad(x.astype(np.float64), ((0, 0), (1, 1), (1, 0), (0, 0)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, w.shape[:2], axis=(1, 2))[:, ::2, ::2]
    return np.einsum("nhwcyx,yxcf->nhwf", windows, w.astype(np.float64)) + b


CONVOLUTION_BYTES = """func.func @convolution_bytes(%x: tensor<1x9x13x64xi8>, %w: tensor<3x3x64x40xi8>,
    %b: tensor<40xi32>) -> tensor<1x9x13x40xi32> {
  %border = arith.constant -7 : i8
  %e = tensor.empty() : tensor<1x11x15x64xi8>
  %f = linalg.fill ins(%border : i8) outs(%e : tensor<1x11x15x64xi8>) -> tensor<1x11x15x64xi8>
  %p = tensor.insert_slice %x into %f[0, 1, 1, 0] [1, 9, 13, 64] [1, 1, 1, 1]
      : tensor<1x9x13x64xi8> into tensor<1x11x15x64xi8>
  %o = tensor.empty() : tensor<1x9x13x40xi32>
  %i = linalg.broadcast ins(%b : tensor<40xi32>) outs(%o : tensor<1x9x13x40xi32>) dimensions = [0, 1, 2]
  %s = linalg.conv_2d_nhwc_hwcf ins(%p, %w : tensor<1x11x15x64xi8>, tensor<3x3x64x40xi8>)
      outs(%i : tensor<1x9x13x40xi32>) -> tensor<1x9x13x40xi32>
  return %s : tensor<1x9x13x40xi32>
}
"""


def _convolved_bytes(x: np.ndarray, w: np.ndarray, b: np.ndarray) -> np.ndarray:
    padded = np.pad(x.astype(np.int32), ((0, 0), (1, 1), (1, 1), (0, 0)), constant_values=-7)
    windows = np.lib.stride_tricks.sliding_window_view(padded, w.shape[:2], axis=(1, 2))
    return np.einsum("nhwcyx,yxcf->nhwf", windows, w.astype(np.int32)) + b


def linalg_cases() -> list[Case]:
    """A chain with a broadcast, a matrix product with an epilogue, mixed widths with an index and a reduction, a
    convolution in strides on a padded image, products for the matrix engine with sums that are rounded to f16 or stay
    f32 or are added to a matrix, of factors that are extended or split, and of bytes, one of few columns, two products
    with a softmax between them, a convolution, one of groups of channels, one of bytes."""
    x, s = _random(5, 100), _random(5)
    a, b, c = _random(9, 70, dtype=np.float16), _random(70, 33, dtype=np.float16), _random(33)
    image, filter_, bias = _random(1, 9, 13, 3), _random(3, 2, 3, 37), _random(37)
    left, right, offset = (_random(*shape, dtype=np.float16) for shape in ((45, 150), (150, 200), (200,)))
    queries, keys, values = (_random(count, 64)[None].astype(np.float16) / 2 for count in (70, 77, 77))
    picture, kernel, start = (_random(*shape, dtype=np.float16) / 4
                              for shape in ((1, 9, 13, 40), (3, 3, 40, 36), (36,)))
    grouped = (_random(1, 5, 9, 64, dtype=np.float16) / 4, _random(2, 2, 32, 64, dtype=np.float16) / 4)
    bytes_ = np.random.default_rng(0).integers(-128, 128, (7, 130)).astype(np.int8)
    small = np.ascontiguousarray(right[:, :70] * np.float16(2**-5))
    sums, wide = _random(45, 70), (_random(45, 150), _random(150, 70))
    rng = np.random.default_rng(1)
    factors = [rng.integers(-128, 128, shape).astype(np.int8) for shape in ((100, 250), (250, 300))]
    of_bytes = (*(rng.integers(-128, 128, shape).astype(np.int8) for shape in ((1, 9, 13, 64), (3, 3, 64, 40))),
                rng.integers(-9999, 9999, 40).astype(np.int32))
    product = x.astype(np.float64) * s[:, None]
    return [
        Case("scaled_exp", "scaled_exp", lambda: SCALED_EXP, (x, s), np.exp(product) + x, 1e-5),
        Case("matmul_relu", "matmul_relu", lambda: MATMUL_RELU, (a, b, c),
             np.maximum(a.astype(np.float64) @ b.astype(np.float64) + c, 0), 1e-3),
        Case("row_extremes", "row_extremes", lambda: ROW_EXTREMES, (bytes_,),
             (bytes_.astype(np.int32) + np.arange(130)).max(axis=1).astype(np.int32), 0.0),
        Case("convolution", "convolution", lambda: CONVOLUTION, (image, filter_, bias),
             _convolved(image, filter_, bias), 1e-4),
        Case("matmul_bias", "matmul_bias", lambda: MATMUL_BIAS, (left, right, offset),
             left.astype(np.float64) @ right.astype(np.float64) + offset, 1e-3),
        Case("attention", "attention", _attention, (queries, keys, values), _attended(queries, keys, values), 5e-3),
        Case("bytes", "bytes", lambda: BYTES, tuple(factors), np.matmul(*factors, dtype=np.int32), 0.0),
        Case("few_columns", "few_columns", lambda: FEW_COLUMNS, (wide[0], wide[1][:, :3].copy(), sums[:, :3].copy()),
             wide[0].astype(np.float64) @ wide[1][:, :3] + sums[:, :3], 1e-5, changed_by=("transpose-few-columns",)),
        Case("matmul_tanh", "matmul_tanh", lambda: MATMUL_TANH, (left, small),
             np.tanh(left.astype(np.float64) @ small.astype(np.float64)), 1e-5),
        Case("accumulated", "accumulated", lambda: ACCUMULATED, (left, small, sums, sums[:, 0].copy()),
             sums * sums[:, :1].astype(np.float64) + left.astype(np.float64) @ small.astype(np.float64), 1e-5,
             changed_by=("separate-accumulators",)),
        Case("extended", "extended", lambda: EXTENDED, (left, small),
             left.astype(np.float64) @ small.astype(np.float64), 1e-5, changed_by=("fold-factor-casts",)),
        Case("split", "split", lambda: SPLIT, tuple(wide), -np.matmul(*(one.astype(np.float64) for one in wide)), 1e-6,
             changed_by=("hexagon-split-products", "hexagon-matrix-engine"),
             always=("hexagon-split-products", "hexagon-matrix-engine"), settings=Settings(f32_split=True)),
        Case("convolution_f16", "convolution_f16", lambda: CONVOLUTION_F16, (picture, kernel, start.astype(np.float32)),
             _convolved_f16(picture, kernel, start), 1e-3),
        Case("convolution_groups", "convolution_groups", lambda: CONVOLUTION_GROUPS, grouped,
             _convolved_groups(*grouped), 1e-3, changed_by=("hexagon-engine-convolution",)),
        Case("convolution_bytes", "convolution_bytes", lambda: CONVOLUTION_BYTES, of_bytes, _convolved_bytes(*of_bytes),
             0.0, changed_by=("hexagon-engine-convolution",), always=("hexagon-engine-convolution",)),
    ]


def _attention() -> str:
    """70 queries and 77 keys of 64, causal; the result as f32."""
    from hexagon_mlir.frontend.torch.kernels import attention_rows
    from hexagon_mlir.frontend.torch.kernels.attention_scores import Shape

    text = attention_rows.function(Shape(1, 1, 70, 77, 64, 64, (), (), "f16", True, 0.125, True, False, 0.0))
    head, _, result = text.replace("@kernel(", "@attention(").rpartition("return ")
    value = result.split()[0]
    return f"""{head.replace("-> (tensor<1x70x64xf16>) {", "-> tensor<1x70x64xf32> {", 1)}
      %none = tensor.empty() : tensor<1x70x64xf32>
      %wide = linalg.generic {{indexing_maps = [affine_map<(a, b, c) -> (a, b, c)>, affine_map<(a, b, c) -> (a, b, c)>],
          iterator_types = ["parallel", "parallel", "parallel"]}}
          ins({value} : tensor<1x70x64xf16>) outs(%none : tensor<1x70x64xf32>) {{
      ^bb0(%x: f16, %old: f32):
        %y = arith.extf %x : f16 to f32
        linalg.yield %y : f32
      }} -> tensor<1x70x64xf32>
      return %wide : tensor<1x70x64xf32>
    }}"""


def _attended(queries: np.ndarray, keys: np.ndarray, values: np.ndarray) -> np.ndarray:
    scores = queries.astype(np.float64) @ keys.astype(np.float64).transpose(0, 2, 1) / 8
    weights = np.exp(np.where(np.tri(*scores.shape[1:], dtype=bool), scores, -np.inf))
    return weights / weights.sum(-1, keepdims=True) @ values.astype(np.float64)
