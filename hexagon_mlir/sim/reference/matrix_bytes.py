"""Conversion of integer accumulators to bytes and halfwords: bias, power of two, shape, scale, bias again, limits."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hexagon_mlir.sim.reference.rules import signed

POINT = 32
"""Fraction bits of a sum after its shift."""
INTEGER_BITS = 3
"""Bits above the point, the sign among them."""
BYTE_FRACTION, HALFWORD_FRACTION = 12, 24
BYTE_BITS, HALFWORD_BITS = 12, 20
"""Widths of results; stores write all but the lowest four bits."""
MINIMUM, MAXIMUM, ABSOLUTE, NEGATED = 1, 2, 3, 4


@dataclass(frozen=True)
class IntegerOptions:
    """Of a conversion: results wrap instead of saturating, a sticky bit below the fraction, 8 more bits of the sum."""

    wrap: bool
    sticky: bool = False
    low_bits: bool = False


@dataclass(frozen=True)
class IntegerBias:
    """The fields of a column's 64 bits."""

    word: int

    @property
    def scale(self) -> int:
        """12 bits; the highest is inverted in the register."""
        return (~self.word >> 16 & 1) << 11 | (self.word & 0x3FF) << 1 | self.word >> 31 & 1

    @property
    def exponent(self) -> int:
        return self.word >> 10 & 31

    @property
    def shape(self) -> int:
        return self.word >> 17 & 3 | (self.word >> 15 & 1) << 2

    @property
    def result_bias(self) -> int:
        """12 bits, 4 of them fraction."""
        return self.word >> 19 & 0xFFF

    @property
    def sum_bias(self) -> int:
        return signed(self.word >> 32, 32)

    @property
    def low_scale(self) -> int:
        """The 8 bits that widen the scale of ``2x1``."""
        return self.word >> 23 & 0xFF

    @property
    def rounding(self) -> int:
        return self.word >> 22 & 1


def limited(value: int) -> int:
    """A shifted sum with the integer bits that the engine keeps; out of range, the two highest are 01 or, of a negative
    sum, 10."""
    reach = 1 << POINT + INTEGER_BITS - 1
    if -reach <= value < reach:
        return value
    low = value & (reach >> 1) - 1
    return low + (reach >> 1) if value > 0 else low - reach


def shaped(value: int, shape: int) -> int:
    """Minimum with 0, maximum with 0, the magnitude, or the negative of one of them; negatives are complements."""
    kind, negated = shape & 3, bool(shape & NEGATED)
    if (kind == MINIMUM and value >= 0) or (kind == MAXIMUM and value < 0):
        return 0
    return ~value if (kind == ABSOLUTE and value < 0) != negated else value


def scaled(total: int, fraction: int, bias: IntegerBias, scale: int, added: int, width: int, options: IntegerOptions
           ) -> int:  # fmt: skip
    """A result of ``width`` bits from a biased sum that has 8 fraction bits; ``fraction`` bits of it are kept."""
    value = shaped(limited(total << bias.exponent >> 8) >> POINT - fraction, bias.shape)
    if options.sticky:
        value, fraction = value << 1 | (total != 0), fraction + 1
    result = scale * value + (added << fraction - 1) >> fraction - 1
    return result & (1 << width) - 1 if options.wrap else min(max(result, 0), (1 << width) - 1)


def to_bytes(cells: np.ndarray, words: list[int], options: IntegerOptions, part: bool = False) -> np.ndarray:
    """``cvt.ub``: entries of the conversion state (64, 32); ``part`` when the cells are one sub-accumulator."""
    entries = np.zeros((64, 32), np.int64)
    for (row, column), cell in np.ndenumerate(cells):
        bias = IntegerBias(words[column])
        total = int(cell) + (bias.sum_bias & ~15 if part else bias.sum_bias) << 8
        entries[row, column] = scaled(
            total, BYTE_FRACTION, bias, bias.scale, bias.result_bias, BYTE_BITS, options
        )
    return entries


def to_halfwords(cells: np.ndarray, words: list[int], options: IntegerOptions) -> np.ndarray:
    """``cvt.uh:2x1``: each result joins the rows 2m (low byte of the activations) and 2m + 1."""
    entries = np.zeros((64, 32), np.int64)
    for row, column in np.ndindex(32, 32):
        bias = IntegerBias(words[column])
        total = joined(cells, row, column, bias, options)
        scale = bias.scale << 8 | bias.low_scale
        result = scaled(total, HALFWORD_FRACTION, bias, scale, bias.rounding << 3, HALFWORD_BITS, options)
        put(entries, row, column, result)
    return entries


def to_halfwords_of_pairs(cells: np.ndarray, words: list[int], options: IntegerOptions) -> np.ndarray:
    """``cvt.uh:2x2``: results of the odd columns; the even ones become 0.

    Scale and bias have their low bits in the word of the even column, which also gives all other fields.
    """
    entries = np.zeros((64, 32), np.int64)
    for row, pair in np.ndindex(32, 16):
        low, high = IntegerBias(words[2 * pair]), IntegerBias(words[2 * pair + 1])
        total = joined(cells, row, 2 * pair + 1, low, options)
        scale = (high.scale >> 1) << 11 | low.scale & 0x7FF
        added = (high.result_bias >> 4) << 12 | low.result_bias
        result = scaled(total, HALFWORD_FRACTION, low, scale, added << 2, HALFWORD_BITS + 2, options)
        put(entries, row, 2 * pair + 1, result >> 2)
    return entries


def joined(cells: np.ndarray, row: int, column: int, bias: IntegerBias, options: IntegerOptions) -> int:
    """The biased sum of two rows with 8 fraction bits, which are 0 unless ``low_bits``."""
    low, high = int(cells[2 * row, column]), int(cells[2 * row + 1, column])
    total = (high + bias.sum_bias << 8) + low
    return total if options.low_bits else total & ~0xFF


def put(entries: np.ndarray, row: int, column: int, result: int) -> None:
    """20 bits: the low 12 in the even row, the high 8 in the odd row."""
    entries[2 * row, column], entries[2 * row + 1, column] = result & 0xFFF, result >> 12 << 4
