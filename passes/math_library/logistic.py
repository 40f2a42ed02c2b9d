"""n / (1 + e^v): sigmoid, SiLU, GELU in both its sigmoid and tanh forms; and log(1 + e^v): softplus.

The exponential is bounded, so overflow needs no check, and the divisor is at least 1, so division by zero needs none:
two thirds of the operations of exp, addition and division. Quotients below n 2^-126 are 0; in fast f32 they are n
2^-125 instead, so that an infinite n stays infinite where PyTorch has NaN (silu and gelu of -inf). softplus = max(v, 0)
+ log(1 + t), t = e^-|v|, a polynomial of degree 10; 0 below -88.

Errors of f32 in ulp and packets per vector on v75, from docs/maths.md:

===============  =============  =============
function         accurate       fast
===============  =============  =============
sigmoid           6.18    26.5  123.59    17.5
silu              6.81    27.5  173.13    18.0
softplus          4.99    35.3  101.13    27.3
gelu (tanh)      534.68    33.5  123.34    23.3
===============  =============  =============
"""

from __future__ import annotations

from dataclasses import replace

from hexagon_mlir.passes.math_library.coefficients import SOFTPLUS, SOFTPLUS_SHORT
from hexagon_mlir.passes.math_library.division import quotient_of_minus, reciprocal_of_minus
from hexagon_mlir.passes.math_library.exponential import exp_bounded, exp_clamped, exp_of_parts
from hexagon_mlir.passes.math_library.fixed_exponential import power_of_e
from hexagon_mlir.passes.math_library.fixed_point import short_reciprocal
from hexagon_mlir.passes.math_library.lanes import ABSOLUTE, SIGN, Float, Int, horner
from hexagon_mlir.passes.math_library.mode import ACCURATE, Mode
from hexagon_mlir.passes.math_library.origins import Power, common_powers, keeps_nan
from hexagon_mlir.passes.math_library.special_values import INFINITIES, keep_nan, magnitude_mask

LARGEST = 87.0  # e^v + 1 and its reciprocal are normal numbers
LIMIT, HALF_LIMIT = 125.5, 127.0  # the same for 2^t; the short reciprocal of the second power is exactly 0
F16_LIMIT = 126.0
ZERO = 87.4
LEGACY_VANISHING = -89.0  # the exponent field of its exponential is negative
NEGLIGIBLE = 64.0  # from here on softplus is v, in f16 too
VANISHING = -88.0296  # just above -127 ln 2: the exponential has exponent field 0 and is negligible


def logistic(n: Float, v: Float, mode: Mode = ACCURATE) -> Float:
    """n / (1 + e^v)."""
    if v.lanes.qfloat and (mode.half or not mode.fast):
        return _legacy(n, v, mode)
    if mode.half:
        r = short_reciprocal(1.0 + exp_clamped(v, HALF_LIMIT, mode))
    elif mode.fast:
        return quotient_of_minus(n, -1.0 - exp_clamped(v, LIMIT, mode))
    else:
        minus = -1.0 - exp_bounded(v.minimum(LARGEST).maximum(-LARGEST))
        r = reciprocal_of_minus(minus)
        r = r + r * (1.0 + minus * r)
        r = (v > ZERO).select(n.lanes.float(0.0), r)
    result = r if n.constant == 1 else n * r
    return result if mode.numbers or keeps_nan(n, v) else keep_nan(v, result)


def _legacy(n: Float, v: Float, mode: Mode) -> Float:
    """The same for legacy qfloat, whose products have no infinity, NaN or denormals: the last correction is a
    factor."""
    if mode.half:
        r = short_reciprocal(1.0 + exp_clamped(v, F16_LIMIT if mode.narrow else HALF_LIMIT, mode))
        if not mode.narrow:
            r = r.bits.maximum(0).as_float()  # a sum with the second power of two is one unit too large
    else:
        minus = -1.0 - exp_bounded(v.minimum(LARGEST).maximum(-LARGEST))
        r = (v > ZERO).select(n.lanes.float(0.0), reciprocal_of_minus(minus))
        r = r * (1.0 + (1.0 + minus * r))
    result = r if n.constant == 1 else n * r
    powers = common_powers(n, v)
    if powers is None:
        return result if mode.numbers else keep_nan(v, result)
    top, bottom = powers
    if mode.half and top.leaf.element == mode.result:
        return result  # `keep_classes` is applied to the rounded result
    return keep_classes(replace(top, leaf=top.leaf.extend()), bottom, result)


def keep_classes(n: Power, v: Power, result: Float) -> Float:
    """``result`` = n / (1 + e^v), but infinity or NaN where the common base of n and v is; 6 operations.

    The base and the result have one type; 16-bit ones take half the registers of f32.
    """
    bits, infinity, lanes = n.leaf.bits, INFINITIES[n.leaf.element], n.leaf.lanes
    most = magnitude_mask(n.leaf.element)

    def at_infinity(negative: bool) -> Int:
        if not v.is_negative(negative):
            return lanes.int(most, bits.element)  # NaN
        return lanes.int(infinity | (most + 1 if n.is_negative(negative) else 0), bits.element)

    magnitude = bits & most
    value = (bits < 0).select(at_infinity(True), at_infinity(False)) | magnitude
    return (magnitude > infinity - 1).select(value, result.bits).as_float(n.leaf.element)


def softplus(v: Float, mode: Mode = ACCURATE) -> Float:
    """log(1 + e^v)."""
    legacy = v.lanes.qfloat and not mode.short
    negative = ((v.bits & ABSOLUTE) | SIGN).as_float().maximum(LEGACY_VANISHING if legacy else VANISHING)
    if mode.short:
        t = exp_bounded(negative, mode)
        result = v.maximum(0.0) + t * horner(t, SOFTPLUS_SHORT)
    elif legacy:
        t = power_of_e(negative).bits.maximum(0).as_float()
        result = v.maximum(0.0) + (t + t * (t * horner(t, SOFTPLUS)))
    else:
        p, lost, power = exp_of_parts(negative)
        scale = power.as_float()
        t = p * scale
        tail = t * (t * horner(t, SOFTPLUS))
        logarithm = t + tail
        result = logarithm + (v.maximum(0.0) + (lost * scale + (tail - (logarithm - t))))
    if v.lanes.qfloat and not mode.fast:
        result = (v > NEGLIGIBLE).select(v, result)  # a sum with infinity is not infinite
    return result if mode.fast or mode.numbers else keep_nan(v, result)
