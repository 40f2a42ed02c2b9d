"""How close kernels come to what the chip allows: HVX packets a cycle over HVX packets for each byte of DDR."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from hexagon_mlir.sim import RunResult
from hexagon_mlir.targets import Target

WIDTH, HEIGHT = 640, 320


@dataclass(frozen=True)
class Bound:
    """The least ``cycles`` that a run could take, and what needs them."""

    cycles: float
    by: str


@dataclass(frozen=True)
class Point:
    """A kernel; ``x`` and ``y`` are its place in the figure."""

    name: str
    intensity: float
    rate: float
    x: float
    y: float


@dataclass(frozen=True)
class Roofline:
    """The figure: the roof as points of a polyline, the kernels, and (place, number) of the ticks of both axes."""

    peak: float
    bytes_per_cycle: float
    roof: list[tuple[float, float]]
    points: list[Point]
    x_ticks: list[tuple[float, str]]
    y_ticks: list[tuple[float, str]]


def hvx_packets_per_cycle(target: Target) -> float:
    """That the vector units of all clusters issue at most."""
    return float(target.clusters.value) * float(target.hvx_packets_per_cluster_cycle.value)


def bound(result: RunResult, target: Target) -> Bound:
    """Of the vector units, the DDR by DMA, and the array of the matrix engine, the one that needs the most cycles."""
    ddr = result.ddr_read_bytes + result.ddr_write_bytes
    needs = {"HVX issue": result.hvx_packets / hvx_packets_per_cycle(target),
             "DDR": ddr / float(target.dma_bytes_per_cycle.value),
             "matrix engine": float(result.matrix.tile_cycles) if result.matrix is not None else 0.0}
    by = max(needs, key=lambda name: needs[name])
    return Bound(needs[by], by)


def roofline(runs: Sequence[tuple[str, RunResult]], target: Target) -> Roofline:
    """The figure of ``runs`` (name, result); those without HVX packets have no place in it."""
    peak, slope = hvx_packets_per_cycle(target), float(target.dma_bytes_per_cycle.value)
    places = [(name, result.hvx_packets / max(result.ddr_read_bytes + result.ddr_write_bytes, 1),
               result.hvx_packets / result.cycles) for name, result in runs if result.hvx_packets and result.cycles]
    low_x, high_x = _decades([intensity for _, intensity, _ in places] + [peak / slope])
    low_y, high_y = _decades([rate for _, _, rate in places] + [peak])

    def x(intensity: float) -> float:
        return (math.log10(intensity) - low_x) / (high_x - low_x) * WIDTH

    def y(rate: float) -> float:
        return (high_y - math.log10(rate)) / (high_y - low_y) * HEIGHT

    left = max(10.0 ** low_x, 10.0 ** low_y / slope)
    roof = [(x(left), y(left * slope)), (x(peak / slope), y(peak)), (float(WIDTH), y(peak))]
    return Roofline(peak, slope, roof, [Point(name, i, rate, x(i), y(rate)) for name, i, rate in places],
                    [(x(10.0 ** e), f"{10.0 ** e:g}") for e in range(low_x, high_x + 1)],
                    [(y(10.0 ** e), f"{10.0 ** e:g}") for e in range(low_y, high_y + 1)])


def _decades(values: Sequence[float]) -> tuple[int, int]:
    """The powers of ten around ``values``, two at least."""
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    return low, max(high, low + 1)
