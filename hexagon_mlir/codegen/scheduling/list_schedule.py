"""List scheduling of vector instructions on HVX pipes, with a limit on the vectors alive at once."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from hexagon_mlir.codegen.llvm_ir.llvm_text import Instruction

PIPES = {"shift": 1, "permute": 1, "multiply": 2, "load": 1, "store": 1, "any": 4, "slot": 4}
# Sets of pipes as one number: a field for each, and above it a bit that a shortage borrows.
_FIELD = {pipe: 1 << 4 * n for n, pipe in enumerate(PIPES)}
_ENOUGH = sum(8 * field for field in _FIELD.values())
_FREE = _ENOUGH + sum(count * _FIELD[pipe] for pipe, count in PIPES.items())
EARLY, LATE = 2, 1  # packets from a result to an operand (HVX V73 manual, 5.7)
LEADS = (0, 4, 16)
"""How far, in packets, each copy of a body may run ahead of the next; the best one is taken."""
SPILLS = 16
"""Spilled vectors that a better order may cost."""


@dataclass
class Node:
    """One instruction: what it occupies, how early it reads, and its place in the graph."""

    instruction: Instruction
    pipes: tuple[str, ...] = ()
    early: bool = False
    before: list[int] = field(default_factory=list)
    after: list[int] = field(default_factory=list)
    height: int = 0
    copy: int = 0
    vector: int = 0
    """Registers its result takes."""


def latency(node: Node, reader: Node) -> int:
    """Packets between two dependent instructions."""
    if not node.pipes or node.instruction.opcode == "store":
        return 0
    return EARLY if reader.early or not reader.pipes else LATE


class Schedule(NamedTuple):
    """``order`` of the nodes, its length in packets with waits, most vectors alive at once."""

    order: list[int]
    packets: int
    registers: int


def best_schedule(nodes: list[Node], registers: int) -> list[int]:
    """The best order over how far copies run ahead of each other: few spills, then few packets.

    The order as it is where every other one takes many more registers than there are.
    """
    copies = {node.copy for node in nodes}
    best = min((schedule(nodes, registers, lead) for lead in (LEADS if len(copies) > 1 else LEADS[:1])),
               key=lambda r: (max(r.registers - registers, 0), r.packets))
    if best.registers > registers + SPILLS and best.registers > most_alive(nodes) + SPILLS:
        return list(range(len(nodes)))
    return best.order


def most_alive(nodes: list[Node]) -> int:
    """Most vectors alive at once when ``nodes`` stay in order."""
    last = {source: number for number, node in enumerate(nodes) for source in node.before}
    ends: list[int] = [0] * len(nodes)
    for number, end in last.items():
        ends[end] += nodes[number].vector
    live = most = 0
    for number, node in enumerate(nodes):
        live += (node.vector if node.after else 0) - ends[number]
        most = max(most, live)
    return most


def schedule(nodes: list[Node], registers: int, lead: int) -> Schedule:
    """A list schedule over packets with at most ``registers`` vectors alive where possible.

    Copy number n counts as ``n * lead`` packets less urgent than copy 0.
    """
    waiting, readers = [len(n.before) for n in nodes], [len(n.after) for n in nodes]
    urgency = [(node.copy * lead - node.height, n) for n, node in enumerate(nodes)]
    masks = {n for n, node in enumerate(nodes) if node.instruction.type.endswith("x i1>")}
    needs = [sum(_FIELD[pipe] for pipe in node.pipes) for node in nodes]
    earliest = [0] * len(nodes)
    ready = {n for n, count in enumerate(waiting) if count == 0}
    order: list[int] = []
    live = most = 0
    time = 0

    def place(n: int, at: int) -> None:
        nonlocal live, most
        ready.discard(n)
        placed_at.add(n)
        order.append(n)
        live += nodes[n].vector if nodes[n].after else 0
        for source in nodes[n].before:
            readers[source] -= 1
            if readers[source] == 0:
                live -= nodes[source].vector
        most = max(most, live)
        for user in nodes[n].after:
            waiting[user] -= 1
            earliest[user] = max(earliest[user], at + latency(nodes[n], nodes[user]))
            if waiting[user] == 0:
                ready.add(user)

    def freed(n: int) -> int:
        return sum(nodes[s].vector for s in nodes[n].before if readers[s] == 1)

    placed_at: set[int] = set()

    def too_soon(n: int) -> bool:
        """True for a mask that nobody could use yet: there are four mask registers."""
        return all(any(s != n and s not in placed_at and s not in masks for s in nodes[user].before)
                   for user in nodes[n].after)

    while ready:
        free = _FREE
        while costless := sorted(n for n in ready if not needs[n] and earliest[n] <= time):
            for n in costless:
                place(n, time)
        for n in sorted((n for n in ready if earliest[n] <= time), key=urgency.__getitem__):
            if not free & 7 * _FIELD["slot"]:
                break
            left = free - needs[n]
            if left & _ENOUGH != _ENOUGH or (n in masks and too_soon(n)):
                continue
            if (nodes[n].instruction.opcode == "load" and (grows := nodes[n].vector - freed(n)) > 0
                    and live + grows > registers):
                continue
            free = left
            place(n, time)
        if ready and free == _FREE and all(earliest[n] <= time for n in ready):
            # nothing fits: the registers are exceeded
            n = min(ready, key=lambda n: (n in masks and too_soon(n), nodes[n].copy, n))
            place(n, time)
        time += 1
    return Schedule(order, time, most)
