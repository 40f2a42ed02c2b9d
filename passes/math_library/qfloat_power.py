"""x^y in integers, for legacy qfloat: 2^(y log2 x) needs eight bits more of the logarithm than an f32 has.

x = 2^k (1 + g), 1 + g in [sqrt(1/2), sqrt(2)); g and log2(1 + g) / g are fixed-point numbers of 32 bits; the upper half
of the polynomial is small enough for f32. k + log2(1 + g) is normalized to 31 bits, multiplied by the mantissa of y and
shifted to the format of `fixed_exponential`: some 29 bits are correct.
"""

from __future__ import annotations

from hexagon_mlir.passes.math_library.coefficients import LOG2_RATIO, LOG2_RATIO_TAIL
from hexagon_mlir.passes.math_library.fixed_exponential import parts_of_power, with_denormals
from hexagon_mlir.passes.math_library.lanes import (
    ABSOLUTE,
    BIAS,
    FRACTION,
    INFINITY,
    MANTISSA_BITS,
    SIGN,
    SMALLEST_NORMAL,
    Float,
    Int,
    Mask,
    horner,
)
from hexagon_mlir.passes.math_library.logarithm import split

ONE_BITS = 0x3F800000
LEAST = -149
RATIO_BITS = 30  # fraction bits of log2(1 + g) / g
LARGE = 160 << MANTISSA_BITS  # for larger magnitudes the result is 0 or infinite
RANGE = (-(301 << 22), 257 << 22)  # of the exponent, so that its bits do not wrap around


def power(a: Float, y: Float) -> Float:
    """a^y for a > 0; a and y are numbers."""
    logarithm, places = _logarithm(a)
    mantissa = (y.bits << 8) | SIGN  # unsigned
    product = logarithm.high_product(mantissa) + logarithm
    minus = y.bits >> 31
    product = (product ^ minus) - minus
    field = (y.bits & ABSOLUTE).shift_right_unsigned(MANTISSA_BITS)
    down = places - field + (BIAS - MANTISSA_BITS - 1)
    twice = product.maximum(-LARGE >> 1).minimum(LARGE >> 1) << 1
    beyond = product.maximum(-LARGE >> 2).minimum(LARGE >> 2) << 2  # 0 stays
    near = product >> down.maximum(0).minimum(31)
    exponent = (down < 0).select((down < -1).select(beyond, twice), near).maximum(RANGE[0]).minimum(RANGE[1])
    number, up = parts_of_power(exponent)
    return with_denormals((number.bits + up).minimum(INFINITY))


def _logarithm(a: Float) -> tuple[Int, Int]:
    """log2(a) as an integer of 31 bits, and its number of fraction bits; 0 for 1."""
    lanes, zero = a.lanes, a.lanes.int(0)
    small = a.bits < SMALLEST_NORMAL
    shifted, m = split(small.select(a.bits.to_float(), a))
    k = (shifted >> MANTISSA_BITS) + small.select(lanes.int(LEAST), zero)
    beyond_one = m.bits - ONE_BITS  # below 1 in units of 2^-24, above of 2^-23
    g = (beyond_one + beyond_one.maximum(0)) << 8
    tail = horner(g.to_float() * 2.0**-32, LOG2_RATIO_TAIL)
    ratio = tail.to_fixed(RATIO_BITS)
    for coefficient in reversed(LOG2_RATIO):
        ratio = ratio.high_product(g) + coefficient
    low, high = g.wide_product(ratio)
    # Two words, with 32 fraction bits, or 62 for k = 0.
    near = k.equals(0)
    upper = near.select(high, k + (high >> 31))
    lower = near.select(low, high << 2)
    size = near.select(high, (k << 22) + (high >> 8)).to_float().bits & ABSOLUTE
    wanted = near.select(lanes.int(30 + BIAS), lanes.int(30 + 22 + BIAS))
    left = (wanted - size.shift_right_unsigned(MANTISSA_BITS)).minimum(31)
    # Not "or": LLVM would form a funnel shift, which is scalarized.
    logarithm = (upper << left) + lower.shift_right_unsigned(1).shift_right_unsigned(31 - left)
    return logarithm, left + near.select(lanes.int(RATIO_BITS), zero)


def whole_odd(size: Int) -> tuple[Mask, Int]:
    """Whether a number with the bits ``size`` (no sign), not 0, is whole, and 1 where it is odd, else 0."""
    zero = size.lanes.int(0)
    mantissa = (size & FRACTION) | SMALLEST_NORMAL
    down = BIAS + MANTISSA_BITS - size.shift_right_unsigned(MANTISSA_BITS)
    limited = down.maximum(0).minimum(31)
    integer = mantissa.shift_right_unsigned(limited)
    whole = (integer << limited).equals(mantissa)
    return whole, (whole & ~(down < 0)).select(integer & 1, zero)
