"""The memory plan of activations: offsets in one arena, from their lifetimes. Pure functions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hexagon_mlir.codegen.schedule import ModelSchedule


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


def lifetimes(schedule: ModelSchedule) -> dict[int, Interval]:
    """The lifetime of each buffer that kernels make, by its number; results live until after the last call."""
    calls, outputs = schedule.calls, set(schedule.outputs)
    born = {number: step for step, call in enumerate(calls) for number in call.results
            if schedule.buffers[number].argument is None}
    last = dict(born)
    for step, call in enumerate(calls):
        last |= dict.fromkeys(call.arguments, step)
    return {number: Interval(schedule.buffers[number].nbytes, begin, len(calls) if number in outputs else last[number])
            for number, begin in born.items()}


def plan(intervals: Sequence[Interval], alignment: int) -> MemoryPlan:
    """Best fit, largest buffer first, as in TensorFlow Lite's greedy planner (Pisarchyk and Lee, 2020)."""
    sizes = [-(-interval.nbytes // alignment) * alignment for interval in intervals]
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
