"""exp, exp2, expm1. Results below the smallest normal number become 0."""

from __future__ import annotations

from hexagon_mlir.passes.math_library.lanes import Float, Int, float_bits, horner, keep_nan

# scripts/fit_polynomials.py exp, exp2, expm1
EXP = (1.0, 0.9999997019767761, 0.49999144673347473, 0.16667652130126953, 0.04189852997660637, 0.008289424702525139)
EXP2 = (1.0, 0.6931470036506653, 0.24022245407104492, 0.0555071085691452, 0.009671392850577831, 0.0013269722694531083)
EXPM1 = (0.4999999701976776, 0.1666654646396637, 0.04166743531823158, 0.00836627185344696, 0.0013870695838704705)

ROUND = 12582912.0  # 1.5 * 2^23: adding it rounds to an integer, which then stands in the low bits
LOG2_E = 1.4426950408889634
LN2_HIGH = 0.693359375  # 10 bits: n * LN2_HIGH is exact for every exponent n
LN2_LOW = -2.1219444005469058e-4
MANTISSA_BITS = 23
INFINITE = float("inf")


def _reduce(x: Float) -> tuple[Float, Int, Float]:
    """x = n ln 2 + r with |r| <= ln(2)/2: returns n, an integer whose low 9 bits are n, and r; 7 operations."""
    shifted = x * LOG2_E + ROUND
    n = shifted - ROUND
    return n, shifted.bits, x - n * LN2_HIGH - n * LN2_LOW


def _scale(p: Float, n: Int) -> Float:
    """p * 2^n for a result that is a normal number; 2 operations."""
    return (p.bits + (n << MANTISSA_BITS)).as_float()


def _limit(x: Float, result: Float, low: float, high: float) -> Float:
    """0 below ``low`` (negative), infinity from ``high`` (positive), NaN for NaN; 7 operations."""
    lanes = x.lanes
    result = (x.bits > float_bits(high) - 1).select(lanes.float(INFINITE), result)
    result = x.bits.above(float_bits(low)).select(lanes.float(0.0), result)
    return keep_nan(x, result)


def exp(x: Float) -> Float:
    """e^x."""
    _, n, r = _reduce(x)
    return _limit(x, _scale(horner(r, EXP), n), low=-87.33654, high=88.72284)


def exp2(x: Float) -> Float:
    """2^x."""
    shifted = x + ROUND
    p = horner(x - (shifted - ROUND), EXP2)
    return _limit(x, _scale(p, shifted.bits), low=-126.0, high=128.0)


def expm1(x: Float) -> Float:
    """e^x - 1, accurate near 0."""
    # Beyond these limits the result is -1 or infinite all the same, and 2^n stays a normal number.
    clamped = x.minimum(89.0).maximum(-80.0)
    _, n, r = _reduce(clamped)
    small = r + r * r * horner(r, EXPM1)
    # 2^(n-1) so that n = 128 still has a number.
    half_power = ((n << MANTISSA_BITS) + float_bits(0.5)).as_float()
    result = (small * half_power + (half_power - 0.5)) * 2.0
    return keep_nan(x, (x.bits << 1).equals(0).select(x, result))
