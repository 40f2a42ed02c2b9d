"""What work takes that threads share, and whether they pay: pure functions over numbers of cycles."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product
from math import ceil, prod, sqrt

from hexagon_mlir.passes.lib.thread_shares import Shares, main_share
from hexagon_mlir.targets import Target

_FRAME_CYCLES = 30
"""Estimate: writing what tasks read to memory, and calling the runtime; a test bounds the code around the call."""
_END_CYCLES = 60
"""Measured: from the end of a task's last iteration to its group being ready."""
CHUNK_CYCLES = 40
"""Estimate: entering the loops over one chunk, in cycles."""
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
    queue: float
    """Cycles of the main thread to queue all tasks."""
    dispatch: float
    """Latency from queuing a task to its first packet, of a worker that sleeps: the first tasks of a kernel find none
    that polls."""
    resume: float
    """Latency from the end of the last task to the main thread's resumption: it polls."""
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
                   float(target.task_queue_cycles.value) + _FRAME_CYCLES,
                   float(target.task_dispatch_cycles.value), float(target.poll_cycles.value), contexts,
                   int(target.clusters.value), 1 / float(target.hvx_issue_interval_cycles.value),
                   float(target.hvx_packets_per_cluster_cycle.value))

    def beside_others(self) -> ForkCost:
        """The costs where several main threads fork: tasks take the place of one that polls, so that it is woken."""
        return replace(self, resume=self.dispatch)

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
        return self.queue + self.dispatch + self.resume if tasks > 1 else 0.0

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
            queued = self.queue + (tasks - 1) * self.dispatch / tasks
            waits = queued if self.certain == 1 else self.fork_join(tasks)
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
        slowdown = self.slowdown(shares.others + 1)
        begun = self.queue if shares.others else 0.0
        last = begun + self.dispatch + other * slowdown
        done = begun + main * slowdown
        return done if not shares.others or done >= last + _END_CYCLES else max(done, last) + self.resume


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
