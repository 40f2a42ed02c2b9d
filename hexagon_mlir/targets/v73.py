"""Hexagon v73 (SM8550, Snapdragon 8 Gen 2): qfloat HVX; where most public measurements come from."""

from dataclasses import replace

from hexagon_mlir.targets.base import Confidence, Fact
from hexagon_mlir.targets.v75 import TARGET as V75

DOC, MEAS, EST = Confidence.DOCUMENTED, Confidence.MEASURED, Confidence.ESTIMATE

TARGET = replace(
    V75,
    name="v73",
    cpu="hexagonv73",
    features="+hvxv73,+hvx-length128b,+hvx-qfloat,-long-calls",
    hardware_threads=Fact(6, "threads", "QEMU machine configuration SA8775P", DOC),
    hvx_contexts=Fact(4, "contexts", "QEMU machine configuration SA8775P", DOC),
    clock_hz=Fact(1.4e9, "Hz", "SM8550 PMU: 73.0 cycles per 19.2 MHz tick", MEAS),
    tcm_bytes=Fact(8 << 20, "B", "QEMU machine configuration SA8775P; SM8550 capability probe", DOC),
    ddr_latency_cycles=Fact(350, "cycles", "250 ns at 1.4 GHz", EST),
    ddr_bytes_per_cycle=Fact(18.6, "B/cycle", "26 GB/s as on v75 (EuroSys'26 table 2) at 1.4 GHz", EST),
    dma_start_cycles=Fact(1540, "cycles", "1 us start + 100 ns descriptor at 1.4 GHz", EST),
    dma_bytes_per_cycle=Fact(35.7, "B/cycle", "50 GB/s, SM8550 copies of 2 MB: 37-55 GB/s", MEAS),
)
