"""Conversion of a float accumulator to f16: bias, shape, scale, bias again and one rounding, in exact numbers."""

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


def infinity(negative: bool) -> Number:
    return Number(0, 0, NEGATIVE if negative else POSITIVE)


def add(a: Number, b: Number) -> Number:
    """The exact sum."""
    kinds = {a.kind, b.kind} - {FINITE}
    if kinds:
        return Number(0, 0, NAN if NAN in kinds or len(kinds) > 1 else kinds.pop())
    if not a.significand or not b.significand:
        return a if a.significand else b
    exponent = min(a.exponent, b.exponent)
    return Number((a.significand << a.exponent - exponent) + (b.significand << b.exponent - exponent), exponent)


def multiply(a: Number, b: Number) -> Number:
    """The exact product."""
    if NAN in (a.kind, b.kind):
        return Number(0, 0, NAN)
    if a.kind != FINITE or b.kind != FINITE:
        if any(x.kind == FINITE and x.significand == 0 for x in (a, b)):
            return Number(0, 0, NAN)
        return infinity(a.negative != b.negative)
    return Number(a.significand * b.significand, a.exponent + b.exponent)


def negated(a: Number) -> Number:
    if a.kind in (POSITIVE, NEGATIVE):
        return infinity(a.kind == POSITIVE)
    return Number(-a.significand, a.exponent, a.kind)


def shortened(a: Number) -> Number:
    """The leading bits that the multiplier takes, the last one sticky."""
    places = a.significand.bit_length() - SHAPED_BITS
    if a.kind != FINITE or places <= 0:
        return a
    kept = a.significand >> places
    return Number(kept | (kept << places != a.significand), a.exponent + places)


def shaped(a: Number, shape: int) -> Number:
    """Minimum with 0, maximum with 0, or the magnitude."""
    if a.kind == NAN:
        return a
    if shape == ABSOLUTE:
        return negated(a) if a.negative else a
    drop = {MINIMUM: not a.negative, MAXIMUM: a.negative}.get(shape, False)
    return Number(0) if drop else a


def rounded(a: Number, options: HalfOptions) -> int:
    """The 20-bit pattern of the state: nearest, ties to even, to 10 bits of mantissa or 14."""
    if a.kind == NAN:
        return NAN_RESULT
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
    value = multiply(shaped(shortened(add(cell, bias.sum_bias)), bias.shape), bias.scale)
    result = add(negated(value) if bias.negate else value, bias.result_bias)
    if options.relu and (result.negative or (result.kind == NAN and not options.nan_passes)):
        return 0
    return rounded(result, options)


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
