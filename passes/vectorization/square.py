"""Transposes a matrix of as many rows as a vector has lanes, in the output, by two loops.

The first exchanges lanes between adjacent rows and stores them to the output; the second exchanges between rows far
apart.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from hexagon_mlir.ir import ir, make
from hexagon_mlir.ir.constants import index
from hexagon_mlir.passes.lib.segments import for_loop
from hexagon_mlir.passes.lib.transposes import Butterfly, reading_order
from hexagon_mlir.passes.vectorization.body import BodyEmitter, Ivs
from hexagon_mlir.passes.vectorization.plan import TransposedPlan

_NEAR, _AT_ONCE = 8, 16  # rows of the first loop's exchanges, and rows per iteration


def is_square(body: BodyEmitter, plan: TransposedPlan, operand: int, outputs: range) -> bool:
    """True where transposed ``operand`` is one square of vectors that fits the output in TCM."""
    nest, lanes, output = body.nest, plan.lanes, body.nest.operands[outputs[0]]
    return (len(outputs) == 1 and (nest.extents[plan.loop], nest.extents[plan.column_loop]) == (lanes, plan.columns)
            and lanes == plan.columns and output.in_tcm and output.contiguous_in(plan.loop)
            and body.element_type(outputs[0]) == body.element_type(operand))


def emit_square(body: BodyEmitter, plan: TransposedPlan, operand: int, output: int, ivs: Ivs,
                visit: Callable[[Ivs, ir.Value], object]) -> None:
    """The loops at the outer ones' ``ivs``; ``visit`` gets those of each row of ``output``, and the row."""
    lanes, start = plan.lanes, index(0)
    bits, far = _NEAR.bit_length() - 1, lanes // _NEAR
    together = _AT_ONCE // far

    def rows_of(source: int, here: Callable[[ir.Value], Ivs], groups: Sequence[Sequence[ir.Value]],
                exchanges: range) -> list[tuple[Sequence[ir.Value], Butterfly]]:
        """Groups of rows of ``source``; all loads come first, so that their latencies overlap."""
        loaded = [[body.load_along(source, here(row), lanes, None) for row in group] for group in groups]
        return [(group, Butterfly(rows, exchanges)) for group, rows in zip(groups, loaded, strict=True)]

    def given(row: ir.Value) -> Ivs:
        return {**ivs, plan.loop: row, plan.column_loop: start}

    def waiting(row: ir.Value) -> Ivs:
        return {**ivs, plan.loop: start, plan.column_loop: row}

    def near(first: ir.Value, carried: list[ir.Value]) -> list[ir.Value]:
        groups = [[make.addi(first, index(row + n)) for n in range(_NEAR)] for row in range(0, _AT_ONCE, _NEAR)]
        for group, rows in rows_of(operand, given, groups, range(bits)):
            for row in reading_order(_NEAR):
                body.store(output, rows[row], waiting(group[row]), lanes, None)
        return carried

    def apart(first: ir.Value, carried: list[ir.Value]) -> list[ir.Value]:
        groups = [[make.addi(first, index(row + n)) for n in range(0, lanes, _NEAR)] for row in range(together)]
        for group, rows in rows_of(output, waiting, groups, range(bits, lanes.bit_length() - 1)):
            for row in reading_order(far):
                visit(waiting(group[row]), rows[row])
        return carried

    for_loop(start, index(lanes), _AT_ONCE, [], near)
    for_loop(start, index(_NEAR), together, [], apart)
