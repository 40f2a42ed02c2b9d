"""Runs compiled code: on the simulator, or linked, under QEMU."""

EXECUTORS = ("sim", "qemu")
