"""Static cycles of each basic block from its packets.

Every packet issues in one cycle; everything beyond that is a stall with a cause:

* ``hvx-issue``: one thread commits an HVX packet at most every ``hvx_issue_interval_cycles``.
* ``hvx-interlock``: an early operand (multiplier, shift and permute inputs, unaligned store data) needs
  ``hvx_early_latency_cycles`` after its producer issued, a late one ``hvx_late_latency_cycles``.
* ``scalar-latency``: result stage of the producer against operand stage of the consumer.
* ``gather-scatter``: a vgather's data is in memory ``vgather_cycles`` later, a vscatter keeps the unit for
  ``vscatter_cycles``; the next vector load, and after a scatter the next gather or scatter, waits for them.
* ``branch``: taken unconditional jumps, calls and returns. Conditional jumps are charged when they run.

An instruction of the matrix engine reads its registers early, as addresses are read; what the engine then takes is not
static.

A vector load that hits behaves like an ALU result: HVX executes behind a queue that hides the pipelined load
latency. ``.cur``, ``.tmp`` and ``.new`` consumers are in the producer's packet and do not wait.

The pipeline state at a block's entry comes from its predecessors; a block that is entered from below (a loop
header) takes the state of its back edges, so a self-loop is charged its steady state.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from hexagon_mlir.isa.blocks import DecodedPacket, Graph
from hexagon_mlir.isa.decode import Insn, Operand
from hexagon_mlir.isa.unit import Unit
from hexagon_mlir.targets import Target

Register = tuple[str, int]

ISSUE, INTERLOCK, SCALAR, BRANCH = "hvx-issue", "hvx-interlock", "scalar-latency", "branch"
GATHER_SCATTER = "gather-scatter"
GATHERING: Register = ("gather", 0)
SCATTERING: Register = ("scatter", 0)
"""Not registers: the memory a gather or scatter has not written yet."""


@dataclass
class BlockCost:
    """Cycles of one pass through a block."""

    packets: int = 0
    hvx_packets: int = 0
    stalls: dict[str, int] = field(default_factory=dict)
    steps: list[dict[str, int]] = field(default_factory=list)
    """The stalls of each packet."""

    @property
    def cycles(self) -> int:
        return self.packets + sum(self.stalls.values())


class Pending(NamedTuple):
    """A pending result: the cycles at which a late and an early reader can read it."""

    late: int
    early: int
    cause: str

    def after(self, cycles: int) -> Pending:
        return Pending(self.late + cycles, self.early + cycles, self.cause)


class Use(NamedTuple):
    """One register read by a packet: as an early operand, or so many cycles after the late ones."""

    register: Register
    early: bool
    delay: int = 0


class Step(NamedTuple):
    """The properties of a packet on which its timing depends."""

    hvx: bool
    uses: list[Use]
    results: dict[Register, Pending]
    """Relative to the packet's issue cycle."""
    taken: int
    """Cycles of an unconditional change of flow."""


@dataclass
class State:
    """Pipeline contents at a packet boundary; ``now`` is the next issue cycle."""

    now: int = 0
    hvx_free: int = 0
    ready: dict[Register, Pending] = field(default_factory=dict)

    def merge(self, other: State) -> None:
        """The later of both (worst case over predecessors), which are at cycle 0."""
        self.hvx_free = max(self.hvx_free, other.hvx_free)
        for register, pending in other.ready.items():
            mine = self.ready.get(register)
            if mine is None or pending.early > mine.early:
                self.ready[register] = pending

    def restarted(self) -> State:
        """The same state relative to cycle 0, without results that are available already."""
        ready = {r: p.after(-self.now) for r, p in self.ready.items() if p.early > self.now}
        return State(0, max(0, self.hvx_free - self.now), ready)


