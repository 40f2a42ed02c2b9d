"""A timeline's events as bars: a lane for each hardware thread, DMA engine and server of the matrix engine, the TCM's
use as a curve, and a map of the TCM that transfers fill and read. Times in cycles."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from hexagon_mlir import targets
from hexagon_mlir.sim.layout import TCM_BASE

WIDTH = 1000
"""Units across: all of the run."""
HEIGHT = 160
"""Units down: the TCM that transfers use."""
_NARROWEST = 1.0  # units, about a pixel; what is narrower is drawn this wide, or together with its neighbours
_TICKS = 8
KINDS = {"run": "a thread runs", "wait": "a thread waits", "dma": "a DMA transfer", "engine": "the matrix engine works",
         "in": "a transfer into TCM", "out": "a transfer out of TCM"}
"""What a bar's colour stands for: the legend."""
_KIND_OF_PROCESS = {"hardware threads": "run", "DMA": "dma", "matrix engine": "engine"}


@dataclass(frozen=True)
class Bar:
    """From ``x``, ``width`` wide, in units of `WIDTH`; ``kind`` is one of `KINDS`. In a map, from ``y`` down."""

    x: float
    width: float
    label: str
    kind: str
    y: float = 0.0
    height: float = 0.0


@dataclass
class Lane:
    """``curve`` is the points of a polyline, x in units of `WIDTH`, y from 0 (top: the most there was) to 1."""

    name: str
    bars: list[Bar] = field(default_factory=list)
    curve: list[tuple[float, float]] = field(default_factory=list)


@dataclass(frozen=True)
class Timeline:
    """``ticks`` are (x, cycles); ``tcm`` the bars of the map, whose bytes are ``tcm_bytes``; ``kinds`` those in use."""

    cycles: float
    lanes: list[Lane]
    ticks: list[tuple[float, int]]
    tcm: list[Bar]
    tcm_bytes: int

    @property
    def kinds(self) -> dict[str, str]:
        used = {bar.kind for bar in [*self.tcm, *(bar for lane in self.lanes for bar in lane.bars)]}
        return {kind: meaning for kind, meaning in KINDS.items() if kind in used}


def timeline(trace: Mapping[str, Any]) -> Timeline:
    """Of Chrome trace events as a run keeps them (`exec.session.Trace.timeline`), whose times are microseconds."""
    target = targets.get(trace["otherData"]["target"])
    cycles = float(target.clock_hz.value) / 1e6
    events = [{**event, **{key: event[key] * cycles for key in ("ts", "dur") if key in event}}
              for event in trace["traceEvents"]]
    end = max((event["ts"] + event.get("dur", 0.0) for event in events if "ts" in event), default=0.0)
    found = lanes(events)
    tcm, size = _tcm_map(events, end, int(target.tcm_bytes.value))
    return Timeline(end, found, ticks(end), tcm, size)


def ticks(end: float) -> list[tuple[float, int]]:
    """(x, cycles) of round numbers of cycles, at most `_TICKS` after 0."""
    if end < 1:
        return []
    step = 10 ** math.floor(math.log10(end / _TICKS)) if end > _TICKS else 1
    step = next(int(step * factor) for factor in (1, 2, 5, 10) if step * factor * _TICKS >= end and step * factor >= 1)
    return [(number * step / end * WIDTH, number * step) for number in range(int(end / step) + 1)]


def lanes(events: Sequence[Mapping[str, Any]]) -> list[Lane]:
    """Lanes of Chrome trace ``events`` in their order; none for no events."""
    end = max((event["ts"] + event.get("dur", 0.0) for event in events if "ts" in event), default=0.0)
    if end <= 0:
        return []
    found: dict[tuple[int, int], Lane] = {}
    kinds: dict[int, str] = {}
    for event in events:
        key = event["pid"], event["tid"]
        if event["ph"] == "M" and event["name"] == "process_name":
            kinds[event["pid"]] = _KIND_OF_PROCESS.get(event["args"]["name"], "run")
        elif event["ph"] == "M" and event["name"] == "thread_name":
            found[key] = Lane(event["args"]["name"])
        elif event["ph"] == "X":
            kind = "wait" if event["name"].endswith((": waits", ": polls")) else kinds.get(event["pid"], "run")
            found[key].bars.append(Bar(event["ts"] / end * WIDTH, event["dur"] / end * WIDTH, _label(event), kind))
    for lane in found.values():
        lane.bars = _visible(lane.bars)
    used = [(event["ts"] / end * WIDTH, event["args"]["bytes"]) for event in events if event["ph"] == "C"]
    most = max((size for _, size in used), default=0)
    if most:
        found[-1, 0] = Lane(f"TCM, up to {most:,} bytes", curve=_steps(used, most))
    return list(found.values())


def _label(event: Mapping[str, Any]) -> str:
    return f"{event['name']}: from cycle {event['ts']:,.0f}, {event['dur']:,.0f} cycles"


def _visible(bars: Iterable[Bar]) -> list[Bar]:
    """``bars`` in order of their begin; neighbours of a kind that are narrower than can be seen become one."""
    groups: list[list[Bar]] = []
    for bar in sorted(bars, key=lambda bar: bar.x):
        first = groups[-1][0] if groups else None
        if first is None or first.kind != bar.kind or bar.x + bar.width - first.x >= _NARROWEST:
            groups.append([])
        groups[-1].append(bar)
    return [replace(group[0], width=max(_NARROWEST, *(bar.x + bar.width - group[0].x for bar in group)),
                    label=group[0].label + (f", and {len(group) - 1} more" if len(group) > 1 else ""))
            for group in groups]


def _tcm_map(events: Sequence[Mapping[str, Any]], end: float, tcm_bytes: int) -> tuple[list[Bar], int]:
    """The bytes of TCM that each transfer writes or reads, from its start to its end; and the bytes shown."""
    found = []
    for event in events:
        arguments = event.get("args", {})
        for kind, key in (("in", "dst"), ("out", "src")):
            if event["ph"] == "X" and key in arguments:
                offset = int(arguments[key], 16) - TCM_BASE
                if 0 <= offset < tcm_bytes:
                    found.append((kind, offset, int(arguments["bytes"]), event))
    size = max((offset + nbytes for _, offset, nbytes, _ in found), default=0)
    rows: dict[tuple[str, int, int], list[Bar]] = {}
    for kind, offset, nbytes, event in found:
        rows.setdefault((kind, offset, nbytes), []).append(Bar(
            event["ts"] / end * WIDTH, event["dur"] / end * WIDTH,
            f"{KINDS[kind]}, {nbytes:,} bytes at {offset:#x}: {_label(event)}", kind, offset / size * HEIGHT,
            max(nbytes / size * HEIGHT, 1.0)))
    return [bar for row in rows.values() for bar in _visible(row)], size


def _steps(used: Sequence[tuple[float, int]], most: int) -> list[tuple[float, float]]:
    points, before = [], 0
    for x, size in used:
        points += [(x, 1 - before / most), (x, 1 - size / most)]
        before = size
    return [*points, (float(WIDTH), 1 - before / most)]
