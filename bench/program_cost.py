"""What `form-virtual-threads` estimates for a program of each Triton kernel, beside what the simulator measures.

    python bench/program_cost.py                              # the kernels of test/python/triton_kernels
    python bench/program_cost.py test_order.py -k segment     # arguments of pytest

One thread. Loops whose length is only known at run time count once in the estimate, masked lanes all: a program that
has less to do takes less, one that loops takes more.
"""

from __future__ import annotations

import os
import statistics
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from rich.table import Table

from hexagon_mlir.exec import sim
from hexagon_mlir.ir import ir
from hexagon_mlir.passes.form_virtual_threads import FormVirtualThreadsPass
from hexagon_mlir.passes.lib.program_spread import program_cycles
from hexagon_mlir.report.check import CLOCK_NOTE

KERNELS = Path(__file__).resolve().parent.parent / "test" / "python" / "triton_kernels"


@dataclass(frozen=True)
class Row:
    """Cycles of one program, and how many ran."""

    kernel: str
    programs: int
    estimate: float
    measured: float


class Recorder:
    """A plug-in of pytest: every kernel runs on one thread of the simulator, after its program was estimated."""

    def __init__(self) -> None:
        self.rows: list[Row] = []
        self.estimates: dict[str, float] = {}
        self.run = FormVirtualThreadsPass.run

    def pytest_configure(self) -> None:
        recorder = self

        def one_thread(this: FormVirtualThreadsPass, module: ir.Module, context: Any) -> None:
            for op in this._kernels(module, context):
                name = ir.StringAttr(op.attributes["sym_name"]).value
                recorder.estimates[name] = program_cycles(op, context.target)
            recorder.run(replace(this, threads=1), module, context)

        FormVirtualThreadsPass.run = one_thread  # type: ignore[method-assign]
        sim.SESSION.observers.append(self.launched)

    def launched(self, record: sim.LaunchRecord) -> None:
        """The first launch after a compilation."""
        estimate = self.estimates.pop(record.kernel, None)
        programs = 1
        for count in record.grid or ():
            programs *= count
        if estimate is not None and programs:
            self.rows.append(Row(record.kernel, programs, estimate, record.result.cycles / programs))


def table(rows: list[Row]) -> Table:
    """Worst estimates first."""
    made = Table(title="Cycles of a program: estimated, and measured on one thread")
    for heading in ("kernel", "programs", "estimate", "measured", "measured / estimate"):
        made.add_column(heading, justify="left" if heading == "kernel" else "right")
    for row in sorted(rows, key=lambda row: -row.measured / max(row.estimate, 1)):
        made.add_row(row.kernel, f"{row.programs}", f"{row.estimate:,.0f}", f"{row.measured:,.0f}",
                     f"{row.measured / max(row.estimate, 1):.2f}")
    return made


def main() -> int:
    os.environ["HEXMLIR_EXECUTOR"] = "sim"
    recorder = Recorder()
    given = sys.argv[1:] or ["."]
    os.chdir(KERNELS)
    done = pytest.main(["-q", "-n", "0", *given], plugins=[recorder])
    console = Console(width=110)
    console.print(table(recorder.rows))
    ratios = [row.measured / max(row.estimate, 1) for row in recorder.rows]
    if ratios:
        near = sum(0.5 <= ratio <= 2 for ratio in ratios)
        console.print(f"{len(ratios)} kernels, median {statistics.median(ratios):.2f}, "
                      f"{near} within a factor of two. {CLOCK_NOTE}")
    return int(done)


if __name__ == "__main__":
    sys.exit(main())
