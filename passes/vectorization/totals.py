"""Reductions along rows of a few vectors: the totals of as many rows as a vector has lanes become one vector.

Each row is reduced to one vector, and two such vectors to one by an exchange of half of their lanes: after the last
exchange lane number n holds the total of row number n. That is a vector permutation for each row; to transpose the rows
first takes one for each row and bit of the lane's number, for every vector of a row.
"""

from __future__ import annotations

from collections.abc import Sequence

from hexagon_mlir.ir import arith, ir
from hexagon_mlir.ir.constants import index
from hexagon_mlir.passes.vectorization.body import BodyEmitter, Ivs, Scope
from hexagon_mlir.passes.vectorization.butterfly import exchange
from hexagon_mlir.passes.vectorization.horizontal import combine
from hexagon_mlir.passes.vectorization.plan import Plan
from hexagon_mlir.passes.vectorization.segments import for_loop, segments, when
from hexagon_mlir.passes.vectorization.tail import Tail

Values = list[ir.Value]


class TotalsEmitter:
    """Emits the loop over blocks of rows, inside the loops around it."""

    def __init__(self, body: BodyEmitter, plan: Plan, outputs: range, extents: Sequence[ir.Value], start: Values):
        """``start`` has a vector for each output that its combination leaves unchanged."""
        assert plan.jam_loop is not None
        self.body, self.nest, self.plan, self.outputs, self.start = body, body.nest, plan, outputs, start
        self.row, self.rows = plan.jam_loop, extents[plan.jam_loop]
        self.names = [body.carried(output)[0] for output in outputs]

    def emit(self, ivs: Ivs) -> None:
        """The nest at the outer loops' ``ivs``."""
        lanes = self.plan.lanes
        for segment in segments(self.nest.extents[self.row], self.rows, lanes):
            tail = segment.tail(self.nest.narrowest_bits)

            def block(iv: ir.Value, carried: Values, tail: Tail | None = tail) -> Values:
                here = {**ivs, self.row: iv}
                for output, name, total in zip(self.outputs, self.names, self._totals(here, 0, lanes, tail),
                                               strict=True):
                    old = self.body.load_along(output, here, lanes, tail)
                    self.body.store(output, combine(name, old, total), here, lanes, tail)
                return carried

            if tail is None:
                for_loop(segment.lower, segment.upper, lanes, [], block)
            elif tail.static is not None:
                block(segment.lower, [])
            else:
                some = arith.cmpi(arith.CmpIPredicate.sgt, tail.valid, index(0))
                when(some, [], lambda old, lower=segment.lower: block(lower, old))

    def _totals(self, ivs: Ivs, first: int, rows: int, tail: Tail | None) -> Values:
        """A vector for each output; lane n is part of the total of row ``first + n % rows``, for every n."""
        if rows == 1:
            return self._row(ivs, first, tail)
        half = rows // 2
        low = self._totals(ivs, first, half, tail)
        missing = tail is not None and tail.static is not None and first + half >= tail.static
        high = low if missing else self._totals(ivs, first + half, half, tail)
        return [combine(name, *exchange(a, b, half)) for name, a, b in zip(self.names, low, high, strict=True)]

    def _row(self, ivs: Ivs, number: int, tail: Tail | None) -> Values:
        """One row's vectors in one, for each output; rows past the last one repeat it."""
        at = arith.addi(ivs[self.row], index(number)) if number else ivs[self.row]
        if tail is not None and tail.static is None and number:
            at = arith.minsi(at, arith.subi(self.rows, index(1)))
        here = {**ivs, self.row: at}
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
