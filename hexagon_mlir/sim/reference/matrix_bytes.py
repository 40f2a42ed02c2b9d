"""Conversion of integer accumulators to bytes and halfwords: bias, power of two, shape, scale, bias again, limits."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hexagon_mlir.sim.reference.matrix_integer import signed

POINT = 32
"""Fraction bits of a sum after its shift."""
INTEGER_BITS = 3
"""Bits above the point, the sign among them."""
LOW_BITS = 8
"""Fraction bits of a sum before its shift."""
BYTE_FRACTION, HALFWORD_FRACTION = 12, 24
BYTE_BITS, HALFWORD_BITS = 12, 20
"""Widths of results; stores write all but the lowest four bits."""
MINIMUM, MAXIMUM, ABSOLUTE, NEGATED = 1, 2, 3, 4
EVEN, BOTH = 2, 3
"""Choices of columns of ``2x2``; the others are the odd column."""


@dataclass(frozen=True)
class IntegerOptions:
    """Of a conversion: results wrap instead of saturating, a sticky bit below the fraction, 8 more bits of the sum,
    the columns of ``2x2``."""

    wrap: bool
    sticky: bool = False
    low_bits: bool = False
    columns: int = 0


@dataclass(frozen=True)
class IntegerBias:
    """The fields of the columns' 64 bits; ``low`` and ``high`` are their two words."""

    low: np.ndarray
    high: np.ndarray

    def bits(self, first: int, count: int) -> np.ndarray:
        return self.low >> first & (1 << count) - 1

    @property
    def scale(self) -> np.ndarray:
        """12 bits; the highest is inverted in the register."""
        return (self.bits(16, 1) ^ 1) << 11 | self.bits(0, 10) << 1 | self.bits(31, 1)

    @property
    def exponent(self) -> np.ndarray:
        return self.bits(10, 5)

    @property
    def shape(self) -> np.ndarray:
        return self.bits(17, 2) | self.bits(15, 1) << 2

    @property
    def result_bias(self) -> np.ndarray:
        """12 bits, 4 of them fraction."""
        return self.bits(19, 12)

    @property
    def sum_bias(self) -> np.ndarray:
        return signed(self.high)

    @property
    def low_scale(self) -> np.ndarray:
        """The 8 bits that widen the scale of ``2x1``."""
        return self.bits(23, 8)

    @property
    def rounding(self) -> np.ndarray:
        return self.bits(22, 1)

    def columns(self, chosen: slice) -> IntegerBias:
        return IntegerBias(self.low[chosen], self.high[chosen])


def shifted(total: np.ndarray, exponent: np.ndarray) -> np.ndarray:
    """A sum with `LOW_BITS` fraction bits times two to the exponent, with the fraction and integer bits that the engine
    keeps; the two highest of a sum out of range are 01 or, of a negative one, 10."""
    half = 1 << POINT + INTEGER_BITS - 2
    reach = 2 * half << LOW_BITS >> exponent
    moved = total << exponent >> LOW_BITS  # wraps where it is out of range, and keeps the bits below
    low = (total << exponent & (half << LOW_BITS) - 1) >> LOW_BITS
    return np.where((-reach <= total) & (total < reach), moved, np.where(total > 0, low + half, low - 2 * half))


def shaped(value: np.ndarray, total: np.ndarray, shape: np.ndarray, sticky: bool) -> np.ndarray:
    """Minimum with 0, maximum with 0, the magnitude, or the negative of one of them, with one more bit below.

    ``value`` is ``total`` in fixed point. A negative is the complement, the bit below included; that of 0 is 0. With
    ``sticky`` the bit below tells of a value that is not 0.
    """
    kind, negative = shape & 3, value < 0
    turned = ((kind == ABSOLUTE) & negative) ^ (shape & NEGATED != 0)
    dropped = ((kind == MINIMUM) & ~negative) | ((kind == MAXIMUM) & negative) | (turned & (total == 0))
    below = value << 1 | ((value != 0) & sticky)
    return np.where(dropped, 0, np.where(turned, ~value << 1 | 1, below))


