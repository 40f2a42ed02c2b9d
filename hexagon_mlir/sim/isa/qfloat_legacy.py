"""qfloat arithmetic of v68 to v75, in integers.

A word is a signed fraction M over an exponent E. The significand is 2M + 1: its last bit is always one and not stored,
so there is no zero, and every pattern is a number. IEEE operands have a significand of the same scale, which may be
even or zero. An exact result is handed to `_rounded` in quarters of its unit, the last bit set when something was cut
off.
"""

from __future__ import annotations

from typing import NamedTuple

from hexagon_mlir.sim.isa.lanes import Pair
from hexagon_mlir.sim.isa.routines import usually
from hexagon_mlir.sim.isa.value import Type, Val
from hexagon_mlir.targets.disputed import ConversionOverflow

F32_FRACTION, F32_BIAS = 23, 127
QUARTERS = 2
"""Bits below the unit of a result."""


class Format(NamedTuple):
    """qf32 with sf, or qf16 with hf: lengths in bits."""

    fraction: int
    exponent: int

    @property
    def top(self) -> int:
        """The largest exponent field."""
        return (1 << self.exponent) - 1

    @property
    def bias(self) -> int:
        return self.top >> 1


SINGLE, HALF = Format(23, 8), Format(10, 5)


class Number(NamedTuple):
    """i32 lanes of a significand and its exponent field; value = significand * 2^(exponent - bias - fraction)."""

    significand: Val
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
        size = self.magnitude.significand
        return self.magnitude._replace(significand=(size ^ sign) - sign)


def qfloat(word: Val, f: Format) -> Number:
    """Sign-extended words of a qfloat format."""
    significand, exponent = (word >> (f.exponent - 1)) | 1, word & f.top
    return Number(significand, exponent, exponent + magnitude_log2(significand) - (F32_BIAS + f.fraction), True)


def ieee(word: Val, f: Format) -> Signed:
    """Sign-extended words of an IEEE format. The largest exponent field is an ordinary one, denormals are kept."""
    field = (word >> f.fraction) & f.top
    normal = field.two("umin", 1)
    fraction = word & ((1 << f.fraction) - 1)
    return Signed(Number(fraction | (normal << f.fraction), field.two("umax", 1), field, False), word >> 31)


def negated(number: Number) -> Number:
    return number._replace(significand=-number.significand)


def magnitude_log2(significand: Val) -> Val:
    """The exponent field of the significand as f32: 127 + floor(log2), exact; 0 for zero."""
    bits = significand.sitofp(32).as_(significand.ty)
    return (bits << 1).lshr(F32_FRACTION + 1)


def complement(word: Val, mask: Val, f: Format) -> Val:
    """The exact negative of a qfloat word where ``mask`` is -1."""
    return word ^ (mask & ~f.top)


