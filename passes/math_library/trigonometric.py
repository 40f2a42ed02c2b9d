"""sin and cos.

Measured against float64 on random bit patterns, dense ranges and special values; operations without constants
and bitcasts:

=====================  =======  ==========
function               max ulp  operations
=====================  =======  ==========
`sin`                  1.56     40
`cos`                  1.55     41
=====================  =======  ==========

That holds for |x| <= 51,000 (n < 2^15 quarter turns). Beyond, the reduced angle loses bits; from 2^22 on the result
is NaN rather than wrong. sin(-0) is +0.
"""

from __future__ import annotations

from hexagon_mlir.passes.math_library.coefficients import COS, SIN
from hexagon_mlir.passes.math_library.lanes import ABSOLUTE, SIGN, Float, Int, float_bits, horner

ROUND = 12582912.0  # 1.5 * 2^23
TWO_OVER_PI = 0.6366197723675814
HALF_PI = (1.5703125, 4.8351287841796875e-04, 3.13855707645416259765625e-07, 6.077100628276710381e-11)
"""pi/2 in parts of 8, 9 and 9 bits, so that n * part is exact for |n| < 2^15, and the rest."""
LIMIT = 2.0**22  # above, neighbouring quadrants are no longer told apart


def _reduce(x: Float) -> tuple[Int, Float]:
    """x = n pi/2 + r, |r| <= pi/4: an integer with n in its low bits, and r, rounded once."""
    shifted = x * TWO_OVER_PI + ROUND
    n = shifted - ROUND
    first, second, third, rest = HALF_PI
    exact = (x - n * first) - n * second
    product = n * third
    r = exact - product
    lost = (exact - r) - product
    return shifted.bits, r + (lost - n * rest)


def _wave(x: Float, quadrant: Int, r: Float) -> Float:
    """sin(r + quadrant pi/2)."""
    square = r * r
    sine = r + r * square * horner(square, SIN)
    cosine = (1.0 - square * 0.5) + square * square * horner(square, COS)
    value = (quadrant & 1).equals(0).select(sine, cosine)
    value = (value.bits ^ ((quadrant << 30) & SIGN)).as_float()
    in_range = x.lanes.int(float_bits(LIMIT)) > (x.bits & ABSOLUTE)
    return in_range.select(value, x.lanes.float(float("nan")))


def sin(x: Float) -> Float:
    """The sine of x radians."""
    quadrant, r = _reduce(x)
    return _wave(x, quadrant, r)


def cos(x: Float) -> Float:
    """The cosine of x radians."""
    quadrant, r = _reduce(x)
    return _wave(x, quadrant + 1, r)
