"""Simulated threads: a deterministic discrete-event schedule of guest code on hardware threads.

Guest code of every thread runs on a host thread of its own, but only one of them at a time: a thread runs until it
calls the runtime (queues a task, waits, reads the clock), and then lets simulated time catch up with the cycles it has
counted. Ties go to the lower thread number, so that a schedule depends on the program alone.

A thread needs a hardware thread, and one of the HVX contexts when its code can reach an HVX packet; others
queue for them in the order in which they became ready. Hardware thread n belongs to cluster n mod clusters.
Threads that run HVX on the same cluster share its issue port: with u and v HVX packets per cycle when alone,
a packet of one finds the port busy with the other's probability and issues a cycle later, so its thread is
slower by s = 1 + u v / s, and never faster than the port. If threads together need more than
``ddr_peak_bytes_per_cycle``, their DDR stalls are longer in proportion.

A thread that waits for a task polls (`polling.Polling`); it keeps its hardware thread, unless a ready one needs it.

Times are in 1/256 cycle.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from typing import Protocol

from hexagon_mlir.sim.context import Context
from hexagon_mlir.sim.memory_system.cache_model import Q8
from hexagon_mlir.sim.stopping import Stopped
from hexagon_mlir.sim.threading.host_threads import closed
from hexagon_mlir.sim.threading.polling import Polling
from hexagon_mlir.sim.translation.program import SimError
from hexagon_mlir.targets import Target

MAX_UNFINISHED = 64
"""Threads that may have started and not ended: each holds a host thread and a guest stack."""


class Phase(Enum):
    """The state of a thread."""

    QUEUED = "queued"  # waits for a hardware thread
    WORKING = "working"  # simulated time catches up with it
    SLEEPING = "sleeping"  # until a time; keeps its hardware thread
    POLLING = "polling"  # until it is woken, or until a time; keeps its hardware thread
    BLOCKED = "blocked"  # until it is woken
    DONE = "done"


QUEUED, WORKING, SLEEPING, POLLING, BLOCKED, DONE = Phase


@dataclass(slots=True)
class Slice:
    """A stretch of time a thread spent on a hardware thread; ``what`` is run, stall or poll."""

    thread: int
    hardware: int
    begin: int
    end: int
    what: str


@dataclass(slots=True, eq=False)
class Thread:
    """One guest thread."""

    number: int
    name: str
    body: Callable[[Thread], None] | None
    """What its host thread does; none for the main thread."""
    hvx: bool
    ready_at: int
    phase: Phase = QUEUED
    context: Context | None = None
    hardware: int | None = None
    waits_for: str = ""
    remaining: float = 0.0
    rate: float = 0.0
    """HVX packets per cycle of the stretch in progress, when alone."""
    ddr_rate: float = 0.0
    """The same for DDR bytes."""
    ddr_share: float = 0.0
    """Part of the stretch in which it waits for DDR."""
    wake_at: int = 0
    polls_since: int = 0
    seen: int = 0
    seen_hvx: int = 0
    seen_bytes: int = 0
    seen_ddr: int = 0
    slice: int = -1
    """Index of its last slice."""
    busy: int = 0
    begin: int = 0
    end: int = 0
    go: threading.Lock = field(default_factory=closed)
    """Opened when it is this thread's turn."""
    waiters: list[Thread] = field(default_factory=list)
    joined: bool = False
    published: object = None
    """What happened in the thread, when it has ended."""
    gone: threading.Lock = field(default_factory=closed)
    """Opened when its host thread is free again."""

    def measure(self) -> int:
        """The increments of its counters since the last call; sets the rates."""
        context = self.context
        assert context is not None
        total, hvx, moved, stalled = context.work()
        work = total - self.seen
        if work:
            self.rate = (hvx - self.seen_hvx) * Q8 / work
            self.ddr_rate = (moved - self.seen_bytes) * Q8 / work
            self.ddr_share = (stalled - self.seen_ddr) / work
        self.seen, self.seen_hvx, self.seen_bytes, self.seen_ddr = total, hvx, moved, stalled
        return work


