"""Runs compiled code: on the simulator, or linked, under QEMU."""

from hexagon_mlir.ir.diagnostics import HexError
from hexagon_mlir.sim.arithmetic import Arithmetic

EXECUTORS = ("sim", "qemu")
ARITHMETICS = tuple(Arithmetic)
"""What ``arithmetic`` of a run on the simulator may be."""


def check_executor(executor: str, arithmetic: str | None = None) -> None:
    """Raise `HexError` for an unknown executor, or one that does not compute by the ``arithmetic`` asked for."""
    if executor not in EXECUTORS:
        raise HexError.plain(f"unknown executor '{executor}'", hint=f"one of {', '.join(EXECUTORS)}")
    if arithmetic and executor != "sim":
        raise HexError.plain(f"arithmetic '{arithmetic}' is one of the simulator, not of {executor}",
                             hint="executor='sim'")
