"""asin, acos, atan, atan2.

asin and acos: an odd polynomial of degree 11 up to 1/2, else pi/2 - 2 asin(sqrt((1 - |x|) / 2)).
atan2: the quotient t of the smaller by the larger magnitude, above 0.6 of their difference by their sum; an odd
polynomial of degree 13 in t; and one addition of the multiple of pi/4 that the octant asks for. atan is atan2(x, 1).
In legacy qfloat 1 - |x| is computed from the bits, and no value in two parts.

Errors of f32 in ulp and packets per vector on v75, from docs/maths.md:

===============  =============  =============
function         accurate       fast
===============  =============  =============
asin              7.96    39.3
acos              5.87    44.8
atan              2.82    40.5  27.89    29.5
atan2            28.03    61.3
===============  =============  =============
"""

from __future__ import annotations

import math

from hexagon_mlir.passes.math_library.coefficients import ASIN, ATAN
from hexagon_mlir.passes.math_library.division import divide_bounded, quotient_parts
from hexagon_mlir.passes.math_library.lanes import (
    ABSOLUTE,
    INFINITY,
    MANTISSA_BITS,
    SMALLEST_NORMAL,
    Float,
    Int,
    Mask,
    float_bits,
    horner,
    odd,
    signed,
)
from hexagon_mlir.passes.math_library.mode import ACCURATE, Mode
from hexagon_mlir.passes.math_library.qfloat_logarithm import below_one
from hexagon_mlir.passes.math_library.roots import sqrt, sqrt_and_inverse

ONE = float_bits(1.0)
HALF_PI = (1.5707963705062866, -4.371139000186241e-08)
"""pi/2 as an f32 and the rest."""
PI = (2 * HALF_PI[0], 2 * HALF_PI[1])
TINY = 2.0**-12
"""A smaller argument is its own arc: in legacy qfloat even a sum with zero changes a number."""
LIFT = 64
"""Operands below 1 are multiplied by 2 to this power."""
SPLIT = 0.6  # where the octant's second half begins


def _arc(x: Float) -> tuple[Int, Mask, Float, Float]:
    """|x|'s bits, whether |x| < 1/2, and asin(|x|) there, else asin(sqrt((1 - |x|) / 2)), in two parts."""
    magnitude = x.bits & ABSOLUTE
    a = magnitude.as_float()
    small = a < 0.5
    if x.lanes.qfloat:
        z = below_one(magnitude) * 0.5
        t = small.select(a, sqrt(z))
        square = t * t
        return magnitude, small, t, t * square * horner(square, ASIN)
    z = (1.0 - a) * 0.5
    root, inverse = sqrt_and_inverse(z)
    t = small.select(a, root)
    square = t * t
    cube = t * square * horner(square, ASIN)
    # The root in two parts: pi/2 minus the first is exact.
    head = root.head
    lost = (z - head * head) * (inverse * 0.5)
    return magnitude, small, small.select(a, head), small.select(cube, cube + lost)


def _outside(magnitude: Int, result: Float) -> Float:
    """``result``, but NaN where |x| > 1 or x is NaN."""
    return (magnitude > ONE).select(result.lanes.float(math.nan), result)


def asin(x: Float, mode: Mode = ACCURATE) -> Float:
    """The inverse of sin, in [-pi/2, pi/2]; NaN beyond 1."""
    magnitude, small, high, low = _arc(x)
    p = high + low
    if x.lanes.qfloat:
        large = HALF_PI[0] - (p + p - HALF_PI[1])
    else:
        large = (HALF_PI[0] - (high + high)) - (low + low - HALF_PI[1])
    return signed(_outside(magnitude, small.select(p, large)), x)


def acos(x: Float, mode: Mode = ACCURATE) -> Float:
    """The inverse of cos, in [0, pi]; NaN beyond 1."""
    lanes = x.lanes
    magnitude, small, high, low = _arc(x)
    p = high + low
    negative = x.bits < 0
    middle = HALF_PI[0] - (signed(p, x) - HALF_PI[1])
    twice = p + p
    large = negative.select(PI[0] - (twice - PI[1]), twice)
    result = small.select(middle, large)
    return _outside(magnitude, (magnitude.equals(lanes.int(ONE)) & ~negative).select(lanes.float(0.0), result))


