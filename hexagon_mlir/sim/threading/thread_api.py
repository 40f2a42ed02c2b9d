"""The plain thread functions of the runtime: create, join, barrier.

``hexmlir_rt_thread_create(void (*)(void *), void *) -> i32`` thread number, ``hexmlir_rt_thread_join(i32)``,
``hexmlir_rt_thread_barrier(void *key, i32 count)`` (threads meet at an address), ``hexmlir_rt_thread_id()``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from hexagon_mlir.sim.context import Context
from hexagon_mlir.sim.memory_system.cache_model import cycles_q8
from hexagon_mlir.sim.threading.async_runtime import Spawn
from hexagon_mlir.sim.threading.threads import DONE, Scheduler, Thread
from hexagon_mlir.sim.translation.program import SimError
from hexagon_mlir.targets import Target


@dataclass
class Barrier:
    """Threads waiting at one key."""

    count: int
    waiting: list[Thread] = field(default_factory=list)
    published: list[object] = field(default_factory=list)


class ThreadApi:
    """Threads that a program creates itself."""

    def __init__(self, scheduler: Scheduler, spawn: Spawn, target: Target) -> None:
        self.scheduler = scheduler
        self.spawn = spawn
        self.create_cycles = int(target.thread_create_cycles.value)
        self.join_cycles = int(target.thread_join_cycles.value)
        self.barrier_q8 = cycles_q8(float(target.thread_barrier_cycles.value))
        self.reset()

    def reset(self) -> None:
        self.barriers: dict[int, Barrier] = {}

    def functions(self) -> dict[str, Callable[[Context], int | None]]:
        return {
            "hexmlir_rt_thread_create": self.create,
            "hexmlir_rt_thread_join": self.join,
            "hexmlir_rt_thread_barrier": self.barrier,
            "hexmlir_rt_thread_id": lambda c: self.scheduler.current.number,
        }

    def create(self, context: Context) -> int:
        function, argument = context.word(0), context.word(1)
        context.add("host_stall", self.create_cycles)
        return self.spawn(function, [argument], 0).number

    def join(self, context: Context) -> None:
        number = context.argument(0)
        threads = self.scheduler.threads
        if not 0 < number < len(threads) or threads[number].joined:
            raise SimError(f"hexmlir_rt_thread_join({number}): no such thread, or joined already")
        thread = threads[number]
        thread.joined = True
        self.scheduler.now()
        me = self.scheduler.current
        if thread.phase is not DONE:
            thread.waiters.append(me)
            self.scheduler.block(f"the end of thread {number}")
        self.scheduler.receive(me, thread.published)
        context.add("host_stall", self.join_cycles)

    def barrier(self, context: Context) -> None:
        """The last of ``count`` threads wakes all, ``thread_barrier_cycles`` later."""
        key, count = context.word(0), context.argument(1)
        now = self.scheduler.now()
        me = self.scheduler.current
        if count < 1:
            raise SimError(f"hexmlir_rt_thread_barrier: {count} threads")
        barrier = self.barriers.setdefault(key, Barrier(count))
        if barrier.count != count:
            raise SimError(f"barrier {key:#x}: {count} threads here, {barrier.count} elsewhere")
        barrier.published.append(self.scheduler.publish())
        if len(barrier.waiting) + 1 < count:
            barrier.waiting.append(me)
            self.scheduler.block(f"barrier {key:#x}")
        else:
            del self.barriers[key]
            for thread in barrier.waiting:
                self.scheduler.wake(thread, self.barrier_q8)
            self.scheduler.sleep(now + self.barrier_q8, "wait_q8")
        for published in barrier.published:
            self.scheduler.receive(me, published)
