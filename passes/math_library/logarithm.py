"""log, log2, log10, log1p.

x = 2^k m with m in [sqrt(1/2), sqrt(2)) by integer operations on the bits, f = m - 1. Accurate: f - f^2/2 + f^3 P(f),
P of degree 6; for the other bases log(m) is multiplied in two parts. Short: f P(f), degree 7 for f32 and 4 for 16 bits.
Legacy qfloat: `qfloat_logarithm`.

Errors of f32 in ulp and packets per vector on v75, from docs/maths.md:

===============  =============  =============
function         accurate       fast
===============  =============  =============
log               4.75    29.0   6.43    24.8
log2              4.85    28.0   6.00    24.5
log10             5.69    28.8   6.34    24.8
log1p             8.90    38.0
===============  =============  =============
"""

from __future__ import annotations

import math

from hexagon_mlir.passes.math_library.coefficients import LOG, LOG_FAST, LOG_HALF
from hexagon_mlir.passes.math_library.lanes import (
    ABSOLUTE,
    INFINITY,
    MANTISSA_BITS,
    SIGN,
    Float,
    Int,
    float_bits,
    horner,
)
from hexagon_mlir.passes.math_library.mode import ACCURATE, Mode
from hexagon_mlir.passes.math_library.qfloat_logarithm import below_one, log1p_of, logarithm

SQRT_HALF_BITS = 0x3F3504F3  # the mantissa is taken from [sqrt(1/2), sqrt(2))
MANTISSA_MASK = 0x7FFFFF
EXPONENT_MASK = 0xFF800000
ONE_BITS = 0x3F800000
INTEGER_BITS = 0x4B400000  # bits of 1.5 * 2^23: adding a small integer to them adds it to the number
INTEGER = 12582912.0
LEAST_NORMAL = 2.0**-126
LIFT = 24  # denormals are multiplied by 2^24
LN2_HIGH = 0.693359375
LN2_LOW = -2.1219444005469058e-4


def split(x: Float) -> tuple[Int, Float]:
    """x = 2^k m, m in [sqrt(1/2), sqrt(2)): returns bits whose exponent field is k, and m; 3 operations."""
    shifted = x.bits - SQRT_HALF_BITS
    return shifted, ((shifted & MANTISSA_MASK) + SQRT_HALF_BITS).as_float()


def exponent(shifted: Int, bias: Float | float = INTEGER) -> Float:
    """k as a number; 3 operations."""
    return ((shifted >> MANTISSA_BITS) + INTEGER_BITS).as_float() - bias


def normal(x: Float, mode: Mode) -> tuple[Float, Float | float]:
    """x scaled out of the denormal range, and the bias that corrects its exponent."""
    if mode.narrow or mode.fast:
        return x, INTEGER
    small = x < LEAST_NORMAL
    lifted = small.select(x * 2.0**LIFT, x)
    return lifted, small.select(x.lanes.float(INTEGER + LIFT), x.lanes.float(INTEGER))


def _special(x: Float, result: Float) -> Float:
    """-inf for +-0, NaN for negative numbers, inf and NaN for themselves; 6 operations."""
    lanes = x.lanes
    # Not "is the magnitude 0": the code generator turns that into a comparison of bits with +0, which misses -0.
    outside = x.bits.above(SIGN).select(lanes.float(math.nan), lanes.float(-math.inf))
    value = (x.bits > 0).select(x, outside)
    return (x.bits - 1).above(INFINITY - 2).select(value, result)


def _tail(f: Float) -> Float:
    """f - log(1 + f) = f^2/2 - f^3 P(f)."""
    square = f * f
    return square * 0.5 - square * f * horner(f, LOG)


def _short(x: Float, scale: float, mode: Mode) -> Float:
    """log(x) scale from one polynomial."""
    if x.lanes.qfloat:
        return _special(x, logarithm(x, scale, mode))
    lifted, bias = normal(x, mode)
    shifted, m = split(lifted)
    f = m - 1.0
    tail = f * horner(f, tuple(c * scale for c in (LOG_HALF if mode.half else LOG_FAST)))
    return _special(x, exponent(shifted, bias) * (math.log(2) * scale) + tail)


def log(x: Float, mode: Mode = ACCURATE) -> Float:
    """The natural logarithm."""
    if x.lanes.qfloat:
        return _special(x, logarithm(x, 1.0, mode))
    if mode.short:
        return _short(x, 1.0, mode)
    lifted, bias = normal(x, mode)
    return _special(x, log_of_parts(*split(lifted), bias=bias))


def log_of_parts(shifted: Int, m: Float, lost: Float | None = None, bias: Float | float = INTEGER) -> Float:
    """log(2^k (m + lost)) from what `split` returns."""
    k, f = exponent(shifted, bias), m - 1.0
    if lost is not None:
        f = f + lost
    return k * LN2_HIGH + (f - (_tail(f) - k * LN2_LOW))


def log_of_sum(u: Float, lost: Float, bias: Float | float = INTEGER) -> Float:
    """log(u + lost) for a normal u, |lost| within its last place, as if the sum were exact.

    ``bias`` `INTEGER` - n adds n log(2).
    """
    shifted, m = split(u)
    # From 2^24 on ``lost`` is 0; the limit only keeps the scale finite there.
    scale = (u.lanes.int(ONE_BITS) - (shifted & EXPONENT_MASK)).maximum(0).as_float()
    return log_of_parts(shifted, m, lost * scale, bias)


def _other_base(x: Float, high: float, low: float, k_high: float, k_low: float, mode: Mode) -> Float:
    """log(m) (high + low) + k (k_high + k_low), with log(m) in two parts for accuracy near 1."""
    if x.lanes.qfloat:
        return _special(x, logarithm(x, high + low, mode))
    if mode.short:
        return _short(x, high + low, mode)
    lifted, bias = normal(x, mode)
    shifted, m = split(lifted)
    k, f = exponent(shifted, bias), m - 1.0
    tail = _tail(f)
    head = (f - tail).head  # 12 bits: head * high is exact
    rest = (f - head) - tail
    small = rest * (high + low) + head * low
    if k_low:
        small = small + k * k_low
    big = k * k_high if k_high != 1.0 else k
    return _special(x, big + (head * high + small))


def log2(x: Float, mode: Mode = ACCURATE) -> Float:
    """The logarithm to base 2."""
    return _other_base(x, 1.44287109375, -1.76052861036613e-4, 1.0, 0.0, mode)


def log10(x: Float, mode: Mode = ACCURATE) -> Float:
    """The logarithm to base 10."""
    return _other_base(x, 0.4342041015625, 9.038034075181667e-5, 0.301025390625, 4.605038981195214e-6, mode)


def log1p(x: Float, mode: Mode = ACCURATE) -> Float:
    """log(1 + x), accurate near 0."""
    u = x + 1.0
    if x.lanes.qfloat:
        u = (x.bits.above(float_bits(-0.5))).select(below_one(x.bits & ABSOLUTE), u)
        result = (x.bits > INFINITY - 1).select(x, _special(u, log1p_of(x, u, mode)))
        return ((x.bits & ABSOLUTE) > float_bits(2.0**-25)).select(result, x)
    part = u - 1.0
    lost = (1.0 - (u - part)) + (x - part)  # u + lost = 1 + x exactly
    result = _special(u, log_of_sum(u, lost))
    # |x| <= 2^-25: x itself, the sign of zero too.
    return ((x.bits & ABSOLUTE) > float_bits(2.0**-25)).select(result, x)
