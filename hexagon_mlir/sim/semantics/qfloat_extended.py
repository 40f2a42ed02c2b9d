"""qfloat arithmetic of v79 and later, in integers.

A lane has extension bits: L is the last bit of the significand, R a deferred increment, E a ninth bit of the exponent;
Q and R together show whether the number was rounded. With T = 2M + L the number is T + R units; it is exact when R and
Q are equal. A number and its complement (all of T, R, Q) are each other's negative, as in one's complement.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from hexagon_mlir.sim.semantics.qfloat_lanes import (
    F32_BIAS,
    F32_FRACTION,
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
    """qf32 with sf, or qf16 with hf: T has two bits more than an IEEE fraction, with its sign."""

    least: int
    most: int
    """Exponents of qfloat."""

    @property
    def room(self) -> int:
        """Bits by which a number in quarters can be shifted left in 32 bits: the most empty bits."""
        return 31 - (self.fraction + 2) - QUARTERS

    @property
    def largest(self) -> int:
        """The largest T."""
        return (2 << self.fraction) - 1


UP = 6
"""Left shift of a factor before a product whose upper word is in quarters."""
SINGLE, HALF, BRAIN = Format(23, 8, -255, 256), Format(10, 5, -15, 16), Format(7, 8, 0, 0)


class Number(NamedTuple):
    """i32 lanes; ``nan`` and ``infinite`` are lane results, the sign of those is that of T."""

    whole: Val
    """T."""
    increment: Val
    """R."""
    exponent: Val
    inexact: Val
    nan: Val
    infinite: Val
    unusual: Val
    """Lane result: it may be one of these."""

    @property
    def negative(self) -> Val:
        """-1 where it is, 0 elsewhere; a zero may be."""
        return self.whole >> 31

    @property
    def value(self) -> Val:
        return self.whole + self.increment


Words = tuple[Val, Val]
"""A lane and its extension bits."""


# -- formats -------------------------------------------------------------------------------------------------
def single(word: Val, bits: Val) -> Number:
    """qf32."""
    whole = ((word >> 7) & -2) | (bits.lshr(3) & 1)
    exponent = (((word & 0xFF) | ((bits & 2) << 7)) - 128 & 0x1FF) - 255
    increment = bits.lshr(2) & 1
    return _number(whole, increment, exponent, (increment ^ bits) & 1, SINGLE)


def half(word: Val, bits: Val) -> Number:
    """qf16, sign-extended."""
    whole = ((word >> 4) & -2) | (bits.lshr(1) & 1)
    return _number(whole, bits & 1, (word & 31) - HALF.bias, bits & 0, HALF)


def _number(whole: Val, increment: Val, exponent: Val, inexact: Val, f: Format) -> Number:
    extreme = (whole ^ (whole >> 31)).icmp("eq", f.largest) & exponent.icmp("eq", f.most)
    beyond = (increment ^ whole.lshr(31)).icmp("ne", 0)
    return Number(whole, increment, exponent, inexact, extreme & beyond, extreme & ~beyond, exponent.icmp("eq", f.most))


def ieee(word: Val, f: Format) -> Number:
    """sf or sign-extended hf, exact."""
    field, sign = (word >> f.fraction) & f.top, word >> 31
    fraction = word & ((1 << f.fraction) - 1)
    size = fraction | (field.two("umin", 1) << f.fraction)
    special, empty = field.icmp("eq", f.top), fraction.icmp("eq", 0)
    exponent = field.two("umax", 1) - f.bias
    return Number(size ^ sign, sign & 1, exponent, sign & 0, special & ~empty, special & empty, special)


def least_zero(like: Val, f: Format) -> Number:
    """-0 with the least exponent: adding it normalises a number."""
    never = like.icmp("ne", like)
    return Number(like.lift(-1), like.lift(1), like.lift(f.least), like.lift(0), never, never, never)


def complement(number: Number, mask: Val | None = None) -> Number:
    """The negative, where ``mask`` is -1."""
    if mask is None:
        return number._replace(whole=~number.whole, increment=number.increment ^ 1)
    return number._replace(whole=number.whole ^ mask, increment=number.increment ^ (mask & 1))


def _words(whole: Val, increment: Val, exact: Val, exponent: Val, f: Format) -> Words:
    """``exact`` is Q."""
    if f is HALF:
        return ((whole & -2) << 4) | ((exponent + f.bias) & 31), ((whole & 1) << 1) | increment
    field = (exponent + (SINGLE.most + F32_BIAS)) & 0x1FF
    bits = ((whole & 1) << 3) | (increment << 2) | (field.lshr(8) << 1) | exact
    return ((whole & -2) << 7) | (field & 0xFF), bits


# -- rounding ------------------------------------------------------------------------------------------------
def _rounded(quarters: Val, exponent: Val, flip: Val, f: Format) -> tuple[Val, Val, Val, Val]:
    """T, R, Q and exponent of ``quarters`` / 4 units at ``exponent``, rounded to nearest even, complemented where
    ``flip`` is -1. The last bit of ``quarters`` is sticky."""
    limit = 1 << (f.fraction + 1 + QUARTERS)
    carry = (quarters + limit).icmp("ugt", 2 * limit - 1)
    quarters = carry.select((quarters >> 1) | (quarters & 1), quarters)
    exponent = carry.select(exponent + 1, exponent)
    whole, rest = quarters >> QUARTERS, quarters & 3
    flip_bit = flip & 1
    up = (rest + (whole & 1)).icmp("ugt", 2).select(flip_bit ^ 1, flip_bit)
    return whole ^ flip, up, rest.icmp("ne", 0).select(up ^ 1, up), exponent


def _inside(quarters: Val, exponent: Val, flip: Val, f: Format) -> Words:
    """The same for a number that is in range even with a carry."""
    whole, increment, last, exponent = _rounded(quarters, exponent, flip, f)
    return _words(whole, increment, last, exponent, f)


def _outside(exponent: Val, f: Format) -> Val:
    """Lane result: too large, at least with a carry, or too small."""
    return (exponent - f.least).icmp("ugt", f.most - 2 - f.least)


def _finished(quarters: Val, exponent: Val, flip: Val, nan: Val, infinite: Val, negative: Val, f: Format) -> Words:
    """The same, or NaN or infinity with the sign ``negative``."""
    whole, increment, last, exponent = _rounded(quarters, exponent, flip, f)
    full = (whole ^ (whole >> 31)).icmp("ugt", f.largest >> 1)
    over = exponent.icmp("sgt", f.most) | (exponent.icmp("eq", f.most) & full)
    under = exponent.icmp("slt", f.least)
    sign = whole >> 31
    whole = over.select(sign ^ f.largest, under.select(sign, whole))
    outside = over | under
    increment = outside.select(sign & 1, increment)
    last = outside.select((sign & 1) ^ 1, last)
    exponent = exponent.two("smin", f.most).two("smax", f.least)
    special = nan | infinite
    kind = (negative & 1) ^ nan.zext(32)
    return _words(
        special.select(negative ^ f.largest, whole), special.select(kind, increment), special.select(kind, last),
        special.select(f.most, exponent), f,
    )  # fmt: skip


# -- operations ----------------------------------------------------------------------------------------------
def _leading(number: Number, f: Format) -> Val:
    """Exponent of the first bit of T that is no copy of its sign; zero is below everything."""
    size = number.whole ^ number.negative
    log2 = magnitude_log2(size).two("umax", F32_BIAS - 1)
    exponent = number.exponent + log2 - (F32_BIAS + f.fraction)
    return number.value.icmp("eq", 0).select(-(1 << 20), exponent)


def add(a: Number, b: Number, f: Format) -> Words:
    """The sum is rounded at the largest of three exponents: those of both operands when normalised, one less when the
    signs differ, and the smaller exponent.

    Where both increments are deferred, the complements are added.
    """
    flip = -(a.increment & b.increment)
    opposite = (a.negative ^ b.negative) & 1
    exponent = a.exponent.two("smin", b.exponent)
    for number in (a, b):
        exponent = exponent.two("smax", _leading(number, f) - opposite)
    values = [(number.whole ^ flip) + (number.increment & ~flip) for number in (a, b)]
    shifts = [exponent - number.exponent + f.room for number in (a, b)]

    def fast() -> Words:
        high = [value << (QUARTERS + f.room) for value in values]
        kept = [value >> shift.two("umin", 31) for value, shift in zip(high, shifts, strict=True)]
        cuts = [
            (part << shift.two("umin", 31)) ^ value for part, shift, value in zip(kept, shifts, high, strict=True)
        ]
        total = kept[0] + kept[1]
        return _inside((cuts[0] | cuts[1]).icmp("ne", 0).select(total | 1, total), exponent, flip, f)

    bad = a.unusual | b.unusual | _outside(exponent, f) | (shifts[0] | shifts[1]).icmp("slt", 0)
    word, bits = usually(bad, fast, lambda: _add_any(a, b, exponent, flip, f))
    return word, bits


def _add_any(a: Number, b: Number, exponent: Val, flip: Val, f: Format) -> Words:
    """The sum for operands with any number of empty bits, and for NaN and infinity."""
    opposite = (a.negative ^ b.negative) & 1
    total = None
    for number in (a, b):
        value = (number.whole ^ flip) + (number.increment & ~flip)
        distance = number.exponent - exponent
        moved = value << (distance.two("smax", 0).two("umin", 31 - QUARTERS) + QUARTERS)
        part = cut(moved, (-distance).two("smax", 0).two("umin", 31))
        total = part if total is None else total + part
    assert total is not None
    negative = (a.infinite & (a.negative.icmp("ne", 0))) | (b.infinite & b.negative.icmp("ne", 0))
    clash = a.infinite & b.infinite & opposite.icmp("ne", 0)
    positive_nan = clash | (a.nan & a.negative.icmp("eq", 0)) | (b.nan & b.negative.icmp("eq", 0))
    nan = a.nan | b.nan | clash
    sign = nan.select((~positive_nan).sext(32), negative.sext(32))
    return _finished(total, exponent, flip, nan, a.infinite | b.infinite, sign, f)


def multiply(a: Number, b: Number, f: Format, result: Format) -> Words:
    """The factors as they are, in format ``f``; nothing is normalised but a carry.

    The product is that of the complements where an increment is deferred; it is complemented back where one increment
    is, or else where one of these factors is negative.
    """
    x, y = (number.whole ^ -number.increment for number in (a, b))
    minus = (x | y) >> 31
    flip = -(a.increment ^ b.increment) ^ minus
    y = (y ^ minus) - minus
    if f is SINGLE:
        quarters, lost = high_product(x << UP, y << (32 - F32_FRACTION + QUARTERS - UP))
        quarters = lost.icmp("ne", 0).select(quarters | 1, quarters)
    else:
        product = x * y
        shift = result.fraction - 2 * f.fraction + QUARTERS
        quarters = product << shift if shift > 0 else cut(product, product.lift(-shift))
    sign = a.negative ^ b.negative
    plain_zero = x.icmp("eq", 0) | y.icmp("eq", 0)
    plain_exponent = a.exponent + b.exponent

    def fast() -> Words:
        return _inside(
            quarters, plain_zero.select(result.least, plain_exponent), plain_zero.select(sign, flip), result
        )

    def slow() -> Words:
        return _multiply_any(a, b, x, y, quarters, flip, result)

    bad = a.unusual | b.unusual | (_outside(plain_exponent, result) & ~plain_zero)
    word, bits = usually(bad, fast, slow)
    return word, bits


def _multiply_any(a: Number, b: Number, x: Val, y: Val, quarters: Val, flip: Val, result: Format) -> Words:
    """With NaN, infinity and every exponent; ``x`` and ``y`` are the significands."""
    sign = a.negative ^ b.negative
    zeros = [x.icmp("eq", 0) & ~(a.nan | a.infinite), y.icmp("eq", 0) & ~(b.nan | b.infinite)]
    zero = zeros[0] | zeros[1]
    infinite = a.infinite | b.infinite
    exponent = zero.select(result.least, a.exponent + b.exponent)
    flip = zero.select(sign, flip)
    return _finished(quarters, exponent, flip, a.nan | b.nan | (infinite & zero), infinite, sign, result)
