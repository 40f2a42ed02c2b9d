"""Copies between pairs and the two rows of a pair where these follow each other: each vector has the same elements on
both sides."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hexagon_mlir.ir import ir, make
from hexagon_mlir.ir.constants import index
from hexagon_mlir.ir.query import element_bytes
from hexagon_mlir.passes.lib.loop_nests import LoopNest, Operand
from hexagon_mlir.passes.lib.move_order import beside_each_other, iterations_together
from hexagon_mlir.passes.lib.pair_vectors import alignment, end_of, joined
from hexagon_mlir.passes.lib.segments import for_loop

PAIR = 2


@dataclass(frozen=True)
class NeighbourPlan:
    """Loops of a copy between ``pairs[.., column, pair]`` and ``rows[.., pair, column]``, a vector of each."""

    pair: int
    column: int
    interleaves: bool
    """From rows to pairs, or back."""

    def order(self, lanes: int) -> list[int]:
        """The lane of the source that each lane of the target has.

        >>> NeighbourPlan(0, 1, True).order(6), NeighbourPlan(0, 1, False).order(6)
        ([0, 3, 1, 4, 2, 5], [0, 2, 4, 1, 3, 5])
        """
        columns = lanes // PAIR
        if self.interleaves:
            return [pair * columns + column for column in range(columns) for pair in range(PAIR)]
        return [column * PAIR + pair for pair in range(PAIR) for column in range(columns)]


def make_neighbour_plan(nest: LoopNest, vector_bytes: int) -> NeighbourPlan | None:
    """How ``nest`` copies between pairs and their rows; None for any other nest."""
    if len(nest.operands) != 2 or nest.op_loops or nest.indexed or nest.tables or any(nest.reduction):
        return None
    source, target = nest.operands
    for pairs, rows in ((target, source), (source, target)):
        if not (_whole_loops(pairs, nest) and _whole_loops(rows, nest)):
            continue
        (column, pair), inner = pairs.dims[-2:], rows.dims[-2:]
        if inner != (pair, column) or pair is None or column is None or nest.extents[pair] != PAIR:
            continue
        if (nest.extents[column] or 0) * PAIR * pairs.bits == vector_bytes * 8:
            return NeighbourPlan(pair, column, pairs is target)
    return None


def _whole_loops(operand: Operand, nest: LoopNest) -> bool:
    """Whether each loop is one dimension of ``operand``, whose last two are contiguous."""
    loops = [loop for loop in operand.dims if loop is not None]
    return (len(operand.dims) >= PAIR and sorted(loops) == list(range(len(nest.extents)))
            and len(loops) == len(operand.dims) and operand.unit_stride and operand.collapsible[-1])


def emit_neighbours(op: ir.Operation, nest: LoopNest, plan: NeighbourPlan, vector_bytes: int) -> None:
    """The loops and vectors of ``op``, at the insertion point."""
    source, target = (joined(value) for value in op.operands)
    element = ir.MemRefType(op.operands[0].type).element_type
    vector = ir.VectorType.get([vector_bytes // element_bytes(element)], element)
    order = plan.order(vector.shape[0])

    def places(operand: Operand, ivs: dict[int, ir.Value]) -> list[ir.Value]:
        return [*(ivs[loop] for loop in operand.dims[:-2] if loop is not None), index(0)]

    def move(ivs: dict[int, ir.Value]) -> Iterator[None]:
        loaded = make.load(vector, source, places(nest.operands[0], ivs), alignment(source, vector))
        yield
        moved = make.shuffle(loaded, loaded, order)
        yield
        make.store(moved, target, places(nest.operands[1], ivs), alignment(target, vector))
        yield

    def around(loops: Sequence[int], ivs: dict[int, ir.Value]) -> None:
        if not loops:
            beside_each_other([move(ivs)])
            return
        extent = nest.extents[loops[0]]
        unroll = iterations_together(extent) if len(loops) == 1 and extent is not None else 1

        def body(iv: ir.Value, _: list[ir.Value]) -> list[ir.Value]:
            if len(loops) > 1:
                around(loops[1:], {**ivs, loops[0]: iv})
            else:
                beside_each_other([move({**ivs, loops[0]: make.addi(iv, index(number)) if number else iv})
                                   for number in range(unroll)])
            return []

        for_loop(index(0), end_of(op, nest, loops[0]), unroll, [], body)

    around([loop for loop in range(len(nest.extents)) if loop not in (plan.pair, plan.column)], {})
