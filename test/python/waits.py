"""Which waits of a compiled kernel are needed: each is left out in turn, and a checked run must notice.

A wait is a place in the assembly that calls the runtime to wait for a transfer, or for a group of tasks. One that is
left out does nothing when it is reached. Transfers here end at their own wait only: the engine's order would let the
wait for a later one stand in.
"""

from __future__ import annotations

import contextlib
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from hexagon_mlir import pipelines, targets
from hexagon_mlir.bench.combinations import with_buffers, with_threads
from hexagon_mlir.exec import sim
from hexagon_mlir.settings import DEFAULT_SETTINGS
from hexagon_mlir.sim import Machine, RunResult, SimError
from hexagon_mlir.sim.checking.rules import Rule
from hexagon_mlir.sim.context import Context
from hexagon_mlir.sim.threading.polling import Polling

WAITS = ("hexmlir_rt_dma_wait", "hexmlir_rt_join", "mlirAsyncRuntimeAwaitAllInGroup")
LINT = frozenset({Rule.FLOAT_KIND})
"""About LLVM's own qfloat code, not about memory."""
V75 = targets.get()
ASLEEP = replace(V75, poll_limit_cycles=replace(V75.poll_limit_cycles, value=0))
"""A chip whose threads do not poll: all of them take ``task_dispatch_cycles`` to start and to go on."""
SCHEDULES = (replace(ASLEEP, hvx_contexts=replace(V75.hvx_contexts, value=1)),
             replace(ASLEEP, task_dispatch_cycles=replace(V75.task_dispatch_cycles, value=10)),
             replace(ASLEEP, task_dispatch_cycles=replace(V75.task_dispatch_cycles, value=1_000_000)))
"""Chips on which tasks run one after another, all at once, and after the main thread's share."""


class WaitsLeftOut(Machine):
    """A checked machine that goes past the wait at line ``left_out`` of the assembly."""

    def __init__(self, asm: str, target: str, arithmetic: sim.Arithmetic) -> None:
        self.left_out = 0
        self.waits: dict[int, str] = {}
        """Line -> what is called there, of all waits reached so far."""
        super().__init__(asm, target, check=True, arithmetic=arithmetic)
        self.dma.arrive = self._one_arrives  # type: ignore[method-assign]
        for index, name in enumerate(self.program.callbacks):
            if name in WAITS:
                self.host.functions[index] = self._wait(name, self.host.functions[index])

    def schedule(self, chip: targets.Target) -> None:
        """Threads take turns as on ``chip`` from the next run on."""
        self.scheduler.contexts, self.scheduler.polling = int(chip.hvx_contexts.value), Polling.of(chip)

    def _one_arrives(self, transfer: Any, context: Context) -> list[Any]:
        others = [t for t in self.dma.in_flight if t is not transfer]
        self.dma.in_flight[:] = [transfer]
        try:
            return type(self.dma).arrive(self.dma, transfer, context)
        finally:
            self.dma.in_flight[:] = others

    def _wait(self, name: str, wait: Callable[[Context], int | None]) -> Callable[[Context], int | None]:
        def waiting(context: Context) -> int | None:
            assert self.checks is not None
            line = self.checks.site(context).line
            self.waits[line] = name
            return None if line == self.left_out else wait(context)

        return waiting


@dataclass
class Launch:
    """One run of a kernel that can be repeated: arguments as they were before it, and what it gave."""

    machine: WaitsLeftOut
    repeat: Callable[[], tuple[list[np.ndarray], RunResult]]
    results: list[np.ndarray]
    run: RunResult

    def faults(self) -> list[str]:
        """What the checks report; a race of a vector load if values depend on the order of the threads."""
        found = [str(report) for report in faults(self.run)]
        loads = [str(report) for report in self.run.reports if report.rule is Rule.VECTOR_RACE]
        return found + (loads if loads and not self.in_any_order() else [])

    def in_any_order(self) -> bool:
        """Whether the results are the same on all of `SCHEDULES`."""
        same = True
        for chip in SCHEDULES:
            self.machine.schedule(chip)
            results, _ = self.repeat()
            same = same and self._same(results)
        self.machine.schedule(V75)
        return same

    def _same(self, results: list[np.ndarray]) -> bool:
        return all(a.tobytes() == b.tobytes() for a, b in zip(results, self.results, strict=True))

    def notices(self, line: int) -> bool:
        """Whether the wait at ``line`` is missed: a check reports it, values differ, or the run fails, on the chip or
        on one of `SCHEDULES`."""
        self.machine.left_out = line
        try:
            return any(self._differs(chip) for chip in (V75, *SCHEDULES))
        finally:
            self.machine.left_out = 0
            self.machine.schedule(V75)

    def _differs(self, chip: targets.Target) -> bool:
        self.machine.schedule(chip)
        try:
            results, run = self.repeat()
        except (SimError, sim.HexError):
            return True
        return bool(faults(run)) or not self._same(results)


