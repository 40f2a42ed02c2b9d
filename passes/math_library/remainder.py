"""remf: the remainder of truncated division (C's fmod), exact for every pair of numbers.

Long division in integers: both mantissas are 24 bits; each step multiplies what is left of the dividend by up to
2^`STEP`, estimates the quotient in f32 and subtracts, modulo 2^32, which is exact because the difference is small. In
legacy qfloat the estimate is as good; conversions and products with powers of two, which must be exact, are done in
integers. The number of steps covers the largest difference of exponents: 16 for f32 and bf16, 3 for f16.

Errors of f32 in ulp and packets per vector on v75, from docs/maths.md:

===============  =============  =============
function         accurate       fast
===============  =============  =============
fmod              0.00   205.0
===============  =============  =============
"""

from __future__ import annotations

import math

from hexagon_mlir.passes.math_library.division import reciprocal_bounded
from hexagon_mlir.passes.math_library.lanes import (
    ABSOLUTE,
    FRACTION,
    HIDDEN_BIT,
    INFINITY,
    MANTISSA_BITS,
    ROUND,
    Float,
    Int,
    float_bits,
    signed,
)
from hexagon_mlir.passes.math_library.mode import ACCURATE, Mode

STEP = 18
LIFT = 24
DENORMAL_UNIT = 149
"""A denormal number is its bits, as an integer, times 2 to minus this."""
WEIGHT = 150
"""An integer mantissa with biased exponent e is in units of 2^(e - ``WEIGHT``)."""
DIFFERENCES = {"f16": 40, "f32": 277, "bf16": 277}
"""Largest difference of exponents, denormal numbers included."""


def parts(magnitude: Int, mode: Mode = ACCURATE) -> tuple[Int, Int]:
    """Mantissa with its leading bit at 2^23, and biased exponent, of a number that is not 0."""
    x, lift = magnitude.as_float(), magnitude.lanes.int(0)
    if not mode.narrow:
        small = HIDDEN_BIT - magnitude > 0
        exactly = magnitude.lanes.qfloat
        x = small.select(magnitude.to_float() if exactly else x * 2.0**LIFT, x)
        lift = small.select(magnitude.lanes.int(DENORMAL_UNIT if exactly else LIFT), lift)
    return (x.bits & FRACTION) | HIDDEN_BIT, x.bits.shift_right_unsigned(MANTISSA_BITS) - lift


def remf(x: Float, y: Float, mode: Mode = ACCURATE) -> Float:
    """x - y trunc(x / y), with the sign of x."""
    lanes = x.lanes
    x_size, y_size = x.bits & ABSOLUTE, y.bits & ABSOLUTE
    rest, x_exponent = parts(x_size, mode)
    divisor, y_exponent = parts(y_size, mode)
    left = x_exponent - y_exponent
    smaller = y_size > x_size
    # The exponent of the quotient's estimate: rest and divisor as numbers in [1, 2) times 2^-1 (rest is halved).
    inverse = reciprocal_bounded((divisor + (float_bits(1.0) - HIDDEN_BIT)).as_float())
    rest = _reduce(rest, divisor, inverse, lanes.int(0))
    for _ in range(-(-DIFFERENCES[mode.element] // STEP)):
        shift = left.maximum(0).minimum(STEP)
        rest = _reduce(rest, divisor, inverse, shift)
        left = left - STEP
    rest = (rest < 0).select(rest + divisor, rest)
    result = smaller.select(x_size.as_float(), _scaled(rest, y_exponent, mode))
    nan = x_size.maximum(y_size) > INFINITY
    undefined = nan | y_size.equals(0) | (x_size > INFINITY - 1)
    return signed(undefined.select(lanes.float(math.nan), result), x)


def _reduce(rest: Int, divisor: Int, inverse: Float, shift: Int) -> Int:
    """rest 2^shift - q divisor with q the nearest integer to the quotient, or next to it; |rest| <= divisor."""
    scale = ((shift << MANTISSA_BITS) + inverse.bits).as_float()
    if rest.lanes.qfloat:
        quotient = (rest.to_float() * scale * 2.0**-MANTISSA_BITS).nearest_int()
    else:
        number = ((rest >> 2) + float_bits(ROUND)).as_float() - ROUND  # a quarter: 22 bits and a sign
        quotient = (number * scale * 2.0 ** (2 - MANTISSA_BITS) + ROUND).bits - float_bits(ROUND)
    return (rest << shift) - quotient * divisor


def _scaled(rest: Int, exponent: Int, mode: Mode) -> Float:
    """rest 2^(exponent - 150), exact."""
    if rest.lanes.qfloat:
        return _scaled_in_integers(rest, exponent, mode)
    # rest is up to 2^24: in halves, each exact as a float.
    high = ((rest >> 12) + float_bits(ROUND)).as_float() - ROUND
    low = ((rest & 0xFFF) + float_bits(ROUND)).as_float() - ROUND
    number = high * 4096.0 + low
    # Two factors: the product with the first is normal, the one with the second may be denormal.
    first = (exponent.maximum(1) << MANTISSA_BITS).as_float()
    if mode.narrow:
        return number * (first * 2.0**-MANTISSA_BITS)
    small = exponent.minimum(1) + 126  # 127 for normal exponents
    tiny = small.maximum(1) << MANTISSA_BITS
    return (number * 2.0**-MANTISSA_BITS * tiny.as_float()) * first


def _scaled_in_integers(rest: Int, exponent: Int, mode: Mode) -> Float:
    """The same for 0 <= rest <= 2^24, where products with powers of two are not exact."""
    lanes = rest.lanes
    zero = lanes.int(0)
    bits = rest.to_float().bits
    normal = rest.equals(0).select(zero, bits + ((exponent - WEIGHT) << MANTISSA_BITS))
    if mode.narrow:
        return normal.as_float()
    shift = exponent - 1  # the bits of a denormal number are in units of 2^-149
    down, up = (zero - shift).maximum(0).minimum(MANTISSA_BITS + 1), shift.maximum(0).minimum(MANTISSA_BITS + 1)
    field = bits.shift_right_unsigned(MANTISSA_BITS) + exponent - WEIGHT
    return (field > 0).select(normal, (rest >> down) << up).as_float()
