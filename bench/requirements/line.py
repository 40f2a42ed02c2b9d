"""A line of the table of requirements, and the numbers that are measured for it."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from hexagon_mlir import targets
from hexagon_mlir.sim import RunResult
from hexagon_mlir.targets.dma import Engine
from hexagon_mlir.whole_files import write_files

HEADINGS = ("what", "asked", "measured", "bound", "of the bound", "verdict")
Numbers = dict[str, float]
"""What one measurement gives, by name."""


@dataclass(frozen=True)
class Bound:
    """Cycles at best, and the resource that takes them."""

    cycles: float
    resource: str

    @staticmethod
    def largest(cycles: Mapping[str, float]) -> Bound:
        """Of the resource of ``cycles`` that takes most."""
        resource = max(cycles, key=lambda name: cycles[name])
        return Bound(cycles[resource], resource)


@dataclass(frozen=True)
class Line:
    """One requirement. ``asked`` is empty and ``held`` None where a number is only told; ``limit`` says what keeps a
    missed one from being held."""

    what: str
    asked: str
    measured: str
    held: bool | None
    cycles: float = 0
    bound: Bound | None = None
    limit: str = ""

    @property
    def cells(self) -> tuple[str, ...]:
        """The columns of `HEADINGS`."""
        bound, share = "", ""
        if self.bound is not None:
            bound = f"{self.bound.cycles:,.0f} ({self.bound.resource})"
            share = f"{self.bound.cycles / self.cycles:.0%}"
        verdict = "" if self.held is None else "held" if self.held else f"missed{self.limit and ': '}{self.limit}"
        return self.what, self.asked, self.measured, bound, share, verdict


class Kept:
    """Measurements; those in the file ``path`` are not repeated. What is measured is told on the standard error."""

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._known: dict[str, Numbers] = json.loads(path.read_text()) if path is not None and path.exists() else {}

    def numbers(self, what: str, measure: Callable[[], Numbers]) -> Numbers:
        """What ``measure`` gives for ``what``."""
        if what not in self._known:
            print(f"{what} ...", end=" ", file=sys.stderr, flush=True)
            start = time.perf_counter()
            self._known[what] = measure()
            print(f"{time.perf_counter() - start:.1f} s", file=sys.stderr, flush=True)
            if self._path is not None:
                write_files({self._path: json.dumps(self._known, indent=0).encode()})
        return self._known[what]


def cost(runs: Iterable[RunResult]) -> Numbers:
    """Cycles of ``runs`` together, and what each resource takes of them at least: ``MACs`` the engine's array at its
    full rate, ``DDR`` the bytes that were moved at the bandwidth of the DMA engine, ``HVX`` the packets of HVX that
    were issued."""
    target, every = targets.get(), list(runs)
    issued = float(target.clusters.value) * float(target.hvx_packets_per_cluster_cycle.value)
    return {
        "cycles": sum(run.cycles for run in every),
        "MACs": sum(run.matrix.tile_cycles for run in every if run.matrix is not None),
        "DDR": sum(run.ddr_read_bytes + run.ddr_write_bytes for run in every) / Engine.of(target).rate,
        "HVX": sum(run.hvx_packets for run in every) / issued,
    }


def bound_of(cost_: Numbers) -> Bound:
    """The resource that takes most of a `cost`."""
    return Bound.largest({name: cost_[name] for name in ("MACs", "DDR", "HVX")})


def faster(what: str, engine: Numbers, hvx: Numbers, times: float, before: str) -> Line:
    """That the `cost` ``engine`` has ``times`` fewer cycles than the one named ``before``."""
    cycles, old = engine["cycles"], hvx["cycles"]
    return Line(what, f"{times:g} times fewer than {before}", f"{old / cycles:.1f} times: {cycles:,.0f}, {old:,.0f}",
                old >= times * cycles, cycles, bound_of(engine))