@dataclass
class Launches:
    """All launches of a program, by the assembly that ran."""

    by_asm: OrderedDict[str, list[Launch]] = field(default_factory=OrderedDict)

    def reports(self) -> list[str]:
        """What the checks found."""
        return [text for launches in self.by_asm.values() for one in launches for text in one.faults()]

    def unneeded(self) -> list[str]:
        """Waits that no launch misses."""
        found = []
        for launches in self.by_asm.values():
            for line, name in sorted(launches[0].machine.waits.items()):
                if not any(one.notices(line) for one in launches):
                    text = launches[0].machine.text.splitlines()
                    found.append(f"{name} at line {line} of the assembly: {text[line - 1].strip()}")
        return found

    @property
    def waits(self) -> int:
        """Places that wait, of all programs."""
        return sum(len(launches[0].machine.waits) for launches in self.by_asm.values())

    @property
    def threads(self) -> int:
        """Most tasks of a launch, the main thread among them."""
        return max((max(1, len(one.run.threads)) for launches in self.by_asm.values() for one in launches), default=0)


def faults(run: RunResult) -> list[Any]:
    """Reports of ``run``, without lint and what vector loads read beyond what is used."""
    return [report for report in run.reports if report.rule not in (Rule.VECTOR_RACE, *LINT)]


@contextlib.contextmanager
def recorded(combination: str) -> Iterator[Launches]:
    """Compile with ``combination``, see `hexagon_mlir.bench.combinations`; launches are checked and kept, each shape
    once."""
    found = Launches()
    plain, launch, get = sim.launch, sim.launch, pipelines.get
    machines: dict[tuple[str, str], WaitsLeftOut] = {}

    def machine(asm: str, target: str, arithmetic: str | None = None) -> WaitsLeftOut:
        if (asm, target) not in machines:
            chosen = sim.known_arithmetic(arithmetic) if arithmetic else sim.SESSION.arithmetic
            machines[asm, target] = WaitsLeftOut(asm, target, chosen)
        return machines[asm, target]

    def keep(asm: str, entry: str, args: Sequence[Any], *rest: Any, **named: Any) -> RunResult:
        before = [_copy(a) for a in args]

        def repeat() -> tuple[list[np.ndarray], RunResult]:
            given = [_copy(a) for a in before]
            run = plain(asm, entry, given, *rest, **named)
            return [_numpy(a) for a in given if sim.is_array(a)], run

        run = launch(asm, entry, args, *rest, **named)
        target = named.get("target", rest[1] if len(rest) > 1 else sim.targets.DEFAULT)
        results = [_numpy(a) for a in args if sim.is_array(a)]
        found.by_asm.setdefault(asm, []).append(Launch(machine(asm, target), repeat, results, run))
        return run

    def chosen(name: str, target: Any, settings: Any = DEFAULT_SETTINGS) -> Any:
        return with_buffers(combination, get(name, target, with_threads(combination, settings)))

    saved = sim._machine
    sim._machine, sim.launch, pipelines.get = machine, keep, chosen
    try:
        yield found
    finally:
        pipelines.get, sim.launch = get, launch
        sim._machine = saved


def _copy(argument: Any) -> Any:
    """``argument`` with memory of its own, laid out alike."""
    if isinstance(argument, np.ndarray):
        return argument.copy()
    if not sim.is_array(argument):
        return argument
    import torch

    whole = torch.empty(0, dtype=argument.dtype).set_(argument.detach().untyped_storage()).clone()
    return whole.as_strided(argument.shape, argument.stride(), argument.storage_offset())


def _numpy(array: Any) -> np.ndarray:
    """A copy of the elements of ``array``, as bytes."""
    if not isinstance(array, np.ndarray):
        import torch

        array = array.detach().contiguous().view(torch.uint8).numpy() if array.numel() else np.zeros(0, np.uint8)
    return array.copy()
