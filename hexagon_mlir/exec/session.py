"""The state shared by the launches of a process: observers, history, settings."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from hexagon_mlir import targets
from hexagon_mlir.sim import DEFAULT_ARITHMETIC, Arithmetic, RunResult

REMEMBERED = 1000
"""Launches in the history; `Session.recording` keeps all."""


@dataclass(frozen=True)
class Trace:
    """The cycles of a launch: the assembly with counts, cycles and stalls per packet, and the timeline.

    ``lines`` has the cycles of each 'file:line', the most expensive first, of code compiled with line info.
    ``timeline`` is what Perfetto opens: Chrome trace events of threads, DMA and TCM; times in microseconds.
    """

    annotated_asm: str
    lines: dict[str, int]
    timeline: dict[str, Any]


@dataclass(frozen=True)
class LaunchRecord:
    """One launch: ``shapes`` are those of the array arguments, ``compile_seconds`` the wall time of compiling.

    ``asm`` is the code that ran. ``trace`` is None unless requested.
    """

    kernel: str
    target: str
    grid: tuple[int, int, int] | None
    shapes: tuple[tuple[int, ...], ...]
    result: RunResult
    compile_seconds: float
    asm: str = ""
    trace: Trace | None = None

    @property
    def milliseconds(self) -> float:
        """Cycles at the target's clock; the clock is an estimate for some targets."""
        return self.result.cycles / float(targets.get(self.target).clock_hz.value) * 1e3


@dataclass
class Session:
    """Settings and history of launches, for all threads. The process has one: `exec.sim.SESSION`.

    ``traced``: every launch keeps a `Trace`. ``checked``: launches look for faults of memory (`RunResult.reports`),
    which takes longer. ``arithmetic`` is the default of launches. ``history`` has the last
    `REMEMBERED` launches, the oldest first; ``milliseconds`` is the simulated time of all. ``observers`` are called
    after each launch.
    """

    traced: bool = False
    checked: bool = False
    arithmetic: Arithmetic = DEFAULT_ARITHMETIC
    history: deque[LaunchRecord] = field(default_factory=lambda: deque(maxlen=REMEMBERED))
    milliseconds: float = 0.0
    observers: list[Callable[[LaunchRecord], object]] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False, repr=False, compare=False)
    _base: dict[str, Any] = field(default_factory=dict, init=False, repr=False)
    """The values outside of every `running` of the settings that are changed now."""
    _changed: list[dict[str, Any]] = field(default_factory=list, init=False, repr=False)
    """The settings of each active `running`, in order of entry."""

    def add(self, record: LaunchRecord) -> None:
        """Record a launch."""
        with self._lock:
            self.history.append(record)
            self.milliseconds += record.milliseconds
            observers = tuple(self.observers)
        for observer in observers:
            observer(record)

    @contextmanager
    def recording(self) -> Iterator[list[LaunchRecord]]:
        """Within this context all launches are appended to the list as they end."""
        records: list[LaunchRecord] = []
        with self.observed(records.append):
            yield records

    @contextmanager
    def observed(self, observer: Callable[[LaunchRecord], object]) -> Iterator[None]:
        """Within this context ``observer`` is called after each launch."""
        with self._lock:
            self.observers.append(observer)
        try:
            yield
        finally:
            with self._lock:
                self.observers.remove(observer)

    @contextmanager
    def running(self, **settings: Any) -> Iterator[None]:
        """Within this context launches of all threads run with other ``traced``, ``checked`` or ``arithmetic``.

        Where several threads change one setting, the context entered last applies until it ends.
        """
        with self._lock:
            self._changed.append(settings)
            for name, value in settings.items():
                self._base.setdefault(name, getattr(self, name))
                setattr(self, name, value)
        try:
            yield
        finally:
            with self._lock:
                self._changed = [other for other in self._changed if other is not settings]
                for name in settings:
                    self._set_back(name)

    def _set_back(self, name: str) -> None:
        """Give setting ``name`` the value of the last `running` that changes it, or the one outside of all."""
        values = [settings[name] for settings in self._changed if name in settings]
        setattr(self, name, values[-1] if values else self._base.pop(name))
