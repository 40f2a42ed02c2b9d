"""Entries of the corpus from what is particular to them: the body of an elementwise kernel, the lines of one op."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from hexagon_mlir.bench.corpus.entry import ENTRY, Entry
from hexagon_mlir.bench.size_kernels import KERNELS, elementwise

NUMPY = {"f32": "float32", "f16": "float16", "i8": "int8", "i32": "int32"}
_BY_SIZE = {kernel.name: kernel for kernel in KERNELS}


def of_sizes(name: str, sizes: tuple[int, ...], result: tuple[int, ...]) -> Entry:
    """A kernel that has a text for any ``sizes``."""
    kernel = _BY_SIZE[name]
    shapes = tuple(tuple(shape) for shape in kernel.shapes(sizes))
    return Entry(name, lambda: kernel.text(sizes), (*shapes, result), ("float32",) * (len(shapes) + 1),
                 kernel.reference)


def chain(name: str, lines: Sequence[str], sizes: tuple[int, ...], reference: Callable[..., np.ndarray],
          inputs: int = 1) -> Entry:
    """``lines`` compute %r of the elements %a0, ..., all of f32."""
    return Entry(name, lambda: elementwise("\n".join(lines), inputs)(sizes), (sizes,) * (inputs + 1),
                 ("float32",) * (inputs + 1), reference)


def op(name: str, lines: str, types: Sequence[str], reference: Callable[..., np.ndarray], tolerance: float = 1e-5,
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
    parts = [type_.split("x") for type_ in types]
    return Entry(name, lambda: text, tuple(tuple(map(int, part[:-1])) for part in parts),
                 tuple(NUMPY[part[-1]] for part in parts), reference, tolerance)


def named_op(name: str, operation: str, types: Sequence[str], reference: Callable[..., np.ndarray],
             tolerance: float = 1e-5) -> Entry:
    """``linalg.operation`` of two tensors, into zeros; its attributes stand after its name."""
    x, y, result = (f"tensor<{type_}>" for type_ in types)
    return op(name, f"  %r = linalg.{operation} ins(%x0, %x1 : {x}, {y}) outs(%e : {result}) -> {result}", types,
              reference, tolerance, "0" if types[2].endswith("i32") else "0.0")


def triton(name: str, function: str, types: Sequence[str], reference: Callable[..., np.ndarray],
           tolerance: float = 1e-5, grid: tuple[int, int, int] = (1, 1, 1), **constants: object) -> Entry:
    """``function`` of `triton_kernels` with pointers to tensors of ``types``, the last one's to the result, then
    ``constants``."""
    parts = [type_.split("x") for type_ in types]
    elements = [part[-1] for part in parts]

    def source() -> str:
        from hexagon_mlir.bench.corpus.triton_kernels import text  # a second, and an extra

        return text(function, elements, constants)

    return Entry(name, source, tuple(tuple(map(int, part[:-1])) for part in parts),
                 tuple(NUMPY[element] for element in elements), reference, tolerance, function, grid)
