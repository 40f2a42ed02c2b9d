"""Times of the phases of a compilation."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from hexagon_mlir.codegen.processes.worker import workers


class Clock:
    """Times phases, by name: wall time, CPU time of this process, CPU time of the processes that run LLVM."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self.cpu_seconds: dict[str, float] = {}
        self.llvm_seconds: dict[str, float] = {}

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        """Everything done inside is phase ``name``."""
        start, own, others = time.perf_counter(), time.process_time(), workers().cpu_seconds
        yield
        self.seconds[name] = time.perf_counter() - start
        self.cpu_seconds[name] = time.process_time() - own
        self.llvm_seconds[name] = workers().cpu_seconds - others
