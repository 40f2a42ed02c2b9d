"""The record every chip file fills in, and the look-up by name."""

from __future__ import annotations

import importlib
from dataclasses import dataclass, fields, replace
from enum import StrEnum

from hexagon_mlir.targets.disputed import DEFAULT_SIDES, Disputed


class Confidence(StrEnum):
    """How far a number can be trusted."""

    DOCUMENTED = "doc"  # a Qualcomm document or configuration file
    LLVM = "llvm"  # LLVM's scheduling model: written by Qualcomm, a compiler model
    MEASURED = "meas"  # measured on silicon by a third party
    ESTIMATE = "est"  # our estimate; tune it when a source appears


FIRST_CONVERSION = 73
"""The first version whose HVX converts between f32 and i32 in one instruction, V.w=V.sf and V.sf=V.w."""
FIRST_MATRIX_ENGINE = 73
"""The first version whose matrix engine is modelled with f16: v68 sums in fixed point."""
FIRST_MATRIX_BIAS_GROUPS = 75
"""The first version whose matrix engine has four groups of bias registers; before, there is one."""
FIRST_EXTENDED = 79
"""The first version with `Qfloat.EXTENDED`."""


class Qfloat(StrEnum):
    """The two generations of qfloat arithmetic."""

    LEGACY = "legacy"
    """v68 to v75: the last bit of a significand is one and not stored; no zero, no infinity, no NaN."""
    EXTENDED = "extended"
    """v79 and later: four more bits per lane that only qfloat instructions see; nearest even."""


@dataclass(frozen=True)
class Fact:
    """One hardware number with where it comes from."""

    value: int | float
    unit: str
    source: str
    confidence: Confidence


class TargetError(ValueError):
    """An unknown target name."""


