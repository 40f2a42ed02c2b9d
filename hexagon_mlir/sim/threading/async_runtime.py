"""MLIR's async runtime for simulated threads: tokens, values, groups, and coroutines that resume on any thread.

``Execute`` and the ``...AndExecute`` waits make a task: a thread that calls ``resume(handle)`` and ends. The workers
of a pool run them: one that has ended its task polls for the next one, and sleeps when that takes long, as does the
thread of a plain wait. A token or value is made with two references: the caller's, and one that goes when it becomes
available.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from hexagon_mlir.sim.context import Context
from hexagon_mlir.sim.threading.threads import Scheduler, Thread
from hexagon_mlir.sim.threading.workers import Workers
from hexagon_mlir.sim.translation.program import SimError

PREFIX = "mlirAsyncRuntime"
HANDLE_BYTES = 16
Spawn = Callable[[int, list[int], int], Thread]
"""(guest address of a function, its arguments, delay in 1/256 cycle) -> the thread that runs it."""


@dataclass
class Object:
    """A token, value or group. A group is ready when no token in it is pending."""

    kind: str
    address: int
    references: int
    ready: bool = False
    errors: int = 0
    members: int = 0
    pending: int = 0
    groups: list[Object] = field(default_factory=list)
    continuations: list[tuple[int, int]] = field(default_factory=list)
    """(coroutine handle, resume function) that run when ready."""
    blocked: list[Thread] = field(default_factory=list)
    published: list[object] = field(default_factory=list)
    """What happened before it became ready."""

    @property
    def label(self) -> str:
        return f"{self.kind} {self.address:#x}"


class AsyncRuntime:
    """The objects of a run."""

    def __init__(
        self,
        scheduler: Scheduler,
        workers: Workers,
        spawn: Spawn,
        allocate: Callable[[int], int],
        release: Callable[[int], object],
        queue_cycles: int,
    ) -> None:
        self.scheduler = scheduler
        self.workers = workers
        self.spawn = spawn
        self.allocate = allocate
        self.release = release
        self.queue_cycles = queue_cycles
        self.reset()

    def reset(self) -> None:
        self.objects: dict[int, Object] = {}

    def functions(self) -> dict[str, Callable[[Context], int | None]]:
        """The entry points by name."""
        table: dict[str, Callable[[Context], int | None]] = {
            "CreateToken": lambda c: self.create("token", 2, 0),
            "CreateValue": lambda c: self.create("value", 2, c.pair(0)),
            "CreateGroup": self.create_group,
            "AddTokenToGroup": lambda c: self.add_to_group(self.get(c, 0), self.get(c, 1)),
            "AddRef": lambda c: self.count(self.get(c, 0), c.pair(2)),
            "DropRef": lambda c: self.count(self.get(c, 0), -c.pair(2)),
            "GetValueStorage": lambda c: self.get(c, 0).address + HANDLE_BYTES,
            "Execute": lambda c: self.task(c.word(0), c.word(1)),
        }
        for kind in ("Token", "Value"):
            table[f"Emplace{kind}"] = lambda c: self.settle(self.get(c, 0), False)
            table[f"Set{kind}Error"] = lambda c: self.settle(self.get(c, 0), True)
        for kind in ("Token", "Value", "Group"):
            table[f"Is{kind}Error"] = lambda c: self.is_error(self.get(c, 0))
        for name in ("AwaitToken", "AwaitValue", "AwaitAllInGroup"):
            table[name] = lambda c: self.wait(self.get(c, 0))
            table[name + "AndExecute"] = lambda c: self.then(
                self.get(c, 0), c.word(1), c.word(2)
            )
        named = {PREFIX + name: function for name, function in table.items()}
        # The name MLIR's lowering emits, without the second 'e'.
        named["mlirAsyncRuntimGetNumWorkerThreads"] = lambda c: self.scheduler.contexts
        named["mlirAsyncRuntimePrintCurrentThreadId"] = lambda c: print(self.scheduler.current.number)
        return named

    # -- objects -------------------------------------------------------------------------------------------
    def get(self, context: Context, register: int) -> Object:
        self.scheduler.meet()
        address = context.word(register)
        if address not in self.objects:
            raise SimError(f"{address:#x} is no live async token, value or group")
        return self.objects[address]

    def create(self, kind: str, references: int, storage: int) -> int:
        address = self.allocate(HANDLE_BYTES + storage)
        self.objects[address] = Object(kind, address, references)
        return address

    def create_group(self, context: Context) -> int:
        address = self.create("group", 1, 0)
        group = self.objects[address]
        group.pending = context.pair(0)
        group.ready = group.pending == 0
        return address

    def count(self, item: Object, change: int) -> None:
        item.references += change
        if item.references < 0:
            raise SimError(f"{item.label}: more references dropped than held")
        if item.references == 0:
            del self.objects[item.address]
            self.release(item.address)

    def add_to_group(self, token: Object, group: Object) -> int:
        rank = group.members
        group.members += 1
        if token.ready:
            self._member_ready(group, token)
        else:
            token.groups.append(group)
            group.references += 1  # the token refers to it
        return rank

    # -- becoming ready ------------------------------------------------------------------------------------
    def settle(self, item: Object, error: bool) -> None:
        """A token or value becomes available or an error."""
        if item.ready:
            raise SimError(f"{item.label} is made available twice")
        item.errors = int(error)
        item.published.append(self.scheduler.publish())
        self._ready(item)
        for group in item.groups:
            self._member_ready(group, item)
            self.count(group, -1)
        item.groups.clear()
        self.count(item, -1)

    def _member_ready(self, group: Object, token: Object) -> None:
        group.pending -= 1
        group.errors += token.errors
        group.published += token.published
        if group.pending < 0:
            raise SimError(f"{group.label} has more tokens than it was made for")
        if group.pending == 0:
            self._ready(group)

    def _ready(self, item: Object) -> None:
        item.ready = True
        for handle, resume in item.continuations:
            self._continue(item, handle, resume)
        for thread in item.blocked:
            self.scheduler.notify(thread)
        item.continuations.clear()
        item.blocked.clear()

    def _continue(self, item: Object, handle: int, resume: int) -> None:
        self.task(handle, resume, item.published)

    def is_error(self, item: Object) -> int:
        return int(item.errors > 0)

    # -- tasks ---------------------------------------------------------------------------------------------
    def task(self, handle: int, resume: int, after: list[object] | None = None) -> None:
        context = self.scheduler.current.context
        assert context is not None
        context.add("host_stall", self.queue_cycles)
        thread = self.workers.start(lambda delay: self.spawn(resume, [handle], delay))
        for published in after or []:
            self.scheduler.receive(thread, published)

    def then(self, item: Object, handle: int, resume: int) -> None:
        if item.ready:
            self._continue(item, handle, resume)
        else:
            item.published.append(self.scheduler.publish())
            item.continuations.append((handle, resume))

    def wait(self, item: Object) -> None:
        thread = self.scheduler.current
        if not item.ready:
            item.blocked.append(thread)
            self.scheduler.poll(item.label)
        for published in item.published:
            self.scheduler.receive(thread, published)
