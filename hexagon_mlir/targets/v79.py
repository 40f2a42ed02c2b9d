"""Hexagon v79 (SM8750, Snapdragon 8 Elite): HVX computes in IEEE formats."""

from dataclasses import replace

from hexagon_mlir.targets.base import Confidence, Fact, Qfloat
from hexagon_mlir.targets.v75 import TARGET as V75

MEAS, EST = Confidence.MEASURED, Confidence.ESTIMATE

TARGET = replace(
    V75,
    name="v79",
    cpu="hexagonv79",
    features="+hvxv79,+hvx-length128b,+hvx-ieee-fp,-hvx-qfloat,-long-calls",
    ieee_float=True,
    qfloat=Qfloat.EXTENDED,
    hardware_threads=Fact(6, "threads", "SM8750 PMU runs on all six threads", MEAS),
    hvx_contexts=Fact(6, "contexts", "llama.cpp PR 26373, hvx_support_128b 6", MEAS),
    clock_hz=Fact(2.11e9, "Hz", "llama.cpp issue 18139: 10,672,609 cycles in 5,053 us", MEAS),
    matrix_half_tile_cycles=Fact(6, "cycles", "23 TFLOPS at 2.11 GHz; llama.cpp PR 26501: 20.9 with all overhead", EST),
    matrix_byte_tile_cycles=Fact(3, "cycles", "v75's ratio to half precision", EST),
    tcm_bytes=Fact(8 << 20, "B", "llama.cpp PR 26373", MEAS),
    l1d_bytes=Fact(32 << 10, "B", "between v73 (16 KB) and v81 (64 KB), QEMU machine configuration", EST),
    ddr_latency_cycles=Fact(422, "cycles", "200 ns at 2.11 GHz", EST),
    ddr_bytes_per_cycle=Fact(13.3, "B/cycle", "28 GB/s, one HVX thread through L2, at 2.11 GHz", EST),
    ddr_peak_bytes_per_cycle=Fact(40.2, "B/cycle", "84.8 GB/s, LPDDR5X-5300 x 64 bit, at 2.11 GHz", EST),
    dma_descriptor_cycles=Fact(211, "cycles", "100 ns at 2.11 GHz", EST),
    thread_create_cycles=Fact(2110, "cycles", "1 us: fork and join of 4 threads in 5 us, GELU break-even", EST),
    thread_join_cycles=Fact(2110, "cycles", "1 us: fork and join of 4 threads in 5 us, GELU break-even", EST),
    thread_barrier_cycles=Fact(844, "cycles", "0.4 us per futex dispatch (SM8550) at 2.11 GHz", EST),
    task_dispatch_cycles=Fact(844, "cycles", "0.4 us per futex dispatch (SM8550) at 2.11 GHz", EST),
    dma_start_cycles=Fact(2321, "cycles", "1 us start + 100 ns descriptor at 2.11 GHz", EST),
    pmu_hvx_pkt_per_packet=Fact(2, "events", "OnePlus 13 PMU runs: 2 per 128-byte packet", MEAS),
    dma_bytes_per_cycle=Fact(26.1, "B/cycle", "51-56 GB/s weight stream on 8 Elite, at 2.11 GHz", MEAS),
)
