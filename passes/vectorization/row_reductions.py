"""Reductions along rows of a few vectors: the results of as many rows as a vector has lanes form one vector.

Each row is reduced to one vector, and two such vectors to one by an exchange of half of their lanes: after the last
exchange lane number n holds the reduction of row number n. That is one vector permutation per row; transposing the rows
first takes one per row, vector of a row and bit of the lane number. Rows with long code are reduced in a loop, a few at
a time, and their vectors are stored on the stack.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from hexagon_mlir.ir import arith, ir, make, memref
from hexagon_mlir.ir.constants import index
from hexagon_mlir.passes.lib.horizontal_reductions import combine, neutral_vector
from hexagon_mlir.passes.lib.segments import for_loop, segments, when
from hexagon_mlir.passes.lib.tail import Tail
from hexagon_mlir.passes.lib.transposes import exchange
from hexagon_mlir.passes.vectorization.body import BodyEmitter, Ivs, Scope
from hexagon_mlir.passes.vectorization.plan import RowReductionsPlan

Values = list[ir.Value]


class RowReductionEmitter:
    """Emits the loop over blocks of rows, inside the loops around it."""

    def __init__(self, plan: RowReductionsPlan, body: BodyEmitter, outputs: range, extents: Sequence[ir.Value]):
        self.body, self.nest, self.plan, self.outputs = body, body.nest, plan, outputs
        self.rows = extents[plan.row_loop]
        self.start = [neutral_vector(*body.carried(output), plan.lanes, body.nest.nnan) for output in outputs]
        self.names = [body.carried(output)[0] for output in outputs]
        self.alignment = plan.lanes * self.nest.narrowest_bits // 8

    def emit(self, ivs: Ivs) -> None:
        """The nest at the outer loops' ``ivs``."""
        lanes = self.plan.lanes
        for segment in segments(self.nest.extents[self.plan.row_loop], self.rows, lanes):
            tail = segment.tail(self.nest.narrowest_bits)

            def block(iv: ir.Value, carried: Values, tail: Tail | None = tail) -> Values:
                here = {**ivs, self.plan.row_loop: iv}
                for output, name, reduced in zip(self.outputs, self.names, self._reduced(here, tail), strict=True):
                    old = self.body.load_along(output, here, lanes, tail)
                    self.body.store(output, combine(name, old, reduced), here, lanes, tail)
                return carried

            if tail is None:
                for_loop(segment.lower, segment.upper, lanes, [], block)
            elif tail.static is not None:
                block(segment.lower, [])
            else:
                some = arith.cmpi(arith.CmpIPredicate.sgt, tail.valid, index(0))
                when(some, [], lambda old, lower=segment.lower: block(lower, old))

    def _reduced(self, ivs: Ivs, tail: Tail | None) -> Values:
        """A vector for each output; lane n is the reduction of row n of the block at ``ivs``, if there is one."""
        lanes, group, block = self.plan.lanes, self.plan.group, ivs[self.plan.row_loop]
        rows = lanes if tail is None or tail.static is None else tail.static
        dynamic = tail is not None and tail.static is None
        if group == lanes:
            return self._merged(lambda row: self._row(ivs, block, row, dynamic), 0, lanes, 1, rows)
        elements = [ir.VectorType(one.type).element_type for one in self.start]
        waiting = [memref.alloc(ir.MemRefType.get([lanes // group, lanes], element), [], []) for element in elements]

        def reduce_group(number: ir.Value, carried: Values) -> Values:
            first = make.addi(block, make.muli(number, index(group)))
            ends = dynamic or rows % group > 0
            found = self._merged(lambda row: self._row(ivs, first, row, ends), 0, group, 1, group)
            for value, buffer in zip(found, waiting, strict=True):
                make.store(value, buffer, [number, index(0)], alignment=self.alignment)
            return carried

        def loaded(row: int) -> Values:
            return [make.load(one.type, buffer, [index(row // group), index(0)], alignment=self.alignment)
                    for one, buffer in zip(self.start, waiting, strict=True)]

        for_loop(index(0), index(-(-rows // group)), 1, [], reduce_group)
        reduced = self._merged(loaded, 0, lanes, group, rows)
        for buffer in waiting:
            memref.dealloc(buffer)
        return reduced

    def _merged(self, leaf: Callable[[int], Values], first: int, count: int, size: int, rows: int) -> Values:
        """Rows ``first`` to ``first + count``, of which there are ``rows``, in a vector for each output: lane n is part
        of the reduction of row ``first + n % count``, for every n. ``leaf`` returns the merged vector of ``size`` rows.
        """
        if count == size:
            return leaf(first)
        half = count // 2
        low = self._merged(leaf, first, half, size, rows)
        high = low if first + half >= rows else self._merged(leaf, first + half, half, size, rows)
        return [combine(name, *exchange(a, b, half)) for name, a, b in zip(self.names, low, high, strict=True)]

    def _row(self, ivs: Ivs, first: ir.Value, number: int, ends: bool) -> Values:
        """The vectors of row ``first + number`` combined into one, for each output; those of the last row if it
        ``ends`` earlier."""
        at = make.addi(first, index(number)) if number else first
        if ends:
            at = arith.minsi(at, make.subi(self.rows, index(1)))
        here = {**ivs, self.plan.row_loop: at}
        scope = self.body.uniform(Scope(), here, set(here))
        loop, lanes = self.plan.loop, self.plan.lanes
        extent, found = self.nest.extents[loop], self.start
        assert extent is not None
        for place in range(0, extent, lanes):
            left = extent - place
            part = Tail(index(left), left, lanes, self.nest.narrowest_bits) if left < lanes else None
            new = self.body.vectors(scope, {**here, loop: index(place)}, lanes, part, found)
            found = new if part is None else [
                part.select(one, old, self.nest.operands[output].bits)
                for output, one, old in zip(self.outputs, new, found, strict=True)]
        return found
