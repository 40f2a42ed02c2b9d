"""Into which chunks loops are cut that threads share: pure functions over numbers of cycles."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product

from hexagon_mlir.passes.lib.thread_cost import Chunks, ForkCost

_CHUNKS_PER_TASK = 4
"""Finer cuts balance little better and cost more."""
_FINER = 0.03
"""What smaller chunks have to save of the cycles."""
_CLOSE = 1.03
"""The most that aligned chunk boundaries may cost."""


@dataclass(frozen=True)
class Cut:
    """Chunks, with the iterations one unit stands for along each axis."""

    chunks: Chunks
    unit: tuple[int, ...]

    @property
    def steps(self) -> list[int]:
        """Iterations of a chunk along each axis: the steps of the forall."""
        return [size * unit for size, unit in zip(self.chunks.sizes, self.unit, strict=True)]


def choose_cut(extents: Sequence[int], units: Sequence[Sequence[int]], cycles: float, cost: ForkCost,
               least: float = 0, lanes: Sequence[int] = (), even: Sequence[bool] = ()) -> Cut | None:
    """The cut of loops of ``extents`` in multiples of one of ``units``, the first whose cost is low; else None.

    Chunks have at least ``lanes`` iterations along each axis where the axis has so many: fewer would take as long.
    Those of axes that ``even`` is true of have equal lengths.
    """
    return _best_cut(tuple(extents), tuple(map(tuple, units)), cycles, cost, least, tuple(lanes), tuple(even))


@lru_cache(maxsize=1024)
def _best_cut(extents: tuple[int, ...], units: tuple[tuple[int, ...], ...], cycles: float, cost: ForkCost,
              least: float, lanes: tuple[int, ...], even: tuple[bool, ...]) -> Cut | None:
    cuts = []
    for unit in units:
        smallest = [-(-min(n, lane) // u) for n, lane, u in zip(extents, lanes, unit, strict=True)] if lanes else ()
        if any(equal and n % u for n, u, equal in zip(extents, unit, even, strict=False)):
            continue
        chunks = choose_chunks([-(-n // u) for n, u in zip(extents, unit, strict=True)], cycles, cost, least, smallest,
                               even)
        if chunks is not None:
            cuts.append(Cut(chunks, unit))
    if cost.all and any(cut.chunks.count >= cost.tasks for cut in cuts):
        cuts = [cut for cut in cuts if cut.chunks.count >= cost.tasks]
    fastest = min((cost.time(cycles, cut.chunks) for cut in cuts), default=0.0)
    return next((cut for cut in cuts if cost.time(cycles, cut.chunks) <= _CLOSE * fastest), None)


def refine_cut(cut: Cut, cycles: float, cost: ForkCost, lanes: Sequence[int]) -> Cut:
    """``cut``, or with more chunks along the first axis where work of ``cycles`` is done sooner then, because the main
    thread runs more of them than the others. All chunks are equal, and whole multiples of ``lanes``.

    >>> from hexagon_mlir import targets
    >>> cost = ForkCost.of(targets.get("v75"))
    >>> cut = Cut(Chunks((240,), (60,)), (1,))
    >>> [refine_cut(cut, cycles, cost, [1]).chunks.sizes for cycles in (3000, 60000)]
    [(48,), (60,)]
    """
    chunks, (most, *rest) = cut.chunks, cut.chunks.sizes
    if any(n % c for n, c in zip(chunks.units, chunks.sizes, strict=True)):
        return cut
    best, least = cut, (1 - _FINER) * cost.shared_time(cycles, chunks)
    for size in range(most - 1, 0, -1):
        found = replace(cut, chunks=replace(chunks, sizes=(size, *rest)))
        if found.chunks.count > _CHUNKS_PER_TASK * cost.tasks:
            break
        if not chunks.units[0] % size and not size * cut.unit[0] % lanes[0]:
            time = cost.shared_time(cycles, found.chunks)
            if time < least:
                best, least = found, time
    return best


def choose_chunks(units: Sequence[int], cycles: float, cost: ForkCost, least: float = 0,
                  smallest: Sequence[int] = (), even: Sequence[bool] = ()) -> Chunks | None:
    """The cut of loops of ``units`` that finishes first, or None when one thread is as fast.

    Even loops give one chunk to each task; others more and smaller ones, dealt round-robin, where that balances better.
    ``least`` replaces the cost estimate: work of at least so many cycles is always spread. Chunks have the
    ``smallest`` units at least, one if that is not given; those of axes that ``even`` is true of have equal lengths.
    """
    axes = len(units)
    return _chosen(tuple(units), cycles, cost, least, tuple(smallest or [1] * axes), tuple(even or [False] * axes))


@lru_cache(maxsize=1024)
def _chosen(units: tuple[int, ...], cycles: float, cost: ForkCost, least: float,
            smallest: tuple[int, ...], even: tuple[bool, ...]) -> Chunks | None:
    cuts = _cuts(units, cost.tasks, smallest, even)
    candidates = [(cost.time(cycles, chunks), chunks.count, chunks.sizes, chunks) for chunks in cuts]
    if not candidates:
        return None
    enough = [candidate for candidate in candidates if candidate[1] >= cost.tasks]
    *_, best = min(enough if cost.all and enough else candidates, key=lambda candidate: candidate[:3])
    worth = cycles >= least if least else cost.pays(cycles, best)
    return best if worth else None


def choose_split(units: int, cycles: float, combine: float, cost: ForkCost, least: float = 0) -> Chunks | None:
    """How many ``units`` of a reduction's loop each thread takes, or None when one thread is as fast.

    A chunk for each thread at most: its partial results cost ``combine`` cycles. ``least`` as in `choose_chunks`.
    """
    chunks = sorted({-(-units // pieces) for pieces in range(2, min(cost.tasks, units) + 1)})
    found = [Chunks((units,), (chunk,)) for chunk in chunks]
    if cost.all and any(chunks.count == cost.tasks for chunks in found):
        found = [chunks for chunks in found if chunks.count == cost.tasks]
    if not found:
        return None
    best = min(found, key=lambda chunks: cost.time(cycles, chunks) + chunks.count * combine)
    certain = cost.time(cost.certain * cycles, best) + best.count * combine
    worth = cycles >= least if least else certain <= cost.certain * cycles
    return best if worth else None


def _cuts(units: Sequence[int], tasks: int, smallest: Sequence[int], even: Sequence[bool]) -> Iterator[Chunks]:
    most = _CHUNKS_PER_TASK * tasks
    of_axes = [sorted({size for pieces in range(1, min(n, most) + 1)
                       if (size := -(-n // pieces)) >= few and not (equal and n % size)})
               for n, few, equal in zip(units, smallest, even, strict=True)]
    for sizes in product(*of_axes):
        chunks = Chunks(tuple(units), sizes, tuple(smallest) if max(smallest, default=1) > 1 else ())
        if 2 <= chunks.count <= most:
            yield chunks
