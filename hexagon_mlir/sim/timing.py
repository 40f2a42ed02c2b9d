"""Static cycles of each basic block from its packets.

Every packet issues in one cycle; everything beyond that is a stall with a cause:

* ``hvx-issue``: one thread commits an HVX packet at most every ``hvx_issue_interval_cycles``.
* ``hvx-interlock``: an early operand (multiplier, shift and permute inputs, unaligned store data) needs
  ``hvx_early_latency_cycles`` after its producer issued, a late one ``hvx_late_latency_cycles``.
* ``scalar-latency``: result stage of the producer against operand stage of the consumer.
* ``gather-scatter``: a vgather's data is in memory ``vgather_cycles`` later, a vscatter keeps the unit for
  ``vscatter_cycles``; the next vector load, and after a scatter the next gather or scatter, waits for them.
* ``branch``: taken unconditional jumps, calls and returns. Conditional jumps are charged when they run.

A vector load that hits behaves like an ALU result: HVX executes behind a queue that hides the pipelined load
latency. ``.cur``, ``.tmp`` and ``.new`` consumers are in the producer's packet and do not wait.

The pipeline state at a block's entry comes from its predecessors; a block that is entered from below (a loop
header) takes the state of its back edges, so a self-loop is charged its steady state.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from hexagon_mlir.sim.blocks import Block, DecodedPacket, Graph
from hexagon_mlir.sim.decode import Insn, Operand
from hexagon_mlir.sim.isa.spec import Unit
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


@dataclass(frozen=True)
class Pending:
    """A result on its way: cycles from now until a late and an early reader can take it."""

    late: int
    early: int
    cause: str


@dataclass(frozen=True)
class Use:
    """One register read by a packet."""

    register: Register
    early: bool
    stage: int


@dataclass
class State:
    """Pipeline contents at a packet boundary, relative to the next issue cycle."""

    hvx_wait: int = 0
    ready: dict[Register, Pending] = field(default_factory=dict)

    def merge(self, other: State) -> None:
        """The later of both (worst case over predecessors)."""
        self.hvx_wait = max(self.hvx_wait, other.hvx_wait)
        for register, pending in other.ready.items():
            mine = self.ready.get(register)
            if mine is None or pending.early > mine.early:
                self.ready[register] = pending

    def advance(self, cycles: int) -> None:
        self.hvx_wait = max(0, self.hvx_wait - cycles)
        kept = {}
        for register, p in self.ready.items():
            if p.early > cycles:
                kept[register] = Pending(p.late - cycles, p.early - cycles, p.cause)
        self.ready = kept


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
    def uses(self, packet: DecodedPacket) -> list[Use]:
        """Registers whose old value the packet waits for."""
        forwarded = {
            unit for i in packet.insns if i.mode in ("cur", "tmp") for d in i.dests for unit in d.units()
        }
        uses = []

        def add(operand: Operand | None, early: bool, stage: int) -> None:
            if operand is not None and not operand.new:
                for unit in operand.units():
                    if unit not in forwarded:
                        uses.append(Use(unit, early, stage))

        for insn in packet.insns:
            early_scalar = insn.unit in (Unit.MPY, Unit.FLOAT)
            stage = self.early_operand if early_scalar else self.operand
            if insn.unit is Unit.STORE:
                stage = self.store_data
            early_vector = insn.unit.early or insn.access == "vmemu"
            for source in insn.sources:
                add(source, early_vector, stage)
            if insn.spec is not None and insn.spec.reads_dest:
                add(insn.dests[0], insn.key == "VV.w=vasrinto(V.w,V.w)", self.operand)
            if insn.condition is not None:
                add(insn.condition.operand, False, self.operand)
            if insn.address is not None:
                for register in insn.address.registers():
                    add(register, False, self.early_operand)
            if insn.unit is Unit.V_LOAD or insn.kind == "scatter":
                uses.append(Use(SCATTERING, False, self.operand))
                if insn.kind == "load":
                    uses.append(Use(GATHERING, False, self.operand))
        return uses

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

    def wait(self, state: State, use: Use) -> tuple[int, str]:
        """Cycles until ``use`` can be read, and why."""
        pending = state.ready.get(use.register)
        if pending is None:
            return 0, SCALAR
        if use.register[0] in "VQ":
            return (pending.early if use.early else pending.late), pending.cause
        if use.stage == self.early_operand:
            return pending.early, pending.cause
        if use.stage == self.operand:
            return pending.late, pending.cause
        return pending.late - (use.stage - self.operand), pending.cause

    def packet(self, state: State, packet: DecodedPacket, cost: BlockCost) -> None:
        """Issue ``packet``: adds its cycles to ``cost`` and moves ``state`` past it."""
        cost.packets += 1
        issue_wait = state.hvx_wait if packet.hvx else 0
        waits = [self.wait(state, use) for use in self.uses(packet)]
        longest, cause = max(waits, default=(0, SCALAR), key=lambda item: item[0])
        stall = max(issue_wait, longest, 0)
        if issue_wait > 0:
            cost.stalls[ISSUE] = cost.stalls.get(ISSUE, 0) + issue_wait
        if longest > issue_wait:
            cost.stalls[cause] = cost.stalls.get(cause, 0) + longest - issue_wait
        state.advance(stall)
        if packet.hvx:
            cost.hvx_packets += 1
            state.hvx_wait = self.hvx_interval
        for insn in packet.insns:
            state.ready.update(self.produces(insn))
        taken = self.static_branch(packet)
        if taken:
            cost.stalls[BRANCH] = cost.stalls.get(BRANCH, 0) + taken
        state.advance(1 + taken)

    def static_branch(self, packet: DecodedPacket) -> int:
        """Cycles of an unconditional change of flow in the packet."""
        for insn in packet.insns:
            leaves = insn.kind in ("jump", "jumpr", "call", "callr") or insn.key == "dealloc_return"
            if leaves and insn.condition is None:
                return self.taken
        return 0

    # -- a function ----------------------------------------------------------------------------------------
    def block(self, entry: State, block: Block) -> tuple[BlockCost, State]:
        cost = BlockCost()
        state = State(entry.hvx_wait, dict(entry.ready))
        for packet in block.packets:
            before = dict(cost.stalls)
            self.packet(state, packet, cost)
            changes = {cause: cycles - before.get(cause, 0) for cause, cycles in cost.stalls.items()}
            cost.steps.append({cause: cycles for cause, cycles in changes.items() if cycles})
        return cost, state

    def steps(self, graph: Graph) -> list[list[dict[str, int]]]:
        """The stalls of every packet of every block."""
        return [cost.steps for cost in self.function(graph)]

    def function(self, graph: Graph) -> list[BlockCost]:
        """The cost of every block, with entry states from predecessors."""
        blocks = graph.blocks
        exits = [State() for _ in blocks]
        costs = [BlockCost() for _ in blocks]
        for _ in range(4):
            changed = False
            for index, block in enumerate(blocks):
                entry = State()
                back = [p for p in block.predecessors if p >= index]
                for predecessor in back or block.predecessors:
                    entry.merge(exits[predecessor])
                costs[index], after = self.block(entry, block)
                if after != exits[index]:
                    exits[index] = after
                    changed = True
            if not changed:
                break
        return costs
