"""Kernels compiled for the sizes of a launch: how far a loop over blocks goes decides whether its products are one.

A kernel that adds up products in a loop to a size that it is launched with, as ``for k in range(0, K, BLOCK_K)``, is
compiled without that number first, and again for each number it meets: the matrix engine then computes one product.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any, NamedTuple

from hexagon_mlir import pipelines
from hexagon_mlir.dialects.programs import GRID_ARGUMENTS
from hexagon_mlir.frontend.triton.lower import PrintedText, to_binary
from hexagon_mlir.ir import arith, ir, make_context, parse
from hexagon_mlir.ir.query import functions, names_of, ops_named
from hexagon_mlir.passes.lib.pure_slices import is_pure
from hexagon_mlir.passes.untile_products import adds_to_carried
from hexagon_mlir.settings import Settings

MOST_SIZES = 16
"""Programs of one kernel, for so many different sizes; with further ones the program that takes any size runs."""
_BOUNDS = 3


class Binary(NamedTuple):
    """What a launch runs, and the seconds that it took to compile now."""

    content: bytes
    seconds: float


def sizes_of_loops(module: ir.Module, arch: str, settings: Settings) -> list[int]:
    """The numbers of the kernel's i32 arguments, at run time, that end loops which add up products for the engine."""
    if not (settings.matrix_engine and pipelines.target_of(arch).has_matrix_engine):
        return []
    elements = ("f16", "bf16", "i8", "f32") if settings.f32_split else ("f16", "bf16", "i8")
    found: set[int] = set()
    for function in functions(module):
        entry = function.regions[0].blocks[0]
        given = len(entry.arguments) - GRID_ARGUMENTS
        for op in ops_named(function, *names_of("linalg")):
            if adds_to_carried(op) and str(ir.RankedTensorType(op.operands[0].type).element_type) in elements:
                loop = op.operands[2].owner.owner.operation
                numbers = _arguments(list(loop.operands)[:_BOUNDS], entry)
                if numbers and max(numbers) < given and all(str(entry.arguments[n].type) == "i32" for n in numbers):
                    found |= numbers
    return sorted(found)


def _arguments(values: Sequence[ir.Value], entry: ir.Block) -> set[int] | None:
    """The numbers of the arguments of ``entry`` that ``values`` are computed from; None where anything else is used."""
    numbers: set[int] = set()
    for value in values:
        if isinstance(value.owner, ir.Block):
            if value.owner != entry:
                return None
            numbers.add(ir.BlockArgument(value).arg_number)
            continue
        op = value.owner.operation
        inner = _arguments(list(op.operands), entry) if is_pure(op) else None
        if inner is None:
            return None
        numbers |= inner
    return numbers


class Specializations:
    """The programs of one kernel for different sizes. ``linalg`` is the kernel on tensors, ``numbers`` those of the
    arguments whose values programs differ in."""

    def __init__(self, linalg: str, numbers: Sequence[int], arch: str, pipeline: str, settings: Settings) -> None:
        self._linalg, self._numbers = linalg, tuple(numbers)
        self._arch, self._pipeline, self._settings = arch, pipeline, settings
        self._known: dict[tuple[int, ...], bytes] = {}

    def binary(self, arguments: Sequence[Any]) -> Binary | None:
        """The program for a launch with ``arguments``; None where there are too many already."""
        values = tuple(int(arguments[number]) for number in self._numbers)
        if values in self._known:
            return Binary(self._known[values], 0.0)
        if len(self._known) >= MOST_SIZES:
            return None
        start = time.perf_counter()
        content = to_binary(self._with(values), self._arch, self._pipeline, self._settings)
        self._known[values] = content
        return Binary(content, time.perf_counter() - start)

    def _with(self, values: Sequence[int]) -> str:
        """The kernel with ``values`` in place of the arguments, which stay and are not used."""
        module = parse(self._linalg, file="<linalg>", context=make_context())
        for function in functions(module):
            entry = function.regions[0].blocks[0]
            with function.location, ir.InsertionPoint.at_block_begin(entry):
                for number, value in zip(self._numbers, values, strict=True):
                    argument = entry.arguments[number]
                    argument.replace_all_uses_with(arith.constant(argument.type, value))
        return PrintedText.of(module)
