"""Which floating point the translated code computes with: `Code.floats`."""

from __future__ import annotations

from dataclasses import dataclass

from hexagon_mlir.sim.arithmetic import DEFAULT_ARITHMETIC, Arithmetic
from hexagon_mlir.targets import Qfloat, Target
from hexagon_mlir.targets.disputed import DEFAULT_SIDES, Disputed

DEFAULT_EXTENSION = 0b1010
"""Extension bits of a word that no qfloat instruction has written: L and E set. Of two qf16 lanes: L of both."""


@dataclass(frozen=True)
class FloatModel:
    """The parameters of the semantics of float forms."""

    arithmetic: Arithmetic = DEFAULT_ARITHMETIC
    qfloat: Qfloat = Qfloat.LEGACY
    disputed: Disputed = DEFAULT_SIDES

    @classmethod
    def of(cls, target: Target, arithmetic: Arithmetic) -> FloatModel:
        """The model of a chip."""
        return cls(arithmetic, target.qfloat, target.disputed)

    @property
    def chip(self) -> bool:
        """As the chip computes."""
        return self.arithmetic is Arithmetic.CHIP

    @property
    def extended(self) -> bool:
        """Registers have extension bits."""
        return self.chip and self.qfloat is Qfloat.EXTENDED


PLAIN = FloatModel()
"""For code without HVX floats."""
