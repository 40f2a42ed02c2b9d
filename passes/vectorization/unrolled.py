"""Vectors along one loop, several per iteration: a parallel loop, or a reduction whose lanes are combined at its end.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from hexagon_mlir.ir import arith, ir, vector
from hexagon_mlir.ir.constants import index
from hexagon_mlir.ir.query import in_tcm
from hexagon_mlir.passes.lib.horizontal_reductions import combine, neutral_vector, reduce_into_lanes
from hexagon_mlir.passes.lib.segments import Segment, for_loop, segments, when
from hexagon_mlir.passes.lib.tail import Tail
from hexagon_mlir.passes.vectorization.body import BodyEmitter, Ivs, Scope
from hexagon_mlir.passes.vectorization.plan import UnrolledPlan


class UnrolledEmitter:
    """Emits the vectorized loop and the reductions inside the outer loops."""

    def __init__(self, plan: UnrolledPlan, body: BodyEmitter, outputs: range, extents: Sequence[ir.Value]):
        self.body, self.nest, self.plan, self.outputs, self.extents = body, body.nest, plan, outputs, extents
        self.anywhere = any(isinstance(v.type, ir.MemRefType) and not in_tcm(ir.MemRefType(v.type))
                            for v in body.values)

    def emit(self, rows: list[Ivs]) -> None:
        """The nest at the outer loops' indices, one set for each jammed iteration."""
        if self.nest.reduction[self.plan.loop]:
            self._reduce_along_vector(rows)
        else:
            self._parallel_vector(rows)

    def _segments(self) -> list[Segment]:
        plan = self.plan
        return segments(self.nest.extents[plan.loop], self.extents[plan.loop], plan.lanes, plan.unroll,
                        self.nest.whole(plan.loop, plan.lanes))

    def _reads_down(self) -> bool:
        """True where all vector reads from DDR have a negative stride: the hardware prefetches ascending addresses."""
        read = [number in self.body.views and self.body.views[number].backward
                for number, operand in enumerate(self.nest.operands)
                if operand.uses(self.plan.loop) and self.body.is_read(number)
                and not in_tcm(ir.MemRefType(self.body.values[number].type))]
        read += [table.backward for table in self.nest.tables if table.along == self.plan.loop]
        return bool(read) and all(read)

    # -- the vectorized loop is parallel -------------------------------------------------------------------------

    def _parallel_vector(self, rows: list[Ivs]) -> None:
        scopes = [self.body.uniform(Scope(), row, set(row)) for row in rows]
        reductions = [i for i, is_reduction in enumerate(self.nest.reduction) if is_reduction]
        down = self._reads_down()
        for segment in self._segments()[::-1 if down else 1]:
            tail = segment.tail(self.nest.narrowest_bits)

            def one_vector(iv: ir.Value, carried: list[ir.Value], segment: Segment = segment,
                           tail: Tail | None = tail) -> list[ir.Value]:
                jammed = [{**row, self.plan.loop: iv} for row in rows]
                results = self._accumulate(reductions, jammed, scopes, segment.width, tail)
                for ivs_j, values in zip(jammed, results, strict=True):
                    for output, value in zip(self.outputs, values, strict=True):
                        self.body.store(output, value, ivs_j, segment.width, tail)
                return carried

            if tail is None:
                for_loop(segment.lower, segment.upper, segment.width, [], one_vector, down)
            else:
                self._unless_outside(tail, segment.lower, [], one_vector)

    def _unless_outside(self, tail: Tail, lower: ir.Value, values: Sequence[ir.Value],
                        inside: Callable[[ir.Value, list[ir.Value]], Sequence[ir.Value]]) -> list[ir.Value]:
        """``inside(lower, values)``; ``values`` where the tail is empty and loading it could leave its memory.

        HVX loads masked-off lanes. TCM allocations are padded by one vector, but a strided load reads several.
        """
        strided = any(view.stride > 1 for view in self.body.views.values())
        if tail.static is not None or not (self.anywhere or strided):
            return list(inside(lower, list(values)))
        some = arith.cmpi(arith.CmpIPredicate.sgt, tail.valid, index(0))
        return when(some, values, partial(inside, lower))

    def _accumulate(self, reductions: list[int], jammed: list[Ivs], scopes: list[Scope],
                    width: int, tail: Tail | None) -> list[list[ir.Value]]:
        """Results of the body for each jammed copy, carried through the reduction loops in registers."""
        if not reductions:
            return [self.body.vectors(scope, ivs, width, tail) for scope, ivs in zip(scopes, jammed, strict=True)]
        count = len(self.outputs)
        accumulators = [self.body.load(o, ivs, width, tail) for ivs in jammed for o in self.outputs]

        def nest_loops(loops: list[int], inner: Ivs, carried: list[ir.Value]) -> list[ir.Value]:
            if loops:
                return for_loop(index(0), self.extents[loops[0]], 1, carried,
                                lambda iv, args: nest_loops(loops[1:], {**inner, loops[0]: iv}, args))
            values: list[ir.Value] = []
            for j, (scope, ivs) in enumerate(zip(scopes, jammed, strict=True)):
                old = carried[j * count:(j + 1) * count]
                values += self.body.vectors(scope, {**ivs, **inner}, width, tail, old)
            return values

        flat = nest_loops(reductions, {}, accumulators)
        return [flat[j * count:(j + 1) * count] for j in range(len(jammed))]

    # -- the vectorized loop is a reduction ----------------------------------------------------------------------

    def _reduce_along_vector(self, rows: list[Ivs]) -> None:
        scopes = [self.body.uniform(Scope(), row, set(row)) for row in rows]
        others = [i for i, is_reduction in enumerate(self.nest.reduction) if is_reduction and i != self.plan.loop]
        segments = self._segments()
        widths = sorted({s.width for s in segments}, reverse=True)
        names = [c for c in self.nest.combiners if c is not None]
        count = len(rows) * len(names)
        start = [neutral_vector(*self.body.carried(output), width, self.nest.nnan)
                 for width in widths for _ in rows for output in self.outputs]

        def accumulate(loops: list[int], inner: Ivs, carried: list[ir.Value]) -> list[ir.Value]:
            if loops:
                return for_loop(index(0), self.extents[loops[0]], 1, carried,
                                lambda iv, args: accumulate(loops[1:], {**inner, loops[0]: iv}, args))
            inside = [{**row, **inner} for row in rows]
            for segment in segments:
                carried = self._reduce_segment(segment, scopes, inside, carried, widths)
            return carried

        final = accumulate(others, {}, start)
        for position, (output, name) in enumerate(zip(self.outputs, names, strict=True)):
            accumulators = [final[place::count] for place in range(position, count, len(names))]
            reduced = reduce_into_lanes(self.body.carried(output)[0], accumulators, self.plan.lanes)
            if output in self.body.orders:
                reduced = self.body.orders[output].floats(reduced)
            for lane, row in enumerate(rows):
                one = vector.extract(reduced, [], [lane])
                self.body.store_scalar(output, combine(name, self.body.load_scalar(output, row), one), row)

    def _reduce_segment(self, segment: Segment, scopes: list[Scope], rows: list[Ivs], carried: list[ir.Value],
                        widths: list[int]) -> list[ir.Value]:
        count, mine = len(self.outputs), len(self.outputs) * len(rows)
        first = widths.index(segment.width) * mine
        tail = segment.tail(self.nest.narrowest_bits)

        def step(iv: ir.Value, carried: list[ir.Value]) -> list[ir.Value]:
            results: list[ir.Value] = []
            for number, (scope, row) in enumerate(zip(scopes, rows, strict=True)):
                old = list(carried[number * count:(number + 1) * count])
                new = self.body.vectors(scope, {**row, self.plan.loop: iv}, segment.width, tail, old)
                results += new if tail is None else [
                    tail.select(n, o, self.nest.operands[output].bits)
                    for output, n, o in zip(self.outputs, new, old, strict=True)]
            return results

        values = carried[first:first + mine]
        if tail is not None:
            values = self._unless_outside(tail, segment.lower, values, step)
        else:
            values = for_loop(segment.lower, segment.upper, segment.width, values, step)
        return [*carried[:first], *values, *carried[first + mine:]]
