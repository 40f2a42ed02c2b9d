"""Which of several assemblies of one program is best: packets, counted more the deeper their loop."""

from __future__ import annotations

import re

TRIPS = 64
"""Passes assumed of every loop."""
_LABEL = re.compile(r"^([.\w$]+):")
_TARGET = re.compile(r"(?:jump(?::n?t)?|loop[01]\()\s*#*([.\w$]+)")


def static_cost(asm: str) -> float:
    """Packets of ``asm``, each times `TRIPS` per loop round it."""
    lines = [line.strip() for line in asm.split("\n")]
    labels: dict[str, int] = {}
    packets = 0
    for line in lines:
        if match := _LABEL.match(line):
            labels[match[1]] = packets
        packets += line == "{"
    loops: list[tuple[int, int]] = []
    started: dict[str, list[int]] = {"0": [], "1": []}
    packets = 0
    for line in lines:
        packets += line == "{"
        if line.startswith("}"):
            for loop, starts in started.items():
                before = [start for start in starts if start < packets]
                if f":endloop{loop}" in line and before:
                    loops.append((max(before), packets))
        elif (match := _TARGET.search(line)) and match[1] in labels:
            place = labels[match[1]]
            if line.startswith("loop"):
                started[line[4]].append(place)
            elif place < packets:
                loops.append((place, packets))
    depth = [0] * (packets + 1)
    for first, last in loops:
        for packet in range(first, last):
            depth[packet] += 1
    return sum(float(TRIPS) ** min(d, 4) for d in depth[:packets])
