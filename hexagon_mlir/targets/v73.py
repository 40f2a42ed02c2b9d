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
    matrix_half_tile_cycles=Fact(16, "cycles", "QEMU machine configuration SA8775P, rate 2; v69: 15 to 16", DOC),
    matrix_byte_tile_cycles=Fact(4, "cycles", "QEMU machine configuration SA8775P, rate 8; v69 measures 4.3", DOC),
    tcm_bytes=Fact(8 << 20, "B", "QEMU machine configuration SA8775P; SM8550 capability probe", DOC),
    ddr_latency_cycles=Fact(350, "cycles", "250 ns at 1.4 GHz", EST),
    ddr_bytes_per_cycle=Fact(18.6, "B/cycle", "26 GB/s as on v75 (EuroSys'26 table 2) at 1.4 GHz", EST),
    ddr_peak_bytes_per_cycle=Fact(48.0, "B/cycle", "67.2 GB/s, LPDDR5X-4200 x 64 bit, at 1.4 GHz", EST),
    dma_descriptor_cycles=Fact(140, "cycles", "100 ns at 1.4 GHz", EST),
    thread_create_cycles=Fact(1400, "cycles", "1 us: fork and join of 4 threads in 5 us, GELU break-even", EST),
    thread_join_cycles=Fact(1400, "cycles", "1 us: fork and join of 4 threads in 5 us, GELU break-even", EST),
    thread_barrier_cycles=Fact(560, "cycles", "0.4 us per futex dispatch (SM8550) at 1.4 GHz", EST),
    task_dispatch_cycles=Fact(560, "cycles", "0.4 us per futex dispatch (SM8550) at 1.4 GHz", EST),
    dma_start_cycles=Fact(1540, "cycles", "1 us start + 100 ns descriptor at 1.4 GHz", EST),
    dma_block_field_bits=Fact(16, "bits", "2-D descriptor in hexagon-mlir UserDMADescriptors.h", DOC),
    dma_bytes_per_cycle=Fact(35.7, "B/cycle", "50 GB/s, SM8550 copies of 2 MB: 37-55 GB/s", MEAS),
)
