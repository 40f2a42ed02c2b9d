"""exp, exp2, expm1. Results of exp and exp2 below the smallest normal number become 0.

Measured against float64 on random bit patterns, dense ranges and special values; operations without constants
and bitcasts:

=====================  =======  ==========
function               max ulp  operations
=====================  =======  ==========
`exp`                  0.97     28
`exp2`                 1.06     24
`expm1`                1.63     32
`exp2_bounded`         2.15     15
`expm1_bounded`        1.64     23
=====================  =======  ==========
"""

from __future__ import annotations

from hexagon_mlir.passes.math_library.coefficients import EXP, EXP2, EXP2_SHORT, EXPM1
from hexagon_mlir.passes.math_library.lanes import ABSOLUTE, INFINITY, Float, Int, float_bits, horner

ROUND = 12582912.0  # 1.5 * 2^23: adding it rounds to an integer, which then stands in the low bits
LOG2_E = 1.4426950408889634
LN2_HIGH = 0.693359375  # 10 bits: n * LN2_HIGH is exact for every exponent n
LN2_LOW = -2.1219444005469058e-4
MANTISSA_BITS = 23
INFINITE = float("inf")


def _reduce(x: Float) -> tuple[Int, Float]:
    """x = n ln 2 + r with |r| <= ln(2)/2: returns an integer whose low bits are n, and r; 7 operations."""
    shifted = x * LOG2_E + ROUND
    n = shifted - ROUND
    return shifted.bits, x - n * LN2_HIGH - n * LN2_LOW


def _scale(p: Float, n: Int) -> Float:
    """p * 2^n for a result that is a normal number; 2 operations."""
    return (p.bits + (n << MANTISSA_BITS)).as_float()


def _limit(x: Float, result: Float, low: float, high: float) -> Float:
    """0 below ``low`` (negative), infinity from ``high`` (positive), NaN for NaN; 7 operations."""
    lanes = x.lanes
    result = (x.bits > float_bits(high) - 1).select(lanes.float(INFINITE), result)
    result = x.bits.above(float_bits(low)).select(lanes.float(0.0), result)
    return ((x.bits & ABSOLUTE) > INFINITY).select(x, result)


def exp(x: Float) -> Float:
    """e^x."""
    n, r = _reduce(x)
    return _limit(x, _scale(r * r * horner(r, EXP) + r + 1.0, n), low=-87.33654, high=88.72284)


def exp2(x: Float) -> Float:
    """2^x."""
    shifted = x + ROUND
    r = x - (shifted - ROUND)
    return _limit(x, _scale(r * horner(r, EXP2) + 1.0, shifted.bits), low=-126.0, high=128.0)


def exp2_bounded(x: Float) -> Float:
    """2^x for |x| < 126, within 3 ulp."""
    shifted = x + ROUND
    r = x - (shifted - ROUND)
    return _scale(r * horner(r, EXP2_SHORT) + 1.0, shifted.bits)


def expm1_bounded(x: Float) -> Float:
    """e^x - 1 for |x| < 87, accurate near 0."""
    n, r = _reduce(x)
    small = r + r * r * horner(r, EXPM1)
    power = ((n << MANTISSA_BITS) + float_bits(1.0)).as_float()
    return small * power + (power - 1.0)


def expm1(x: Float) -> Float:
    """e^x - 1, accurate near 0."""
    # Beyond these limits the result is infinite or -1 all the same.
    n, r = _reduce(x.minimum(89.0).maximum(-80.0))
    small = r + r * r * horner(r, EXPM1)
    half_power = ((n << MANTISSA_BITS) + float_bits(0.5)).as_float()  # n = 128 has no whole power
    result = (small * half_power + (half_power - 0.5)) * 2.0
    magnitude = x.bits & ABSOLUTE
    # NaN, and 0 with its sign: one unsigned comparison after 0 has wrapped round.
    return (magnitude - 1).above(INFINITY - 1).select(x, result)