class Model:
    """The timing rules with one target's numbers."""

    def __init__(self, target: Target) -> None:
        def number(name: str) -> int:
            return int(getattr(target, name).value)

        self.hvx_interval = number("hvx_issue_interval_cycles")
        self.late = number("hvx_late_latency_cycles")
        self.early = number("hvx_early_latency_cycles")
        self.vextract = number("vextract_cycles")
        self.vgather = number("vgather_cycles")
        self.vscatter = number("vscatter_cycles")
        self.taken = number("taken_branch_cycles")
        self.operand = number("scalar_operand_stage")
        self.early_operand = number("scalar_early_operand_stage")
        self.store_data = number("scalar_store_data_stage")
        self.result = {
            Unit.ALU: number("scalar_alu_result_stage"),
            Unit.TC2: number("scalar_tc2_result_stage"),
            Unit.MPY: number("scalar_multiply_result_stage"),
            Unit.FLOAT: number("scalar_float_result_stage"),
            Unit.LOAD: number("scalar_load_result_stage"),
        }

    # -- one packet ----------------------------------------------------------------------------------------
    def step(self, packet: DecodedPacket) -> Step:
        results: dict[Register, Pending] = {}
        for insn in packet.insns:
            results |= self.produces(insn)
        return Step(packet.hvx, self.uses(packet), results, self.static_branch(packet))

    def uses(self, packet: DecodedPacket) -> list[Use]:
        """Registers whose old value the packet waits for."""
        forwarded = {
            unit for i in packet.insns if i.mode in ("cur", "tmp") for d in i.dests for unit in d.units()
        }
        uses = []

        def add(operand: Operand, early: bool, stage: int) -> None:
            if not operand.new:
                for unit in operand.units():
                    if unit not in forwarded:
                        vector = unit[0] in "VQ"
                        uses.append(Use(unit, early) if vector else self.scalar_use(unit, stage))

        for insn in packet.insns:
            early_scalar = insn.unit in (Unit.MPY, Unit.FLOAT, Unit.MATRIX)
            stage = self.early_operand if early_scalar else self.operand
            if insn.unit is Unit.STORE:
                stage = self.store_data
            early_vector = insn.unit.early or insn.access == "vmemu"
            for source in insn.sources:
                add(source, early_vector, stage)
            if insn.form is not None and insn.form.reads_dest:
                add(insn.dests[0], insn.key == "VV.w=vasrinto(V.w,V.w)", self.operand)
            if insn.condition is not None:
                add(insn.condition.operand, False, self.operand)
            if insn.address is not None:
                for register in insn.address.registers():
                    add(register, False, self.early_operand)
            if insn.unit is Unit.V_LOAD or insn.kind == "scatter":
                uses.append(Use(SCATTERING, False))
                if insn.kind == "load":
                    uses.append(Use(GATHERING, False))
        return uses

    def scalar_use(self, register: Register, stage: int) -> Use:
        return Use(register, True) if stage == self.early_operand else Use(register, False, stage - self.operand)

    def produces(self, insn: Insn) -> dict[Register, Pending]:
        """Results of one instruction, relative to its packet's issue cycle."""
        results: dict[Register, Pending] = {}
        for dest in insn.dests:
            for unit in dest.units():
                if unit[0] in "VQ":
                    if insn.mode != "tmp":
                        results[unit] = Pending(self.late, self.early, INTERLOCK)
                elif insn.unit is Unit.V_EXTRACT:
                    results[unit] = Pending(self.vextract, self.vextract, INTERLOCK)
                else:
                    stage = self.result.get(insn.unit, self.result[Unit.ALU])
                    results[unit] = self.scalar(stage)
        if insn.address is not None and insn.address.written is not None and insn.address.base is not None:
            results[("R", insn.address.base.number)] = self.scalar(self.result[Unit.ALU])
        if insn.kind == "gather":
            results[GATHERING] = Pending(self.vgather, self.vgather, GATHER_SCATTER)
        if insn.kind == "scatter":
            results[SCATTERING] = Pending(self.vscatter, self.vscatter, GATHER_SCATTER)
        if insn.kind == "frame" and insn.op != "allocframe":
            for number in (30, 31):
                results[("R", number)] = self.scalar(self.result[Unit.LOAD])
        return results

    def scalar(self, stage: int) -> Pending:
        """A scalar result: ``late`` for operands read at the ordinary stage, ``early`` at the early one."""
        return Pending(stage - self.operand, stage - self.early_operand, SCALAR)

    def issue(self, state: State, step: Step) -> dict[str, int]:
        """Advance ``state`` past a packet; returns its stalls."""
        stalls: dict[str, int] = {}
        wait = max(state.hvx_free - state.now, 0) if step.hvx else 0
        longest, cause = 0, SCALAR
        for register, early, delay in step.uses:
            pending = state.ready.get(register)
            if pending is not None:
                cycles = (pending.early if early else pending.late - delay) - state.now
                if cycles > longest:
                    longest, cause = cycles, pending.cause
        if wait:
            stalls[ISSUE] = wait
        if longest > wait:
            stalls[cause] = longest - wait
        state.now += max(wait, longest)
        if step.hvx:
            state.hvx_free = state.now + self.hvx_interval
        for register, pending in step.results.items():
            state.ready[register] = pending.after(state.now)
        if step.taken:
            stalls[BRANCH] = step.taken
        state.now += 1 + step.taken
        return stalls

    def static_branch(self, packet: DecodedPacket) -> int:
        """Cycles of an unconditional change of flow in the packet."""
        for insn in packet.insns:
            leaves = insn.kind in ("jump", "jumpr", "call", "callr") or insn.key == "dealloc_return"
            if leaves and insn.condition is None:
                return self.taken
        return 0

    # -- a function ----------------------------------------------------------------------------------------
    def block(self, entry: State, steps: list[Step]) -> tuple[BlockCost, State]:
        state = State(0, entry.hvx_free, dict(entry.ready))
        stalls = [self.issue(state, step) for step in steps]
        total: dict[str, int] = {}
        for one in stalls:
            for cause, cycles in one.items():
                total[cause] = total.get(cause, 0) + cycles
        return BlockCost(len(steps), sum(step.hvx for step in steps), total, stalls), state.restarted()

    def steps(self, graph: Graph) -> list[list[dict[str, int]]]:
        """The stalls of every packet of every block."""
        return [cost.steps for cost in self.function(graph)]

    def function(self, graph: Graph) -> list[BlockCost]:
        """The cost of every block, with entry states from predecessors."""
        blocks = graph.blocks
        steps = [[self.step(packet) for packet in block.packets] for block in blocks]
        entries: list[State | None] = [None for _ in blocks]
        exits = [State() for _ in blocks]
        costs = [BlockCost() for _ in blocks]
        for _ in range(4):
            changed = False
            for index, block in enumerate(blocks):
                entry = State()
                back = [p for p in block.predecessors if p >= index]
                for predecessor in back or block.predecessors:
                    entry.merge(exits[predecessor])
                if entry == entries[index]:
                    continue
                entries[index] = entry
                costs[index], after = self.block(entry, steps[index])
                if after != exits[index]:
                    exits[index] = after
                    changed = True
            if not changed:
                break
        return costs
