"""Hexagon v81 (SM8850, Snapdragon 8 Elite Gen 5): v79 with more threads and a larger L1 cache."""

from dataclasses import replace

from hexagon_mlir.targets.base import Confidence, Fact
from hexagon_mlir.targets.v79 import TARGET as V79

DOC, MEAS, EST = Confidence.DOCUMENTED, Confidence.MEASURED, Confidence.ESTIMATE

TARGET = replace(
    V79,
    name="v81",
    cpu="hexagonv81",
    features="+hvxv81,+hvx-length128b,+hvx-ieee-fp,-hvx-qfloat,-long-calls",
    hardware_threads=Fact(8, "threads", "llama.cpp issue 25876, hardware report of an SM8850", MEAS),
    hvx_contexts=Fact(8, "contexts", "llama.cpp issue 25876, hardware report of an SM8850", MEAS),
    clock_hz=Fact(2.11e9, "Hz", "none published for v81; v79's is used", EST),
    tcm_bytes=Fact(8 << 20, "B", "llama.cpp issue 25876; the PC part v81qa has 16 MB", MEAS),
    l1d_bytes=Fact(64 << 10, "B", "QEMU machine configuration v81qa", DOC),
    l1d_ways=Fact(8, "ways", "QEMU machine configuration v81qa", DOC),
    pmu_hvx_pkt_per_packet=Fact(2, "events", "OnePlus 13 PMU runs (v79): 2 per 128-byte packet", EST),
    dma_bytes_per_cycle=Fact(26.1, "B/cycle", "none published for v81; v79's is used", EST),
)
