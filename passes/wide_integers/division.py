"""Division of 64-bit integers given as two words, by multiplications with the divisor's inverse.

The divisor is shifted up until its highest bit is set. Its upper word d gives the inverse v, the fraction bits of
2^64 / d: a float estimate and one Newton step with integers, exact after a correction. Dividing two words by d then
takes two multiplications (Moeller and Granlund, "Improved division by invariant integers", IEEE Trans. Computers,
2011). A divisor of one word is used directly, for one word of the quotient at a time. For one of two words, the
quotient of the upper words is exact or one too large (Warren, "Hacker's Delight", 2nd ed., 9-5).

Division by zero gives 0 with the dividend as remainder, as the scalar routines do; the smallest integer divided by -1
is itself.
"""

from __future__ import annotations

from dataclasses import dataclass

from hexagon_mlir.ir import arith, ir, math
from hexagon_mlir.passes.math_library.division import approximate_reciprocal
from hexagon_mlir.passes.math_library.lanes import MANTISSA_BITS, Float, Int, Lanes
from hexagon_mlir.passes.wide_integers.words import BINARY, WORD, Words, compare, constant, one_if, select, shift, word

DIVISIONS = frozenset(f"arith.{name}" for name in (
    "divsi", "divui", "remsi", "remui", "floordivsi", "ceildivsi", "ceildivui"))
_P = arith.CmpIPredicate
_add, _subtract, _xor, _and = (BINARY[f"arith.{name}"] for name in ("addi", "subi", "xori", "andi"))
_FEW = 24
"""Upper bits of a divisor that f32 holds exactly."""


@dataclass(frozen=True)
class Divided:
    """n = quotient * d + remainder, the remainder with the sign of n; and the sign words (0 or -1) of n and d."""

    quotient: Words
    remainder: Words
    n_sign: ir.Value
    d_sign: ir.Value

    def result(self, name: str) -> Words:
        """The result of the operation ``name``: quotient or remainder, rounded as it asks."""
        if name in ("arith.remsi", "arith.remui"):
            return self.remainder
        if name in ("arith.divsi", "arith.divui"):
            return self.quotient
        some = arith.cmpi(_P.ne, arith.ori(self.remainder.low, self.remainder.high), word(0))
        differ = arith.xori(self.n_sign, self.d_sign)
        if name == "arith.floordivsi":
            step = arith.select(some, differ, word(0))
            return _add(self.quotient, Words(step, step))
        up = arith.select(some, arith.addi(differ, word(1)), word(0))
        return _add(self.quotient, Words(up, word(0)))


def divide(is_signed: bool, n: Words, d: Words, number: int | None, qfloat: bool) -> Divided:
    """``n`` by ``d``, which is ``number`` where that is known; ``qfloat`` as in `floats`."""
    n_sign, d_sign = (arith.shrsi(x.high, word(31)) if is_signed else word(0) for x in (n, d))
    if number is not None:
        number = number if is_signed else number % (1 << 2 * WORD)
        if number == 0:
            return Divided(constant(0), n, n_sign, d_sign)
        if abs(number).bit_count() == 1:
            return Divided(*_by_power(is_signed, n, number, n_sign), n_sign, d_sign)
    n_size, d_size = (_negated_where(sign, x) if is_signed else x for sign, x in ((n_sign, n), (d_sign, d)))
    if is_signed and n.fits and d.fits:
        quotient, remainder = _of_words(n_size.low, d_size.low)
    else:
        by = _known(abs(number)) if number is not None else _divisor(d_size, qfloat)
        quotient, remainder = _unsigned(n_size, by)
    if number is None:
        is_zero = arith.cmpi(_P.eq, arith.ori(d.low, d.high), word(0))
        quotient = select(is_zero, constant(0), quotient)
        remainder = select(is_zero, n_size, remainder)
    if is_signed:
        quotient = _negated_where(arith.xori(n_sign, d_sign), quotient)
        remainder = _negated_where(n_sign, remainder)
    return Divided(quotient, remainder, n_sign, d_sign)


def _negated_where(sign: ir.Value, a: Words) -> Words:
    flip = Words(sign, sign)
    return _subtract(_xor(a, flip), flip)


def _of_words(n: ir.Value, d: ir.Value) -> tuple[Words, Words]:
    """Quotient and remainder of words without sign."""
    quotient = arith.divui(n, d)
    return Words(quotient, word(0)), Words(arith.subi(n, arith.muli(quotient, d)), word(0))


def _by_power(is_signed: bool, n: Words, number: int, n_sign: ir.Value) -> tuple[Words, Words]:
    """Quotient and remainder for a divisor that is a power of two or its negative."""
    bits = abs(number).bit_length() - 1
    if bits == 0:
        quotient = n
    elif is_signed:  # rounded towards zero
        below = shift("arith.shrui", Words(n_sign, n_sign), 2 * WORD - bits)
        quotient = shift("arith.shrsi", _add(n, below), bits)
    else:
        quotient = shift("arith.shrui", n, bits)
    remainder = _subtract(n, shift("arith.shli", quotient, bits))
    return (_subtract(constant(0), quotient) if number < 0 else quotient), remainder


def _product(a: ir.Value, b: ir.Value) -> tuple[ir.Value, ir.Value]:
    """Lower and upper word, by two operations: one that gives both is scalarized by code generation."""
    return arith.muli(a, b), arith.mului_extended(a, b)[1]


# -- without sign ----------------------------------------------------------------------------------------------------

@dataclass(frozen=True)
class _Divisor:
    """``top`` is the upper word of ``size`` (the lower one if that is 0), shifted left by ``up`` until its highest bit
    is set.

    ``large``: the upper word of ``size`` is not 0; a value (i1) or, where it is known, a bool.
    ``down`` is 31 - ``up``.
    """

    size: Words
    large: ir.Value | bool
    up: ir.Value
    down: ir.Value
    top: ir.Value
    inverse: ir.Value


