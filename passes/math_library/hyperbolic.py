"""sinh, cosh, tanh and their inverses.

tanh = E / (E + 2) with E = e^(2|x|) - 1; short: 1 - 2 / (e^(2|x|) + 1) from 0.35 on, an odd polynomial below.
sinh: an odd polynomial of degree 7 up to 1, else h - 1/(4h) with h = e^|x| / 2, which is cosh's formula with minus.
asinh = log(1 + v), v = x + x^2 / (1 + sqrt(x^2 + 1)), acosh the same with v = t + sqrt(t (t + 2)), t = x - 1: the
rounding errors of the sums go into the logarithm. Near 0 (to 1/2, t to 1) polynomials of degree 9 and 5.
atanh: log((1 + x) / (1 - x)) / 2 = k ln(2) / 2 + atanh(s), |s| < 0.31; the polynomial, of degree 11, serves |x| < 1/2.

Errors of f32 in ulp and packets per vector on v75, from docs/maths.md:

===============  =============  =============
function         accurate       fast
===============  =============  =============
sinh              5.10    36.5
cosh              2.91    26.8
tanh              5.72    38.8  55.37    27.5
asinh             6.31    82.5
acosh             5.67    75.3
atanh             6.02    34.3
===============  =============  =============
"""

from __future__ import annotations

import math

from hexagon_mlir.passes.math_library import qfloat_hyperbolic
from hexagon_mlir.passes.math_library.coefficients import ACOSH, ASINH, ATANH, SINH, TANH_SHORT
from hexagon_mlir.passes.math_library.division import divide_bounded, reciprocal_bounded, reciprocal_of_minus
from hexagon_mlir.passes.math_library.exponential import HALF_OVERFLOW, LOG2_E, exp_short, expm1_bounded, half_exp
from hexagon_mlir.passes.math_library.lanes import (
    ABSOLUTE,
    INFINITY,
    MANTISSA_BITS,
    Float,
    Int,
    float_bits,
    horner,
    odd,
    signed,
)
from hexagon_mlir.passes.math_library.logarithm import INTEGER, exponent, log_of_sum, split
from hexagon_mlir.passes.math_library.mode import ACCURATE, Mode
from hexagon_mlir.passes.math_library.qfloat_logarithm import below_one, log1p_of
from hexagon_mlir.passes.math_library.roots import sqrt_bounded

SATURATION = 9.02  # tanh is 1 in f32 from here
LARGE = 2.0**14  # asinh and acosh are log(2 x) from here
TANH_SPLIT = 0.35
TINY = 2.0**-13
"""Below, the functions that are 0 at 0 return their argument: in legacy qfloat a sum would change it."""
HALF_LN2 = 0.34657359027997264


def _finite(x: Float, magnitude: Int, result: Float, mode: Mode) -> Float:
    """``result``, but x where it is infinite or NaN."""
    return result if mode.fast else (magnitude > INFINITY - 1).select(x, result)


def tanh(x: Float, mode: Mode = ACCURATE) -> Float:
    """The hyperbolic tangent."""
    magnitude = x.bits & ABSOLUTE
    limited = magnitude.as_float().minimum(SATURATION)
    if mode.short:
        e = exp_short(limited, 2 * LOG2_E, mode)
        large = 1.0 - 2.0 * reciprocal_of_minus(-1.0 - e)
        result = (limited < TANH_SPLIT).select(odd(limited, TANH_SHORT), large)
    elif x.lanes.qfloat:
        result = qfloat_hyperbolic.tanh(limited)
    else:
        # No cancellation near 0, and errors of E vanish as tanh approaches 1.
        e, lost = expm1_bounded(limited + limited)
        if x.lanes.qfloat:
            result = divide_bounded(e, e + 2.0)
        else:
            r = reciprocal_of_minus(-2.0 - e)
            q = e * r
            # The remainder e - q (e + 2) is computed from e itself, without the rounding error of e + 2.
            result = q + (((e - q * e) - (q + q)) + lost) * r
    if x.lanes.qfloat:
        result = (limited < TINY).select(limited, result)
    result = signed(result, x)
    return result if mode.fast or mode.numbers else (magnitude > INFINITY).select(x, result)


def _overflowing(a: Float, result: Float) -> Float:
    """``result``, but infinity where e^a / 2 is infinite: no sum in legacy qfloat is infinite."""
    return (a > HALF_OVERFLOW).select(a.lanes.float(math.inf), result)


