"""Emits the loops and vector operations for one op and its `VectorizationPlan`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from hexagon_mlir.ir import ir, make, memref
from hexagon_mlir.ir.constants import index
from hexagon_mlir.passes.lib.loop_nests import LoopNest, split_operands
from hexagon_mlir.passes.lib.segments import for_loop, round_down
from hexagon_mlir.passes.vectorization.body import BodyEmitter, Ivs
from hexagon_mlir.passes.vectorization.collapse import collapse_value
from hexagon_mlir.passes.vectorization.periodic import PeriodicEmitter
from hexagon_mlir.passes.vectorization.plan import (
    PeriodicPlan,
    RowReductionsPlan,
    ShortRowsPlan,
    TransposedPlan,
    UnrolledPlan,
    VectorizationPlan,
)
from hexagon_mlir.passes.vectorization.row_reductions import RowReductionEmitter
from hexagon_mlir.passes.vectorization.short_rows import ShortRowsEmitter
from hexagon_mlir.passes.vectorization.transposed import TransposedEmitter
from hexagon_mlir.passes.vectorization.unrolled import UnrolledEmitter


class NestEmitter:
    """Replaces one linalg op on buffers by vector code; use as ``NestEmitter(op, nest, plan, ...).emit()``."""

    def __init__(self, op: ir.Operation, own: LoopNest, nest: LoopNest, groups: Sequence[Sequence[int]],
                 plan: VectorizationPlan, vector_bytes: int):
        """``nest`` has one loop for each of ``groups``, which group the loops of ``own``, the nest of ``op``."""
        inputs, outputs = split_operands(op)
        values = [collapse_value(v, o, groups) for v, o in zip((*inputs, *outputs), own.operands, strict=True)]
        numbers = [next(i for i, group in enumerate(groups) if loop in group) for loop in range(sum(map(len, groups)))]
        self.nest, self.plan = nest, plan
        self.body = BodyEmitter(op, nest, values, plan.loop, vector_bytes, numbers)
        self.outputs = range(len(inputs), len(values))
        self.extents = [self._extent(loop, values) for loop in range(len(nest.extents))]

    def emit(self) -> None:
        """Emit everything at the current insertion point."""
        where = self.body, self.outputs, self.extents
        match self.plan:
            case UnrolledPlan() as plan:
                jam = {} if plan.jammed_loop is None else {plan.jammed_loop: plan.jammed}
                self._loops(self._outer(plan.loop), jam, [{}], UnrolledEmitter(plan, *where).emit)
            case TransposedPlan() as plan:
                transposed = TransposedEmitter(plan, *where)
                self._around(transposed.emit, plan.loop, plan.column_loop)
                transposed.free()
            case PeriodicPlan() as plan:
                self._around(PeriodicEmitter(plan, *where).emit, plan.loop)
            case ShortRowsPlan() as plan:
                self._around(ShortRowsEmitter(plan, *where).emit, plan.loop, plan.row_loop)
            case RowReductionsPlan() as plan:
                self._around(RowReductionEmitter(plan, *where).emit, plan.loop, plan.row_loop)

    def _extent(self, loop: int, values: Sequence[ir.Value]) -> ir.Value:
        static = self.nest.extents[loop]
        if static is not None:
            return index(static)
        for operand, value in zip(self.nest.operands, values, strict=True):
            if loop in operand.dims and operand.period is None:
                return memref.dim(value, index(operand.dims.index(loop)))
        raise AssertionError("a loop that indexes no operand")

    def _outer(self, *inner: int) -> list[int]:
        """The parallel loops that are not ``inner``."""
        return [loop for loop, reduction in enumerate(self.nest.reduction) if loop not in inner and not reduction]

    def _around(self, inside: Callable[[Ivs], None], *inner: int) -> None:
        """The parallel loops around ``inside``, which emits loops ``inner`` itself and gets the others' indices."""
        self._loops(self._outer(*inner), {}, [{}], lambda rows: inside(rows[0]))

    def _loops(self, loops: list[int], jam: dict[int, int], rows: list[Ivs],
               inside: Callable[[list[Ivs]], None]) -> None:
        """Loops around ``inside``, which gets the indices of the jammed iterations: ``jam`` has their number for a
        loop.
        """
        if not loops:
            inside(rows)
            return
        loop, extent = loops[0], self.nest.extents[loops[0]]
        jammed = jam.get(loop, 1)

        def stretch(lower: ir.Value, upper: ir.Value, jammed: int) -> None:
            def body(iv: ir.Value, carried: list[ir.Value]) -> Sequence[ir.Value]:
                ivs = [make.addi(iv, index(j)) if j else iv for j in range(jammed)]
                self._loops(loops[1:], jam, [{**row, loop: i} for row in rows for i in ivs], inside)
                return carried

            for_loop(lower, upper, jammed, [], body)

        if jammed == 1 or (extent is not None and extent % jammed == 0):
            stretch(index(0), self.extents[loop], jammed)
        else:
            whole = round_down(self.extents[loop], jammed) if extent is None else index(extent - extent % jammed)
            stretch(index(0), whole, jammed)
            stretch(whole, self.extents[loop], 1)