def _known(number: int) -> _Divisor:
    large = number >> WORD != 0
    up = WORD - (number >> WORD if large else number).bit_length()
    top = number << up >> WORD if large else number << up
    inverse = ((1 << 2 * WORD) - 1) // top - (1 << WORD)
    return _Divisor(constant(number), large, word(up), word(31 - up), word(top), word(inverse))


def _divisor(d: Words, qfloat: bool) -> _Divisor:
    large = arith.cmpi(_P.ne, d.high, word(0))
    some = arith.maxui(d.low, word(1))  # a shift by 32 is poison
    first, second = arith.select(large, d.high, some), arith.select(large, d.low, word(0))
    up = math.ctlz(first)
    down = arith.subi(word(31), up)
    top = _upper(first, second, up, down)
    return _Divisor(d, large, up, down, top, _inverse(top, qfloat))


def _upper(first: ir.Value, second: ir.Value, up: ir.Value, down: ir.Value) -> ir.Value:
    """The upper word of the two words shifted left by ``up``."""
    return arith.ori(arith.shli(first, up), arith.shrui(arith.shrui(second, word(1)), down))


def _inverse(d: ir.Value, qfloat: bool) -> ir.Value:
    """2^64 / d rounded down, for d from 2^31, without its highest bit (which is 2^32); of 2^64 - 1 for d = 2^31.

    The float estimate has a relative error below 2^-17, so the Newton step is too small by less than 1/2, and by less
    than 1 more from rounding.
    """
    lanes = Lanes(ir.F32Type.get(), qfloat)
    few = arith.sitofp(ir.F32Type.get(), arith.shrui(d, word(WORD - _FEW)))
    bits = approximate_reciprocal(Float(lanes, few)).bits + (2 * WORD - 11 << MANTISSA_BITS)
    most = Int(lanes, arith.minsi(bits.as_float().to_int().value, word((1 << 30) - 1)))
    guess = (most << 2).value  # times d: 2^63 or nearly so
    low, high = _product(guess, d)
    borrow = one_if(arith.cmpi(_P.ne, low, word(0)))
    lacks = arith.subi(arith.subi(word(1 << 31), high), borrow)
    lacks = arith.ori(arith.shli(lacks, word(16)), arith.shrui(arith.subi(word(0), low), word(16)))
    half = arith.shrui(guess, word(1))  # known to be non-negative: a signed product with it would be scalarized
    step = arith.subi(arith.mului_extended(half, lacks)[1], arith.andi(arith.shrsi(lacks, word(31)), half))
    value = arith.addi(arith.shli(guess, word(1)), arith.shrsi(step, word(13)))
    low, high = _product(value, d)
    above = arith.cmpi(_P.ne, arith.addi(high, d), word(-1))  # the upper word of 2^64 - 1 minus the product
    fits = arith.cmpi(_P.uge, arith.xori(low, word(-1)), d)
    return arith.addi(value, one_if(arith.ori(above, fits)))


def _unsigned(n: Words, d: _Divisor) -> tuple[Words, Words]:
    """Quotient and remainder."""
    if d.large is True:
        return _by_large(n, d, _step(*_half(n), d)[0])
    first = arith.shrui(arith.shrui(n.high, word(1)), d.down)
    high, rest = _step(first, _upper(n.high, n.low, d.up, d.down), d)
    lower = arith.shli(n.low, d.up)
    if d.large is False:
        low, rest = _step(rest, lower, d)
        return Words(low, high), Words(arith.shrui(rest, d.up), word(0))
    half = _half(n)
    low, rest = _step(arith.select(d.large, half[0], rest), arith.select(d.large, half[1], lower), d)
    quotient, remainder = _by_large(n, d, low)
    return (select(d.large, quotient, Words(low, high)),
            select(d.large, remainder, Words(arith.shrui(rest, d.up), word(0))))


def _half(n: Words) -> tuple[ir.Value, ir.Value]:
    """Upper and lower word of ``n`` / 2, whose highest bit is 0: the upper word is less than ``top``."""
    half = shift("arith.shrui", n, 1)
    return half.high, half.low


def _step(high: ir.Value, low: ir.Value, d: _Divisor) -> tuple[ir.Value, ir.Value]:
    """Quotient and remainder of two words, the upper one below ``d.top``, by ``d.top``."""
    below, above = _product(d.inverse, high)
    below = arith.addi(below, low)
    carry = one_if(arith.cmpi(_P.ult, below, low))
    quotient = arith.addi(arith.addi(above, high), arith.addi(carry, word(1)))
    rest = arith.subi(low, arith.muli(quotient, d.top))
    for predicate, limit, by in ((_P.ugt, below, -1), (_P.uge, d.top, 1)):
        wrong = arith.cmpi(predicate, rest, limit)
        quotient = arith.select(wrong, arith.addi(quotient, word(by)), quotient)
        rest = arith.select(wrong, (arith.addi if by < 0 else arith.subi)(rest, d.top), rest)
    return quotient, rest


def _by_large(n: Words, d: _Divisor, upper: ir.Value) -> tuple[Words, Words]:
    """Quotient and remainder by two words, from the quotient of ``n`` / 2 and ``d.top``."""
    least = arith.shrui(upper, d.down)
    least = arith.subi(least, one_if(arith.cmpi(_P.ne, least, word(0))))
    low, high = _product(least, d.size.low)
    rest = _subtract(n, Words(low, arith.addi(high, arith.muli(least, d.size.high))))
    more = compare(_P.uge, rest, d.size)
    return (Words(arith.addi(least, one_if(more)), word(0)), select(more, _subtract(rest, d.size), rest))
