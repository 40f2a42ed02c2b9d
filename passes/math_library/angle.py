"""Reduction of an angle: x = n pi/2 + r, |r| <= pi/4.

Small angles: n pi/2 is subtracted in parts so short that n * part is exact. That serves f16, fast f32 and |x| up to
`LIMIT`. Others (Payne and Hanek): x = m 2^e, m an integer of 24 bits; of 2/pi only the 96 bits matter whose product
with m 2^e is neither a multiple of 4 nor negligible. They are extracted from a table of 32-bit words by selects and
shifts, and multiplied in limbs of 16 bits. The table is constants in registers, because gathers are slow. In legacy
qfloat, where no product with a part is exact, the second method serves every angle above pi/4; a smaller one is its own
remainder.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from hexagon_mlir.passes.math_library.lanes import (
    ABSOLUTE,
    BIAS,
    FRACTION,
    HIDDEN_BIT,
    INFINITY,
    MANTISSA_BITS,
    ROUND,
    SIGN,
    Float,
    Int,
    float_bits,
)
from hexagon_mlir.passes.math_library.mode import Mode

TWO_OVER_PI = 0.6366197723675814
SHORT_PARTS = (1.5703125, 0.000484466552734375, -6.407499313354492e-07, 9.920935796805404e-10)
"""pi/2 in parts of 8 bits, so that n * part is exact for |n| < 2^16, and the rest."""
PARTS = (1.57080078125, -4.454399459064007e-06, -5.564431554416771e-11)
"""The same of 16 bits, for |n| < 2^8."""
LIMIT = 256.0
SHORT_LIMIT = 65536.0
HALF_PI_HEAD = 3217 / 2048  # 12 bits
HALF_PI_TAIL = -4.454455103380768e-06
TABLE_BITS = 256
WORD = 32
LIMB_BITS = 16
LIMB = 0xFFFF
QUARTER_BITS = 30
QUARTER = 1 << QUARTER_BITS
LOST_IN_F16 = 13
"""Trailing zeros of the mantissa of an f32 extended from f16."""
PI_DIGITS = "31415926535897932384626433832795028841971693993751058209749445923078164062862089986280348253421170679"


@dataclass(frozen=True)
class Angle:
    """``r`` + ``rest`` is the reduced angle, ``quadrant`` has n in its low bits."""

    quadrant: Int
    r: Float
    rest: Float

    @staticmethod
    def special(x: Float, result: Float) -> Float:
        """``result``, but NaN where x is infinite or NaN."""
        return ((x.bits & ABSOLUTE) > INFINITY - 1).select(x.lanes.float(math.nan), result)


def reduce_angle(x: Float, mode: Mode) -> Angle:
    """The reduced angle of x."""
    if x.lanes.qfloat:
        return _in_integers(x, mode)
    small = _small(x, mode)
    if mode.narrow or mode.fast:
        return small
    large = _large(x, mode)
    is_large = (x.bits & ABSOLUTE) > float_bits(SHORT_LIMIT if mode.short else LIMIT)
    return Angle(is_large.select(large.quadrant, small.quadrant), is_large.select(large.r, small.r),
                 is_large.select(large.rest, small.rest))


def _small(x: Float, mode: Mode) -> Angle:
    shifted = x * TWO_OVER_PI + ROUND
    n = shifted - ROUND
    if mode.short:
        first, second, third, last = SHORT_PARTS
        r = (((x - n * first) - n * second) - n * third) - n * last
        return Angle(shifted.bits, r, x.lanes.float(0.0))
    first, second, last = PARTS
    exact = x - n * first
    product = n * second
    r = exact - product
    lost = ((exact - r) - product) - n * last
    total = r + lost
    return Angle(shifted.bits, total, lost - (total - r))


def two_over_pi_words() -> list[int]:
    """2/pi in words of 32 bits, most significant first, after one word of zeros."""
    pi = Fraction(int(PI_DIGITS), 10 ** (len(PI_DIGITS) - 1))
    bits = int(2 / pi * 2**TABLE_BITS)
    return [0] + [bits >> (TABLE_BITS - WORD * (i + 1)) & 0xFFFFFFFF for i in range(TABLE_BITS // WORD)]


def _pick(word: Int, choices: list[int]) -> Int:
    """``choices[word]``."""
    lanes = word.lanes
    result = lanes.int(choices[-1])
    for index in reversed(range(len(choices) - 1)):
        result = word.equals(index).select(lanes.int(choices[index]), result)
    return result


def _window(start: Int, words: int, choices: int = 5) -> list[Int]:
    """``words`` words of 2/pi from bit ``start`` (of the table) on, most significant first.

    ``start`` is below 32 * ``choices``; the default serves every exponent below 128.
    """
    lanes = start.lanes
    table = two_over_pi_words()
    index, shift = start >> 5, start & (WORD - 1)
    picked = [_pick(index, table[i:i + choices]) for i in range(words + 1)]
    down = lanes.int(WORD - 1) - shift
    # Two shifts to the right, because a shift by the whole width is poison.
    return [(picked[i] << shift) | picked[i + 1].shift_right_unsigned(1).shift_right_unsigned(down)
            for i in range(words)]


def _limbs(window: list[Int]) -> list[Int]:
    """The words in limbs of 16 bits, least significant first."""
    return [half for word in reversed(window) for half in (word & LIMB, word.shift_right_unsigned(LIMB_BITS))]


def _product(m: Int, window: list[Int]) -> list[Int]:
    """The limbs of m * window modulo 2^96, least significant first; the lowest is left out. m < 2^24."""
    limbs, low, high = _limbs(window), m & LIMB, m.shift_right_unsigned(LIMB_BITS)
    result: list[Int] = []
    carry = m.lanes.int(0)
    for below, limb in pairwise(limbs):
        total = low * limb + carry  # below 2^32: the carry is at most 2^16 + 2^9
        rest = (total & LIMB) + high * below
        result.append(rest & LIMB)
        carry = total.shift_right_unsigned(LIMB_BITS) + rest.shift_right_unsigned(LIMB_BITS)
    return result


def _short_product(m: Int, window: list[Int]) -> list[Int]:
    """The same for m < 2^15."""
    result: list[Int] = []
    carry = m.lanes.int(0)
    for limb in _limbs(window):
        total = limb * m + carry
        result.append(total & LIMB)
        carry = total.shift_right_unsigned(LIMB_BITS)
    return result


def _number(x: Int, weight: float) -> Float:
    """x * weight for -2^22 <= x < 2^22."""
    return ((x + float_bits(ROUND)).as_float() - ROUND) * weight


def _turns(x: Float, mode: Mode) -> tuple[Int, Int, Int]:
    """Quarter turns of abs(x) to nearest, the fraction of one in 2^-30, signed, and 32 bits below that."""
    magnitude = x.bits & ABSOLUTE
    m = (x.bits & FRACTION) | HIDDEN_BIT
    # The bit of weight 2 once 2/pi is multiplied by 2^e: the table's bit 0 weighs 2^31.
    start = magnitude.shift_right_unsigned(MANTISSA_BITS) - (BIAS + MANTISSA_BITS - 30)
    if mode.element != "f32":
        zeros = LOST_IN_F16 if mode.narrow else LIMB_BITS  # of the mantissa
        window = _window(start + zeros, 2, 2 if mode.narrow else 5)
        limbs = _short_product(m.shift_right_unsigned(zeros), window)
    else:
        limbs = _product(m, _window(start, 3, 1 if mode.fast else 5))
    high, middle = ((limbs[i] << LIMB_BITS) | limbs[i - 1] for i in (-1, -3))
    quadrant = (high + QUARTER // 2).shift_right_unsigned(QUARTER_BITS)
    return quadrant, high - (quadrant << QUARTER_BITS), middle


def _in_integers(x: Float, mode: Mode) -> Angle:
    """The reduced angle within 3 units of its last place, without an exact sum or product."""
    lanes = x.lanes
    quadrant, f, middle = _turns(x, mode)
    f = f - (middle >> (WORD - 1))  # the lower part is signed, so that the two parts do not cancel
    r = f.to_float() * (math.pi / 2 / QUARTER) + middle.to_float() * (math.pi / 2 / QUARTER / 2**WORD)
    sign, minus = x.bits & SIGN, x.bits >> 31
    large = (x.bits & ABSOLUTE) > float_bits(math.pi / 4)
    return Angle(large.select((quadrant ^ minus) - minus, lanes.int(0)), large.select(_flip(r, sign), x),
                 lanes.float(0.0))


def _large(x: Float, mode: Mode) -> Angle:
    quadrant, f, middle = _turns(x, mode)
    top = _number(f >> 8, 2.0**-22)
    below = _number(((f & 0xFF) << 14) | middle.shift_right_unsigned(18), 2.0**-44)
    s = top + below
    rest = (below - (s - top)) + _number(middle & 0x3FFFF, 2.0**-62)
    head = s.head
    main = head * HALF_PI_HEAD
    small = head * HALF_PI_TAIL + ((s - head) + rest) * (HALF_PI_HEAD + HALF_PI_TAIL)
    r = main + small
    sign, minus = x.bits & SIGN, x.bits >> 31
    return Angle((quadrant ^ minus) - minus, _flip(r, sign), _flip(small - (r - main), sign))


def _flip(x: Float, sign: Int) -> Float:
    return (x.bits ^ sign).as_float()
