"""Hexagon v75 (SM8650, Snapdragon 8 Gen 3): qfloat HVX, the default target."""

from hexagon_mlir.targets.base import Confidence, Fact, Target

DOC, LLVM, MEAS, EST = Confidence.DOCUMENTED, Confidence.LLVM, Confidence.MEASURED, Confidence.ESTIMATE

TARGET = Target(
    name="v75",
    cpu="hexagonv75",
    features="+hvxv75,+hvx-length128b,+hvx-qfloat,-long-calls",
    ieee_float=False,
    vector_bytes=Fact(128, "B", "QEMU machine configuration v73, log2 vector length 7", DOC),
    vector_registers=Fact(32, "registers", "HVX V73 PRM 80-N2040-54, register file", DOC),
    hardware_threads=Fact(6, "threads", "QEMU machine configuration SA8775P (v73); v75 not published", DOC),
    hvx_contexts=Fact(4, "contexts", "QEMU machine configuration SA8775P (v73); v75 unverified", DOC),
    clock_hz=Fact(1.5e9, "Hz", "between SM8550 (1.40 GHz measured) and 8 Elite", EST),
    tcm_bytes=Fact(8 << 20, "B", "QEMU machine configuration; EuroSys'26 arXiv 2509.23324 section 3.1", DOC),
    tcm_alignment=Fact(2048, "B", "page-like unit of TCM tiles in public HMX kernels", MEAS),
    l1d_bytes=Fact(16 << 10, "B", "QEMU machine configuration SA8775P (v73)", DOC),
    l1d_line_bytes=Fact(64, "B", "assumed half an L2 line", EST),
    l2_bytes=Fact(1 << 20, "B", "QEMU machine configuration; EuroSys'26", DOC),
    l2_line_bytes=Fact(128, "B", "QEMU machine configuration", DOC),
    l2_ways=Fact(8, "ways", "QEMU machine configuration v81qa", DOC),
    ddr_bytes=Fact(2 << 30, "B", "guest address space set aside for DDR by the simulator", EST),
    ddr_latency_cycles=Fact(375, "cycles", "250 ns at 1.5 GHz", EST),
    ddr_bytes_per_cycle=Fact(17.3, "B/cycle", "26 GB/s, one HVX thread through L2, EuroSys'26 table 2", MEAS),
    dma_start_cycles=Fact(1650, "cycles", "1 us start + 100 ns descriptor at 1.5 GHz", EST),
    dma_bytes_per_cycle=Fact(40.0, "B/cycle", "60 GB/s user DMA, EuroSys'26 table 2", MEAS),
    scalar_l2_latency_cycles=Fact(18, "cycles", "none published; 15-20 assumed", EST),
    scalar_tcm_latency_cycles=Fact(30, "cycles", "from a measured 0.243 GB/s scalar copy out of TCM", EST),
    vector_l2_latency_cycles=Fact(18, "cycles", "none published; 15-20 assumed", EST),
    vector_tcm_latency_cycles=Fact(6, "cycles", "none published", EST),
    packet_slots=Fact(4, "slots", "HVX V73 PRM 80-N2040-54, 5.1", DOC),
    hvx_issue_interval_cycles=Fact(2, "cycles", "V73 PRM PMU event 0xeb; SM8550 PMU runs: 2.04-2.07", MEAS),
    hvx_late_latency_cycles=Fact(2, "cycles", "HVX V73 PRM 5.7; LLVM HexagonDepIICHVX.td", DOC),
    hvx_early_latency_cycles=Fact(4, "cycles", "HVX V73 PRM 5.7; LLVM HexagonDepIICHVX.td", DOC),
    vextract_cycles=Fact(16, "cycles", "V60 HVX table: about +15", DOC),
    taken_branch_cycles=Fact(1, "cycles", "2 or 3 cycle fetch events, V73 PRM", EST),
    mispredict_cycles=Fact(8, "cycles", "none published", EST),
    stack_bytes=Fact(1 << 20, "B", "size the simulator gives each thread's stack", EST),
)
