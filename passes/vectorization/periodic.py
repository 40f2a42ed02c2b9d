"""Nests of short rows to which a row of values is broadcast (a bias, a colour): one loop over all rows.

The rows are contiguous, so vectors extend across their ends. The broadcast values repeat after the least common
multiple of a row and a vector: the vectors of one such period are made once, by look-ups.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import gcd

from hexagon_mlir.dialects.look_ups import INDEX_BITS, MOST_ELEMENTS
from hexagon_mlir.ir import arith, ir, scf, vector
from hexagon_mlir.ir.constants import index
from hexagon_mlir.passes.lib.look_ups import load_table, look_up
from hexagon_mlir.passes.lib.loop_nests import LoopNest, Operand
from hexagon_mlir.passes.lib.segments import for_loop
from hexagon_mlir.passes.lib.tail import Tail
from hexagon_mlir.passes.vectorization.body import BodyEmitter, Ivs, Scope
from hexagon_mlir.passes.vectorization.collapse import collapsed
from hexagon_mlir.passes.vectorization.plan import PeriodicPlan

_VECTORS = 12  # vectors of a period: they stay in registers besides the values of the body


def choose_periodic_rows(nest: LoopNest, lanes: int) -> tuple[int, int] | None:
    """(loop over the rows, loop along a row) that can be collapsed into a loop in which some inputs are periodic."""
    if any(nest.reduction) or nest.tables:
        return None
    for row, extent in enumerate(nest.extents):
        repeated = [o for o in nest.operands if o.dims == (row,) and not o.is_output]
        if extent is None or not repeated or not 1 < extent <= MOST_ELEMENTS or not extent % lanes:
            continue
        if extent // gcd(extent, lanes) * len(repeated) > _VECTORS or not all(o.unit_stride for o in repeated):
            continue
        for rows, number in enumerate(nest.extents):
            whole = [o for o in nest.operands if o.is_output or ((o.uses(rows) or o.uses(row)) and o not in repeated)]
            if (rows != row and not {rows, row} & nest.indexed and all(_contiguous_rows(o, rows, row) for o in whole)
                    and (number is None or number * extent >= period(extent, lanes) * lanes)):
                return rows, row
    return None


def period(extent: int, lanes: int) -> int:
    """The period, in vectors, of rows of ``extent`` elements."""
    return extent // gcd(extent, lanes)


def in_one_loop(nest: LoopNest, own: LoopNest, groups: list[list[int]], rows: tuple[int, int],
                lanes: int) -> tuple[LoopNest, list[list[int]], PeriodicPlan]:
    """``nest``, which is an op's ``own`` nest with ``groups`` collapsed, with both loops of ``rows`` collapsed too."""
    outer, row = rows
    merged = [[*groups[outer], *groups[row]] if loop == outer else group for loop, group in enumerate(groups)
              if loop != row]
    merged_nest = collapsed(own, merged)
    extent = nest.extents[row]
    assert extent is not None
    operands = [replace(new, period=extent) if old.dims == (row,) else new
                for old, new in zip(nest.operands, merged_nest.operands, strict=True)]
    plan = PeriodicPlan(merged.index([*groups[outer], *groups[row]]), lanes, period(extent, lanes))
    return replace(merged_nest, operands=tuple(operands)), merged, plan


class PeriodicEmitter:
    """Emits the loop over all rows, inside loops around it."""

    def __init__(self, plan: PeriodicPlan, body: BodyEmitter, outputs: range, extents: Sequence[ir.Value]):
        self.body, self.plan, self.outputs, self.extent = body, plan, outputs, extents[plan.loop]
        self.repeated = {number: self._vectors(number, operand) for number, operand in enumerate(body.nest.operands)
                         if operand.period is not None}

    def emit(self, ivs: Ivs) -> None:
        """All elements at the outer loops' ``ivs``."""
        lanes, count = self.plan.lanes, self.plan.period
        step = lanes * count
        scope = self.body.uniform(Scope(), ivs, set(ivs))
        main = arith.muli(arith.divui(self.extent, index(step)), index(step))

        def whole(iv: ir.Value, carried: list[ir.Value]) -> list[ir.Value]:
            for number in range(count):
                at = arith.addi(iv, index(number * lanes)) if number else iv
                self._one(scope, {**ivs, self.plan.loop: at}, number, None)
            return carried

        for_loop(index(0), main, step, [], whole)
        known = self.body.nest.extents[self.plan.loop]
        for number in range(count if known is None else -(-(known % step) // lanes)):
            at = arith.addi(main, index(number * lanes))
            here = {**ivs, self.plan.loop: at}
            if known is not None:
                left = known % step - number * lanes
                self._one(scope, here, number, None if left >= lanes else
                          Tail(arith.subi(self.extent, at), left, lanes, self.body.nest.narrowest_bits))
                continue
            some = scf.IfOp(arith.cmpi(arith.CmpIPredicate.sgt, self.extent, at))
            with ir.InsertionPoint(some.then_block):
                valid = arith.minsi(arith.subi(self.extent, at), index(lanes))
                self._one(scope, here, number, Tail(valid, None, lanes, self.body.nest.narrowest_bits))
                scf.YieldOp([])

    def _one(self, scope: Scope, ivs: Ivs, number: int, tail: Tail | None) -> None:
        """Vector ``number`` of a period."""
        given = {operand: vectors[number] for operand, vectors in self.repeated.items()}
        results = self.body.vectors(scope, ivs, self.plan.lanes, tail, given=given)
        for output, value in zip(self.outputs, results, strict=True):
            self.body.store(output, value, ivs, self.plan.lanes, tail)

    def _vectors(self, number: int, operand: Operand) -> list[ir.Value]:
        """The vectors of one period."""
        lanes, row = self.plan.lanes, operand.period
        assert row is not None
        at_once = self.body.vector_bytes * 8 // INDEX_BITS
        table, element = load_table(self.body.values[number], self.body.vector_bytes), self.body.element_type(number)
        byte = ir.IntegerType.get_signless(INDEX_BITS)
        type_ = ir.VectorType.get([at_once], byte)
        found: list[ir.Value] = []
        for start in range(0, lanes * self.plan.period, at_once):
            places = [(start + lane) % row for lane in range(at_once)]
            indices = ir.DenseElementsAttr.get([ir.IntegerAttr.get(byte, (p + 128) % 256 - 128) for p in places], type_)
            many = look_up(table, row, arith.constant(type_, indices), element)
            found += [many if at_once == lanes else vector.shuffle(many, many, list(range(first, first + lanes)))
                      for first in range(0, at_once, lanes)]
        return found[:self.plan.period]


def _contiguous_rows(operand: Operand, rows: int, row: int) -> bool:
    """True when the rows of ``operand`` are contiguous, within a row and from one to the next."""
    if operand.dims.count(rows) != 1 or operand.dims.count(row) != 1:
        return False
    place = operand.dims.index(row)
    return operand.dims.index(rows) == place - 1 and operand.collapsible[place - 1] and operand.contiguous_in(row)
