"""The sticky bits of USR: overflow, and the floating point exceptions.

V73 Programmer's Reference Manual 80-N2040-53, 2.2.3; the conditions are QEMU's. A program that never reads USR pays
nothing: conditions are emitted while ``Code.sticky`` collects them.
"""

from __future__ import annotations

from hexagon_mlir.sim.semantics.value import Val

USR = ("C", 8)
OVERFLOW, INVALID, DIVIDED_BY_ZERO, FLOAT_OVERFLOW, UNDERFLOW, INEXACT = range(6)


def raised(bit: int, condition: Val) -> None:
    """``bit`` of USR becomes one when ``condition`` (i1) holds."""
    if condition.code.sticky is not None:
        condition.code.sticky.append((bit, condition))
