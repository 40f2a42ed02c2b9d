"""log, log2, log10, log1p.

Measured against float64 on random bit patterns, dense ranges and special values; operations without constants
and bitcasts:

=====================  =======  ==========
function               max ulp  operations
=====================  =======  ==========
`log`                  1.16     40
`log, narrow`          1.07     36
`log2`                 1.29     45
`log10`                1.22     48
`log1p`                1.69     50
=====================  =======  ==========
"""

from __future__ import annotations

import math

from hexagon_mlir.passes.math_library.coefficients import LOG
from hexagon_mlir.passes.math_library.lanes import ABSOLUTE, INFINITY, SIGN, Float, Int, float_bits, horner

SQRT_HALF_BITS = 0x3F3504F3  # the mantissa is taken from [sqrt(1/2), sqrt(2))
MANTISSA_MASK = 0x7FFFFF
MANTISSA_BITS = 23
EXPONENT_MASK = 0xFF800000
ONE_BITS = 0x3F800000
INTEGER_BITS = 0x4B400000  # bits of 1.5 * 2^23: adding a small integer to them adds it to the number
INTEGER = 12582912.0
SMALLEST_NORMAL = 2.0**-126
LIFT = 24  # denormals are multiplied by 2^24
LN2_HIGH = 0.693359375
LN2_LOW = -2.1219444005469058e-4


def _split(x: Float) -> tuple[Int, Float]:
    """x = 2^k m, m in [sqrt(1/2), sqrt(2)): returns bits whose exponent field is k, and m; 3 operations."""
    shifted = x.bits - SQRT_HALF_BITS
    return shifted, ((shifted & MANTISSA_MASK) + SQRT_HALF_BITS).as_float()


def _exponent(shifted: Int, bias: Float | float = INTEGER) -> Float:
    """k as a number; 3 operations."""
    return ((shifted >> MANTISSA_BITS) + INTEGER_BITS).as_float() - bias


def _normal(x: Float, narrow: bool) -> tuple[Float, Float | float]:
    """x lifted out of the denormals, and the bias that corrects its exponent."""
    if narrow:
        return x, INTEGER
    small = x < SMALLEST_NORMAL
    lifted = small.select(x * 2.0**LIFT, x)
    return lifted, small.select(x.lanes.float(INTEGER + LIFT), x.lanes.float(INTEGER))


def _special(x: Float, result: Float) -> Float:
    """-inf for +-0, NaN for negative numbers, inf and NaN for themselves; 6 operations."""
    lanes = x.lanes
    # Not "is the magnitude 0": the code generator makes that a comparison of bits with +0, and -0 is lost.
    outside = x.bits.above(SIGN).select(lanes.float(math.nan), lanes.float(-math.inf))
    value = (x.bits > 0).select(x, outside)
    return (x.bits - 1).above(INFINITY - 2).select(value, result)


def _tail(f: Float) -> Float:
    """f - log(1 + f) = f^2/2 - f^3 P(f)."""
    square = f * f
    return square * 0.5 - square * f * horner(f, LOG)


def log(x: Float, narrow: bool = False) -> Float:
    """The natural logarithm; ``narrow``: x comes from f16."""
    normal, bias = _normal(x, narrow)
    shifted, m = _split(normal)
    k, f = _exponent(shifted, bias), m - 1.0
    return _special(x, k * LN2_HIGH + (f - (_tail(f) - k * LN2_LOW)))


def _other_base(x: Float, high: float, low: float, k_high: float, k_low: float, narrow: bool) -> Float:
    """log(m) (high + low) + k (k_high + k_low), with log(m) in two parts so that no bit is lost near 1."""
    normal, bias = _normal(x, narrow)
    shifted, m = _split(normal)
    k, f = _exponent(shifted, bias), m - 1.0
    tail = _tail(f)
    head = ((f - tail).bits & 0xFFFFF000).as_float()  # 12 bits: head * high is exact
    rest = (f - head) - tail
    small = rest * (high + low) + head * low
    if k_low:
        small = small + k * k_low
    big = k * k_high if k_high != 1.0 else k
    return _special(x, big + (head * high + small))


def log2(x: Float, narrow: bool = False) -> Float:
    """The logarithm to base 2."""
    return _other_base(x, 1.44287109375, -1.76052861036613e-4, 1.0, 0.0, narrow)


def log10(x: Float, narrow: bool = False) -> Float:
    """The logarithm to base 10."""
    return _other_base(x, 0.4342041015625, 9.038034075181667e-5, 0.301025390625, 4.605038981195214e-6, narrow)


def log1p(x: Float) -> Float:
    """log(1 + x), accurate near 0."""
    u = x + 1.0
    part = u - 1.0
    lost = (1.0 - (u - part)) + (x - part)  # u + lost = 1 + x exactly
    shifted, m = _split(u)
    # From 2^24 on nothing is lost; the limit only keeps the scale a number there.
    scale = (x.lanes.int(ONE_BITS) - (shifted & EXPONENT_MASK)).maximum(0).as_float()
    k, f = _exponent(shifted), (m - 1.0) + lost * scale
    result = _special(u, k * LN2_HIGH + (f - (_tail(f) - k * LN2_LOW)))
    # |x| <= 2^-25: x itself, the sign of zero too.
    return ((x.bits & ABSOLUTE) > float_bits(2.0**-25)).select(result, x)
