"""Hexagon v67 with HVX v66: the newest level that qemu-hexagon executes before QEMU 11.

A target to check code on, not a chip to tune for: its numbers are v68's. HVX has no floating point here, so
`hexagon-vectorization` leaves float ops to scalar loops; integer code is the same as on the later chips.
"""

from dataclasses import replace

from hexagon_mlir.targets.v68 import TARGET as V68

TARGET = replace(
    V68,
    name="v67",
    cpu="hexagonv67",
    features="+hvxv66,+hvx-length128b,-long-calls",
    vector_float=False,
)
