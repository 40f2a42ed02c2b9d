"""What `CompiledKernel.report` prints: compile times, remarks, the last run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hexagon_mlir.report import text

if TYPE_CHECKING:
    from hexagon_mlir.codegen import Compiled
    from hexagon_mlir.sim import RunResult


def kernel_report(compiled: Compiled, run: RunResult | None) -> str:
    """A line per pass (milliseconds), what passes declined and why, and the profile of ``run`` if any."""
    passes = sum(step.seconds for step in compiled.steps)
    rows = [(f"{step.seconds * 1e3:.1f} ms", step.title) for step in compiled.steps]
    parts = [
        f"target {compiled.target}, pipeline {compiled.pipeline}: compiled in {compiled.seconds:.3f} s, "
        f"of which passes {passes:.3f} s\n",
        text.table((), rows),
    ]
    if compiled.remarks:
        parts.append("\n".join(str(remark) for remark in compiled.remarks) + "\n")
    parts.append(text.run(run) if run is not None else "not run yet\n")
    return "\n".join(parts)
