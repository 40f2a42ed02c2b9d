"""Whether threads pay, and how the work is cut: pure functions over numbers of cycles."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product
from math import ceil, prod, sqrt

from hexagon_mlir.passes.lib.thread_shares import Shares, main_share
from hexagon_mlir.targets import Target

_SPAWN_QUEUE_OPERATIONS = 3
"""Creating a token and a frame and joining the group each cost about as much as queuing the task."""
_END_CYCLES = 60
"""Measured: from the end of a task's last iteration to its group being ready."""
CHUNK_CYCLES = 40
"""Estimate: entering the loops over one chunk, in cycles."""
_CHUNKS_PER_TASK = 4
"""Finer cuts balance little better and cost more."""
_FINER = 0.03
"""What smaller chunks have to save of the cycles."""
_CLOSE = 1.03
"""The most that aligned chunk boundaries may cost."""
CERTAIN = 0.4
"""Fraction of the estimated cycles that is certain: LLVM merges operations (measured on a division). Threads must pay
for that fraction alone, unless more of the work has been measured."""

_PROGRAM_CYCLES = 40
"""Estimate: calling one program of a grid, in cycles."""
_MOST_TASKS = 1024
"""No chip has as many contexts; bounds the search, which tries every number of chunks up to a few per task."""
RUNS_PER_TASK = 4
"""Runs of consecutive programs per task; several, because programs have unequal work (a causal mask)."""


@dataclass(frozen=True)
class ForkCost:
    """The cost of running ``tasks`` in parallel, in cycles; from the target's numbers."""

    tasks: int
    all: bool
    """The user has set the number of tasks: all are used where threads pay and there is enough work."""
    spawn: float
    """Cycles of the main thread for each task besides its own."""
    dispatch: float
    """Latency from queuing a task to its first packet, and from the end of the last task to the main thread's
    resumption."""
    contexts: int
    clusters: int
    packets: float
    """HVX packets per cycle of one dense thread; a cluster issues ``port``."""
    port: float
    certain: float = CERTAIN
    """Fraction of the estimated cycles for which threads must pay."""

    @classmethod
    def of(cls, target: Target, tasks: int = 0) -> ForkCost:
        """The costs on ``target``; ``tasks`` 0 means one for each HVX context; at most `_MOST_TASKS`."""
        contexts = int(target.hvx_contexts.value)
        return cls(min(tasks, _MOST_TASKS) or contexts, tasks > 0,
                   _SPAWN_QUEUE_OPERATIONS * float(target.task_queue_cycles.value),
                   float(target.task_dispatch_cycles.value), contexts, int(target.clusters.value),
                   1 / float(target.hvx_issue_interval_cycles.value),
                   float(target.hvx_packets_per_cluster_cycle.value))

    def slowdown(self, tasks: int) -> float:
        """The slowdown of a dense HVX task by the others: they share the clusters' issue ports.

        A packet finds its port busy with the probability of the others' packets (the model of `sim.threading.threads`);
        tasks beyond the contexts are queued.
        """
        running = min(tasks, self.contexts)
        others = ceil(running / self.clusters) - 1
        taken = self.packets * self.packets * others / self.port
        crowded = max((1 + sqrt(1 + 4 * taken)) / 2, (others + 1) * self.packets / self.port)
        return crowded * ceil(tasks / running)

    def fork_join(self, tasks: int) -> float:
        """Cycles that ``tasks`` cost beyond their work."""
        return (tasks - 1) * self.spawn + 2 * self.dispatch if tasks > 1 else 0.0

    def spread(self, cycles: float) -> float:
        """Cycles of work that takes ``cycles`` on one thread: split evenly over all tasks where that pays."""
        chunks = Chunks((self.tasks,), (1,))
        return self.time(cycles, chunks) if self.tasks > 1 and self.pays(cycles, chunks) else cycles

    def pays(self, cycles: float, chunks: Chunks) -> bool:
        """True where ``chunks`` of work that takes ``cycles`` on one thread take no longer, by what is certain: dealt
        equally, or as the main thread's share is chosen where all of it is certain."""
        time = self.shared_time if self.certain == 1 else self.time
        return time(self.certain * cycles, chunks) <= self.certain * cycles

    def exceeds(self, cycles: float) -> bool:
        """True where no number of tasks takes less time than one thread, ``cycles``, even with equal shares or, where
        all of it is certain, shares that end together."""
        certain = self.certain * cycles

        def least(tasks: int) -> float:
            waits = (tasks - 1) * (self.spawn + self.dispatch / tasks) if self.certain == 1 else self.fork_join(tasks)
            return waits + certain / tasks * self.slowdown(tasks)

        return all(least(tasks) > certain for tasks in range(2, self.tasks + 1))

    def time(self, cycles: float, chunks: Chunks) -> float:
        """Cycles of work that takes ``cycles`` on one thread, cut into ``chunks`` that are dealt equally."""
        tasks = min(chunks.count, self.tasks)
        most, of_them = chunks.load(tasks)
        return self.fork_join(tasks) + (most * cycles + of_them * CHUNK_CYCLES) * self.slowdown(tasks)

    def shared_time(self, cycles: float, chunks: Chunks) -> float:
        """The same where the main thread may run more of the ``chunks`` than the others."""
        shares = self.shares(chunks.count, self.tasks, self.chunk_cycles(cycles, chunks))
        main, other = (part * cycles + count * CHUNK_CYCLES for part, count in chunks.loads(shares))
        return self.end(shares, main, other)

    def chunk_cycles(self, cycles: float, chunks: Chunks) -> float:
        """Cycles of a whole one of the ``chunks`` of work that takes ``cycles`` on one thread."""
        return chunks.longest * cycles + CHUNK_CYCLES

    @lru_cache(maxsize=1024)  # noqa: B019 - of values, which are few
    def shares(self, count: int, tasks: int, cycles: float) -> Shares:
        """The shares of ``count`` chunks of ``cycles`` of at most ``tasks`` tasks for which all is done first."""
        return main_share(count, tasks, lambda shares: self.end(
            shares, shares.first * cycles, shares.most(count) * cycles))

    def end(self, shares: Shares, main: float, other: float) -> float:
        """When all is done where the main thread's share takes ``main`` cycles alone and the longest of the others
        ``other``: the main thread is resumed where a task takes longer than its own, and goes on at once where none
        does."""
        slowdown, begun = self.slowdown(shares.others + 1), shares.others * self.spawn
        last = begun + self.dispatch + other * slowdown
        done = begun + main * slowdown
        return done if not shares.others or done >= last + _END_CYCLES else max(done, last) + self.dispatch


