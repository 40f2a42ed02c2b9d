"""Runs compiled code: on the simulator, or linked, under QEMU."""

from hexagon_mlir.sim.arithmetic import Arithmetic

EXECUTORS = ("sim", "qemu")
ARITHMETICS = tuple(Arithmetic)
"""What ``arithmetic`` of a run on the simulator may be."""
