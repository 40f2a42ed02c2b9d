"""Parts of a convolution's result."""

from __future__ import annotations

from dataclasses import dataclass

from hexagon_mlir.ir import ir
from hexagon_mlir.passes.engine_convolution.sizes import Plan
from hexagon_mlir.passes.engine_convolution.slices import Offset


@dataclass(frozen=True)
class Part:
    """Of the result: image, first row and count of rows, first channel and count of channels; how its rows are cut into
    tiles."""

    batch: Offset
    row: Offset
    rows: int
    output: Offset
    outputs: int
    plan: Plan


@dataclass(frozen=True)
class Unfinished:
    """Result tiles of a part, and what the epilogues read of it besides, in TCM."""

    tiles: ir.Value
    part: Part
    inputs: list[list[ir.Value]]
