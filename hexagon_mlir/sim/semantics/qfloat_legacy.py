"""qfloat arithmetic of v68 to v75, in integers.

A word is a signed fraction M over an exponent E. The significand is 2M + 1: its last bit is always one and not stored,
so there is no zero, and every pattern is a number. IEEE operands have a significand of the same scale, which may be
even or zero. An exact result is passed to `_rounded` in quarters of its unit, with a sticky last bit.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from hexagon_mlir.sim.semantics.qfloat_lanes import (
    F32_BIAS,
    QUARTERS,
    LaneFormat,
    cut,
    high_product,
    magnitude_log2,
)
from hexagon_mlir.sim.semantics.routines import usually
from hexagon_mlir.sim.semantics.value import Val


@dataclass(frozen=True)
class Format(LaneFormat):
    """qf32 with sf, or qf16 with hf."""

    @property
    def room(self) -> int:
        """Bits by which a significand in quarters can be shifted left in 32 bits, at least its most empty bits."""
        return 31 - (self.fraction + 1) - QUARTERS


SINGLE, HALF = Format(23, 8), Format(10, 5)


class Number(NamedTuple):
    """i32 lanes of a significand and its exponent field; value = significand * 2^(exponent - bias - fraction)."""

    high: Val
    """The significand, ``f.room`` + `QUARTERS` bits up: the sign is the first bit."""
    exponent: Val
    leading: Val
    """Exponent field of the significand's first bit."""
    odd: bool
    """The significand is known to be odd."""


class Signed(NamedTuple):
    """An IEEE number: the magnitude, and a mask (-1 where it is negative)."""

    magnitude: Number
    sign: Val

    def number(self, sign: Val | None = None) -> Number:
        """With the sign in the significand."""
        sign = self.sign if sign is None else sign
        return self.magnitude._replace(high=(self.magnitude.high ^ sign) - sign)


def qfloat(word: Val, f: Format) -> Number:
    """Sign-extended words of a qfloat format."""
    up = f.room + QUARTERS
    shifted = word << (up + 1 - f.exponent)
    high = (shifted & (-2 << up)) | (1 << up)
    exponent = word & f.top
    return Number(high, exponent, exponent + magnitude_log2(high) - (F32_BIAS + f.fraction + up), True)


def ieee(word: Val, f: Format) -> Signed:
    """Sign-extended words of an IEEE format. The largest exponent field is an ordinary one, denormals are kept."""
    field = (word >> f.fraction) & f.top
    up = f.room + QUARTERS
    high = (word & ((1 << f.fraction) - 1)) << up
    high = field.icmp("ne", 0).select(high | (1 << (f.fraction + up)), high)
    return Signed(Number(high, field.two("umax", 1), field, False), word >> 31)


def negated(word: Val, f: Format, kind: str) -> Val:
    """The word of the negative; ``kind`` "qf" or "ieee"."""
    return word ^ (~f.top if kind == "qf" else -1 << (f.fraction + f.exponent))


def complement(word: Val, mask: Val, f: Format) -> Val:
    """The exact negative of a qfloat word where ``mask`` is -1."""
    return word ^ (mask & ~f.top)


# -- rounding ------------------------------------------------------------------------------------------------
def _rounded(quarters: Val, exponent: Val, f: Format, odd: bool = False) -> Val:
    """The word nearest to ``quarters`` / 4 units at ``exponent``.

    1 and 3 modulo 4 units are representable, and 2 modulo 4 as half of it, one exponent up: the nearest of these, a tie
    down, an exact multiple of 4 up. A number that does not fit (a carry) or is just below the least exponent is always
    halved. ``odd``: ``quarters`` is known to be odd.
    """
    limit = 1 << (f.fraction + QUARTERS + 1)
    two = ((quarters - 7) & 12).icmp("eq", 0)
    carry = (quarters + limit).icmp("ugt", 2 * limit - 1)
    last = exponent.icmp("sgt", f.top - 1)
    halved = (two | carry | exponent.icmp("eq", -1)) & ~last
    half = halved.zext(32)
    under = exponent.icmp("slt", -1)
    shift = under.select(31, half + 3)
    fraction = quarters >> shift
    if not odd:
        exact = (fraction << shift).icmp("eq", quarters).zext(32)
        fraction = fraction & ~exact
    over = exponent.icmp("sgt", f.top) | (last & carry)
    largest = (quarters >> 31) ^ ((1 << f.fraction) - 1)
    fraction = over.select(largest, fraction)
    field = (exponent + half).two("smax", 0).two("smin", f.top)
    word = (fraction << f.exponent) | field
    return word if odd else quarters.icmp("eq", 0).select(0, word)


