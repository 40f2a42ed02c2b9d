"""What transfers between DDR and TCM cost: the model that decisions about tiles and buffers share."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

from hexagon_mlir.targets.base import Target


@dataclass(frozen=True)
class Engine:
    """What a transfer costs, in cycles and bytes per cycle; ``core_rate`` is what the core copies at by itself.

    ``latency`` is what the core waits for bytes of DDR that do not follow the line before, of ``line`` bytes;
    ``issue_rate`` is what it copies at where it waits for none, a load and a store for each vector.
    """

    start: float
    descriptor: float
    rate: float
    core_rate: float
    latency: float
    line: int
    issue_rate: float

    @staticmethod
    def of(target: Target) -> Engine:
        """The DMA engine of ``target``."""
        return Engine(float(target.dma_start_cycles.value), float(target.dma_descriptor_cycles.value),
                      float(target.dma_bytes_per_cycle.value), float(target.ddr_bytes_per_cycle.value),
                      float(target.ddr_latency_cycles.value), int(target.l2_line_bytes.value),
                      float(target.vector_bytes.value) / (2 * float(target.hvx_issue_interval_cycles.value)))

    def busy(self, nbytes: int) -> float:
        """Cycles the engine works on one transfer among others."""
        return self.descriptor + nbytes / self.rate

    def copied(self, nbytes: int) -> float:
        """Cycles of a copy from DDR to TCM that the core makes."""
        return self.latency + nbytes / self.core_rate + nbytes / self.issue_rate

    @property
    def break_even_bytes(self) -> int:
        """Bytes from which a transfer (start and its bandwidth) beats the core reading DDR through L2."""
        return round(self.start / (1 / self.core_rate - 1 / self.rate))

    def least_awaited_bytes(self, transfers: int = 1) -> int:
        """Bytes from which so many ``transfers`` that the core starts and waits for take less time than a copy by the
        core."""
        return round((transfers * self.descriptor + self.latency) / (1 / self.core_rate - 1 / self.rate))

    def least_overlapped_bytes(self, transfers: int = 1) -> int:
        """Bytes from which it takes the core less time to start so many ``transfers`` than to copy."""
        return round(transfers * self.descriptor * self.core_rate)

    def moves_rows(self, rows: int, row_bytes: int, pitch_bytes: int, transfers: int = 1,
                   in_order: bool = False) -> bool:
        """True when the engine beats the core at ``rows`` of DDR at a distance of ``pitch_bytes``.

        The core waits for each that starts a line of its own, unless the cache holds it: as likely as not. It does
        not where it reads ``in_order`` and there is no line between rows. The engine takes so many ``transfers``.
        """
        if pitch_bytes - (row_bytes if in_order else 0) < self.line:
            return False
        core = rows * (self.latency / 2 + row_bytes / self.core_rate)
        return core > self.start + (transfers - 1) * self.descriptor + rows * row_bytes / self.rate

    def break_even_rows(self, row_bytes: int) -> int:
        """Bytes from which a transfer of rows of ``row_bytes`` with gaps between them beats the core; see `moves_rows`.
        """
        gain = self.latency / 2 + row_bytes / self.core_rate - row_bytes / self.rate
        return row_bytes * ceil(self.start / gain)

    def waited_for(self, nbytes: int) -> float:
        """Cycles of a copy that the core waits for, by the faster of engine and core."""
        return min(self.start + nbytes / self.rate, nbytes / self.core_rate)
