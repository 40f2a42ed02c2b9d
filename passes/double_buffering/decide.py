"""Whether overlapping a loop's transfers with its work pays, and with how many buffers: pure functions over numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hexagon_mlir.targets.dma import Engine

_WORTH = 0.98  # the whole transformation must save at least 2 % of the time
_WORTH_CODE = 0.95  # another set of buffers is another copy of the loop's body: it must save 5 %


@dataclass(frozen=True)
class Tile:
    """One iteration: bytes of each transfer in and out, and the cycles of its work (None when unknown)."""

    fetches: tuple[int, ...]
    stores: tuple[int, ...]
    work: float | None
    """Cycles."""

    def alone(self, engine: Engine) -> float:
        """Cycles of the iteration when every copy is waited for."""
        return (self.work or 0) + sum(engine.waited_for(n) for n in (*self.fetches, *self.stores))

    def overlapped(self, engine: Engine, buffers: int) -> float:
        """Cycles of the iteration in the long run with ``buffers`` sets of buffers.

        With more transfers than work the DMA engine is never idle. With more work it is, and each fetch pays the
        start-up latency; the part of that latency not hidden by work is amortized over ``buffers`` tiles.
        """
        work, busy = self.work or 0.0, sum(engine.busy(n) for n in (*self.fetches, *self.stores))
        if work <= busy or not self.fetches:
            return max(work, busy)
        latency = engine.start + sum(engine.busy(n) for n in self.fetches)
        return max(work, (latency + (buffers - 1) * work) / buffers)


def choose_buffers(tile: Tile, trips: int | None, engine: Engine, most: int) -> int:
    """Buffers per tile operand: 1 when overlapping does not pay, else the fewest that come close to the best.

    ``trips`` is the number of iterations or None; ``most`` what the memory allows.
    """
    if most < 2 or (trips is not None and trips < 2) or not (tile.fetches or tile.stores):
        return 1
    count = 2
    while count < (most if trips is None else min(most, trips)) and \
            tile.overlapped(engine, count + 1) <= _WORTH_CODE * tile.overlapped(engine, count):
        count += 1
    if tile.work is not None and tile.overlapped(engine, count) > _WORTH * tile.alone(engine):
        return 1
    return count


def fitting_buffers(sizes: Sequence[int], free: int, most: int) -> int:
    """How many copies of buffers of ``sizes`` bytes fit ``free`` bytes, at most ``most``."""
    total = sum(sizes)
    return most if total == 0 else max(min(most, free // total), 0)
