"""One line about a run: shape, largest error against a reference, cycles. Used by the examples."""

from __future__ import annotations

from typing import Any

from hexagon_mlir.sim.arithmetic import Arithmetic

CLOCK_NOTE = "cycles of the simulator's timing model, an approximation of the chip"


def report(name: str, got: Any, expected: Any) -> float:
    """Print shape, largest absolute error of ``got`` (torch tensors) and the cycles of the last launch."""
    from hexagon_mlir.exec import sim

    error = float((got.double() - expected.double()).abs().max()) if got.numel() else 0.0
    cycles = "no cycles: not run on the simulator"
    if sim.history:
        result = sim.history[-1].result
        cycles = f"{result.cycles} cycles" + (", IEEE arithmetic" if result.arithmetic is Arithmetic.IEEE else "")
    print(f"{name:24} {'x'.join(map(str, got.shape)):>12}  max error {error:.3g}  {cycles}")
    return error
