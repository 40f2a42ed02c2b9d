"""Seconds to compile each kernel of the Triton examples, by phase.

    python bench/compile_times.py                      # every example
    python bench/compile_times.py softmax attention    # these

``wall`` is what a user waits for with empty caches, from Python source to assembly, by the clock on the wall: LLVM runs
in processes of its own meanwhile. The phases are measured with everything in this process, in seconds of the processor.
Both are the best of five; each kernel has been compiled before, so that loading MLIR and LLVM does not count.
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
from collections.abc import Callable, Iterator, Sequence
from functools import partial, wraps
from pathlib import Path
from typing import Any
from unittest import mock

import triton  # before the plug-in: it looks for its back ends while it is imported

from hexagon_mlir.frontend.triton import activate

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = ("vector_add", "softmax", "gelu", "rms_norm", "dropout", "layer_norm", "matmul", "grouped_matmul",
            "persistent_matmul", "libdevice", "attention")
COUNTS = ("again", "IR kB")
PHASES = ("to linalg", "passes", "LLVM IR", "LLVM -O3", "code", *COUNTS)
"""``code``: native vectors, loop order and code generation; ``again``: what was generated in another way once more."""
_RUNS = 5

Row = dict[str, float]
Compile = partial[Any]


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


def kernels(names: list[str]) -> list[tuple[str, Compile]]:
    """(example, its compilation) for every kernel that the examples launch; each has been compiled once."""
    found: list[tuple[str, Compile]] = []
    compile_kernel = triton.compile
    for name in names:

        def recorded(*arguments: Any, name: str = name, **options: Any) -> Any:
            found.append((name, partial(compile_kernel, *arguments, **options)))
            return compile_kernel(*arguments, **options)

        with mock.patch("triton.compiler.compile", recorded), contextlib.redirect_stdout(io.StringIO()), empty_caches():
            _load(name).main()
    return found


@contextlib.contextmanager
def empty_caches() -> Iterator[None]:
    """Nothing has been compiled before, as far as caches on disk tell."""
    with tempfile.TemporaryDirectory() as folder, mock.patch.dict(
            os.environ, TRITON_CACHE_DIR=folder, HEXAGON_MLIR_CACHE_DIR=folder):
        yield


def wall(compile_kernel: Compile) -> float:
    """Seconds by the clock on the wall from Python source to assembly, the best of `_RUNS`."""
    best = float("inf")
    for _ in range(_RUNS):
        with empty_caches():
            start = time.perf_counter()
            compile_kernel()
            best = min(best, time.perf_counter() - start)
    return best


def phases(compilations: Sequence[Compile]) -> list[Row]:
    """Seconds of the processor by phase for each of ``compilations``; everything in this process, from now on."""
    from hexagon_mlir.codegen import backend, compile, emission
    from hexagon_mlir.codegen.llvm import Library
    from hexagon_mlir.codegen.processes.task_queue import TaskQueue
    from hexagon_mlir.frontend.triton import compiler

    clock, rows = Clock(), []

    class InThisProcess:
        def start(self) -> None:
            pass

        def request(self, header: dict, body: str) -> bytes:
            clock.add("IR kB", 0 if header["kind"] == "function" else len(body) / 1000)
            return clock.timed("code", backend.optimize_and_emit)(body, **header)

        def queue(self) -> TaskQueue:
            return TaskQueue(helpers=0)

    compile.workers = emission.workers = InThisProcess  # type: ignore[assignment]
    compile.run_steps = clock.timed("passes", compile.run_steps)
    compile.translate_to_llvm_ir = clock.timed("LLVM IR", compile.translate_to_llvm_ir)
    Library.optimized = clock.timed("LLVM -O3", Library.optimized)  # type: ignore[method-assign]
    emit = backend.Code.assembly

    def counted(code: Any, variant: Any) -> Any:
        clock.add("again", bool(code.sources))
        return emit(code, variant)

    backend.Code.assembly = counted  # type: ignore[method-assign]
    compiler._make_ttir = clock.timed("to linalg", compiler._make_ttir)
    compiler._make_linalg = clock.timed("to linalg", compiler._make_linalg)
    compiler._make_asm = clock.timed("passes", compiler._make_asm)
    for compile_kernel in compilations:
        runs = []
        for _ in range(_RUNS):  # the very first also loads LLVM into this process
            clock.spent = {}
            with empty_caches():
                compile_kernel()
            runs.append(clock.spent)
        rows.append(min(runs, key=lambda spent: sum(spent[phase] for phase in spent if phase not in COUNTS)))
    return rows


def _load(name: str) -> Any:
    spec = importlib.util.spec_from_file_location(f"example_{name}", ROOT / "examples" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def table(rows: list[tuple[str, str, float, Row]]) -> str:
    """The rows of example, kernel, seconds waited for and phases as markdown."""
    lines = [f"| example | kernel | wall | {' | '.join(PHASES)} |", "|---|---|" + "---:|" * (len(PHASES) + 1)]
    for example, kernel, waited, spent in rows:
        cells = [f"{spent.get(phase, 0):.{0 if phase in COUNTS else 2}f}" for phase in PHASES]
        lines.append(f"| {example} | `{kernel}` | {waited:.2f} | {' | '.join(cells)} |")
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("examples", nargs="*", default=list(EXAMPLES), metavar="EXAMPLE")
    options = parser.parse_args()
    unknown = [name for name in options.examples if name not in EXAMPLES]
    if unknown:
        parser.error(f"no example {unknown[0]}; there are {', '.join(EXAMPLES)}")
    activate()
    found = kernels(options.examples)
    waited = [wall(compile_kernel) for _, compile_kernel in found]
    spent = phases([compile_kernel for _, compile_kernel in found])
    print(table([(example, compile_kernel.args[0].name, seconds, row) for (example, compile_kernel), seconds, row
                 in zip(found, waited, spent, strict=True)]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
