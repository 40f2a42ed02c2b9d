"""The matrix engine as programs see it: its packets, and the runtime's functions about it.

``hexmlir_rt_engine_acquire()`` makes the calling thread the engine's one holder, after those that asked before it.
``hexmlir_rt_engine_wait()`` stalls until the engine has done all it was handed, ``hexmlir_rt_engine_release()`` does so
and lets the next thread have it. A thread that has handed it something waits in the same way when it ends.

Values are computed when a packet is issued. A program that reads what the engine stores has to wait first: the loads
themselves do not.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from hexagon_mlir.sim import layout
from hexagon_mlir.sim.context import Context
from hexagon_mlir.sim.matrix_engine.timing import Clock, Use
from hexagon_mlir.sim.memory_system.memory import Memory
from hexagon_mlir.sim.threading.threads import Scheduler, Thread
from hexagon_mlir.sim.translation.program import SimError
from hexagon_mlir.targets import Target

if TYPE_CHECKING:
    from hexagon_mlir.sim.checking.matrix_checks import MatrixChecks
    from hexagon_mlir.sim.matrix_engine.engine import MatrixEngine

_WORDS = layout.MATRIX // 4


class MatrixApi:
    """Entry points for the running thread. ``packets``: templates of the matrix instructions of each packet."""

    def __init__(self, packets: Sequence[Sequence[str]], memory: Memory, scheduler: Scheduler, target: Target) -> None:
        self.scheduler = scheduler
        self.clock = Clock(target)
        self.engine: MatrixEngine | None = None
        self.checks: MatrixChecks | None = None
        if packets:
            from hexagon_mlir.sim.matrix_engine import engine

            self.engine = engine.MatrixEngine(memory, target)
            self.packets = [engine.Packet.of(keys) for keys in packets]
        self.reset()

    def reset(self) -> None:
        self.clock.reset()
        if self.engine is not None:
            self.engine.state.reset()
        if self.checks is not None:
            self.checks.drained()
        self.holder: Thread | None = None
        self.users: set[int] = set()
        """Threads that have handed it something."""
        self.asking: list[Thread] = []
        self.published: object = None
        """What happened before the last release."""

    def functions(self) -> dict[str, Callable[[Context], int | None]]:
        return {
            layout.MATRIX_FUNCTION: self.issue,
            "hexmlir_rt_engine_acquire": self.acquire,
            "hexmlir_rt_engine_release": self.release,
            "hexmlir_rt_engine_wait": self.wait,
        }

    # -- packets ---------------------------------------------------------------------------------------------
    def issue(self, context: Context) -> None:
        """Hand over the packet in the state record: stall while the queue is full."""
        number, usr, *words = context.cells[_WORDS : _WORDS + layout.MATRIX_WORDS]
        if self.engine is None:
            raise SimError(f"'{layout.MATRIX_FUNCTION}' is called without a packet of the matrix engine")
        packet = self.packets[number]
        now = self.scheduler.now()
        me = self.scheduler.current
        if self.holder is not None and self.holder is not me:
            raise SimError(f"a packet of the matrix engine, held by thread {self.holder.number} '{self.holder.name}'")
        while (place := self.clock.next_place(now)) > now:
            self.scheduler.sleep(place, "matrix_queue_q8")
            now = self.scheduler.time
        assert self.engine is not None
        if self.checks is not None:
            alone = self.holder is None and len(self.scheduler.threads) == 1
            self.checks.issued(context, packet, words[: packet.registers], usr, alone or self.holder is me)
        effect = self.engine.execute(packet, tuple(words[: packet.registers]), usr)
        self.users.add(me.number)
        self.clock.issue(effect, now, me.number)

    # -- who uses it -----------------------------------------------------------------------------------------
    def acquire(self, context: Context) -> None:
        self.scheduler.now()
        me = self.scheduler.current
        if self.holder is me:
            raise SimError("hexmlir_rt_engine_acquire: the thread holds the matrix engine")
        if self.holder is not None:
            self.asking.append(me)
            self.scheduler.block("the matrix engine")
        self.holder = me
        self.scheduler.receive(me, self.published)

    def release(self, context: Context) -> None:
        me = self.scheduler.current
        if self.holder is not me:
            raise SimError("hexmlir_rt_engine_release: the thread does not hold the matrix engine")
        self._drain()
        self.published = self.scheduler.publish()
        self.holder = None
        if self.asking:
            self.holder = self.asking.pop(0)
            self.scheduler.wake(self.holder, 0)

    def wait(self, context: Context) -> None:
        self._drain()

    def leave(self) -> None:
        """The running thread ends."""
        if self.scheduler.current.number in self.users:
            self._drain()

    def _drain(self) -> None:
        self.scheduler.now()
        self.scheduler.sleep(self.clock.drained(), "matrix_wait_q8")
        if self.checks is not None:
            self.checks.drained()

    def use(self) -> Use | None:
        """What the engine did, if anything."""
        return self.clock.result() if self.users else None