def scaled(
    total: np.ndarray, fraction: int, bias: IntegerBias, scale: np.ndarray, added: np.ndarray, width: int,
    options: IntegerOptions,
) -> np.ndarray:  # fmt: skip
    """Results of ``width`` bits from biased sums with `LOW_BITS` fraction bits; ``fraction`` bits are multiplied."""
    value = shaped(shifted(total, bias.exponent) >> POINT - fraction, total, bias.shape, options.sticky)
    result = scale * value + (added << fraction) >> fraction
    return result & (1 << width) - 1 if options.wrap else np.clip(result, 0, (1 << width) - 1)


def to_bytes(cells: np.ndarray, bias: IntegerBias, options: IntegerOptions, part: bool = False) -> np.ndarray:
    """``cvt.ub``: entries of the conversion state (64, 32); ``part`` when the cells are one sub-accumulator."""
    total = cells + (bias.sum_bias & ~15 if part else bias.sum_bias) << LOW_BITS
    return scaled(total, BYTE_FRACTION, bias, bias.scale, bias.result_bias, BYTE_BITS, options)


def to_halfwords(cells: np.ndarray, bias: IntegerBias, options: IntegerOptions) -> np.ndarray:
    """``cvt.uh:2x1``: each result joins the rows 2m (low byte of the activations) and 2m + 1."""
    scale = bias.scale << 8 | bias.low_scale
    total = joined(cells, bias, options)
    return entries(scaled(total, HALFWORD_FRACTION, bias, scale, bias.rounding << 3, HALFWORD_BITS, options))


def to_halfwords_of_pairs(
    cells: np.ndarray, bias: IntegerBias, options: IntegerOptions, chosen: int, direct: bool
) -> np.ndarray:
    """``cvt.uh:2x2``: one result of two rows and two columns, or with ``chosen`` not `BOTH` of one of the columns.

    It stands in the odd column, or in the even one if that is the one; the other becomes 0. Scale and result bias have
    their low bits in the word of the even column, which also gives all other fields. ``direct`` stores of accumulators
    join both columns, and their result bias counts four times as much.
    """
    low, high = bias.columns(slice(0, None, 2)), bias.columns(slice(1, None, 2))
    scale = (high.scale >> 1) << 11 | low.scale & 0x7FF
    added = (high.result_bias >> 4) << 12 | low.result_bias
    if direct:
        chosen, added = BOTH, added << 2 & (1 << HALFWORD_BITS) - 1
    even, odd = cells[:, ::2], cells[:, 1::2]
    first = even if chosen == EVEN else odd
    total = (first[1::2] << 16) + (first[::2] << 8) + (low.sum_bias << 16)
    if chosen == BOTH:
        total = total + (even[1::2] << 8) + even[::2]
    total = total >> 16 << LOW_BITS
    results = np.zeros((32, 32), np.int64)
    column = 0 if chosen == EVEN else 1
    results[:, column::2] = scaled(total, HALFWORD_FRACTION, low, scale, added << 2, HALFWORD_BITS + 2, options) >> 2
    return entries(results)


def joined(cells: np.ndarray, bias: IntegerBias, options: IntegerOptions) -> np.ndarray:
    """Biased sums of two rows each; their fraction bits are 0 unless ``low_bits``."""
    total = (cells[1::2] + bias.sum_bias << LOW_BITS) + cells[::2]
    return total if options.low_bits else total & ~((1 << LOW_BITS) - 1)


def entries(results: np.ndarray) -> np.ndarray:
    """20 bits of (32, 32) results: the low 12 in the even rows, the high 8 in the odd rows of the conversion state."""
    state = np.zeros((64, 32), np.int64)
    state[::2], state[1::2] = results & 0xFFF, results >> 12 << 4
    return state
