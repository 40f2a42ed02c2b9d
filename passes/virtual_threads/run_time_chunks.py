"""Chunks of a loop whose trip count is known at run time: as many as of its bound, and no smaller than pays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hexagon_mlir.ir import arith, ir
from hexagon_mlir.ir.constants import index
from hexagon_mlir.passes.lib.chunk_choice import Cut
from hexagon_mlir.passes.lib.thread_cost import Chunks, ForkCost
from hexagon_mlir.passes.virtual_threads.groups import Group


@dataclass(frozen=True)
class RunTimeChunk:
    """Iterations of a chunk as a function of the trip count: one of ``pieces`` equal ones, from ``least`` to ``most``.

    All are multiples of ``unit``. A count of 0 has chunks, too: the step of a loop is not 0.
    """

    pieces: int
    unit: int
    least: int
    most: int

    def size(self, count: int) -> int:
        """The same of a number."""
        together = self.pieces * self.unit
        return max(min((count + together - 1) // together * self.unit, self.most), self.least)

    def emit(self, count: ir.Value) -> ir.Value:
        """Write `size` of ``count`` at the insertion point."""
        together = self.pieces * self.unit
        units = arith.divui(arith.addi(count, index(together - 1)), index(together))
        equal = arith.muli(units, index(self.unit))
        return arith.maxsi(arith.minsi(equal, index(self.most)), index(self.least))


def run_time_chunk(extent: int, cut: Cut, lanes: int, cycles: float, cost: ForkCost) -> RunTimeChunk:
    """The chunks of a loop of at most ``extent`` iterations, which take ``cycles`` together and which ``cut`` is for.

    Fewer iterations than pay for the threads of all pieces make chunks of the size that they have when they do; at
    least ``lanes``.
    """
    (step,), (unit,) = cut.steps, cut.unit
    pieces = -(-extent // step)
    each = cycles / extent * unit

    def pays(units: int) -> bool:
        return cost.pays(each * units, Chunks((units,), (-(-units // pieces),)))

    low, high = 1, max(-(-extent // unit), 1)
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if pays(middle) else (middle + 1, high)
    least = max(-(-low // pieces), -(-lanes // unit)) * unit
    return RunTimeChunk(pieces, unit, min(least, step), step)


def chunk_sizes(group: Group, cut: Cut, cost: ForkCost, vector_bytes: int) -> list[int | RunTimeChunk]:
    """Iterations of a chunk along each axis of ``group``: those of ``cut``; of a single axis with a count that is known
    at run time, where vector code takes any number, a function of it."""
    fixed = (any(group.even(vector_bytes)) or any(member.nest.byte_product for member in group.members)
             or len(cut.steps) > 1 or group.counts[0] is None)
    lanes = group.lanes(vector_bytes)[0]
    return list(cut.steps) if fixed else [run_time_chunk(group.extents[0], cut, lanes, group.cycles, cost)]


def fine_units(units: list[tuple[int, ...]], lanes: Sequence[int],
               counts: Sequence[ir.Value | None]) -> list[tuple[int, ...]]:
    """Those of ``units`` of which a loop with a small count at run time has several; all where there are none."""
    fine = [unit for unit in units if all(count is None or of_axis <= lane
                                          for of_axis, lane, count in zip(unit, lanes, counts, strict=True))]
    return fine or units
