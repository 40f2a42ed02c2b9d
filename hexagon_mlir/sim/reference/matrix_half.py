"""Conversion of a float accumulator to f16: bias, shape, scale, bias again and one rounding.

Numbers are Python's integers with an exponent; what a sum or the multiplier cannot hold is kept as a sticky last bit.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hexagon_mlir.sim.reference.matrix_bytes import entries
from hexagon_mlir.sim.reference.matrix_float import BIAS_SCALE, FINITE, NAN, NEGATIVE, POSITIVE

EXTRA_BITS = 4
"""Mantissa bits of a result in the conversion state below the 16 that stores write."""
NAN_RESULT = 0xFFFFF
WORD = (1 << 64) - 1
SHAPED_BITS = 15
"""Magnitude bits of the sum that the scale multiplies."""
SUM_BIAS_PLACES, RESULT_BIAS_PLACES = 8, 13
"""Zeros below the significands of the biases, so that they have the units of cells and of products."""
LEAST = -1024
"""The exponent of a zero bias or product, below all others."""
MINIMUM, MAXIMUM, ABSOLUTE = 1, 2, 3


@dataclass(frozen=True)
class Number:
    """``significand * 2**exponent``, or an infinity or NaN when ``kind`` says so."""

    significand: int
    exponent: int = 0
    kind: int = FINITE

    @property
    def negative(self) -> bool:
        return self.kind == NEGATIVE or (self.kind == FINITE and self.significand < 0)


@dataclass(frozen=True)
class HalfOptions:
    """Of a conversion: the ReLU, the largest exponent 30, the extra mantissa bits, and USR's bits 20 and 21."""

    relu: bool
    largest_30: bool = False
    extra: bool = False
    ieee: bool = False
    nan_passes: bool = False


@dataclass(frozen=True)
class HalfBias:
    """The fields of a column's 64 bits."""

    scale: Number
    result_bias: Number
    sum_bias: Number
    shape: int
    negate: bool

    @classmethod
    def of(cls, word: int, ieee: bool) -> HalfBias:
        """The fields of ``word``; each number has the low bits of its mantissa apart from the others."""
        return cls(
            number(word & 0xFFFF, word >> 32 & 15, 4, ieee), number(word >> 16 & 0xFFFF, word >> 36 & 15, 4, ieee),
            number(word >> 48, word >> 43 & 31, 5, ieee), word >> 40 & 3, bool(word >> 42 & 1),
        )  # fmt: skip


def number(half: int, more: int, count: int, ieee: bool) -> Number:
    """An f16 pattern with ``count`` more bits of mantissa."""
    exponent, fraction = half >> 10 & 31, (half & 0x3FF) << count | more
    negative = bool(half >> 15)
    if ieee and exponent == 31:
        return Number(0, 0, NAN) if fraction else infinity(negative)
    significand = fraction | (bool(exponent) << 10 + count)
    return Number(-significand if negative else significand, max(exponent, 1) - 25 - count)


def widened(a: Number, places: int) -> Number:
    """The number with zeros below."""
    return Number(a.significand << places, a.exponent - places if a.significand else LEAST, a.kind)


def infinity(negative: bool) -> Number:
    return Number(0, 0, NEGATIVE if negative else POSITIVE)


def add(a: Number, b: Number) -> Number:
    """The sum in units of the one with the larger exponent; what the other loses is a sticky last bit."""
    kinds = {a.kind, b.kind} - {FINITE}
    if kinds:
        return Number(0, 0, NAN if NAN in kinds or len(kinds) > 1 else kinds.pop())
    if a.exponent < b.exponent:
        a, b = b, a
    return Number(a.significand + sticky(b.significand, a.exponent - b.exponent), a.exponent)


def sticky(value: int, places: int) -> int:
    """``value`` moved right; the last place is 1 when ones were lost."""
    kept = value >> places
    return kept | (kept << places != value)


def multiply(a: Number, b: Number) -> Number:
    """The exact product."""
    if NAN in (a.kind, b.kind):
        return Number(0, 0, NAN)
    if a.kind != FINITE or b.kind != FINITE:
        if any(x.kind == FINITE and x.significand == 0 for x in (a, b)):
            return Number(0, 0, NAN)
        return infinity(a.negative != b.negative)
    product = a.significand * b.significand
    return Number(product, a.exponent + b.exponent if product else LEAST)