class Ordering(Protocol):
    """The happens-before relation of threads."""

    def publish(self, thread: Thread) -> object: ...

    def receive(self, thread: Thread, published: object) -> None: ...


class Scheduler:
    """Threads, hardware threads and the simulated clock of one run."""

    def __init__(self, target: Target, launch: Callable[[Thread], None]) -> None:
        def number(name: str) -> int:
            return int(getattr(target, name).value)

        self.launch = launch
        self.hardware_threads = number("hardware_threads")
        self.contexts = number("hvx_contexts")
        self.clusters = number("clusters")
        self.ddr_peak = float(target.ddr_peak_bytes_per_cycle.value)
        self.port = float(target.hvx_packets_per_cluster_cycle.value)
        self.polling = Polling.of(target)
        self.order: Ordering | None = None

    # -- threads -------------------------------------------------------------------------------------------
    def begin(self, name: str, context: Context, hvx: bool) -> Thread:
        """A new run with the main thread on hardware thread 0 from time 0."""
        main = Thread(0, name, None, hvx, 0, WORKING, context, 0)
        self.time = 0
        self.threads = [main]
        self.live = [main]
        """Those that have not ended, in order of their numbers."""
        self.current = main
        self.slices: list[Slice] = []
        self.error: BaseException | None = None
        self.aborting = False
        return main

    def spawn(self, name: str, body: Callable[[Thread], None], hvx: bool, delay: int) -> Thread:
        """A new thread, ready ``delay`` from now."""
        now = self.now()
        thread = Thread(len(self.threads), name, body, hvx, now + delay)
        self.threads.append(thread)
        self.live.append(thread)
        self.receive(thread, self.publish())
        return thread

    # -- what the running thread does ----------------------------------------------------------------------
    def now(self) -> int:
        """Let the clock catch up with the running thread; gives the time."""
        thread = self.current
        work = thread.measure()
        if work:
            thread.phase = WORKING
            if len(self.live) == 1:
                thread.busy += work
                self._proceed_alone(thread, self.time + work, "run")
            else:
                thread.remaining = work
                self._switch(thread)
        return self.time

    def meet(self) -> None:
        """The running thread is about to access shared state: threads with an earlier time run first."""
        if len(self.live) > 1:
            self.now()

    def sleep(self, until: int, counter: str) -> None:
        """After `now`: the running thread stalls on its hardware thread; the time counts under ``counter``."""
        stall = until - self.time
        thread = self.current
        if stall <= 0:
            return
        assert thread.context is not None
        thread.context.add(counter, stall)
        thread.seen += stall
        if len(self.live) == 1:
            self._proceed_alone(thread, until, "stall")
        else:
            thread.phase, thread.wake_at = SLEEPING, until
            self._switch(thread)

    def block(self, waits_for: str) -> None:
        """The running thread releases its hardware thread until `wake`."""
        self.now()
        thread = self.current
        thread.phase, thread.waits_for, thread.hardware = BLOCKED, waits_for, None
        self._switch(thread)

    def wake(self, thread: Thread, delay: int) -> None:
        thread.phase, thread.ready_at = QUEUED, self.time + delay

    def poll(self, waits_for: str) -> None:
        """The running thread polls until `notify`; it releases its hardware thread when that takes long, or for a
        thread that is ready."""
        self.now()
        thread = self.current
        thread.phase, thread.waits_for, thread.polls_since = POLLING, waits_for, self.time
        thread.wake_at = self.time + self.polling.limit
        self._switch(thread)

    def notify(self, thread: Thread) -> None:
        """What ``thread`` called `poll` for has happened."""
        if thread.phase is POLLING:
            delay = self.polling.handover(self.time - thread.polls_since)
            thread.phase, thread.wake_at, thread.waits_for = SLEEPING, self.time + delay, ""
        else:
            self.wake(thread, self.polling.dispatch)

    def finish(self, thread: Thread, release: Callable[[], None]) -> None:
        """The running thread has ended: switch to another one (called on its host thread, which then ends).

        ``release`` returns its state record, after its last use and before another thread runs.
        """
        if not self.aborting:
            try:
                self.now()
            except Stopped:
                return
            thread.published = self.publish()
            for waiter in thread.waiters:
                self.wake(waiter, 0)
            self._end(thread)
            release()
            self._hand_over()

    def fail(self, thread: Thread, error: BaseException) -> None:
        """The running thread failed: the main thread ends the run."""
        if self.error is None and not isinstance(error, Stopped):
            self.error = error
        if not self.aborting:
            self._end(thread)
            self.aborting = True
            self.threads[0].go.release()

    def _end(self, thread: Thread) -> None:
        thread.phase, thread.end, thread.hardware = DONE, self.time, None
        self.live.remove(thread)

    def drain(self) -> None:
        """After the main thread has returned: let the others run to their ends."""
        self.now()
        main = self.current
        main.end = self.time
        main.hardware = None
        main.phase, main.waits_for = BLOCKED, "the end of the other threads"
        while not self.aborting and any(
            t.phase in (QUEUED, WORKING, SLEEPING, POLLING) for t in self.live
        ):
            self._switch(main, idle_returns=True)

    def waiting(self) -> str:
        """The waiting threads and what each waits for, for messages."""
        return "; ".join(
            f"thread {t.number} '{t.name}' waits for {t.waits_for}" for t in self.live if t.waits_for
        )

    def shut_down(self) -> list[Thread]:
        """End the run: threads that have started and not ended unwind; gives all that have not ended."""
        self.aborting = True
        left = [t for t in self.live if t.number]
        for thread in left:
            if thread.context is not None:
                thread.go.release()
                thread.gone.acquire()
        return left

    # -- order of memory accesses, for checks ---------------------------------------------------------------
    def publish(self) -> object:
        """The ordering state of the running thread, for threads that synchronise with it."""
        return self.order.publish(self.current) if self.order else None

    def receive(self, thread: Thread, published: object) -> None:
        """All published accesses happen before the later ones of ``thread``."""
        if self.order:
            self.order.receive(thread, published)

    # -- the clock -----------------------------------------------------------------------------------------
    def _switch(self, me: Thread, idle_returns: bool = False) -> None:
        """Switch to the next thread; returns when this thread is scheduled again."""
        chosen = self._next()
        if chosen is None:
            if idle_returns:
                return
            raise SimError(f"deadlock: {self.waiting()}")
        if chosen is not me:
            self._resume(chosen)
            me.go.acquire()
        self.current = me
        if self.aborting:
            raise Stopped

    def _hand_over(self) -> None:
        """The same for a thread that has ended."""
        chosen = self._next()
        if chosen is None:  # no thread can run: the main thread reports the reason
            main = self.threads[0]
            if "end of the other" not in main.waits_for:
                self.error, self.aborting = SimError(f"deadlock: {self.waiting()}"), True
            chosen = main
        self._resume(chosen)

    def _resume(self, thread: Thread) -> None:
        self.current = thread
        if thread.context is None:
            thread.begin = self.time
            self.launch(thread)
        else:
            thread.go.release()

    def _next(self) -> Thread | None:
        """Move the clock to the next event and give the thread it belongs to."""
        while True:
            self._place()
            working: list[Thread] = []
            first: Thread | None = None
            at = later = math.inf
            for thread in self.live:
                phase = thread.phase
                if phase is WORKING:
                    if thread.remaining <= 0:
                        return thread
                    working.append(thread)
                elif (phase is SLEEPING or phase is POLLING) and thread.wake_at < at:
                    first, at = thread, thread.wake_at
                elif phase is QUEUED and self.time < thread.ready_at < later:
                    later = thread.ready_at
            slowdowns = self._slowdowns(working)
            for thread, slowdown in zip(working, slowdowns, strict=True):
                end = self.time + math.ceil(thread.remaining * slowdown)
                if first is None or (end, thread.number) < (at, first.number):
                    first, at = thread, end
            if first is not None and at <= later:
                self._progress(int(at), working, slowdowns)
                if first.phase is POLLING:
                    self._release(first)
                    continue
                first.remaining = 0.0
                first.phase = WORKING
                return first
            if later == math.inf:
                return None
            self._progress(int(later), working, slowdowns)

    def _slowdowns(self, working: list[Thread]) -> list[float]:
        """The slowdown of each by the others on its cluster."""
        if len(working) < 2:
            return [1.0] * len(working)
        crowd = sum([t.ddr_rate for t in working]) / self.ddr_peak
        neighbours: list[list[Thread]] = [[] for _ in range(self.clusters)]
        for thread in working:
            neighbours[self._cluster(thread)].append(thread)
        result = []
        for thread in working:
            others = sum([t.rate for t in neighbours[self._cluster(thread)] if t is not thread])
            taken = thread.rate * others / self.port
            issue = max((1 + math.sqrt(1 + 4 * taken)) / 2, (thread.rate + others) / self.port) if taken else 1.0
            result.append(max(issue, 1 + thread.ddr_share * (crowd - 1)))
        return result

    def _cluster(self, thread: Thread) -> int:
        assert thread.hardware is not None
        return thread.hardware % self.clusters

    def _progress(self, until: int, working: list[Thread], slowdowns: list[float]) -> None:
        """Move the clock; working threads advance at their shared rates."""
        passed = until - self.time
        if passed > 0:
            for thread, slowdown in zip(working, slowdowns, strict=True):
                thread.remaining -= passed / slowdown
                thread.busy += passed
                self._record(thread, until, "run")
            for thread in self.live:
                if thread.phase is SLEEPING:
                    self._record(thread, until, "stall")
                elif thread.phase is POLLING:
                    self._record(thread, until, "poll")
            self.time = until

    def _proceed_alone(self, thread: Thread, until: int, what: str) -> None:
        """Move the clock when there is one thread."""
        self._record(thread, until, what)
        self.time = until

    def _record(self, thread: Thread, until: int, what: str) -> None:
        if thread.hardware is None:
            return
        last = self.slices[thread.slice] if thread.slice >= 0 else None
        if last and last.end == self.time and last.what == what and last.hardware == thread.hardware:
            last.end = until
        else:
            thread.slice = len(self.slices)
            self.slices.append(Slice(thread.number, thread.hardware, self.time, until, what))

    def _place(self) -> None:
        """Put ready threads on free hardware threads, first come first served."""
        ready = [t for t in self.live if t.phase is QUEUED and t.ready_at <= self.time]
        if not ready:
            return
        for thread in sorted(ready, key=lambda t: (t.ready_at, t.number)):
            free = self._room(thread)
            if not free:
                continue
            started = sum(t.context is not None for t in self.live)
            if thread.context is None and started >= MAX_UNFINISHED:
                raise SimError(f"more than {MAX_UNFINISHED} threads have started and not ended")
            busy = [
                sum(t.hvx for t in self.live if t.hardware is not None and t.hardware % self.clusters == c)
                for c in range(self.clusters)
            ]
            thread.hardware = min(free, key=lambda n: (busy[n % self.clusters], n))
            thread.phase, thread.remaining, thread.waits_for = WORKING, 0.0, ""

    def _room(self, thread: Thread) -> list[int]:
        """The hardware threads that ``thread`` may have; a thread that polls gives its own where there is no other."""
        placed = [t for t in self.live if t.hardware is not None]
        used = {t.hardware for t in placed}
        free = [n for n in range(self.hardware_threads) if n not in used]
        crowded = thread.hvx and sum(t.hvx for t in placed) >= self.contexts
        if free and not crowded:
            return free
        for other in placed:
            if other.phase is POLLING and (other.hvx or not crowded):
                self._release(other)
                return self._room(thread)
        return []

    def _release(self, thread: Thread) -> None:
        """A thread that polls sleeps from now on."""
        thread.phase, thread.hardware = BLOCKED, None
