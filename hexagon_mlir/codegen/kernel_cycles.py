"""Predicted cycles of a model's kernels, from sizes alone."""

from __future__ import annotations

from hexagon_mlir.ir import ir
from hexagon_mlir.ir.cost import estimated_cycles
from hexagon_mlir.targets import Target


def computing_cycles(module: ir.Module, target: Target) -> dict[str, float | None]:
    """`estimated_cycles` of each function of ``module``, on one thread, by name."""
    vector_bytes, interval = int(target.vector_bytes.value), float(target.hvx_issue_interval_cycles.value)
    return {ir.StringAttr(view.operation.attributes["sym_name"]).value:
            estimated_cycles(view.operation, vector_bytes, interval)
            for view in module.body.operations if view.operation.name == "func.func"}


def call_cycles(computing: float, nbytes: int, threads: int, target: Target) -> float:
    """Cycles of a call that takes ``computing`` cycles on one thread and transfers ``nbytes`` from and to DDR: the
    longer of the two, with all ``threads``."""
    return max(computing / threads, nbytes / float(target.ddr_bytes_per_cycle.value))
