"""Offsets for buffers with known lifetimes: pure functions over numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Lifetime:
    """A buffer of ``size`` bytes that holds data from time ``begin`` to ``end``, both included.

    ``takes_over`` is the number of a buffer that ends where this one begins and whose offset this one may reuse, or -1.
    """

    size: int
    begin: int
    end: int
    takes_over: int = -1

    def meets(self, other: Lifetime) -> bool:
        """True when both hold data at some time."""
        return self.begin <= other.end and other.begin <= self.end


@dataclass(frozen=True)
class ArenaPlan:
    """``offsets[i]`` of buffer i in an arena of ``peak`` bytes, None where it did not fit.

    ``slots`` are the (offset, bytes) of parts of the arena that share no byte, in order; every buffer lies in one.
    ``asked`` is the sum of all sizes; no plan needs fewer than ``lower_bound`` bytes, the most that is live at once.
    """

    offsets: tuple[int | None, ...]
    slots: tuple[tuple[int, int], ...]
    asked: int
    peak: int
    lower_bound: int


def plan(lifetimes: Sequence[Lifetime], budget: int, alignment: int, reuse: bool = True) -> ArenaPlan:
    """Place the buffers, each aligned to ``alignment`` bytes.

    With ``reuse`` buffers whose lifetimes do not overlap may share bytes. Greedy first fit, once with the largest
    buffers first and once in order of begin; the smaller arena wins. Buffers that do not fit ``budget`` get no offset.
    """
    buffers = [_aligned(b, alignment) for b in lifetimes]
    places, place_of = _coalesce(buffers) if reuse else (buffers, list(range(len(buffers))))
    if not reuse:
        places = [Lifetime(b.size, 0, 0) for b in buffers]
    orders: tuple[Callable[[int], tuple[int, int]], ...] = (
        lambda i: (-places[i].size, places[i].begin), lambda i: (places[i].begin, -places[i].size))
    found = [_first_fit(places, sorted(range(len(places)), key=order), budget) for order in orders]
    offsets = min(found, key=lambda o: (_left_out(places, o), _peak(places, o)))
    return ArenaPlan(tuple(offsets[place] for place in place_of), _slots(places, offsets),
                     sum(b.size for b in lifetimes), _peak(places, offsets), _most_live(_coalesce(buffers)[0]))


def _slots(places: Sequence[Lifetime], offsets: Sequence[int | None]) -> tuple[tuple[int, int], ...]:
    """The finest partition of the arena into ranges such that every buffer lies in one."""
    ranges: list[list[int]] = []
    for low, high in sorted((o, o + p.size) for p, o in zip(places, offsets, strict=True) if o is not None and p.size):
        if ranges and low < ranges[-1][1]:
            ranges[-1][1] = max(ranges[-1][1], high)
        else:
            ranges.append([low, high])
    return tuple((low, high - low) for low, high in ranges)


def _aligned(buffer: Lifetime, alignment: int) -> Lifetime:
    return Lifetime(-(-buffer.size // alignment) * alignment, buffer.begin, buffer.end, buffer.takes_over)


def _coalesce(buffers: Sequence[Lifetime]) -> tuple[list[Lifetime], list[int]]:
    """Merge chains of equal buffers that take over from each other; returns the merged lifetimes and each buffer's
    index."""
    places: list[Lifetime] = []
    place_of: dict[int, int] = {}
    for number in sorted(range(len(buffers)), key=lambda i: buffers[i].begin):
        buffer, earlier = buffers[number], place_of.get(buffers[number].takes_over)
        if earlier is not None and places[earlier].end == buffer.begin and places[earlier].size == buffer.size:
            place_of[number] = earlier
            places[earlier] = Lifetime(buffer.size, places[earlier].begin, buffer.end)
        else:
            place_of[number] = len(places)
            places.append(Lifetime(buffer.size, buffer.begin, buffer.end))
    return places, [place_of[i] for i in range(len(buffers))]


def _first_fit(places: Sequence[Lifetime], order: Sequence[int], budget: int) -> list[int | None]:
    offsets: list[int | None] = [None] * len(places)
    for number in order:
        place, offset = places[number], 0
        taken = sorted((o, o + other.size) for other, o in zip(places, offsets, strict=True)
                       if o is not None and other.meets(place))
        for low, high in taken:
            if offset + place.size <= low:
                break
            offset = max(offset, high)
        if offset + place.size <= budget:
            offsets[number] = offset
    return offsets


def _left_out(places: Sequence[Lifetime], offsets: Sequence[int | None]) -> int:
    return sum(p.size for p, o in zip(places, offsets, strict=True) if o is None)


def _peak(places: Sequence[Lifetime], offsets: Sequence[int | None]) -> int:
    return max((o + p.size for p, o in zip(places, offsets, strict=True) if o is not None), default=0)


def _most_live(places: Sequence[Lifetime]) -> int:
    return max((sum(p.size for p in places if p.begin <= t.begin <= p.end) for t in places), default=0)
