"""Loops over vectors: the stretches of a loop that are whole vectors, and the masked rest."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from hexagon_mlir.ir import arith, ir, make, scf
from hexagon_mlir.ir.bounds import constant_value
from hexagon_mlir.ir.constants import index
from hexagon_mlir.passes.lib.tail import Tail


@dataclass(frozen=True)
class Segment:
    """A stretch of the vector loop, ``width`` elements per iteration; ``masked`` for the last, partial one.

    ``valid`` is the number of elements of a masked stretch when it is known. ``last`` clamps the start of the last
    vector, which then overlaps the one before instead of exceeding the end.
    """

    lower: ir.Value
    upper: ir.Value
    width: int
    masked: bool
    valid: int | None = None
    last: ir.Value | None = None

    def tail(self, bits: int) -> Tail | None:
        """The mask of a partial stretch, for a narrowest element of ``bits``."""
        if not self.masked:
            return None
        return Tail(make.subi(self.upper, self.lower), self.valid, self.width, bits)


def segments(extent: int | None, bound: ir.Value, lanes: int, unroll: int = 1, multiple: int = 1) -> list[Segment]:
    """The stretches of a loop to ``bound`` (``extent`` when known): ``unroll`` vectors, one vector, part of one.

    A bound that is a ``multiple`` of whole vectors has no partial one.
    """
    step = lanes * unroll
    if extent is None and multiple % lanes == 0:
        main_end = bound if multiple % step == 0 else round_down(bound, step)
        return [Segment(index(0), main_end, step, False),
                *([Segment(main_end, bound, lanes, False)] if multiple % step else [])]
    if extent is None:
        main_end, single_end = round_down(bound, step), round_down(bound, lanes)
        return [
            Segment(index(0), main_end, step, False),
            *([Segment(main_end, single_end, lanes, False)] if unroll > 1 else []),
            Segment(single_end, bound, lanes, True),
        ]
    main, single = extent - extent % step, extent - extent % lanes
    found = [
        Segment(index(0), index(main), step, False) if main else None,
        Segment(index(main), index(single), lanes, False) if single > main else None,
        Segment(index(single), index(extent), lanes, True, extent - single) if extent > single else None,
    ]
    return [s for s in found if s is not None]


def for_loop(lower: ir.Value, upper: ir.Value, step: int, carried: Sequence[ir.Value],
             inside: Callable[[ir.Value, list[ir.Value]], Sequence[ir.Value]], down: bool = False) -> list[ir.Value]:
    """``scf.for`` with ``inside(iv, carried) -> next carried``; returns the final carried values. ``down``: last first.

    The loop itself counts by one: LLVM turns only such loops into hardware loops. One iteration needs no loop.
    """
    first, end = constant_value(lower), constant_value(upper)
    if first is not None and end is not None:
        if (end - first) // step == 1:
            return list(inside(lower, list(carried)))
        trips = upper if step == 1 else index((end - first) // step)
    else:
        trips = upper if step == 1 else arith.divui(make.subi(upper, lower), index(step))
    loop = scf.ForOp(index(0) if step != 1 else lower, trips, index(1), list(carried))
    with ir.InsertionPoint(loop.body):
        iv = loop.induction_variable
        if down:
            iv = make.subi(make.subi(trips, index(1)), iv) if step != 1 else make.subi(
                make.subi(make.addi(lower, upper), index(1)), iv)
        if step != 1:
            iv = make.muli(iv, index(step))
            iv = iv if first == 0 else make.addi(lower, iv)
        scf.yield_(list(inside(iv, list(loop.inner_iter_args))))
    return list(loop.results)


def when(condition: ir.Value, carried: Sequence[ir.Value],
         then: Callable[[list[ir.Value]], Sequence[ir.Value]]) -> list[ir.Value]:
    """``then(carried)`` where ``condition`` holds, else ``carried``."""
    branch = scf.IfOp(condition, [value.type for value in carried], has_else=bool(carried))
    with ir.InsertionPoint(branch.then_block):
        scf.yield_(list(then(list(carried))))
    if carried:
        with ir.InsertionPoint(branch.else_block):
            scf.yield_(list(carried))
    return list(branch.results)


def round_down(value: ir.Value, multiple: int) -> ir.Value:
    """The largest number up to ``value`` (not negative) that is divisible by ``multiple``."""
    return make.muli(arith.divui(value, index(multiple)), index(multiple))
