"""The memory plan of activations: offsets in one arena, from their lifetimes. Pure functions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from hexagon_mlir.codegen.model_calls import Buffer, Call


@dataclass(frozen=True)
class Interval:
    """A buffer of ``nbytes``, written in step ``begin`` and last read in step ``end`` (both included)."""

    nbytes: int
    begin: int
    end: int

    def meets(self, other: Interval) -> bool:
        """True when both are live in one step."""
        return self.begin <= other.end and other.begin <= self.end


@dataclass(frozen=True)
class MemoryPlan:
    """``offsets[i]`` of each interval in an arena of ``arena_bytes``; ``total_bytes`` without reuse,
    ``bound_bytes`` the most that is live in one step, a lower bound of any plan."""

    offsets: tuple[int, ...]
    arena_bytes: int
    total_bytes: int
    bound_bytes: int


def round_up(size: int, alignment: int) -> int:
    """The least multiple of ``alignment`` that is at least ``size``."""
    return -(-size // alignment) * alignment


def lifetimes(calls: Sequence[Call], buffers: Sequence[Buffer], outputs: Sequence[int]) -> dict[int, Interval]:
    """The lifetime of each buffer that ``calls`` make, by its number; ``outputs`` live until after the last call."""
    born = {number: step for step, call in enumerate(calls) for number in call.results
            if buffers[number].argument is None}
    last = dict(born)
    for step, call in enumerate(calls):
        last |= dict.fromkeys(call.arguments, step)
    kept = set(outputs)
    return {number: Interval(buffers[number].nbytes, begin, len(calls) if number in kept else last[number])
            for number, begin in born.items()}


def plan(intervals: Sequence[Interval], alignment: int) -> MemoryPlan:
    """Best fit, largest buffer first, as in TensorFlow Lite's greedy planner (Pisarchyk and Lee, 2020)."""
    sizes = [round_up(interval.nbytes, alignment) for interval in intervals]
    offsets = [0] * len(intervals)
    placed: list[int] = []
    for number in sorted(range(len(intervals)), key=lambda i: (-sizes[i], intervals[i].begin)):
        taken = sorted((offsets[other], offsets[other] + sizes[other]) for other in placed
                       if intervals[other].meets(intervals[number]))
        offsets[number] = _best_gap(taken, sizes[number])
        placed.append(number)
    arena = max((offset + size for offset, size in zip(offsets, sizes, strict=True)), default=0)
    steps = {interval.begin for interval in intervals}
    bound = max((sum(size for interval, size in zip(intervals, sizes, strict=True)
                     if interval.begin <= step <= interval.end) for step in steps), default=0)
    return MemoryPlan(tuple(offsets), arena, sum(sizes), bound)


def assign_slots(intervals: Sequence[Interval]) -> tuple[int, ...]:
    """A slot for each interval, whose others are live at other steps, of sizes as similar as possible: a plan for any
    sizes, since lifetimes do not depend on them."""
    slots: list[list[int]] = []
    of = [0] * len(intervals)
    for number in sorted(range(len(intervals)), key=lambda i: (-intervals[i].nbytes, intervals[i].begin)):
        free = [slot for slot, members in enumerate(slots)
                if not any(intervals[other].meets(intervals[number]) for other in members)]
        of[number] = min(free, key=lambda slot: intervals[slots[slot][0]].nbytes, default=len(slots))
        if of[number] == len(slots):
            slots.append([])
        slots[of[number]].append(number)
    return tuple(of)


def plan_slots(intervals: Sequence[Interval], slots: Sequence[int], alignment: int) -> MemoryPlan:
    """The slots of `assign_slots` one after the other, each as large as the largest of its intervals."""
    sizes = [round_up(interval.nbytes, alignment) for interval in intervals]
    starts = [0] * (max(slots, default=-1) + 2)
    changes = [0] * (max((interval.end for interval in intervals), default=0) + 2)
    for interval, slot, size in zip(intervals, slots, sizes, strict=True):
        starts[slot + 1] = max(starts[slot + 1], size)
        changes[interval.begin] += size
        changes[interval.end + 1] -= size
    starts = list(accumulate(starts))
    return MemoryPlan(tuple([starts[slot] for slot in slots]), starts[-1], sum(sizes), max(accumulate(changes)))


def _best_gap(taken: Sequence[tuple[int, int]], size: int) -> int:
    """The offset of the smallest gap between sorted ranges that fits ``size``, after all of them if none does."""
    best: tuple[int, int] | None = None
    end = 0
    for start, stop in taken:
        gap = start - end
        if gap >= size and (best is None or gap < best[0]):
            best = (gap, end)
        end = max(end, stop)
    return end if best is None else best[1]
