"""One fault that a checked run has found."""

from __future__ import annotations

from dataclasses import dataclass

from hexagon_mlir.sim.checking.rules import HINTS, Rule


@dataclass(frozen=True)
class Report:
    """One fault, the first time a packet shows it."""

    rule: Rule
    address: int
    region: str
    packet: str
    function: str
    line: int
    """Line in the assembly text."""
    source: str
    """'file:line' of the source, or ''."""
    detail: str = ""

    @property
    def certain(self) -> bool:
        """False for faults that may be harmless: a vector load may not use bytes that another thread writes, and a
        conversion may be meant to make negative results 0."""
        return self.rule not in (Rule.VECTOR_RACE, Rule.MATRIX_RELU)

    def __str__(self) -> str:
        where = f"{self.function}, asm line {self.line}" + (f", {self.source}" if self.source else "")
        detail = f": {self.detail}" if self.detail else ""
        hint = f"\n  hint: {HINTS[self.rule]}" if self.rule in HINTS else ""
        return f"{self.rule}: {self.address:#x} ({self.region}){detail}\n  {where}: {self.packet}{hint}"