def negated(a: Number) -> Number:
    if a.kind in (POSITIVE, NEGATIVE):
        return infinity(a.kind == POSITIVE)
    return Number(-a.significand, a.exponent, a.kind)


def normalized(a: Number) -> Number:
    """The leading `SHAPED_BITS` and sign, which the multiplier takes; the last one is sticky."""
    if a.kind != FINITE or a.significand == 0:
        return a
    places = (a.significand if a.significand > 0 else ~a.significand).bit_length() - SHAPED_BITS
    if places <= 0:
        return Number(a.significand << -places, a.exponent + places)
    return Number(sticky(a.significand, places), a.exponent + places)


def shaped(a: Number, shape: int, nan_passes: bool) -> Number:
    """Minimum with 0, maximum with 0, or the magnitude; both extremes make NaN 0 unless it passes."""
    if a.kind == NAN:
        return Number(0) if shape in (MINIMUM, MAXIMUM) and not nan_passes else a
    if shape == ABSOLUTE:
        return negated(a) if a.negative else a
    drop = {MINIMUM: not a.negative, MAXIMUM: a.negative}.get(shape, False)
    return Number(0) if drop else a


def rounded(a: Number, options: HalfOptions) -> int:
    """The 20-bit pattern of the state: nearest, ties to even, to 10 bits of mantissa or 14."""
    largest = overflowed(options)
    sign = a.negative << 19
    if a.kind != FINITE:
        return sign | largest
    size = abs(a.significand)
    if size == 0:
        return 0
    fraction_bits = 10 + EXTRA_BITS * options.extra
    leading = max(size.bit_length() - 1 + a.exponent, -14)
    places = leading - fraction_bits - a.exponent
    whole = size >> places if places > 0 else size << -places
    if places > 0:
        twice = 2 * (size & (1 << places) - 1)
        whole += twice > 1 << places or (twice == 1 << places and whole & 1)
    pattern = whole + (leading + 14 << fraction_bits)
    pattern <<= 10 + EXTRA_BITS - fraction_bits
    limit = (31 if options.ieee else 32) << 10 + EXTRA_BITS
    return sign | (pattern if pattern < limit else largest)


def overflowed(options: HalfOptions) -> int:
    """What magnitudes become that have no pattern."""
    if options.largest_30:
        return 0x7BFFF
    return 0x7C000 if options.ieee else 0x7FFFF


def convert(cell: Number, bias: HalfBias, options: HalfOptions) -> int:
    """The 20 bits that the conversion state keeps of a cell."""
    total = normalized(add(cell, widened(bias.sum_bias, SUM_BIAS_PLACES)))
    value = multiply(shaped(total, bias.shape, options.nan_passes), bias.scale)
    result = add(negated(value) if bias.negate else value, widened(bias.result_bias, RESULT_BIAS_PLACES))
    if result.kind == NAN:
        return nan_result(options)
    return 0 if options.relu and result.negative else rounded(result, options)


def nan_result(options: HalfOptions) -> int:
    """NaN that passes; else 0 with the ReLU, and the least number where the largest exponent is 30."""
    if options.nan_passes:
        return NAN_RESULT
    if options.relu:
        return 0
    return 1 << 19 | overflowed(options) if options.largest_30 else NAN_RESULT


def convert_set(
    significand: np.ndarray, exponent: np.ndarray, kind: np.ndarray, words: np.ndarray, options: HalfOptions
) -> np.ndarray:
    """Entries of the conversion state (64, 32) from the cells of a set (32, 32) and the columns' 64-bit words."""
    biases = [HalfBias.of(int(word) & WORD, options.ieee) for word in words]
    columns = np.broadcast_to(np.arange(len(words)), significand.shape)
    cells, where = np.unique(
        np.stack([significand, exponent - BIAS_SCALE, kind, columns], axis=-1).reshape(-1, 4), axis=0,
        return_inverse=True,
    )  # fmt: skip
    results = np.array([convert(Number(*cell), biases[column], options) for *cell, column in cells.tolist()])
    return entries(results[where.reshape(significand.shape)])
