"""Which of several assemblies of one program is best: packets, counted more the deeper their loop.

Vector loads that walk backwards cost extra: a stream from DDR is fetched ahead in one direction only.
"""

from __future__ import annotations

import re

TRIPS = 64
"""Passes assumed of every loop."""
BACKWARDS = 0.25
"""Packets that a load below its predecessor counts for."""
_LOAD = re.compile(r"= vmemu?\((r\d+)\+#(-?\d+)\)")
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
    extra: dict[int, float] = {}
    last: dict[str, int] = {}
    for line in lines:
        packets += line == "{"
        if load := _LOAD.search(line):
            offset = int(load[2])
            if offset < last.get(load[1], offset):
                extra[packets - 1] = extra.get(packets - 1, 0.0) + BACKWARDS
            last[load[1]] = offset
        elif line.startswith("}") or _LABEL.match(line):
            last = {} if ":endloop" in line or line.endswith(":") else last
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
    for first, end in loops:
        for packet in range(first, end):
            depth[packet] += 1
    return sum((1 + extra.get(number, 0)) * float(TRIPS) ** min(d, 4) for number, d in enumerate(depth[:packets]))
