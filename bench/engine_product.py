"""A product of matrices that the matrix engine computes: its size, and the cycles that it takes at best."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hexagon_mlir import targets
from hexagon_mlir.dialects.engine_tiles import tiles
from hexagon_mlir.targets.dma import Engine


@dataclass(frozen=True)
class EngineProduct:
    """m x k times k x n of f16; classes of other products say what differs."""

    m: int
    k: int
    n: int
    in_tcm = False
    """Whether operands are in TCM: nothing is transferred."""
    element_bytes: ClassVar[int] = 2
    """Of operands and result."""
    half_products: ClassVar[int] = 1
    """Products of f16 that the engine computes for it."""

    @property
    def name(self) -> str:
        """What the table calls it."""
        return f"{self.m}x{self.k}x{self.n}"

    @property
    def array(self) -> float:
        """Cycles of the multiplier array."""
        cycles = float(targets.get().matrix_half_tile_cycles.value)
        return self.half_products * tiles(self.m) * tiles(self.k) * tiles(self.n) * cycles

    @property
    def moved(self) -> int:
        """Bytes of operands and result."""
        return self.element_bytes * (self.m * self.k + self.k * self.n + self.m * self.n)

    @property
    def bound(self) -> float:
        """Cycles at best."""
        return self.array if self.in_tcm else max(self.array, self.moved / Engine.of(targets.get()).rate)
