"""sin, cos, tan.

x = n pi/2 + r, |r| <= pi/4, then polynomials of degree 7 (sin), 8 (cos) or 13 (tan, which uses the rounding error of
r). Short: degree 5 and 6, one quotient for tan. The reduction is in `angle.py`: right for every argument, except that
fast f32 is limited to |x| <= `angle.LIMIT`.

Errors of f32 in ulp and packets per vector on v75, from docs/maths.md:

===============  =============  =============
function         accurate       fast
===============  =============  =============
sin               5.42    64.5  29.40    54.5
cos               5.45    67.5  29.16    54.8
tan               7.33    75.0  101.75    59.8
===============  =============  =============
"""

from __future__ import annotations

from hexagon_mlir.passes.math_library.angle import Angle, reduce_angle
from hexagon_mlir.passes.math_library.coefficients import COS, COS_SHORT, SIN, SIN_SHORT, TAN
from hexagon_mlir.passes.math_library.division import approximate_reciprocal, quotient_of_minus, reciprocal_bounded
from hexagon_mlir.passes.math_library.lanes import ABSOLUTE, SIGN, Float, Int, float_bits, horner
from hexagon_mlir.passes.math_library.mode import ACCURATE, Mode

SMALL = float_bits(2.0**-20)  # sin(x) and tan(x) are x up to here


def _sine_cosine(angle: Angle, mode: Mode) -> tuple[Float, Float]:
    """sin and cos of the reduced angle."""
    r = angle.r
    square = r * r
    if mode.short:
        return r + r * square * horner(square, SIN_SHORT), 1.0 + square * horner(square, COS_SHORT)
    sine = r + r * square * horner(square, SIN)
    return sine, (1.0 - square * 0.5) + square * square * horner(square, COS)


def _wave(x: Float, quadrant: Int, angle: Angle, mode: Mode) -> Float:
    """sin(r + quadrant pi/2)."""
    sine, cosine = _sine_cosine(angle, mode)
    value = (quadrant & 1).equals(0).select(sine, cosine)
    value = (value.bits ^ ((quadrant << 30) & SIGN)).as_float()
    return value if mode.fast else angle.special(x, value)


def sin(x: Float, mode: Mode = ACCURATE) -> Float:
    """The sine of x radians."""
    angle = reduce_angle(x, mode)
    result = _wave(x, angle.quadrant, angle, mode)
    # The sign of zero.
    return result if mode.fast else ((x.bits & ABSOLUTE) > SMALL).select(result, x)


def cos(x: Float, mode: Mode = ACCURATE) -> Float:
    """The cosine of x radians."""
    angle = reduce_angle(x, mode)
    return _wave(x, angle.quadrant + 1, angle, mode)


def sincos(x: Float, mode: Mode = ACCURATE) -> tuple[Float, Float]:
    """Both, from one reduction."""
    angle = reduce_angle(x, mode)
    sine = _wave(x, angle.quadrant, angle, mode)
    sine = sine if mode.fast else ((x.bits & ABSOLUTE) > SMALL).select(sine, x)
    return sine, _wave(x, angle.quadrant + 1, angle, mode)


def tan(x: Float, mode: Mode = ACCURATE) -> Float:
    """The tangent of x radians: in odd quadrants -1 / tan(r)."""
    angle = reduce_angle(x, mode)
    even = (angle.quadrant & 1).equals(0)
    if mode.short:
        sine, cosine = _sine_cosine(angle, mode)
        result = quotient_of_minus(even.select(sine, cosine), even.select(-cosine, sine))
    else:
        r = angle.r
        square = r * r
        # tan(r) = r + rest, rest with the error of r; tan' = 1 + tan^2 is near enough 1 + r^2 for that error.
        rest = r * square * horner(square, TAN)
        if x.lanes.qfloat:
            t = r + rest
            result = even.select(t, -reciprocal_bounded(t))
            return _tangent(x, angle, result, mode)
        rest = rest + (angle.rest + angle.rest * square)
        t = r + rest
        inverse = approximate_reciprocal(t)
        head = t.head
        short = inverse.head
        # 1 - short (head + the remainder of r + rest), the first product exact.
        residual = (1.0 - short * head) - short * (rest - (head - r))
        result = even.select(t, -(short + inverse * residual))
    return _tangent(x, angle, result, mode)


def _tangent(x: Float, angle: Angle, result: Float, mode: Mode) -> Float:
    """``result``, but NaN for infinities and NaN, and x for small x."""
    if mode.fast:
        return result
    return ((x.bits & ABSOLUTE) > SMALL).select(angle.special(x, result), x)