def _rounded_inside(quarters: Val, exponent: Val, f: Format, odd: bool = False) -> Val:
    """The same for exponents from 0 to the largest but one."""
    limit = 1 << (f.fraction + QUARTERS + 1)
    two = ((quarters - 7) & 12).icmp("eq", 0)
    carry = (quarters + limit).icmp("ugt", 2 * limit - 1)
    halved = two | carry
    shorter, longer = quarters >> (QUARTERS + 1), quarters >> (QUARTERS + 2)
    fraction = halved.select(longer, shorter)
    if not odd:
        fraction = (quarters & 15).icmp("eq", 0).select(fraction & -2, fraction)
    word = (fraction << f.exponent) | halved.select(exponent + 1, exponent)
    return word if odd else quarters.icmp("ne", 0).select(word, 0)


# -- operations ----------------------------------------------------------------------------------------------
def add(a: Number, b: Number, f: Format) -> Val:
    """The sum is rounded at the largest of three exponents: those of both operands when normalised, and the smaller
    exponent field."""
    exponent = a.leading.two("smax", b.leading).two("smax", a.exponent.two("smin", b.exponent))
    beyond = exponent + f.room
    shifts = [beyond - number.exponent for number in (a, b)]
    largest = shifts[0].two("umax", shifts[1])

    def fast() -> tuple[Val]:
        kept = [number.high >> shift.two("umin", 31) for number, shift in zip((a, b), shifts, strict=True)]
        lost = largest.icmp("ugt", QUARTERS + f.room)
        if not (a.odd and b.odd):
            given = zip((a, b), shifts, kept, strict=True)
            cuts = [part << shift.two("umin", 31) ^ number.high for number, shift, part in given]
            lost = (cuts[0] | cuts[1]).icmp("ne", 0)
        total = kept[0] + kept[1]
        return (_rounded_inside(lost.select(total | 1, total), exponent, f),)

    bad = largest.icmp("slt", 0) | exponent.icmp("sgt", f.top - 1)
    return usually(bad, fast, lambda: (_add_any(a, b, exponent, f),))[0]


def _add_any(a: Number, b: Number, exponent: Val, f: Format) -> Val:
    """The sum for operands with any number of empty bits, up to the largest exponent."""
    first = a.exponent.icmp("sge", b.exponent)
    large, small = first.select(a.high, b.high), first.select(b.high, a.high)
    top, low = a.exponent.two("smax", b.exponent), a.exponent.two("smin", b.exponent)
    left = (large >> (f.room + QUARTERS)) << (top - exponent + QUARTERS)
    right = cut(small >> f.room, (exponent - low).two("umin", 31))
    return _rounded(left + right, exponent, f)


def add_ieee(a: Signed, b: Signed, f: Format) -> Val:
    """Of two negative numbers the magnitudes are added."""
    both = a.sign & b.sign
    word = add(a.number(a.sign ^ both), b.number(b.sign ^ both), f)
    return complement(word, both, f)


def multiply(a: Number, b: Number, f: Format) -> Val:
    """The factors as they are: nothing is normalised but a carry."""
    exponent = a.exponent + b.exponent - f.bias
    odd = a.odd and b.odd
    up = f.room + QUARTERS
    if f is HALF:
        product = (a.high >> up) * (b.high >> up)
        cut = f.fraction - QUARTERS
        quarters = product >> cut
        lost = product & ((1 << cut) - 1)
    else:
        quarters, lost = high_product(a.high, b.high >> (2 * up - (32 - f.fraction + QUARTERS)))
    quarters = quarters | 1 if odd else lost.icmp("ne", 0).select(quarters | 1, quarters)
    return _product(quarters, exponent, f, odd)


def _product(quarters: Val, exponent: Val, f: Format, odd: bool) -> Val:
    """Rounded; zeros have any exponent."""
    bad = exponent.icmp("ugt", f.top - 1)
    if not odd:
        bad = bad & quarters.icmp("ne", 0)
    return usually(
        bad, lambda: (_rounded_inside(quarters, exponent, f, odd),), lambda: (_rounded(quarters, exponent, f, odd),)
    )[0]


def multiply_widening(a: Number, b: Number) -> Val:
    """The qf32 product of two 16-bit numbers: a multiple of 8 units."""
    up = HALF.room + QUARTERS
    product = (a.high >> up) * (b.high >> up)
    exponent = a.exponent + b.exponent + (SINGLE.bias - 2 * HALF.bias)
    return _product(product << (SINGLE.fraction - 2 * HALF.fraction + QUARTERS), exponent, SINGLE, False)
