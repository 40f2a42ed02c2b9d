"""The float accumulators of the matrix engine: sums of f16 products, eight channels at a time.

A cell is ``significand * 2**(exponent - 24)`` with a significand of 30 bits (two's complement), or an infinity, or NaN.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

ROWS = COLUMNS = 32
GROUP = 8
"""Channels whose products are summed before the accumulator is touched."""
SIGNIFICAND_BITS = 30
GUARD = 4
"""Places below a product of two 11-bit significands."""
PLACES = 3
"""The longest shift to the left of one addition."""
BIAS_SCALE = 20 + GUARD
"""A significand's unit is 2**(exponent - BIAS_SCALE)."""
FINITE, POSITIVE, NEGATIVE, NAN = range(4)
"""Kinds of a cell: a number, the infinities, not a number."""
FAR = 40
"""Shifts beyond this leave nothing but the sticky bit."""


@dataclass(frozen=True)
class Halves:
    """f16 operands: signed significands of 11 bits (denormals normalized), unbiased exponents, infinities and NaNs."""

    significand: np.ndarray
    exponent: np.ndarray
    infinite: np.ndarray
    nan: np.ndarray


def halves(patterns: np.ndarray, ieee: bool) -> Halves:
    """What f16 patterns are; without ``ieee`` the largest exponent is an ordinary one."""
    bits = patterns.astype(np.int64)
    fraction, exponent = bits & 0x3FF, bits >> 10 & 31
    special = (exponent == 31) & ieee
    significand = fraction | np.where(exponent > 0, 0x400, 0)
    exponent = np.maximum(exponent, 1) - 15
    for _ in range(10):
        small = (significand > 0) & (significand < 0x400)
        significand, exponent = significand << small, exponent - small
    significand = np.where(bits >> 15, -significand, significand)
    return Halves(significand, exponent, special & (fraction == 0), special & (fraction != 0))


def sticky_shift(value: np.ndarray, places: np.ndarray | int) -> np.ndarray:
    """``value`` moved right; the last place is 1 when ones were lost."""
    places = np.minimum(places, FAR)
    moved = value >> places
    return moved | (moved << places != value)


def anticipated(a: np.ndarray, b: np.ndarray, width: int) -> np.ndarray:
    """A word whose leading one stands where that of ``a + b`` (or of its complement) does, or one place above.

    Made without a carry chain: where both addends have one sign, a one is anticipated wherever the places below may
    end it; of addends with different signs the sum's sign is not known yet, and the smaller guess counts.
    """
    differ = a ^ b
    positive, negative = differ ^ ((a | b) << 1 | 1), differ ^ ~((a & b) << 1)
    mask = (1 << width) - 1
    positive, negative = positive & mask, negative & mask
    one_sign = np.where(a < 0, negative, positive)
    return np.where(differ < 0, np.minimum(positive, negative), one_sign)


class FloatAccumulators:
    """Two sets of 32 rows and 32 columns; ``exponent_bits`` is 7 before v81 and 9 from then on."""

    def __init__(self, exponent_bits: int) -> None:
        self.smallest, self.largest = -(1 << exponent_bits - 1) + 2, (1 << exponent_bits - 1) + 1
        shape = (2, ROWS, COLUMNS)
        self.significand, self.exponent = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
        self.kind = np.zeros(shape, np.int64)
        for number in (0, 1):
            self.clear(number)

    def clear(self, number: int) -> None:
        """Make a set zero."""
        self.significand[number], self.exponent[number], self.kind[number] = 0, self.smallest, FINITE

    def add(self, sets: np.ndarray, rows: np.ndarray, activations: Halves, weights: Halves, ieee: bool) -> None:
        """Add the products of one group to ``rows`` of ``sets``, both (n,).

        ``activations`` are (n, 1 or 32, channels), ``weights`` (32, channels).
        """
        product = activations.significand * weights.significand
        exponent = np.where(product == 0, self.smallest, activations.exponent + weights.exponent)
        largest = exponent.max(axis=-1)
        aligned = sticky_shift(product << GUARD, largest[..., None] - exponent)
        old, old_exponent = self.significand[sets, rows], self.exponent[sets, rows]
        significand, exponent = self.sum(aligned.sum(axis=-1), largest, old, old_exponent)
        kind = self.combined_kind(self.kind[sets, rows], activations, weights)
        kind = np.where((kind == FINITE) & (exponent > self.largest), POSITIVE + (significand < 0), kind)
        if not ieee:
            idle = (activations.significand == 0).all(axis=-1) | (weights.significand == 0).all(axis=-1)
            significand, exponent = np.where(idle, old, significand), np.where(idle, old_exponent, exponent)
            kind = np.where(idle, self.kind[sets, rows], kind)
        self.significand[sets, rows], self.exponent[sets, rows], self.kind[sets, rows] = significand, exponent, kind

    def sum(
        self, a: np.ndarray, a_exponent: np.ndarray, b: np.ndarray, b_exponent: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Significand and exponent of a sum: halved, then moved left as far as the anticipated leading one allows."""
        exponent = np.maximum(a_exponent, b_exponent)
        a, b = sticky_shift(a, exponent - a_exponent), sticky_shift(b, exponent - b_exponent)
        leading = anticipated(a, b, SIGNIFICAND_BITS + 1)
        places = sum((leading < 1 << SIGNIFICAND_BITS - n).astype(np.int64) for n in range(1, PLACES + 1))
        exponent = exponent + 1
        places = np.minimum(places, exponent - self.smallest)
        return sticky_shift(a + b, 1) << places, exponent - places

    @staticmethod
    def combined_kind(old: np.ndarray, activations: Halves, weights: Halves) -> np.ndarray:
        """The kind of a sum, from the cell and the operands of its products."""
        infinite = activations.infinite | weights.infinite
        zero = (activations.significand == 0) | (weights.significand == 0)
        negative = (activations.significand < 0) ^ (weights.significand < 0)
        nan = (activations.nan | weights.nan | (infinite & zero)).any(axis=-1) | (old == NAN)
        plus = (infinite & ~negative).any(axis=-1) | (old == POSITIVE)
        minus = (infinite & negative).any(axis=-1) | (old == NEGATIVE)
        return np.select([nan | (plus & minus), plus, minus], [NAN, POSITIVE, NEGATIVE], FINITE)
