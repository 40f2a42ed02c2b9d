"""Nests in which some operands are contiguous along another loop than the vectorized one: they are transposed in
blocks.

A block is ``plan.lanes`` iterations of the vectorized loop by ``plan.columns`` of the column loop. Its rows, vectors
along the column loop, are transposed in groups that fit the registers, through a buffer where there are several groups,
and the body runs once per column. A nest of one square block uses the output as that buffer (`square`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from hexagon_mlir.ir import arith, ir, make, memref
from hexagon_mlir.ir.constants import index
from hexagon_mlir.passes.lib.segments import Segment, for_loop, segments, when
from hexagon_mlir.passes.lib.tail import Tail, concatenate, zeros
from hexagon_mlir.passes.lib.transposes import Butterfly, reading_order
from hexagon_mlir.passes.vectorization.body import BodyEmitter, Ivs, Scope
from hexagon_mlir.passes.vectorization.choose import is_transposed
from hexagon_mlir.passes.vectorization.plan import TransposedPlan
from hexagon_mlir.passes.vectorization.square import emit_square, is_square

_ROWS = 32  # vectors transposed at once: all the registers HVX has
_LIGHT_BODY = 4  # operations: above this, the body is not repeated for every column of a block

Values = list[ir.Value]
Visit = Callable[[ir.Value, dict[int, ir.Value], Values], Values]
"""(index of the column, the transposed operands' vectors, carried values) -> carried values."""


class TransposedEmitter:
    """Emits the loops inside the outer ones, and the buffers for transposed blocks (`free` deallocates them)."""

    def __init__(self, plan: TransposedPlan, body: BodyEmitter, outputs: range, extents: Sequence[ir.Value]):
        self.body, self.nest, self.plan, self.outputs, self.extents = body, body.nest, plan, outputs, extents
        self.operands = [i for i, o in enumerate(self.nest.operands) if is_transposed(o, plan.loop)]
        self.bits = self.nest.operands[self.operands[0]].bits
        self.group = min(plan.columns, _ROWS)
        self.again = not any(self.nest.reduction) and body.outputs_apart(outputs)
        light = len(self.operands) == 1 and self.nest.ops_along(plan.loop) <= _LIGHT_BODY
        self.direct = light and plan.lanes == plan.columns == self.group
        self.in_place = light and not self.direct and self.again and is_square(body, plan, self.operands[0], outputs)
        self.buffers = {} if self.direct or self.in_place else {
            operand: memref.alloc(ir.MemRefType.get([plan.columns, plan.lanes], body.element_type(operand)), [], [])
            for operand in self.operands}

    def free(self) -> None:
        """Deallocate the buffers."""
        for buffer in self.buffers.values():
            memref.dealloc(buffer)

    def emit(self, ivs: Ivs) -> None:
        """The nest at the outer loops' ``ivs``."""
        scope = self.body.uniform(Scope(), ivs, set(ivs))
        plan = self.plan
        if self.in_place:
            emit_square(self.body, plan, self.operands[0], self.outputs[0], ivs, lambda here, row: self._store(
                here, scope, None, here[self.plan.column_loop], {self.operands[0]: row}))
            return
        for segment in self._segments(plan.loop, plan.lanes):
            tail = segment.tail(self.nest.narrowest_bits)

            def block(iv: ir.Value, carried: Values, tail: Tail | None = tail) -> Values:
                here = {**ivs, plan.loop: iv}
                if self.nest.reduction[self.plan.column_loop]:
                    self._reduce(here, scope, tail)
                else:
                    self._columns(here, [], tail, lambda j, given, _: self._store(here, scope, tail, j, given))
                return carried

            _each_vector(segment, [], block)

    def _store(self, ivs: Ivs, scope: Scope, tail: Tail | None, column: ir.Value,
               given: dict[int, ir.Value]) -> Values:
        here = {**ivs, self.plan.column_loop: column}
        results = self.body.vectors(scope, here, self.plan.lanes, tail, given=given)
        for output, value in zip(self.outputs, results, strict=True):
            self.body.store(output, value, here, self.plan.lanes, tail)
        return []

    def _reduce(self, ivs: Ivs, scope: Scope, tail: Tail | None) -> None:
        others = [loop for loop, reduction in enumerate(self.nest.reduction)
                  if reduction and loop != self.plan.column_loop]
        lanes = self.plan.lanes

        def inside(loops: list[int], here: Ivs, carried: Values) -> Values:
            if loops:
                return for_loop(index(0), self.extents[loops[0]], 1, carried,
                                lambda iv, old: inside(loops[1:], {**here, loops[0]: iv}, old))
            return self._columns(here, carried, tail, lambda j, given, old: self.body.vectors(
                scope, {**here, self.plan.column_loop: j}, lanes, tail, old, given))

        start = [self.body.load(output, ivs, lanes, tail) for output in self.outputs]
        for output, value in zip(self.outputs, inside(others, ivs, start), strict=True):
            self.body.store(output, value, ivs, lanes, tail)

    def _segments(self, loop: int, width: int) -> list[Segment]:
        """Whole blocks and the masked rest; or whole blocks only, the last one overlapping the one before, where
        elements may be written twice: that is a quarter of the code.
        """
        extent, bound = self.nest.extents[loop], self.extents[loop]
        if extent is None or extent <= width or not extent % width or not self.again:
            return segments(extent, bound, width)
        self.body.unaligned.add(loop)
        blocks = -(-extent // width)
        return [Segment(index(0), index(blocks * width), width, False, last=index(extent - width))]

    # -- blocks --------------------------------------------------------------------------------------------------

    def _columns(self, ivs: Ivs, carried: Values, tail: Tail | None, visit: Visit) -> Values:
        """Visit every column of the row of blocks at ``ivs``."""
        for segment in self._segments(self.plan.column_loop, self.plan.columns):

            def block(iv: ir.Value, old: Values, segment: Segment = segment) -> Values:
                here = {**ivs, self.plan.column_loop: iv}
                return (self._direct if self.direct else self._through_buffers)(here, old, tail, segment, visit)

            carried = _each_vector(segment, carried, block)
        return carried

    def _direct(self, ivs: Ivs, carried: Values, tail: Tail | None, segment: Segment, visit: Visit) -> Values:
        """One group of rows, straight from registers to the body."""
        operand = self.operands[0]
        rows = Butterfly(self._rows(operand, ivs, index(0), tail, segment), range(self.group.bit_length() - 1))
        start = ivs[self.plan.column_loop]
        for column in reading_order(self.group):
            at = make.addi(start, index(column)) if column else start

            if segment.valid is not None and column >= segment.valid:
                continue
            one = partial(visit, at, {operand: rows[column]})  # outside the condition: exchanges are shared
            if segment.masked and segment.valid is None:
                carried = when(arith.cmpi(arith.CmpIPredicate.slt, at, segment.upper), carried, one)
            else:
                carried = one(carried)
        return carried

    def _through_buffers(self, ivs: Ivs, carried: Values, tail: Tail | None, segment: Segment,
                         visit: Visit) -> Values:
        """Groups of rows are transposed one after the other; then columns are assembled from their parts."""
        stages = range(self.group.bit_length() - 1)
        for operand, buffer in self.buffers.items():
            parts = self.plan.columns // self.group

            def rows_of_group(number: ir.Value, old: Values, operand: int = operand, buffer: ir.Value = buffer,
                              parts: int = parts) -> Values:
                first = make.muli(number, index(self.group))
                rows = Butterfly(self._rows(operand, ivs, first, tail, segment), stages)
                place = make.muli(arith.remui(number, index(parts)), index(self.group))
                lane = make.muli(arith.divui(number, index(parts)), index(self.plan.columns))
                for row in reading_order(self.group):
                    make.store(rows[row], buffer, [make.addi(place, index(row)), lane],
                                 alignment=self.body.vector_bytes)
                return old

            groups = self.plan.lanes // self.group
            if tail is not None and tail.static is not None:
                groups = -(-tail.static // self.group)
            for_loop(index(0), index(groups), 1, [], rows_of_group)
        width = index(self.group)
        if segment.masked:
            width = arith.minsi(width, make.subi(segment.upper, ivs[self.plan.column_loop]))
        return for_loop(index(0), width, 1, carried,
                        lambda row, old: self._columns_of_row(ivs, row, old, segment, visit))

    def _columns_of_row(self, ivs: Ivs, row: ir.Value, carried: Values, segment: Segment, visit: Visit) -> Values:
        """The columns that row number ``row`` of each group is a part of."""
        columns, group = self.plan.columns, self.group
        parts = columns // group
        found: dict[int, list[ir.Value]] = {}
        for operand, buffer in self.buffers.items():
            type_ = ir.VectorType.get([columns], self.body.element_type(operand))
            squares = []
            for lane in range(0, self.plan.lanes, columns):
                pieces = [make.load(type_, buffer, [make.addi(row, index(part * group)), index(lane)],
                                      alignment=self.body.vector_bytes) for part in range(parts)]
                first_bit = group.bit_length() - 1
                squares.append(Butterfly(pieces, range(first_bit, first_bit + parts.bit_length() - 1)))
            found[operand] = [concatenate([square[part] for square in squares]) for part in range(parts)]
        for part in range(parts):
            at = make.addi(ivs[self.plan.column_loop], make.addi(row, index(part * group)))
            if segment.valid is not None and part * group >= segment.valid:
                continue
            one = partial(visit, at, {operand: vectors[part] for operand, vectors in found.items()})
            if segment.masked and part:
                carried = when(arith.cmpi(arith.CmpIPredicate.slt, at, segment.upper), carried, one)
            else:
                carried = one(carried)
        return carried

    def _rows(self, operand: int, ivs: Ivs, first: ir.Value, tail: Tail | None, segment: Segment) -> Values:
        """A group of rows from row ``first`` of the block on; those past the last one repeat it or are zeros."""
        loop = self.plan.loop
        columns = segment.tail(self.bits)
        start = make.addi(ivs[loop], first)
        rows: Values = []
        for row in range(self.group):
            if tail is not None and tail.static is not None and self.group >= tail.static <= row:
                rows.append(zeros(ir.VectorType(rows[0].type)))
                continue
            at = make.addi(start, index(row)) if row else start
            if tail is not None and (tail.static is None or tail.static > self.group):
                at = arith.minsi(at, make.subi(self.extents[loop], index(1)))
            rows.append(self.body.load_along(operand, {**ivs, loop: at}, self.plan.columns, columns))
        return rows


def _each_vector(segment: Segment, carried: Values, inside: Callable[[ir.Value, Values], Values]) -> Values:
    """``inside`` for every vector of ``segment``; a masked one that may be empty is skipped then."""
    if not segment.masked:
        last = segment.last
        return for_loop(segment.lower, segment.upper, segment.width, carried,
                        inside if last is None else lambda iv, old: inside(arith.minsi(iv, last), old))
    if segment.valid is not None:
        return inside(segment.lower, carried)
    some = arith.cmpi(arith.CmpIPredicate.slt, segment.lower, segment.upper)
    return when(some, carried, lambda old: inside(segment.lower, old))
