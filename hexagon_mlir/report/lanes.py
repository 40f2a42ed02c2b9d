"""A timeline's events as bars: a lane for each hardware thread and DMA engine, the TCM's use as a curve."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

WIDTH = 1000
"""Units across: all of the run."""
_NARROWEST = 0.2  # units; what is narrower is drawn this wide, or it could not be seen


@dataclass(frozen=True)
class Bar:
    """From ``x``, ``width`` wide, in units of `WIDTH`."""

    x: float
    width: float
    label: str
    waits: bool


@dataclass
class Lane:
    """``curve`` is the points of a polyline, x in units of `WIDTH`, y from 0 (top: the most there was) to 1."""

    name: str
    bars: list[Bar] = field(default_factory=list)
    curve: list[tuple[float, float]] = field(default_factory=list)


def lanes(events: Sequence[dict[str, Any]]) -> list[Lane]:
    """Lanes of Chrome trace ``events`` in their order; none for no events."""
    end = max((event["ts"] + event.get("dur", 0.0) for event in events if "ts" in event), default=0.0)
    if end <= 0:
        return []
    found: dict[tuple[int, int], Lane] = {}
    for event in events:
        key = event["pid"], event["tid"]
        if event["ph"] == "M" and event["name"] == "thread_name":
            found[key] = Lane(event["args"]["name"])
        elif event["ph"] == "X":
            x, width = event["ts"] / end * WIDTH, event["dur"] / end * WIDTH
            label = f"{event['name']}: {event['ts']:.2f} us, {event['dur']:.2f} us long"
            found[key].bars.append(Bar(x, max(width, _NARROWEST), label, event["name"].endswith(": waits")))
    used = [(event["ts"] / end * WIDTH, event["args"]["bytes"]) for event in events if event["ph"] == "C"]
    most = max((size for _, size in used), default=0)
    if most:
        found[-1, 0] = Lane(f"TCM, up to {most:,} bytes", curve=_steps(used, most))
    return list(found.values())


def _steps(used: Sequence[tuple[float, int]], most: int) -> list[tuple[float, float]]:
    points, before = [], 0
    for x, size in used:
        points += [(x, 1 - before / most), (x, 1 - size / most)]
        before = size
    return [*points, (float(WIDTH), 1 - before / most)]
