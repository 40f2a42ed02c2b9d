"""The fields of qfloat registers, and the numbers of operands.

A word holds M, a two's complement number, above E, an exponent field: 24 and 8 bits (qf32), 11 and 5 (qf16). Both
generations read an integer significand S from it, with a unit of 2**(exponent - fraction_bits), and give a result the
unit that its operation chooses, so that S may have empty leading bits (unnormalised). `qfloat_legacy` and
`qfloat_extended` say what S is and how a result is rounded.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hexagon_mlir.sim.reference.exact import HALF, SINGLE, Format
from hexagon_mlir.sim.reference.ieee_float import decode


@dataclass(frozen=True)
class QFormat:
    """Widths of a qfloat lane; ``ieee`` is the IEEE format of the same width."""

    bits: int
    exponent_bits: int
    ieee: Format

    @property
    def fraction_bits(self) -> int:
        """Of a significand in [1, 2)."""
        return self.ieee.fraction_bits

    @property
    def bias(self) -> int:
        return self.ieee.bias

    @property
    def mask(self) -> int:
        return (1 << self.bits) - 1

    @property
    def exponent_mask(self) -> int:
        return (1 << self.exponent_bits) - 1

    def mantissa(self, word: np.ndarray) -> np.ndarray:
        """M of int64 patterns."""
        return (word ^ 1 << self.bits - 1) - (1 << self.bits - 1) >> self.exponent_bits

    def word(self, mantissa: np.ndarray, field: np.ndarray) -> np.ndarray:
        """int64 patterns of M and E."""
        return (mantissa << self.exponent_bits | field & self.exponent_mask) & self.mask


QF32, QF16 = QFormat(32, 8, SINGLE), QFormat(16, 5, HALF)
FORMATS = {"qf32": QF32, "sf": QF32, "qf16": QF16, "hf": QF16}
"""By suffix; an IEEE operand has the significand and exponent range of the qfloat of its width."""
TYPES = {32: np.uint32, 16: np.uint16}


def ieee_operand(patterns: np.ndarray, f: QFormat) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """(S, exponent, sign, exponent field) of IEEE patterns; the field of infinities and NaNs is an ordinary one."""
    number = decode(patterns, f.ieee)
    field = patterns.astype(np.int64) >> f.fraction_bits & f.exponent_mask
    return number.significand, number.scale + f.fraction_bits, number.negative, field
