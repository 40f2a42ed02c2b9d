"""erf, erfc, n (1 + erf(u)).

erf: t + t P(t^2) for t = |x| below 0.925, 1 - 2^(t P(t)) above: one polynomial of degree 5 with selected coefficients.
erfc(|x|) = e^(-x^2) P(t) / (1 + 2 |x|), t = (|x| - 4) / (|x| + 4), P of degree 10; the square is computed in two parts
that both enter the exponential's reduced argument. n (1 + erf(u)) for f16 = 2n / (1 + e^-v), v = 2 atanh(erf(u)) =
u P(u^2), P of degree 6: relative errors stay small in the tail, where 1 + erf(u) cancels.

Errors of f32 in ulp and packets per vector on v75, from docs/maths.md:

===============  =============  =============
function         accurate       fast
===============  =============  =============
erf               3.15    32.3
erfc             13.24    88.3
===============  =============  =============
"""

from __future__ import annotations

import math
from dataclasses import replace

from hexagon_mlir.passes.math_library.coefficients import ERF_LARGE, ERF_LOGIT, ERF_SMALL, ERFC, ERFC_LOW
from hexagon_mlir.passes.math_library.division import approximate_reciprocal, divide_bounded
from hexagon_mlir.passes.math_library.exponential import exp2_bounded, exp_of_parts
from hexagon_mlir.passes.math_library.fixed_exponential import parts_of_power, with_denormals
from hexagon_mlir.passes.math_library.lanes import ABSOLUTE, INFINITY, SIGN, Float, Int, horner
from hexagon_mlir.passes.math_library.logistic import logistic
from hexagon_mlir.passes.math_library.mode import ACCURATE, Mode

SPLIT = 0.925
SATURATION = 4.0  # erf is 1 in f32 from here
VANISHES = 10.1  # erfc is 0 from here
LIFT = 64
TINY, SLOPE = 2.0**-13, 2 / math.sqrt(math.pi)
"""Below ``TINY``, erf(x) is x ``SLOPE``."""
POINT = 27
"""Fraction bits of an argument up to 10.1 in 32 bits."""
LOG2_E_LESS_ONE = round((math.log2(math.e) - 1) * 2**32)
LOGIT_LIMIT = 6.0  # of an argument: above, the polynomial still grows, and e^v is as good as infinite
NEAR = 0.8  # below, erf(a) - a is so small that (1 - a) - (erf(a) - a) is accurate


def erf(x: Float, mode: Mode = ACCURATE) -> Float:
    """The error function."""
    lanes = x.lanes
    magnitude = x.bits & ABSOLUTE
    t = magnitude.as_float().minimum(SATURATION)
    large = t > SPLIT
    variable = large.select(t, t * t)
    p: Float | None = None
    for above, below in zip(reversed(ERF_LARGE), reversed(ERF_SMALL), strict=True):
        coefficient = large.select(lanes.float(above), lanes.float(below))
        p = coefficient if p is None else p * variable + coefficient
    assert p is not None
    p = p * t
    result = large.select(1.0 - exp2_bounded(p), t + p)
    if lanes.qfloat:  # a qfloat sum is inexact even for 0, and loses the last bits of the smallest numbers
        result = (t < TINY).select(t * SLOPE, result)
    result = (result.bits | (x.bits & SIGN)).as_float()
    return result if mode.fast or mode.numbers else (magnitude > INFINITY).select(x, result)


def one_plus_erf(n: Float, u: Float, mode: Mode = ACCURATE) -> Float:
    """n (1 + erf(u)), accurate enough for f16; n must be NaN where u is."""
    t = u.maximum(-LOGIT_LIMIT).minimum(LOGIT_LIMIT)
    return logistic(n + n, t * horner(t * t, [-coefficient for coefficient in ERF_LOGIT]), replace(mode, numbers=True))


def erfc(x: Float, mode: Mode = ACCURATE) -> Float:
    """1 - erf(x), accurate for large x."""
    magnitude = x.bits & ABSOLUTE
    a = magnitude.as_float().minimum(VANISHES)
    if x.lanes.qfloat:
        return _complement(x, magnitude, a, mode)
    head = a.head
    square, rest = head * head, (a - head) * (a + head)
    t = divide_bounded(a - 4.0, a + 4.0)
    tail = t * horner(t, ERFC[1:])
    p = tail + ERFC[0]
    # p / (1 + 2 a) in two parts, from p, the divisor and the exponential in two parts each.
    twice = a + a
    divisor = twice + 1.0
    inverse = approximate_reciprocal(divisor)
    quotient = (p * inverse).head
    above = divisor.head
    remainder = ((p - quotient * above) - quotient * (twice - (above - 1.0))) + ((tail - (p - ERFC[0])) + ERFC_LOW[0])
    low = remainder * inverse
    e, lost, power = exp_of_parts(-square, rest=rest, lift=LIFT)
    first = e.head
    product = first * quotient + ((e - first) * quotient + (e * low + lost * quotient))
    large = product * power.as_float() * 2.0**-LIFT
    result = (a < NEAR).select((1.0 - a) - a * horner(a * a, ERF_SMALL), large)
    result = (x.bits < 0).select(2.0 - result, result)
    return result if mode.fast or mode.numbers else (magnitude > INFINITY).select(x, result)


def _complement(x: Float, magnitude: Int, a: Float, mode: Mode) -> Float:
    """erfc under legacy qfloat: a^2, whose error e^(-a^2) magnifies, is computed in integers."""
    t = divide_bounded(a - 4.0, a + 4.0)
    p = divide_bounded(horner(t, ERFC), a + a + 1.0)
    fixed = a.to_fixed(POINT)
    square = fixed.high_product(fixed) << 1  # 2^-23
    power, field = parts_of_power(x.lanes.int(0) - (square + square.high_product(LOG2_E_LESS_ONE)))
    large = with_denormals((p * power).bits + field)
    result = (a < NEAR).select((1.0 - a) - a * horner(a * a, ERF_SMALL), large)
    result = (x.bits < 0).select(2.0 - result, result)
    return result if mode.fast or mode.numbers else (magnitude > INFINITY).select(x, result)
