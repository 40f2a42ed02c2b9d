"""List scheduling of vector instructions on HVX pipes, with a limit on the live vectors."""

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

# Sets of resources as one integer: a field for each, and above it a guard bit that a shortage borrows.
_FIELD = {pipe: 1 << 4 * n for n, pipe in enumerate(PER_PACKET)}
_SLOTS = 7 * _FIELD["slot"]
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
    """One instruction: the resources it occupies, how early it reads, and its edges in the graph."""

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
    """``order`` of the nodes, its length in packets including stalls, most live vectors. ``limits``: the numbers of
    registers for which it is the schedule.
    """

    order: list[int]
    packets: int
    registers: int
    limits: range

    def cost(self, registers: int) -> tuple[int, int]:
        """(spills with so many ``registers``, packets), to be minimized."""
        return max(self.registers - registers, 0), self.packets


def best_schedule(nodes: list[Node], registers: int, known: dict[int, list[Schedule]] | None = None) -> list[int]:
    """The best order over the leads between copies: fewest spills, then fewest packets.

    The given order where every other one needs many more registers than there are. ``known``: schedules of these nodes
    by lead, for any number of registers; new ones are added.
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
    """Most live vectors when ``nodes`` stay in order."""
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
    """A list schedule over packets with at most ``registers`` live vectors where possible.

    Copy number n counts as ``n * lead`` packets less urgent than copy 0.
    """
    scheduler = _ListScheduler(nodes, registers, lead)
    while scheduler.is_unfinished:
        scheduler.fill_packet()
    return Schedule(scheduler.order, scheduler.time, scheduler.most, range(scheduler.granted, scheduler.refused))


class _ListScheduler:
    """A cycle-driven list scheduler: nodes are numbers, ``time`` is the number of the packet that is being filled.

    A node whose operands are placed is ready: in ``costless`` where it takes no resource, else in ``later``, by the
    packet in which its operands become available, and then in ``urgent``, by its rank.
    """

    def __init__(self, nodes: list[Node], registers: int, lead: int):
        self.nodes, self.registers = nodes, registers
        self.operands_left, self.readers_left = [len(n.before) for n in nodes], [len(n.after) for n in nodes]
        self.is_mask = [node.instruction.type.endswith("x i1>") for node in nodes]
        self.is_load = [node.instruction.opcode == "load" for node in nodes]
        self.is_delayed = [bool(node.occupies) and node.instruction.opcode != "store" for node in nodes]
        self.values_left = [sum(not self.is_mask[source] for source in node.before) for node in nodes]
        self.delays = [_delay(node) for node in nodes]
        self.needs = [_needs(node.occupies) for node in nodes]
        self.by_urgency = sorted(range(len(nodes)), key=lambda n: (nodes[n].copy * lead - nodes[n].height, n))
        self.rank = [0] * len(nodes)
        for place, n in enumerate(self.by_urgency):
            self.rank[n] = place
        self.earliest = [0] * len(nodes)
        self.costless: list[int] = []
        self.urgent: list[int] = []
        self.later: list[tuple[int, int]] = []
        self.order: list[int] = []
        self.time = self.live = self.most = 0
        self.granted, self.refused = 0, sys.maxsize  # live vectors, with loads that were placed or deferred
        for n, count in enumerate(self.operands_left):
            if count == 0:
                self._note_ready(n)

    @property
    def is_unfinished(self) -> bool:
        """Whether a node is ready."""
        return bool(self.costless or self.urgent or self.later)

    def fill_packet(self) -> None:
        """Place the nodes that fit the next packet; if none fits, one node that exceeds the registers."""
        while self.later and self.later[0][0] <= self.time:
            self._note_ready(heappop(self.later)[1])
        self._place_costless()
        is_empty = self._place_urgent()
        if self.urgent and is_empty and not self.costless and not self.later:
            self._take(min((self.by_urgency[r] for r in self.urgent),
                           key=lambda n: (self.is_mask[n] and self._is_too_soon(n), self.nodes[n].copy, n)))
        self.time += 1

    def _place_costless(self) -> None:
        """Place nodes that take no resource, and those that become ready by them."""
        while self.costless:
            batch, self.costless = sorted(self.costless), []
            for n in batch:
                self._place(n)

    def _place_urgent(self) -> bool:
        """Place nodes for which there are resources and registers, by rank; returns whether there were none."""
        free, needs = _FREE, self.needs
        for n in [self.by_urgency[r] for r in self.urgent]:
            if not free & _SLOTS:
                break
            left = free - needs[n]
            if left & _ENOUGH != _ENOUGH or (self.is_mask[n] and self._is_too_soon(n)):
                continue
            if not self.is_load[n] or self._has_registers(n):
                free = left
                self._take(n)
        return free == _FREE

    def _has_registers(self, n: int) -> bool:
        """Whether there are registers for the load ``n``; other nodes release registers in the end."""
        node = self.nodes[n]
        freed = sum(self.nodes[source].vector for source in node.before if self.readers_left[source] == 1)
        if node.vector <= freed:
            return True
        alive = self.live + node.vector - freed
        if alive > self.registers:
            self.refused = min(self.refused, alive)
            return False
        self.granted = max(self.granted, alive)
        return True

    def _is_too_soon(self, n: int) -> bool:
        """Whether no user of the mask ``n`` could be placed yet: there are four mask registers."""
        return all(self.values_left[user] for user in self.nodes[n].after)

    def _take(self, n: int) -> None:
        """Place ``n``, which is urgent."""
        self.urgent.remove(self.rank[n])
        self._place(n)

    def _place(self, n: int) -> None:
        """Put ``n`` into the packet; its users may become ready."""
        node, nodes, readers_left, operands_left = self.nodes[n], self.nodes, self.readers_left, self.operands_left
        self.order.append(n)
        self.live += node.vector if node.after else 0
        for source in node.before:
            readers_left[source] -= 1
            if readers_left[source] == 0:
                self.live -= nodes[source].vector
        if self.live > self.most:
            self.most = self.live
        is_value, is_delayed, earliest = not self.is_mask[n], self.is_delayed[n], self.earliest
        for user in node.after:
            operands_left[user] -= 1
            self.values_left[user] -= is_value
            if is_delayed and earliest[user] < self.time + self.delays[user]:
                earliest[user] = self.time + self.delays[user]
            if operands_left[user] == 0:
                self._note_ready(user)

    def _note_ready(self, n: int) -> None:
        if self.earliest[n] > self.time:
            heappush(self.later, (self.earliest[n], n))
        elif self.needs[n]:
            insort(self.urgent, self.rank[n])
        else:
            self.costless.append(n)
