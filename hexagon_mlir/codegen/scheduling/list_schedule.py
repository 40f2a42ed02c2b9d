"""List scheduling of vector instructions on HVX pipes, with a limit on the vectors alive at once."""

from __future__ import annotations

import sys
from bisect import insort
from dataclasses import dataclass, field
from functools import cache
from heapq import heappop, heappush
from typing import NamedTuple

from hexagon_mlir import targets
from hexagon_mlir.isa.resources import PER_PACKET
from hexagon_mlir.llvmir import Instruction

# Sets of resources as one number: a field for each, and above it a bit that a shortage borrows.
_FIELD = {pipe: 1 << 4 * n for n, pipe in enumerate(PER_PACKET)}
_ENOUGH = sum(8 * field for field in _FIELD.values())
_FREE = _ENOUGH + sum(count * _FIELD[pipe] for pipe, count in PER_PACKET.items())
CHIP = targets.get()
EARLY, LATE = (-(-int(cycles.value) // int(CHIP.hvx_issue_interval_cycles.value))
               for cycles in (CHIP.hvx_early_latency_cycles, CHIP.hvx_late_latency_cycles))
"""Packets from a result to an operand."""
LEADS = (0, 4, 16)
"""How far, in packets, each copy of a body may run ahead of the next; the best one is taken."""
SPILLS = 16
"""Spilled vectors that a better order may cost."""


@dataclass
class Node:
    """One instruction: what it occupies, how early it reads, and its place in the graph."""

    instruction: Instruction
    occupies: tuple[str, ...] = ()
    early: bool = False
    before: list[int] = field(default_factory=list)
    after: list[int] = field(default_factory=list)
    height: int = 0
    copy: int = 0
    vector: int = 0
    """Registers its result takes."""


@cache
def _needs(pipes: tuple[str, ...]) -> int:
    return sum(_FIELD[pipe] for pipe in pipes)


def latency(node: Node, reader: Node) -> int:
    """Packets between two dependent instructions."""
    if not node.occupies or node.instruction.opcode == "store":
        return 0
    return _delay(reader)


def _delay(reader: Node) -> int:
    return EARLY if reader.early or not reader.occupies else LATE


class Schedule(NamedTuple):
    """``order`` of the nodes, its length in packets with waits, most vectors alive at once. ``limits``: the numbers of
    registers that it is the schedule for.
    """

    order: list[int]
    packets: int
    registers: int
    limits: range

    def cost(self, registers: int) -> tuple[int, int]:
        """Spills where there are so many ``registers``, and packets: the less the better."""
        return max(self.registers - registers, 0), self.packets


def best_schedule(nodes: list[Node], registers: int, known: dict[int, list[Schedule]] | None = None) -> list[int]:
    """The best order over how far copies run ahead of each other: few spills, then few packets.

    The order as it is where every other one takes many more registers than there are. ``known``: schedules of these
    nodes by lead, for any number of registers; new ones are added.
    """
    known = {} if known is None else known
    found = []
    for lead in LEADS if any(node.copy for node in nodes) else LEADS[:1]:
        made = next((s for s in known.get(lead, ()) if registers in s.limits), None)
        if made is None:
            made = schedule(nodes, registers, lead)
            known.setdefault(lead, []).append(made)
        found.append(made)
    best = min(found, key=lambda schedule: schedule.cost(registers))
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
    masks = [node.instruction.type.endswith("x i1>") for node in nodes]
    lacking = list(waiting)  # operands that are no masks
    for node in (node for node, mask in zip(nodes, masks, strict=True) if mask):
        for user in node.after:
            lacking[user] -= 1
    delays = [_delay(node) for node in nodes]
    needs = [_needs(node.occupies) for node in nodes]
    by_urgency = sorted(range(len(nodes)), key=lambda n: (nodes[n].copy * lead - nodes[n].height, n))
    rank = [0] * len(nodes)
    for place_in_order, n in enumerate(by_urgency):
        rank[n] = place_in_order
    earliest = [0] * len(nodes)
    costless: list[int] = []  # what is ready: to be placed at once,
    urgent: list[int] = []  # by rank,
    later: list[tuple[int, int]] = []  # by the packet from which on it may be placed
    order: list[int] = []
    live = most = time = 0
    granted, refused = 0, sys.maxsize  # vectors alive with loads that were placed, and with those that had to wait

    def note_ready(n: int) -> None:
        if earliest[n] > time:
            heappush(later, (earliest[n], n))
        elif needs[n]:
            insort(urgent, rank[n])
        else:
            costless.append(n)

    def place(n: int) -> None:
        nonlocal live, most
        order.append(n)
        node = nodes[n]
        live += node.vector if node.after else 0
        for source in node.before:
            readers[source] -= 1
            if readers[source] == 0:
                live -= nodes[source].vector
        if live > most:
            most = live
        value, delayed = not masks[n], needs[n] and node.instruction.opcode != "store"
        for user in node.after:
            waiting[user] -= 1
            lacking[user] -= value
            if delayed and earliest[user] < time + delays[user]:
                earliest[user] = time + delays[user]
            if waiting[user] == 0:
                note_ready(user)

    def freed(n: int) -> int:
        return sum(nodes[s].vector for s in nodes[n].before if readers[s] == 1)

    def too_soon(n: int) -> bool:
        """True if nobody could use mask ``n`` yet: there are four mask registers."""
        return all(lacking[user] for user in nodes[n].after)

    for n, count in enumerate(waiting):
        if count == 0:
            note_ready(n)
    while costless or urgent or later:
        while later and later[0][0] <= time:
            note_ready(heappop(later)[1])
        free = _FREE
        while costless:
            batch, costless = sorted(costless), []
            for n in batch:
                place(n)
        for n in [by_urgency[r] for r in urgent]:
            if not free & 7 * _FIELD["slot"]:
                break
            left = free - needs[n]
            if left & _ENOUGH != _ENOUGH or (masks[n] and too_soon(n)):
                continue
            if nodes[n].instruction.opcode == "load" and (grows := nodes[n].vector - freed(n)) > 0:
                if live + grows > registers:
                    refused = min(refused, live + grows)
                    continue
                granted = max(granted, live + grows)
            free = left
            urgent.remove(rank[n])
            place(n)
        if urgent and free == _FREE and not costless and not later:
            # nothing fits: the registers are exceeded
            n = min((by_urgency[r] for r in urgent), key=lambda n: (masks[n] and too_soon(n), nodes[n].copy, n))
            urgent.remove(rank[n])
            place(n)
        time += 1
    return Schedule(order, time, most, range(granted, refused))