def _whole_steps(units: int, lanes: int) -> int:
    """``units`` rounded up to a multiple of ``lanes``."""
    return -(-units // lanes) * lanes


@dataclass(frozen=True)
class Chunks:
    """Loops of ``units`` (whole vectors, or iterations), cut into chunks of ``sizes`` units; the last is smaller."""

    units: tuple[int, ...]
    sizes: tuple[int, ...]
    lanes: tuple[int, ...] = ()
    """Units of one vector step along each axis, which fewer take as long as; empty: one."""

    @property
    def count(self) -> int:
        """Chunks in all."""
        return prod(-(-n // c) for n, c in zip(self.units, self.sizes, strict=True))

    @property
    def longest(self) -> float:
        """The part of the work that the first chunk is; no other is longer."""
        lanes = self.lanes or (1,) * len(self.units)
        return prod(map(_whole_steps, self.sizes, lanes)) / prod(map(_whole_steps, self.units, lanes))

    @property
    def _parts(self) -> list[float]:
        """The part of the work that each chunk is."""
        lanes = self.lanes or (1,) * len(self.units)
        sizes = [[_whole_steps(min(c, n - at), lane) for at in range(0, n, c)]
                 for n, c, lane in zip(self.units, self.sizes, lanes, strict=True)]
        whole = prod(map(_whole_steps, self.units, lanes))
        return [prod(chunk) / whole for chunk in product(*sizes)]

    def load(self, tasks: int) -> tuple[float, int]:
        """The largest share of the work any of ``tasks`` gets, chunks dealt round-robin, and its number of chunks."""
        if self.count <= tasks:
            return self.longest, 1
        parts = self._parts
        return max((sum(parts[task::tasks]), len(parts[task::tasks])) for task in range(tasks))

    def loads(self, shares: Shares) -> list[tuple[float, int]]:
        """The main thread's part of the work, and the largest of another task; the number of chunks of each."""
        parts, others = self._parts, shares.others
        rest = parts[shares.first:]
        return [(sum(parts[:shares.first]), shares.first),
                max(((sum(rest[task::others]), len(rest[task::others])) for task in range(others)), default=(0.0, 0))]


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


def finer(cut: Cut, cycles: float, cost: ForkCost, lanes: Sequence[int]) -> Cut:
    """``cut``, or with more chunks along the first axis where work of ``cycles`` is done sooner then, because the main
    thread runs more of them than the others. All chunks are equal, and whole multiples of ``lanes``.

    >>> from hexagon_mlir import targets
    >>> cost = ForkCost.of(targets.get("v75"))
    >>> cut = Cut(Chunks((240,), (60,)), (1,))
    >>> [finer(cut, cycles, cost, [1]).chunks.sizes for cycles in (3000, 6000, 9000, 60000)]
    [(48,), (30,), (15,), (60,)]
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


def least_programs(cycles: float, cost: ForkCost, least: float = 0) -> int:
    """The least number of programs, of an estimated ``cycles`` each, for which threads are never slower than one
    thread.

    ``least`` replaces the cost estimate: as many programs as take so many cycles together.
    """
    if least:
        return max(2, ceil(least / (cycles + _PROGRAM_CYCLES)))
    each = cost.certain * cycles + _PROGRAM_CYCLES

    def pays(count: int) -> bool:
        length = ceil(count / (cost.tasks * RUNS_PER_TASK))
        runs = ceil(count / length)
        tasks = min(runs, cost.tasks)
        return cost.fork_join(tasks) + ceil(runs / tasks) * length * each * cost.slowdown(tasks) <= count * each

    parallel = cost.tasks - cost.slowdown(cost.tasks)
    if parallel <= 0:
        return 2**31 - 1
    rounds = ceil((cost.fork_join(cost.tasks) / each + RUNS_PER_TASK * cost.slowdown(cost.tasks)) / parallel)
    count = rounds * cost.tasks * RUNS_PER_TASK
    while count > 2 and pays(count - 1):
        count -= 1
    return count


def _cuts(units: Sequence[int], tasks: int, smallest: Sequence[int], even: Sequence[bool]) -> Iterator[Chunks]:
    most = _CHUNKS_PER_TASK * tasks
    of_axes = [sorted({size for pieces in range(1, min(n, most) + 1)
                       if (size := -(-n // pieces)) >= few and not (equal and n % size)})
               for n, few, equal in zip(units, smallest, even, strict=True)]
    for sizes in product(*of_axes):
        chunks = Chunks(tuple(units), sizes, tuple(smallest) if max(smallest, default=1) > 1 else ())
        if 2 <= chunks.count <= most:
            yield chunks
