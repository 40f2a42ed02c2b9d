"""Which vector registers and vector predicates may be read after a function has returned.

The Hexagon ABI preserves none across calls, but assembly may have conventions of its own: a register is live when a
path from a return reads it before it is written. The host reads none. A call, a jump out of the function and a jump to
an unknown address may read all.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass

from hexagon_mlir.isa.blocks import Block, DecodedPacket, Graph
from hexagon_mlir.sim.host_library.hostfns import CALLBACKS, INLINE
from hexagon_mlir.sim.translation.image import Unit

ALL: frozenset[Unit] = frozenset([("V", n) for n in range(32)] + [("Q", n) for n in range(4)])
ANY = ""


@dataclass
class _Flow:
    """Where control goes at the end of a block."""

    reads: Set[Unit]
    """Read in the block before it is written there."""
    writes: Set[Unit]
    successors: list[int]
    returns: bool = False
    leaves: bool = False
    """To code that may read anything."""
    callee: str | None = None
    """The guest function called; `ANY` when unknown. The next block follows."""
    tail: str | None = None
    """The guest function jumped to."""


def _effect(packet: DecodedPacket) -> tuple[set[Unit], set[Unit]]:
    """Vector registers whose old value the packet reads, and those it surely writes."""
    reads: set[Unit] = set()
    writes: set[Unit] = set()
    forwarded = {
        unit for i in packet.insns if i.mode and i.condition is None for d in i.dests for unit in d.units()
    }
    for insn in packet.insns:
        operands = [operand for operand in insn.sources if not operand.new]
        if insn.condition is not None:
            if not insn.condition.operand.new:
                operands.append(insn.condition.operand)
            operands += insn.dests
        elif insn.mode != "tmp":
            writes.update(unit for dest in insn.dests for unit in dest.units())
        if insn.form is not None and insn.form.reads_dest:
            operands += insn.dests
        reads.update(unit for operand in operands for unit in operand.units() if unit not in forwarded)
    return reads & ALL, writes & ALL


def _flow(graph: Graph, index: int, block: Block) -> _Flow:
    reads: set[Unit] = set()
    writes: set[Unit] = set()
    for packet in block.packets:
        packet_reads, packet_writes = _effect(packet)
        reads |= packet_reads - writes
        writes |= packet_writes
    flow = _Flow(reads, writes, [n for n, b in enumerate(graph.blocks) if index in b.predecessors])
    for insn in block.packets[-1].insns:
        host = insn.target in INLINE or insn.target in CALLBACKS
        jumps_out = insn.kind in ("jump", "newjump") and insn.target not in graph.at_label
        if insn.key == "dealloc_return" or (insn.kind == "jumpr" and insn.sources[0].number == 31):
            flow.returns = True
        elif insn.kind == "jumpr":
            flow.tail = ANY
        elif jumps_out and host:
            flow.returns = True
        elif jumps_out:
            flow.tail = str(insn.target)
        elif insn.kind in ("call", "callr"):
            flow.successors.append(index + 1)
            if not host:
                flow.callee = insn.target or ANY
    flow.leaves = flow.callee is not None or flow.tail is not None
    return flow


class _Function:
    def __init__(self, graph: Graph) -> None:
        self.flows = [_flow(graph, index, block) for index, block in enumerate(graph.blocks)]
        self.entering: list[Set[Unit]] = [frozenset()] * len(self.flows)

    def solve(self, returned: Set[Unit]) -> None:
        """Registers live at each block's entry when ``returned`` are read after a return."""
        changed = True
        while changed:
            changed = False
            for index in reversed(range(len(self.flows))):
                flow = self.flows[index]
                live: set[Unit] = set(ALL if flow.leaves else ())
                if flow.returns:
                    live |= returned
                for successor in flow.successors:
                    live |= self.entry(successor)
                live = (live - flow.writes) | flow.reads
                if live != self.entering[index]:
                    self.entering[index] = live
                    changed = True

    def entry(self, block: int) -> Set[Unit]:
        return self.entering[block] if block < len(self.entering) else frozenset()


def read_after_return(graphs: list[Graph]) -> dict[str, Set[Unit]]:
    """By function name, the vector registers its callers may read when it has returned."""
    functions = {graph.function.name: _Function(graph) for graph in graphs}
    needed: dict[str, Set[Unit]] = {name: frozenset() for name in functions}
    changed = True
    while changed:
        changed = False
        for name, function in functions.items():
            function.solve(needed[name])
            for index, flow in enumerate(function.flows):
                for target, live in ((flow.callee, function.entry(index + 1)), (flow.tail, needed[name])):
                    for callee in [target] if target in functions else functions if target == ANY else ():
                        if not live <= needed[callee]:
                            needed[callee] = needed[callee] | live
                            changed = True
    return needed