@dataclass(frozen=True)
class Target:
    """One chip generation. Plain fields name the code generator's view; the rest are `Fact` records.

    ``target.vector_bytes.value`` is the number, ``target.vector_bytes.source`` its origin.
    """

    name: str
    cpu: str
    features: str
    """LLVM subtarget features. qfloat chips also get hvx-ieee-fp off: see `codegen`."""
    ieee_float: bool
    """True when the code generator computes in IEEE formats (v79); False for qfloat (v68..v75)."""
    qfloat: Qfloat
    """The arithmetic of the instructions with qf32 and qf16 operands."""

    # Organisation
    vector_bytes: Fact
    vector_registers: Fact
    hardware_threads: Fact
    hvx_contexts: Fact
    clock_hz: Fact

    # Memory
    tcm_bytes: Fact
    tcm_alignment: Fact
    l1d_bytes: Fact
    l1d_line_bytes: Fact
    l1d_ways: Fact
    l2_bytes: Fact
    l2_line_bytes: Fact
    l2_ways: Fact
    ddr_bytes: Fact
    ddr_latency_cycles: Fact
    ddr_bytes_per_cycle: Fact
    ddr_streams: Fact
    """Streams of reads that go on at the rate of ``ddr_bytes_per_cycle``; one more takes the oldest one's place."""
    ddr_stream_window_lines: Fact
    """L2 lines that a stream may skip or go back: lines so far from the last ones still belong to it."""
    ddr_peak_bytes_per_cycle: Fact
    """What the DDR interface gives the core and the DMA engines together."""
    dma_start_cycles: Fact
    """From the start of an idle engine to the first byte, with one descriptor."""
    dma_descriptor_cycles: Fact
    """Between two descriptors of a chain."""
    dma_block_field_bits: Fact
    """Row size and stride fields of the widest 2-D descriptor."""
    dma_bytes_per_cycle: Fact
    scalar_l2_latency_cycles: Fact
    scalar_tcm_latency_cycles: Fact
    vector_l2_latency_cycles: Fact
    vector_tcm_latency_cycles: Fact

    # Threads
    clusters: Fact
    """Groups of hardware threads that share an issue port; thread n belongs to cluster n mod clusters."""
    hvx_packets_per_cluster_cycle: Fact
    thread_create_cycles: Fact
    thread_join_cycles: Fact
    thread_barrier_cycles: Fact
    """From the last arrival to the moment every thread runs again."""
    task_queue_cycles: Fact
    """Work of the thread that queues a task or wakes a waiter."""
    task_dispatch_cycles: Fact
    """From a task being queued to its first packet on an idle hardware thread, of a worker that sleeps."""
    poll_cycles: Fact
    """From an event to the first packet of a thread that polls for it with short pauses: queuing or taking a task is
    part of it."""
    poll_slowly_cycles: Fact
    """The same of a thread that polls with the longest pauses."""
    poll_short_limit_cycles: Fact
    """How long a waiting thread polls with short pauses; with the longest ones then."""
    poll_limit_cycles: Fact
    """How long a waiting thread polls in all; then it sleeps until it is woken."""

    # Pipeline
    packet_slots: Fact
    hvx_issue_interval_cycles: Fact
    hvx_late_latency_cycles: Fact
    hvx_early_latency_cycles: Fact
    vextract_cycles: Fact
    vgather_cycles: Fact
    """From the gather's packet until its data can be loaded."""
    vscatter_cycles: Fact
    """How long a scatter keeps the gather/scatter unit."""
    taken_branch_cycles: Fact
    mispredict_cycles: Fact
    scalar_operand_stage: Fact
    """Pipeline stage at which ALU operands are read; a result is usable at result stage - operand stage."""
    scalar_early_operand_stage: Fact
    """The same for multiplier and floating point inputs and load addresses."""
    scalar_store_data_stage: Fact
    scalar_alu_result_stage: Fact
    scalar_tc2_result_stage: Fact
    scalar_multiply_result_stage: Fact
    scalar_float_result_stage: Fact
    scalar_load_result_stage: Fact
    stack_bytes: Fact
    pmu_hvx_pkt_per_packet: Fact
    """What one HVX packet adds to the PMU event HVX_PKT."""

    # Matrix engine
    matrix_half_tile_cycles: Fact
    """Of the array for 32 rows x 32 channels x 32 columns of half precision."""
    matrix_byte_tile_cycles: Fact
    """Of the array for 64 rows x 32 channels x 32 columns of bytes and integer weights."""
    matrix_packet_cycles: Fact
    """What the array takes for a packet besides its tiles."""
    matrix_convert_cycles: Fact
    matrix_store_cycles: Fact
    matrix_bias_cycles: Fact
    """A load or store of bias registers."""
    matrix_result_cycles: Fact
    """From the end of the last product to its results in TCM, conversion and store included."""
    matrix_queue_packets: Fact
    """Packets that wait for the engine before a thread that issues one more stalls."""
    matrix_window_bytes: Fact
    """An operand that crosses a multiple of it may fault."""

    vector_float: bool = True
    """False when HVX has no floating point at all (before v68)."""

    disputed: Disputed = DEFAULT_SIDES
    """Which of contradicting sources about HVX floats is followed."""

    utimer_hz: Fact = Fact(19.2e6, "Hz", "SM8550 PMU: 73.0 cycles per 19.2 MHz tick", Confidence.MEASURED)

    @property
    def computes_in_legacy_qfloat(self) -> bool:
        """True where code uses sums and products that are not those of IEEE 754: v68 to v75 without hvx-ieee-fp."""
        return self.vector_float and not self.ieee_float and self.qfloat is Qfloat.LEGACY

    @property
    def version(self) -> int:
        """Of the instruction set: 75 for v75."""
        return int(self.cpu.removeprefix("hexagonv"))

    @property
    def converts_floats(self) -> bool:
        """Whether HVX has V.w=V.sf and V.sf=V.w (the V73 HVX manual; Qualcomm's QEMU)."""
        return self.version >= FIRST_CONVERSION

    @property
    def has_matrix_engine(self) -> bool:
        """Whether products of f16 tiles may be given to the matrix engine."""
        return self.version >= FIRST_MATRIX_ENGINE

    @property
    def has_matrix_pieces(self) -> bool:
        """Whether its results may be two pieces of f16: it holds a table of bias registers for each of them."""
        return self.version >= FIRST_MATRIX_BIAS_GROUPS

    @property
    def ticks_per_cycle(self) -> float:
        """Of the timer that c31:30 shows."""
        return float(self.utimer_hz.value) / float(self.clock_hz.value)

    @property
    def tcm_budget_bytes(self) -> int:
        """Bytes of TCM one kernel may plan for: the whole TCM."""
        return int(self.tcm_bytes.value)

    @property
    def tcm_share_bytes(self) -> int:
        """Bytes of TCM one kernel of a model may plan for: half, to have room for the first tile of the next one."""
        return self.tcm_budget_bytes // 2

    @property
    def tcm_activation_bytes(self) -> int:
        """Bytes of TCM that a model may keep activations in: a quarter, to have as much for first tiles."""
        return self.tcm_budget_bytes // 4

    def lanes(self, element_bits: int) -> int:
        """Elements of ``element_bits`` in one HVX vector."""
        return int(self.vector_bytes.value) * 8 // element_bits

    @property
    def widest_lane_bits(self) -> int:
        """HVX computes on bytes, halfwords and words (HVX programmer's reference manual): wider elements are scalar."""
        return 32

    def facts(self) -> dict[str, Fact]:
        """Every `Fact` of the target by field name, in declaration order."""
        return {f.name: v for f in fields(self) if isinstance(v := getattr(self, f.name), Fact)}


IEEE_FORMS = "hvx-ieee-fp"
"""The feature, by LLVM's name, of a chip whose HVX has IEEE forms beside qfloat."""
_NAMES = ("v67", "v68", "v73", "v75", "v79", "v81")
DEFAULT = "v75"


def names() -> tuple[str, ...]:
    """Names of the known targets, oldest first."""
    return _NAMES


def get(name: str = DEFAULT) -> Target:
    """The target called ``name``; raises `TargetError` for an unknown one.

    ``v75+hvx-ieee-fp`` is v75 with the IEEE forms of HVX, an option of the chips from v68 to v75: code uses them
    instead of qfloat.
    """
    chip, plus, feature = name.partition("+")
    if chip not in _NAMES:
        raise TargetError(f"unknown target '{name}'; known targets: {', '.join(_NAMES)}")
    target = importlib.import_module(f"hexagon_mlir.targets.{chip}").TARGET
    if not plus:
        return target
    if feature != IEEE_FORMS or not target.vector_float:
        raise TargetError(f"unknown feature '{feature}' of {chip}; known: "
                          f"{IEEE_FORMS if target.vector_float else 'none'}")
    features = target.features.replace("+hvx-qfloat", "-hvx-qfloat")
    return replace(target, name=name, ieee_float=True, features=f"{features},+{IEEE_FORMS}")
