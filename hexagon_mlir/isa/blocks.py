"""A decoded function cut into basic blocks, with the edges between them."""

from __future__ import annotations

import functools
from dataclasses import dataclass, field

from hexagon_mlir.isa.decode import FormError, Insn, decode
from hexagon_mlir.isa.literals import shown
from hexagon_mlir.isa.reader import Function, Packet

FLOW_KINDS = frozenset({"jump", "jumpr", "call", "callr", "newjump", "clock", "dma", "matrix"})
"""Kinds that end a block; reading the clock, starting a transfer and handing work to the matrix engine do, so that the
cycles before it are counted."""

MAX_WAYS = 1 << 17
"""Most edges in one function from jumps through registers and ends of loops, each to all possible labels."""


@dataclass
class DecodedPacket:
    """A packet with its instructions."""

    packet: Packet
    insns: list[Insn]

    @functools.cached_property
    def hvx(self) -> bool:
        return any(insn.hvx for insn in self.insns)

    @functools.cached_property
    def ends_block(self) -> bool:
        return (
            self.packet.end_loop0
            or self.packet.end_loop1
            or any(i.kind in FLOW_KINDS or i.key == "dealloc_return" for i in self.insns)
        )


@dataclass
class Block:
    """Packets that run one after another; control enters at the first and leaves at the last."""

    label: str
    first: int
    """Index of the first packet in its function."""
    packets: list[DecodedPacket] = field(default_factory=list)
    predecessors: list[int] = field(default_factory=list)
    """Indices of blocks that may run just before (calls in between are not edges)."""


@dataclass
class Graph:
    """The blocks of one function in layout order."""

    function: Function
    blocks: list[Block]
    at_label: dict[str, int]
    """Label -> block index."""
    loop_targets: dict[str, list[str]]
    """'0' and '1' -> the labels that loop0 and loop1 name."""


def _falls_through(packet: DecodedPacket) -> bool:
    """False when the packet always leaves (an unconditional jump or return)."""
    for insn in packet.insns:
        leaves = insn.kind in ("jump", "jumpr") or insn.key == "dealloc_return"
        if leaves and insn.condition is None:
            return False
    return True


def build(function: Function, address_taken: set[str]) -> Graph:
    """Decode ``function`` and cut it into blocks."""
    decoded = [DecodedPacket(packet, decode(packet)) for packet in function.packets]
    loop_targets: dict[str, list[str]] = {"0": [], "1": []}
    named = set(address_taken)
    for packet in decoded:
        for insn in packet.insns:
            if insn.target is not None:
                named.add(insn.target)
                _has_label(function, insn)
            if insn.kind == "loop" and insn.target not in loop_targets[insn.op]:
                loop_targets[insn.op].append(str(insn.target))
    leaders = {0} | {index + 1 for index, packet in enumerate(decoded) if packet.ends_block}
    labels: dict[int, str] = {}
    for label, index in function.labels.items():
        if label in named:
            leaders.add(index)
            labels.setdefault(index, label)
    _count_ways(function, decoded, address_taken, loop_targets)
    blocks: list[Block] = []
    block_of: dict[int, int] = {}
    for index, packet in enumerate(decoded):
        if index in leaders:
            blocks.append(Block(labels.get(index, function.name if index == 0 else f"+{index}"), index))
        blocks[-1].packets.append(packet)
        block_of[index] = len(blocks) - 1
    at_label = {
        label: block_of[index]
        for label, index in function.labels.items()
        if index in leaders and index in block_of
    }
    graph = Graph(function, blocks, at_label, loop_targets)
    _connect(graph, address_taken)
    return graph


def _count_ways(
    function: Function, decoded: list[DecodedPacket], address_taken: set[str], loop_targets: dict[str, list[str]]
) -> None:
    """Refuse a function whose jumps through registers and ends of loops have too many possible targets in total."""
    labels = len(address_taken & function.labels.keys())
    ways = 0
    for packet in decoded:
        jumps = sum(insn.kind == "jumpr" and insn.sources[0].number != 31 for insn in packet.insns)
        ways += jumps * labels
        ways += packet.packet.end_loop0 * len(loop_targets["0"]) + packet.packet.end_loop1 * len(loop_targets["1"])
        if ways > MAX_WAYS:
            line, text = packet.packet.lines[0]
            raise FormError(line, text, f"jumps through registers and loops may go more than {MAX_WAYS} ways",
                            "cut the function in parts")


def _has_label(function: Function, insn: Insn) -> None:
    """Refuse a loop or a local jump to a label that is not in the function, and a loop of no packets.

    A jump may lead to the function's end: LLVM emits no packets for an unreachable block.
    """
    assert insn.target is not None
    end = len(function.packets)
    at = function.labels.get(insn.target)
    if at is None and (insn.kind == "loop" or (insn.kind != "call" and insn.target.startswith(".L"))):
        raise FormError(insn.line, insn.text, f"no label '{shown(insn.target)}' in the function",
                        "loops and jumps to names with .L stay in their function")
    if insn.kind == "loop" and at == end:
        raise FormError(insn.line, insn.text, f"no packet at label '{shown(insn.target)}'")


def _connect(graph: Graph, address_taken: set[str]) -> None:
    for index, block in enumerate(graph.blocks):
        last = block.packets[-1]
        successors: list[int] = []
        called = False
        for insn in last.insns:
            if insn.kind in ("jump", "newjump") and insn.target in graph.at_label:
                successors.append(graph.at_label[insn.target])
            elif insn.kind == "jumpr" and insn.sources[0].number != 31:
                successors += [graph.at_label[label] for label in address_taken if label in graph.at_label]
            elif insn.kind in ("call", "callr"):
                called = True
        for mark, loop in ((last.packet.end_loop0, "0"), (last.packet.end_loop1, "1")):
            if mark:
                starts = [graph.at_label[t] for t in graph.loop_targets[loop] if t in graph.at_label]
                before = [start for start in starts if start <= index]
                successors += [max(before)] if before else starts
        if _falls_through(last) and not called and index + 1 < len(graph.blocks):
            successors.append(index + 1)
        for successor in dict.fromkeys(successors):
            graph.blocks[successor].predecessors.append(index)