# -- rounding ------------------------------------------------------------------------------------------------
def _rounded(quarters: Val, exponent: Val, f: Format, odd: bool = False) -> Val:
    """The word nearest to ``quarters`` / 4 units at ``exponent``.

    1 and 3 modulo 4 units can be written, and 2 modulo 4 as half of it, one exponent up: the nearest of these, a tie
    down, an exact multiple of 4 up. What does not fit (a carry) or lies just below the least exponent is halved in any
    case. ``odd`` says that ``quarters`` is known to be.
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
    two = ((quarters - 7) & 12).icmp("eq", 0)
    carry = (quarters ^ (quarters >> 31)).lshr(f.fraction + QUARTERS + 1).icmp("ne", 0)
    halved = two | carry
    shorter, longer = quarters >> (QUARTERS + 1), quarters >> (QUARTERS + 2)
    fraction = halved.select(longer, shorter)
    if not odd:
        fraction = (quarters & 15).icmp("eq", 0).select(fraction & -2, fraction)
        exponent = exponent & quarters.icmp("ne", 0).sext(32)
    return (fraction << f.exponent) | (exponent - halved.sext(32))


def _cut(value: Val, shift: Val) -> Val:
    """``value`` shifted right by up to 31; its last bit is set when a bit was lost."""
    kept = value >> shift
    return kept | (kept << shift).icmp("ne", value).zext(32)


# -- operations ----------------------------------------------------------------------------------------------
def add(a: Number, b: Number, f: Format) -> Val:
    """The sum is rounded at the largest of three exponents: those of both operands when normalised, and the smaller
    exponent field."""
    exponent = a.leading.two("smax", b.leading).two("smax", a.exponent.two("smin", b.exponent))
    room = 31 - (f.fraction + 1) - QUARTERS
    """Bits that a significand can be shifted left, as one with so many empty bits may have to be."""
    shifts = [exponent - number.exponent + room for number in (a, b)]

    def fast() -> Val:
        total: Val | None = None
        lost: Val | None = None
        for number, shift in zip((a, b), shifts, strict=True):
            wide = number.significand << (QUARTERS + room)
            kept = wide >> shift.two("umin", 31)
            total = kept if total is None else total + kept
            cut = shift.icmp("sgt", QUARTERS + room) if number.odd else (kept << shift.two("umin", 31)).icmp("ne", wide)
            lost = cut if lost is None else lost | cut
        assert total is not None and lost is not None
        return _rounded_inside(lost.select(total | 1, total), exponent, f)

    bad = shifts[0] | shifts[1] | (exponent.lift(f.top - 1) - exponent)
    return usually(bad, fast, lambda: _add_any(a, b, exponent, f))


def _add_any(a: Number, b: Number, exponent: Val, f: Format) -> Val:
    """However empty an operand is, up to the largest exponent."""
    first = a.exponent.icmp("sge", b.exponent)
    large = first.select(a.significand, b.significand)
    small = first.select(b.significand, a.significand)
    top, low = a.exponent.two("smax", b.exponent), a.exponent.two("smin", b.exponent)
    left = large << (top - exponent + QUARTERS)
    right = _cut(small << QUARTERS, (exponent - low).two("umin", 31))
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
    if f is HALF:
        product = a.significand * b.significand
        cut = f.fraction - QUARTERS
        quarters = product >> cut
        lost = product & ((1 << cut) - 1)
    else:
        quarters, lost = long_product(a.significand, b.significand, f.fraction - QUARTERS)
    quarters = quarters | (1 if odd else lost.two("umin", 1))
    return _product(quarters, exponent, f, odd)


def _product(quarters: Val, exponent: Val, f: Format, odd: bool) -> Val:
    """Rounded; zeros have any exponent."""
    present = exponent if odd else exponent & quarters.icmp("ne", 0).sext(32)
    return usually(
        present | (present.lift(f.top - 1) - present), lambda: _rounded_inside(quarters, present, f, odd),
        lambda: _rounded(quarters, exponent, f, odd),
    )  # fmt: skip


def long_product(a: Val, b: Val, cut: int) -> Pair:
    """The product of i32 lanes shifted right by ``cut``, and the bits that were cut off."""
    wide = [((x.view(64) << 32) >> 32, x.view(64) >> 32) for x in (a, b)]
    even, odd = (x * y for x, y in zip(*wide, strict=True))
    n = a.ty.lanes
    blend = [i if i % 2 == 0 else n + i for i in range(n)]
    high = even.lshr(cut).view(32).shuffle((odd << (32 - cut)).view(32), blend)
    low = even.view(32).shuffle((odd << 32).view(32), blend)
    return high, low & ((1 << cut) - 1)


def multiply_widening(a: Number, b: Number) -> Val:
    """The qf32 product of two 16-bit numbers: a multiple of 8 units."""
    product = a.significand * b.significand
    exponent = a.exponent + b.exponent + (SINGLE.bias - 2 * HALF.bias)
    return _product(product << (SINGLE.fraction - 2 * HALF.fraction + QUARTERS), exponent, SINGLE, False)


# -- conversions ---------------------------------------------------------------------------------------------
def to_ieee(word: Val, f: Format) -> Val:
    """The IEEE word of the same length (in i32 lanes): exact but below the normal range, where it is rounded to nearest
    even. The exponent field runs on into the one of infinity, see `ConversionOverflow`."""
    number = qfloat(word, f)
    bits = number.significand.sitofp(32).as_(word.ty)
    size = bits & 0x7FFFFFFF
    shift = number.exponent - (F32_BIAS + f.fraction)
    normal = size.lshr(F32_FRACTION - f.fraction) + (shift << f.fraction)
    magnitude = number.significand.two("smax", -number.significand)
    halved = (magnitude + (magnitude.lshr(1) & 1)).lshr(1)
    moved = magnitude << ((number.exponent - 1) & 31)
    denormal = number.exponent.icmp("eq", 0).select(halved, moved)
    inside = (size.lshr(F32_FRACTION) + shift).icmp("sgt", 0)
    if _infinite(word):
        normal = normal.two("smin", f.top << f.fraction)
    return inside.select(normal, denormal) | ((word >> 31) << (f.fraction + f.exponent))


def _infinite(word: Val) -> bool:
    return word.code.floats.disputed.conversion_overflow is ConversionOverflow.INFINITY


def narrowed(pair: Pair) -> Val:
    """qf32 lanes of two registers to hf, to nearest even; even lanes from the low register."""
    parts = [_narrow(word.w) for word in pair]
    return parts[0] | (parts[1] << 16)


def _narrow(word: Val) -> Val:
    """hf bits in the low halves."""
    number = qfloat(word, SINGLE)
    bits = number.significand.sitofp(32).as_(word.ty)
    size = bits & 0x7FFFFFFF
    shift = number.exponent - (F32_BIAS + F32_FRACTION)
    field = size.lshr(F32_FRACTION) + shift
    single = field.icmp("sgt", 0).select(size + (shift << F32_FRACTION), 0)
    host = single.as_(Type(word.ty.lanes, "f", 32)).fptrunc(16)
    small = host.as_(host.ty.of(16, "i")).zext(32)
    # from 2^16 on the exponent field runs on into the one of infinity, as far as it goes
    cut = F32_FRACTION - HALF.fraction
    even = (size + ((size.lshr(cut) & 1) + ((1 << (cut - 1)) - 1))).lshr(cut)
    most = 0x7C00 if _infinite(word) else 0x7FFF
    large = (even + ((shift + (HALF.bias - F32_BIAS)) << HALF.fraction)).two("smin", most)
    beyond = field.icmp("sgt", F32_BIAS + HALF.bias)
    return beyond.select(large, small) | (word.lshr(16) & 0x8000)
