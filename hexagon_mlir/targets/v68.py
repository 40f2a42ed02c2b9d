"""Hexagon v68 (SM8350, Snapdragon 888): the first with qfloat HVX and user DMA."""

from dataclasses import replace

from hexagon_mlir.targets.base import Confidence, Fact
from hexagon_mlir.targets.v73 import TARGET as V73

DOC, EST = Confidence.DOCUMENTED, Confidence.ESTIMATE

TARGET = replace(
    V73,
    name="v68",
    cpu="hexagonv68",
    features="+hvxv68,+hvx-length128b,+hvx-qfloat,-long-calls",
    hardware_threads=Fact(6, "threads", "QEMU machine configuration v68n_1024", DOC),
    hvx_contexts=Fact(4, "contexts", "QEMU machine configuration v68n_1024", DOC),
    clock_hz=Fact(1.4e9, "Hz", "none published for v68; v73's is used", EST),
    tcm_bytes=Fact(4 << 20, "B", "QEMU machine configuration v68n_1024", DOC),
    dma_bytes_per_cycle=Fact(35.7, "B/cycle", "none published for v68; v73's is used", EST),
)