def sinh(x: Float, mode: Mode = ACCURATE) -> Float:
    """The hyperbolic sine."""
    magnitude = x.bits & ABSOLUTE
    a = magnitude.as_float()
    h = half_exp(a.minimum(90.0))
    large = h - 0.25 * reciprocal_bounded(h.minimum(2.0**60))
    result = (a < 1.0).select(odd(a, SINH), large)
    if x.lanes.qfloat:
        result = (a < TINY).select(a, _overflowing(a, result))
    return signed(_finite(a, magnitude, result, mode), x)


def cosh(x: Float, mode: Mode = ACCURATE) -> Float:
    """The hyperbolic cosine."""
    magnitude = x.bits & ABSOLUTE
    a = magnitude.as_float()
    h = half_exp(a.minimum(90.0))
    result = h + 0.25 * reciprocal_bounded(h.minimum(2.0**60))
    return _finite(a, magnitude, _overflowing(a, result) if x.lanes.qfloat else result, mode)


def _log1p(a: Float, v: Float, lost: Float) -> Float:
    """log(1 + v + lost), or log(2 a) where a is large."""
    lanes = a.lanes
    u = v + 1.0
    if lanes.qfloat:
        large = a > LARGE
        return log1p_of(v, large.select(a, u), ACCURATE, large.select(lanes.int(1), lanes.int(0)))
    part = u - v
    lost = lost + ((v - (u - part)) + (1.0 - part))
    large = a > LARGE
    u = large.select(a, u)
    lost = large.select(lanes.float(0.0), lost)
    return log_of_sum(u, lost, bias=large.select(lanes.float(INTEGER - 1), lanes.float(INTEGER)))


def asinh(x: Float, mode: Mode = ACCURATE) -> Float:
    """The inverse of sinh."""
    magnitude = x.bits & ABSOLUTE
    a = magnitude.as_float()
    b = a.minimum(LARGE)
    square = b * b
    w = divide_bounded(square, sqrt_bounded(square + 1.0) + 1.0)
    v = b + w
    large = _log1p(a, v, w - (v - b))
    result = (a < 0.5).select(odd(b, ASINH), large)
    if x.lanes.qfloat:
        result = (a < TINY).select(a, result)
    return signed(_finite(a, magnitude, result, mode), x)


def acosh(x: Float, mode: Mode = ACCURATE) -> Float:
    """The inverse of cosh; NaN below 1."""
    lanes = x.lanes
    t = x - 1.0
    near = t < 1.0
    if lanes.qfloat:  # from 1 to 2 the bits are in units of 2^-23
        near = x.bits < float_bits(2.0)
        t = near.select((x.bits - float_bits(1.0)).to_float() * 2.0**-MANTISSA_BITS, t)
    limited = t.minimum(LARGE)
    root = sqrt_bounded(near.select(t + t, limited * (limited + 2.0)))
    v = limited + root
    large = _log1p(x, v, limited - (v - root))
    result = near.select(root + root * t * horner(t, ACOSH), large)
    # As integers, because x may be NaN: below 1 (negative numbers too), then infinity and NaN.
    one = float_bits(1.0)
    outside = (x.bits - one).above(INFINITY - one - 1)
    special = (x.bits > INFINITY - 1).select(x, lanes.float(math.nan))
    return outside.select(special, (t > 0.0).select(result, lanes.float(0.0)))


def atanh(x: Float, mode: Mode = ACCURATE) -> Float:
    """The inverse of tanh; NaN beyond 1."""
    lanes = x.lanes
    magnitude = x.bits & ABSOLUTE
    a = magnitude.as_float()
    small = a < 0.5
    shifted, down = split(below_one(magnitude) if lanes.qfloat else 1.0 - a)
    up = a * 0.5 + 0.5
    s = divide_bounded(up - down, up + down)
    reduced = odd(small.select(a, s), ATANH)
    halvings = (1 - (shifted >> MANTISSA_BITS)).to_float() if lanes.qfloat else 1.0 - exponent(shifted)
    result = small.select(reduced, halvings * HALF_LN2 + reduced)
    if lanes.qfloat:
        result = (a < TINY).select(a, result)
    # As integers, because x may be NaN: 1 gives infinity, NaN itself.
    one = lanes.int(float_bits(1.0))
    special = magnitude.equals(one).select(lanes.float(math.inf), lanes.float(math.nan))
    return signed((magnitude > float_bits(1.0) - 1).select(special, result), x)
