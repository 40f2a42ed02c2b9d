"""The simulator: Hexagon assembly text in; values, cycles and stalls out.

``Machine(asm_text, target)`` translates the text to host code; ``run`` calls a function in it. Modules are imported on
first use, so importing this package is fast.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hexagon_mlir.sim.arithmetic import DEFAULT_ARITHMETIC, Arithmetic

if TYPE_CHECKING:
    from hexagon_mlir.sim.checking.report import Report
    from hexagon_mlir.sim.machine import Arg64, BlockStat, Machine, RunResult, ThreadStat
    from hexagon_mlir.sim.translation.program import SimError

__all__ = [
    "DEFAULT_ARITHMETIC", "Arg64", "Arithmetic", "BlockStat", "Machine", "Report", "RunResult", "SimError",
    "ThreadStat",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name in ("Arg64", "BlockStat", "Machine", "RunResult", "ThreadStat"):
        from hexagon_mlir.sim import machine

        return getattr(machine, name)
    if name == "Report":
        from hexagon_mlir.sim.checking.report import Report

        return Report
    if name == "SimError":
        from hexagon_mlir.sim.translation.program import SimError

        return SimError
    raise AttributeError(f"module 'hexagon_mlir.sim' has no attribute '{name}'")
