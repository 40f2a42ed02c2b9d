"""Seconds to compile each kernel of the Triton examples, by phase.

    python bench/compile_times.py                      # every example
    python bench/compile_times.py softmax attention    # these

Everything runs in this process with empty caches, and the seconds are those of the processor: other work on the
machine does not count. The first kernel has been compiled before, so that loading MLIR and LLVM does not count either.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import io
import os
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import wraps
from pathlib import Path
from typing import Any

import triton  # noqa: F401  # before the plug-in: it looks for its back ends while it is imported

from hexagon_mlir.codegen.processes.side_by_side import Task

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = ("vector_add", "softmax", "gelu", "rms_norm", "dropout", "layer_norm", "matmul", "grouped_matmul",
            "persistent_matmul", "libdevice", "attention")
PHASES = ("to linalg", "passes", "LLVM IR", "LLVM -O3", "code", "waited for", "again", "IR kB")
"""``code``: native vectors, loop order and code generation; ``again``: what was generated in another way once more.
``waited for``: all seconds but those of LLVM that pass while another process is at work, of two.
"""

Row = dict[str, float]


class Clock:
    """Processor time by phase; what a phase spends in another one counts for the inner one."""

    def __init__(self) -> None:
        self.spent: Row = {}
        self.inner: list[float] = []

    def timed(self, phase: str, function: Callable) -> Callable:
        """``function``, its time counted for ``phase``."""
        @wraps(function)
        def run(*arguments: Any, **named: Any) -> Any:
            self.inner.append(0.0)
            start = time.process_time()
            try:
                return function(*arguments, **named)
            finally:
                seconds = time.process_time() - start
                self.add(phase, seconds - self.inner.pop())
                if self.inner:
                    self.inner[-1] += seconds

        return run

    def add(self, phase: str, amount: float) -> None:
        """Add to ``phase``."""
        self.spent[phase] = self.spent.get(phase, 0.0) + amount


def measured(names: list[str]) -> list[tuple[str, str, Row]]:
    """(example, kernel, amount by phase) for every kernel that the examples compile."""
    from hexagon_mlir.codegen import backend, compile, emission
    from hexagon_mlir.codegen.llvm import Library
    from hexagon_mlir.frontend.triton import activate, compiler

    clock, rows, current, loaded = Clock(), [], "", 0

    class InThisProcess:
        def start(self) -> None:
            pass

        def request(self, header: dict, body: str) -> bytes:
            clock.add("IR kB", 0 if header["kind"] == "function" else len(body) / 1000)
            return clock.timed("code", backend.optimize_and_emit)(body, **header)

        def line(self) -> TwoProcesses:
            return TwoProcesses(lambda seconds: clock.add("waited for", -seconds))

    compile.workers = emission.workers = InThisProcess  # type: ignore[assignment]
    compile.run_steps = clock.timed("passes", compile.run_steps)
    compile.translate_to_llvm_ir = clock.timed("LLVM IR", compile.translate_to_llvm_ir)
    Library.optimized = clock.timed("LLVM -O3", Library.optimized)  # type: ignore[method-assign]
    emit = backend._Code.assembly

    def counted(code: Any, variant: Any) -> Any:
        clock.add("again", bool(code.sources))
        return emit(code, variant)

    backend._Code.assembly = counted  # type: ignore[method-assign]
    compiler._make_ttir = clock.timed("to linalg", compiler._make_ttir)
    compiler._make_linalg = clock.timed("to linalg", compiler._make_linalg)
    to_asm = compiler._make_asm

    def recorded(text: str, metadata: dict, options: Any) -> bytes:
        binary = clock.timed("passes", to_asm)(text, metadata, options)
        rows.append((current, metadata["name"], dict(clock.spent)))
        clock.spent.clear()
        return binary

    compiler._make_asm = recorded
    activate()
    for current in ("vector_add", *names):  # the first loads everything
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
            os.environ["TRITON_CACHE_DIR"] = os.environ["HEXAGON_MLIR_CACHE_DIR"] = folder
            _load(current).main()
        loaded = loaded or len(rows)
    return rows[loaded:]


class TwoProcesses:
    """A line whose tasks run in this process, when it is finished; ``saved`` gets the seconds that it would take less
    if another process had worked on them since they were added.
    """

    def __init__(self, saved: Callable[[float], None]) -> None:
        self._saved = saved
        self._start = time.process_time()
        self._ready: list[tuple[float, Task]] = []

    def add(self, tasks: Sequence[Task]) -> None:
        now = time.process_time() - self._start
        self._ready += [(now, task) for task in tasks]

    def close(self) -> None:
        pass

    def finish(self) -> None:
        here = time.process_time() - self._start
        free, ready, total = [here, 0.0], self._ready, 0.0
        while ready:
            now = max(min(free), min(since for since, _ in ready))
            first = max((entry for entry in ready if entry[0] <= now), key=lambda entry: entry[1].size)
            ready.remove(first)
            start = time.process_time()
            more = first[1].run()
            seconds = time.process_time() - start
            total += seconds
            free[free.index(min(free))] = now + seconds
            ready += [(now + seconds, task) for task in more]
        self._saved(here + total - max(free))


def _load(name: str) -> Any:
    spec = importlib.util.spec_from_file_location(f"example_{name}", ROOT / "examples" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def table(rows: list[tuple[str, str, Row]]) -> str:
    """The rows as markdown."""
    lines = [f"| example | kernel | seconds | {' | '.join(PHASES)} |", "|---|---|" + "---:|" * (len(PHASES) + 1)]
    for example, kernel, spent in rows:
        seconds = sum(amount for phase, amount in spent.items() if phase not in ("waited for", "again", "IR kB"))
        spent = {**spent, "waited for": seconds + spent.get("waited for", 0)}
        cells = [f"{spent.get(phase, 0):.0f}" if phase in ("again", "IR kB") else f"{spent.get(phase, 0):.2f}"
                 for phase in PHASES]
        lines.append(f"| {example} | `{kernel}` | {seconds:.2f} | {' | '.join(cells)} |")
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("examples", nargs="*", default=list(EXAMPLES), metavar="EXAMPLE")
    options = parser.parse_args()
    unknown = [name for name in options.examples if name not in EXAMPLES]
    if unknown:
        parser.error(f"no example {unknown[0]}; there are {', '.join(EXAMPLES)}")
    print(table(measured(options.examples)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
