"""Which of several assemblies of one program is best, and whether searching for a better one is worth it.

The cost is packets, weighted by loop depth. Vector loads with descending addresses cost extra: the hardware prefetches
streams from DDR in one direction only. The bound is the cost if every innermost loop that computes with vectors kept
its busiest resource busy in every packet (`hexagon_mlir.isa.resources`). Overhead costs extra too: values stored to the
stack, recomputed stack addresses, copies of vectors. Scalar loops and loops that move vectors do not differ between
variants.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from math import ceil
from typing import NamedTuple

from hexagon_mlir.isa.decode import Address, Insn
from hexagon_mlir.isa.packets import instructions, lines_naming, packets_of, same_form
from hexagon_mlir.isa.resources import needed_packets, occupied_by

TRIPS = 64
"""Assumed trip count of every loop."""
DEEPEST = 4
"""Most enclosing loops that count."""
BACKWARDS = 0.25
"""Extra packets of a load at a lower address than its predecessor."""
OVERHEAD = 1.0
"""Extra packets of an overhead instruction in a loop."""
BOUNDS = ("slot", "shift", "multiply", "load", "store")
"""Resources that bound a loop here. With all pipes counted too, bounds are closer and fewer tries worth their time:
GELU f32 takes 3 % more cycles.
"""
_MOVES = ("vmem", "valign", "vlalign", "vcombine", "vmux", "vsplat")
_KEPT = 1 << 14
"""Lines whose properties are kept."""


class Cost(NamedTuple):
    """``packets``, their lower bound in this program's loops, and how many of them are overhead."""

    packets: float
    bound: float
    overhead: float = 0.0

    @property
    def above_bound(self) -> float:
        """The excess over the bound, as a fraction of it, without overhead."""
        return (self.packets - self.overhead) / self.bound - 1 if self.bound else 0.0


def static_cost(asm: str) -> Cost:
    """Packets of ``asm``, each times `TRIPS` for every enclosing loop."""
    packets, labels = packets_of(asm)
    loops = _loops(packets, labels)
    depth = [0] * len(packets)
    for first, end in loops:
        for number in range(first, end):
            depth[number] += 1
    weight = [float(TRIPS) ** min(d, DEEPEST) for d in depth]
    extra = _backwards(packets, set(labels.values()))
    innermost = [(first, end) for first, end in loops
                 if not any((a, b) != (first, end) and first <= a and b <= end for a, b in loops)]
    idle = overhead = 0.0
    for first, end in innermost:
        loop = packets[first:end]
        lines = Counter(same_form(line) for packet in loop for line in packet)
        if any(map(_computes, lines)):
            idle += weight[first] * (end - first - _least(lines))
            overhead += weight[first] * OVERHEAD * sum(count * _overhead(line) for line, count in lines.items())
    total = overhead + sum(w * (1 + more) for w, more in zip(weight, extra, strict=True))
    return Cost(total, total - overhead - idle, overhead)


def _in(packets: Iterable[Sequence[str]]) -> Iterator[Insn]:
    """The instructions of ``packets``."""
    return (insn for packet in packets for line in packet for insn in instructions(line))


@lru_cache(_KEPT)
def _computes(line: str) -> bool:
    """Whether an instruction of ``line`` computes with vectors, and does not only move, blend, align or convert them.
    """
    halves = [insn.key.partition("=") for insn in instructions(line)]
    return any(left.startswith("V") and right.startswith("v") and not right.startswith(_MOVES)
               for left, _, right in halves)


@lru_cache(_KEPT)
def _overhead(line: str) -> int:
    """The overhead instructions of ``line``."""
    return sum(map(_is_overhead, instructions(line)))


def _is_overhead(insn: Insn) -> bool:
    """Whether ``insn`` stores a vector to the stack, computes an address of it, or copies a vector."""
    if insn.kind == "store":
        return insn.accesses_vector and insn.accesses_frame
    return insn.condition is None and (insn.key == "V=V" or insn.computes_frame_address)


def _loops(packets: list[list[str]], labels: dict[str, int]) -> set[tuple[int, int]]:
    """First packet and the one after the last of each loop."""
    loops = set()
    started: dict[str, list[int]] = {"0": [], "1": []}
    for number, packet in enumerate(packets):
        for insn in _in([[line for line in packet if "jump" in line or "loop" in line]]):
            if insn.target is None or insn.target not in labels:
                continue
            if insn.kind == "loop":
                started[insn.op].append(labels[insn.target])
            elif labels[insn.target] <= number:
                loops.add((labels[insn.target], number + 1))
        for loop, starts in started.items() if ":endloop" in packet[-1] else ():
            before = [start for start in starts if start <= number]
            if f":endloop{loop}" in packet[-1] and before:
                loops.add((max(before), number + 1))
    return loops


def _backwards(packets: list[list[str]], labels: set[int]) -> list[float]:
    """The extra cost of each packet's loads; ``labels`` are the packets with which blocks start. Addresses that are
    invariant in a block are those of tables, not of streams.
    """
    extra = [0.0] * len(packets)
    starts = labels | {number + 1 for number, packet in enumerate(packets) if ":endloop" in packet[-1]}
    bounds = [0, *sorted(starts), len(packets)]
    for first, end in pairwise(bounds):
        loads = [(number, insn.address) for number in range(first, end)
                 for insn in _in([[line for line in packets[number] if "= vmem" in line]])
                 if insn.kind == "load" and insn.address and insn.address.base and insn.address.offset]
        if descending := _descending(loads):  # most blocks have none
            moved = _moved(packets[first:end], {base for _, base in descending})
            for number, base in descending:
                extra[number] += BACKWARDS if ("R", base) in moved else 0.0
    return extra


def _moved(packets: list[list[str]], bases: set[int]) -> set[tuple[str, int]]:
    """Of the registers ``bases`` those that ``packets`` write, and some others."""
    lines = lines_naming((line for packet in packets for line in packet), bases)
    return {unit for insn in _in([lines]) for dest in insn.dests for unit in dest.units()}


def _descending(loads: Iterable[tuple[int, Address]]) -> list[tuple[int, int]]:
    """Packet and base register of each of ``loads`` at a lower offset than the one before by this register."""
    found: list[tuple[int, int]] = []
    last: dict[int, int] = {}
    for number, address in loads:
        assert address.base is not None and address.offset is not None
        base, offset = address.base.number, address.offset.number
        if offset < last.get(base, offset):
            found.append((number, base))
        last[base] = offset
    return found


def _least(lines: Counter[str]) -> float:
    """Least packets for the instructions of ``lines``: the busiest resource is never idle."""
    needs = needed_packets(occupied_by(line) for line in lines.elements() if not line.startswith("}"))
    return ceil(max(needs.get(resource, 0.0) for resource in BOUNDS))
