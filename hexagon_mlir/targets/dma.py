"""What transfers between DDR and TCM cost: the model that decisions about tiles and buffers share."""

from __future__ import annotations

from dataclasses import dataclass

from hexagon_mlir.targets.base import Target


@dataclass(frozen=True)
class Engine:
    """What a transfer costs, in cycles and bytes per cycle; ``core_rate`` is what the core copies at by itself."""

    start: float
    descriptor: float
    rate: float
    core_rate: float

    @staticmethod
    def of(target: Target) -> Engine:
        """The DMA engine of ``target``."""
        return Engine(float(target.dma_start_cycles.value), float(target.dma_descriptor_cycles.value),
                      float(target.dma_bytes_per_cycle.value), float(target.ddr_bytes_per_cycle.value))

    def busy(self, nbytes: int) -> float:
        """Cycles the engine works on one transfer among others."""
        return self.descriptor + nbytes / self.rate

    @property
    def break_even_bytes(self) -> int:
        """Bytes from which a transfer (start and its bandwidth) beats the core reading DDR through L2."""
        return round(self.start / (1 / self.core_rate - 1 / self.rate))

    def waited_for(self, nbytes: int) -> float:
        """Cycles of a copy that the core waits for, by the faster of engine and core."""
        return min(self.start + nbytes / self.rate, nbytes / self.core_rate)