def _octants(steep: Mask, left: Mask, middle: Mask, p: Float) -> Float:
    """The angle of a direction in the upper half plane from p, the angle within its octant."""
    lanes = p.lanes

    def constant(part: int) -> Float:
        quarter, half, whole = HALF_PI[part] / 2, HALF_PI[part], PI[part]
        flat = left.select(lanes.float(whole), lanes.float(0.0))
        flat_middle = left.select(lanes.float(whole - quarter), lanes.float(quarter))
        return steep.select(middle.select(left.select(lanes.float(half + quarter), lanes.float(half - quarter)),
                                          lanes.float(half)), middle.select(flat_middle, flat))

    # The angle grows with p in half of the octants and falls in the others.
    falls = (steep & ~left) | (left & ~steep)
    return constant(0) + (falls.select(-p, p) + constant(1))


def atan2(y: Float, x: Float, mode: Mode = ACCURATE) -> Float:
    """The angle of the direction (x, y), in [-pi, pi]."""
    lanes = x.lanes
    y_size, x_size = y.bits & ABSOLUTE, x.bits & ABSOLUTE
    steep = y_size > x_size
    larger, smaller = steep.select(y_size, x_size), steep.select(x_size, y_size)
    # Two infinities count as equal numbers, one beats every number; 0/0 is 0.
    infinite = larger.equals(lanes.int(INFINITY))
    both = smaller.equals(lanes.int(INFINITY))
    num = infinite.select(both.select(lanes.float(1.0), lanes.float(0.0)), smaller.as_float())
    den = (infinite | larger.equals(lanes.int(0))).select(lanes.float(1.0), larger.as_float())
    if not mode.narrow:  # the sum must not overflow; the last bits of the smaller operand are negligible
        factor = (den > 2.0**120).select(lanes.float(2.0**-8), lanes.float(1.0))
        if lanes.qfloat:  # the last bits of a denormal factor would be lost
            small = den < 1.0
            num, den = (small.select(_lifted(z.bits).as_float(), z * factor) for z in (num, den))
        else:
            factor = (den < 1.0).select(lanes.float(2.0**LIFT), factor)
            num, den = num * factor, den * factor
    middle = num > den * SPLIT
    quotient = middle.select(num - den, num), middle.select(num + den, den)
    if lanes.qfloat:
        q = divide_bounded(*quotient)
        p = odd(q, ATAN)
    else:
        q, lost = quotient_parts(*quotient)
        square = q * q
        p = q + (q * square * horner(square, ATAN) + lost)
    left = x.bits < 0
    angle = _octants(steep, left, middle, p)
    if lanes.qfloat:
        angle = ((q < TINY) & ~(steep | left | middle)).select(q, angle)
    result = signed(angle, y)
    nan = y_size.maximum(x_size) > INFINITY
    return result if mode.numbers else nan.select(lanes.float(math.nan), result)



def _lifted(size: Int) -> Int:
    """The bits of z 2^`LIFT` for the bits of a number z from 0 to 1, denormal ones too."""
    denormal = (size.to_float().bits - (149 - LIFT << MANTISSA_BITS)).maximum(0)  # 0 stays
    return (size < SMALLEST_NORMAL).select(denormal, size + (LIFT << MANTISSA_BITS))


def atan(x: Float, mode: Mode = ACCURATE) -> Float:
    """The inverse of tan, in [-pi/2, pi/2]."""
    magnitude = x.bits & ABSOLUTE
    a = magnitude.as_float()
    lanes = x.lanes
    low, high = a > SPLIT, a > 1 / SPLIT
    one = lanes.float(1.0)
    limited = a.minimum(2.0**60)
    num = high.select(lanes.float(-1.0), low.select(limited - 1.0, limited))
    den = high.select(limited, low.select(limited + 1.0, one))
    t = low.select(divide_bounded(num, den, mode), limited)
    half, zero = HALF_PI[0], lanes.float(0.0)
    base = high.select(lanes.float(half), low.select(lanes.float(half / 2), zero))
    rest = high.select(lanes.float(HALF_PI[1]), low.select(lanes.float(HALF_PI[1] / 2), zero))
    result = signed(base + (odd(t, ATAN) + rest), x)
    if lanes.qfloat:
        result = (a < TINY).select(x, result)
    return result if mode.numbers else (magnitude > INFINITY).select(x, result)
