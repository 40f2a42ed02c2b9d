"""Which of several assemblies of one program is best, and whether looking for a better one is worth it.

The cost is packets, counted more the deeper their loop. Vector loads that walk backwards cost extra: a stream from DDR
is fetched ahead in one direction only. The bound is the cost if every innermost loop that computes with vectors kept
its busiest resource busy in every packet (`hexagon_mlir.isa.resources`). What no expert would write costs extra too:
values stored to the stack, addresses of the stack computed anew, copies of vectors. Scalar loops and loops that move
vectors come out alike however they are made.
"""

from __future__ import annotations

import re
from itertools import pairwise
from math import ceil
from typing import NamedTuple

from hexagon_mlir.codegen.scheduling.packets import packets_of
from hexagon_mlir.isa.resources import needed_packets, taken_by

TRIPS = 64
"""Passes assumed of every loop."""
DEEPEST = 4
"""Loops round a packet that count."""
BACKWARDS = 0.25
"""Packets that a load below its predecessor counts for."""
WASTE = 1.0
"""Packets that an instruction of a loop counts for which does none of its work."""
BOUNDS = ("slot", "shift", "multiply", "load", "store")
"""Resources that bound a loop here. With all pipes counted too, bounds are closer and fewer tries worth their time:
GELU f32 takes 3 % more cycles.
"""
_COMPUTES = re.compile(r"(?:^|\s)v\d+(?::\d+)?(?:\.\w+)? [-+|&^]?= v(?!mem|l?align|combine|mux|splat|\d)")
_WASTE = re.compile(r"vmemu?\(r(?:29|30)\b[^)]*\)\s*=|^r\d+ = add\(r(?:29|30),|^v\d+ = v\d+$")
_ASSIGNED = re.compile(r"^(?:if \([^)]*\) )?r(\d+)(?::(\d+))? =")
_LOAD = re.compile(r"= vmemu?\((r\d+)\+#(-?\d+)\)")
_TARGET = re.compile(r"(?:jump(?::n?t)?|loop[01]\()\s*#*([.\w$]+)")


class Cost(NamedTuple):
    """``packets``, what they would be at the least in this program's loops, and how many of them count for waste."""

    packets: float
    bound: float
    waste: float = 0.0

    @property
    def excess(self) -> float:
        """How far above the bound, as a part of it; waste aside."""
        return (self.packets - self.waste) / self.bound - 1 if self.bound else 0.0


def static_cost(asm: str) -> Cost:
    """Packets of ``asm``, each times `TRIPS` per loop round it."""
    packets, labels = packets_of(asm)
    loops = _loops(packets, labels)
    depth = [0] * len(packets)
    for first, end in loops:
        for number in range(first, end):
            depth[number] += 1
    weight = [float(TRIPS) ** min(d, DEEPEST) for d in depth]
    extra = _backwards(packets, set(labels.values()))
    hot = [(first, end) for first, end in loops
           if not any((a, b) != (first, end) and first <= a and b <= end for a, b in loops)
           and any(_COMPUTES.search(line) for packet in packets[first:end] for line in packet)]
    idle = sum(weight[first] * (end - first - _least(packets[first:end])) for first, end in hot)
    waste = sum(weight[first] * WASTE * bool(_WASTE.search(line))
                for first, end in hot for packet in packets[first:end] for line in packet)
    total = waste + sum(w * (1 + more) for w, more in zip(weight, extra, strict=True))
    return Cost(total, total - waste - idle, waste)


def _loops(packets: list[list[str]], labels: dict[str, int]) -> set[tuple[int, int]]:
    """First packet and the one after the last of each loop."""
    loops = set()
    started: dict[str, list[int]] = {"0": [], "1": []}
    for number, packet in enumerate(packets):
        for line in packet:
            match = _TARGET.search(line) if "jump" in line or "loop" in line else None
            if match and match[1] in labels:
                if line.startswith("loop"):
                    started[line[4]].append(labels[match[1]])
                elif labels[match[1]] <= number:
                    loops.add((labels[match[1]], number + 1))
        for loop, starts in started.items() if ":endloop" in packet[-1] else ():
            before = [start for start in starts if start <= number]
            if f":endloop{loop}" in packet[-1] and before:
                loops.add((max(before), number + 1))
    return loops


def _backwards(packets: list[list[str]], labels: set[int]) -> list[float]:
    """What each packet's loads cost extra; ``labels`` are the packets that blocks start with. Addresses that a block
    leaves alone are those of tables, not of streams.
    """
    extra = [0.0] * len(packets)
    starts = labels | {number + 1 for number, packet in enumerate(packets) if ":endloop" in packet[-1]}
    bounds = [0, *sorted(starts), len(packets)]
    for first, end in pairwise(bounds):
        loads = [(number, load) for number in range(first, end) for line in packets[number]
                 if "= vmem" in line and (load := _LOAD.search(line))]
        moved = {f"r{number}" for packet in packets[first:end] for line in packet
                 for match in _ASSIGNED.findall(line) for number in match} if loads else set()
        last = dict[str, int]()
        for number, load in loads:
            offset = int(load[2])
            back = load[1] in moved and offset < last.get(load[1], offset)
            extra[number] += BACKWARDS if back else 0.0
            last[load[1]] = offset
    return extra


def _least(packets: list[list[str]]) -> float:
    """Packets that the instructions of ``packets`` need if one resource never idles."""
    lines = [line for packet in packets for line in packet if not line.startswith("}")]
    needs = needed_packets(map(taken_by, lines))
    return ceil(max(needs.get(resource, 0.0) for resource in BOUNDS))
