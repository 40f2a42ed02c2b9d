"""What decoding costs on the simulated chip, and what DDR allows at best."""

from __future__ import annotations

from dataclasses import dataclass

from hexagon_mlir import targets
from hexagon_mlir.exec.model import ModelRun


@dataclass
class Phase:
    """Tokens of a phase (prefill or decode), simulated cycles, bytes read from and written to DDR, and those that it
    must read: each weight once a run, the keys and values of its layers once a run."""

    target: str
    tokens: int = 0
    cycles: int = 0
    ddr_bytes: int = 0
    needed_bytes: int = 0

    def add(self, tokens: int, run: ModelRun, needed_bytes: int) -> None:
        """Count one run of ``tokens``."""
        self.tokens += tokens
        self.cycles += run.cycles
        self.ddr_bytes += run.ddr_bytes
        self.needed_bytes += needed_bytes

    @property
    def tokens_per_second(self) -> float:
        """At the target's clock, which is an estimate for some targets."""
        return self.tokens * float(targets.get(self.target).clock_hz.value) / self.cycles if self.cycles else 0.0

    @property
    def bytes_per_token(self) -> float:
        """Bytes from and to DDR."""
        return self.ddr_bytes / self.tokens if self.tokens else 0.0

    @property
    def bound_share(self) -> float:
        """The cycles of DMA that the needed bytes take, as a share of all cycles: 1 is as fast as DDR allows."""
        rate = float(targets.get(self.target).dma_bytes_per_cycle.value)
        return self.needed_bytes / rate / self.cycles if self.cycles else 0.0

    def __str__(self) -> str:
        if not self.tokens:
            return "0 tokens"
        return (f"{self.tokens} tokens, {self.tokens_per_second:,.1f} tokens/s, {self.bytes_per_token / 1e6:,.2f} MB "
                f"per token, {self.bound_share:.0%} of the DDR bound")
