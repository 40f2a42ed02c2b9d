"""Forks: many tasks that are queued at once, and joined.

``hexmlir_rt_fork(void *frame, void (*task)(void *frame, i32 number), i32 first, i32 end)`` runs a task for each number
on the workers, ``hexmlir_rt_join(void *frame)`` waits until all have ended.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from hexagon_mlir.sim.context import Context
from hexagon_mlir.sim.threading.threads import Scheduler, Thread
from hexagon_mlir.sim.threading.workers import Workers
from hexagon_mlir.sim.translation.program import SimError

END_CYCLES = 20
"""Counting one that has ended: a lock, as of a queue of tasks."""


class SpawnTask(Protocol):
    """A thread that calls the function at ``address`` and then ``ended``."""

    def __call__(self, address: int, arguments: list[int], delay_q8: int, *, ended: Callable[[], None]) -> Thread: ...


@dataclass
class Fork:
    """The tasks of one call."""

    frame: int
    unfinished: int
    waiter: Thread | None = None
    published: list[object] = field(default_factory=list)
    """What happened in tasks that have ended."""

    @property
    def label(self) -> str:
        return f"the tasks forked at {self.frame:#x}"


class Forks:
    """Those of a run that have not been joined."""

    def __init__(self, scheduler: Scheduler, workers: Workers, spawn: SpawnTask, queue_cycles: int) -> None:
        self.scheduler = scheduler
        self.workers = workers
        self.spawn = spawn
        self.queue_cycles = queue_cycles
        self.reset()

    def reset(self) -> None:
        self.forks: dict[int, Fork] = {}
        """By their frames' addresses."""

    def functions(self) -> dict[str, Callable[[Context], int | None]]:
        """The entry points by name."""
        return {"hexmlir_rt_fork": self.fork, "hexmlir_rt_join": self.join}

    def fork(self, context: Context) -> None:
        """Queue the tasks."""
        frame, task, numbers = context.word(0), context.word(1), range(context.argument(2), context.argument(3))
        self.scheduler.meet()
        if frame in self.forks:
            raise SimError(f"hexmlir_rt_fork: {self.forks[frame].label} have not been joined")
        fork = self.forks[frame] = Fork(frame, len(numbers))
        if numbers:
            context.add("host_stall", self.queue_cycles)

        def spawn(number: int) -> Callable[[int], Thread]:
            return lambda delay: self.spawn(task, [frame, number], delay, ended=lambda: self._ended(fork))

        for number in numbers:
            self.workers.start(spawn(number))

    def join(self, context: Context) -> None:
        """Wait for them."""
        self.scheduler.meet()
        fork = self.forks.pop(context.word(0), None)
        if fork is None:
            raise SimError(f"hexmlir_rt_join: nothing was forked at {context.word(0):#x}, or it was joined already")
        me = self.scheduler.current
        if fork.unfinished:
            fork.waiter = me
            self.scheduler.poll(fork.label)
        for published in fork.published:
            self.scheduler.receive(me, published)

    def _ended(self, fork: Fork) -> None:
        """The task of the running thread has returned."""
        context = self.scheduler.current.context
        assert context is not None
        context.add("host_stall", END_CYCLES)
        self.scheduler.meet()
        fork.published.append(self.scheduler.publish())
        fork.unfinished -= 1
        if not fork.unfinished and fork.waiter is not None:
            self.scheduler.notify(fork.waiter)
