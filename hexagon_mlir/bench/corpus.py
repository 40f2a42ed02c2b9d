"""The kernels of ``hexmlir bench``: linalg on tensors in DDR, with inputs and values in numpy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import factorial

import numpy as np

from hexagon_mlir.bench.size_kernels import KERNELS as BY_SIZE
from hexagon_mlir.bench.size_kernels import elementwise

ENTRY = "kernel"
"""The function of every text."""
_TERMS = 16
_OF_SIZES = {"vector add": (64, 16384), "GELU": (16, 16384), "softmax": (64, 781), "RMS norm": (127, 513),
             "matmul": (128, 256, 192)}
"""The sizes of kernels that have a text for any."""


@dataclass(frozen=True)
class Entry:
    """One kernel. ``shapes`` and ``dtypes`` are those of its arguments, then of its result; ``reference`` computes the
    result in f64 of arguments in f64; ``tolerance`` is relative to 1 + the largest value.
    """

    name: str
    text: str
    shapes: tuple[tuple[int, ...], ...]
    dtypes: tuple[str, ...]
    reference: Callable[..., np.ndarray]
    tolerance: float = 1e-5

    @property
    def size(self) -> str:
        """The shapes of the arguments and their type, for tables."""
        shapes = ", ".join("x".join(map(str, shape)) for shape in dict.fromkeys(self.shapes[:-1]))
        return f"{shapes} {self.dtypes[0].replace('float', 'f').replace('int', 'i')}"

    def arguments(self) -> list[np.ndarray]:
        """The same each time: normal numbers, bytes of all values, indices of rows of the first argument."""
        rng = np.random.default_rng(0)
        found = []
        for shape, dtype in zip(self.shapes[:-1], self.dtypes[:-1], strict=True):
            if dtype == "int32":
                found.append(rng.integers(0, self.shapes[0][0], shape, dtype))
            elif dtype == "int8":
                found.append(rng.integers(-128, 128, shape, dtype))
            else:
                found.append(rng.standard_normal(shape).astype(dtype))
        return found


def _of_sizes() -> list[Entry]:
    entries = []
    for kernel in BY_SIZE:
        sizes = _OF_SIZES[kernel.name]
        shapes = tuple(tuple(shape) for shape in kernel.shapes(sizes))
        result = (sizes[0], sizes[2]) if kernel.name == "matmul" else sizes
        entries.append(Entry(kernel.name, kernel.text(sizes), (*shapes, result), ("float32",) * (len(shapes) + 1),
                             kernel.reference))
    return entries


def _chain(name: str, lines: Sequence[str], sizes: tuple[int, ...], reference: Callable[..., np.ndarray],
           inputs: int = 1) -> Entry:
    return Entry(name, elementwise("\n".join(lines), inputs)(sizes), (sizes,) * (inputs + 1),
                 ("float32",) * (inputs + 1), reference)


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
    return _chain(f"exponent series of {_TERMS} terms", lines, (1 << 18,),
                  lambda x: sum(x**number / factorial(number) for number in range(_TERMS)))


def _op(name: str, lines: str, types: Sequence[str], reference: Callable[..., np.ndarray], tolerance: float = 1e-5,
        fill: str = "") -> Entry:
    """``lines`` compute %r of %x0, %x1, ... into %e of the last of ``types``; ``fill`` is what %e is filled with."""
    result = f"tensor<{types[-1]}>"
    arguments = ", ".join(f"%x{number}: tensor<{type_}>" for number, type_ in enumerate(types[:-1]))
    element = types[-1].rpartition("x")[2]
    start = f"  %e = tensor.empty() : {result}\n"
    if fill:
        start = (f"  %empty = tensor.empty() : {result}\n  %fill = arith.constant {fill} : {element}\n"
                 f"  %e = linalg.fill ins(%fill : {element}) outs(%empty : {result}) -> {result}\n")
    text = f"func.func @{ENTRY}({arguments}) -> {result} {{\n{start}{lines}\n  return %r : {result}\n}}\n"
    numpy = {"f32": "float32", "f16": "float16", "i8": "int8", "i32": "int32"}
    parts = [type_.split("x") for type_ in types]
    return Entry(name, text, tuple(tuple(map(int, part[:-1])) for part in parts),
                 tuple(numpy[part[-1]] for part in parts), reference, tolerance)


def _product(name: str, op: str, types: Sequence[str], tolerance: float = 1e-5) -> Entry:
    x, y, result = (f"tensor<{type_}>" for type_ in types)
    return _op(name, f"  %r = linalg.{op} ins(%x0, %x1 : {x}, {y}) outs(%e : {result}) -> {result}", types, np.matmul,
               tolerance, "0" if types[2].endswith("i32") else "0.0")


def _convolution(x: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """NHWC by HWCF, without borders."""
    windows = np.lib.stride_tricks.sliding_window_view(x, weights.shape[:2], (1, 2))
    return np.einsum("nhwcij,ijcf->nhwf", windows, weights, optimize=True)


_ONE = "%one = arith.constant 1.0 : f32"
ENTRIES = (
    *_of_sizes(),
    _chain("SiLU", [_ONE, "%n = arith.negf %a0 : f32", "%x = math.exp %n : f32", "%d = arith.addf %x, %one : f32",
                    "%r = arith.divf %a0, %d : f32"], (16, 16384), lambda x: x / (1 + np.exp(-x))),
    _chain("chain of 4", ["%p = arith.mulf %a0, %a1 : f32", "%q = arith.addf %p, %a0 : f32",
                          "%t = arith.maximumf %q, %a1 : f32", "%r = arith.subf %t, %a0 : f32"], (1 << 18,),
           lambda x, y: np.maximum(x * y + x, y) - x, 2),
    _series(),
    _op("sum of rows", "  %r = linalg.reduce {arith.addf} ins(%x0 : tensor<256x1000xf32>) outs(%e : tensor<256xf32>) "
        "dimensions = [1]", ("256x1000xf32", "256xf32"), lambda x: x.sum(axis=1), fill="0.0"),
    _op("transpose", "  %r = linalg.transpose ins(%x0 : tensor<512x384xf32>) outs(%e : tensor<384x512xf32>) "
        "permutation = [1, 0]", ("512x384xf32", "384x512xf32"), np.transpose),
    _product("matrix by vector", "matvec", ("512x768xf32", "768xf32", "512xf32")),
    _product("matmul f16", "matmul", ("128x256xf16", "256x192xf16", "128x192xf32"), 2e-3),
    _product("matmul i8", "matmul", ("128x256xi8", "256x192xi8", "128x192xi32"), 0.0),
    _op("convolution 3x3", "  %r = linalg.conv_2d_nhwc_hwcf {strides = dense<1> : tensor<2xi64>, "
        "dilations = dense<1> : tensor<2xi64>} ins(%x0, %x1 : tensor<1x18x18x32xf32>, tensor<3x3x32x32xf32>) "
        "outs(%e : tensor<1x16x16x32xf32>) -> tensor<1x16x16x32xf32>",
        ("1x18x18x32xf32", "3x3x32x32xf32", "1x16x16x32xf32"), _convolution, fill="0.0"),
)
"""Names are unique, and stay what they are: older results are compared by them."""
