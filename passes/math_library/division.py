"""Division without a divide instruction: an integer seed within 5% of 1/d and two Newton steps.

The error of a Newton step has one sign; a constant above 2 centres it and halves its size, so that two steps reach
2^-20: enough for `short` modes. Accurate: the residual 1 - r d corrects the quotient. Both operands are then scaled by
a power of two, so that the reciprocal stays a normal number. Legacy qfloat has forms of its own, in `qfloat_division`.

Errors of f32 in ulp and packets per vector on v75, from docs/maths.md:

===============  =============  =============
function         accurate       fast
===============  =============  =============
division          3.77    21.8  84.36     9.0
reciprocal        2.99    16.3  30.05     7.3
===============  =============  =============
"""

from __future__ import annotations

from hexagon_mlir.passes.math_library import qfloat_division
from hexagon_mlir.passes.math_library.fixed_point import short_reciprocal
from hexagon_mlir.passes.math_library.lanes import ABSOLUTE, INFINITY, SIGN, SMALLEST_NORMAL, Float, Int, Mask
from hexagon_mlir.passes.math_library.mode import ACCURATE, Mode

SEED = 0x7EF311C7
"""``SEED - bits(d)`` is 1/d within 5.1%: the exponent negates, the mantissa is a chord; signs carry over."""
CENTRED = (2.00127, 2.0000009)
"""2 plus half the largest square of the error before each step."""
BELOW = (CENTRED[0], 2 - 3 * 2.0**-23)
"""The same, but the result is below 1/|d|, rounding errors included: n times it overflows only where n/d does."""
SMALLEST_SCALE = 2.0**-126
SCALE_EXPONENTS = (0x7E800000, 0x7F000000)
"""253 and 254 << 23: the scaled divisor lies in [1/2, 1), so that n * scale cannot overflow early, or for |n| < 1 in
[1, 2), so that it is not a denormal number where n / d is none."""
ONE = 0x3F800000
LIMIT = 2.0**125


def approximate_reciprocal(d: Float, steps: tuple[float, ...] = CENTRED) -> Float:
    """1/d for normal |d| < 2^126, relative error 1e-6; 8 operations."""
    r = (d.lanes.int(SEED) - d.bits).as_float()
    return _refined(r, r, -d, steps)


def reciprocal_of_minus(minus: Float, steps: tuple[float, ...] = CENTRED) -> Float:
    """As `approximate_reciprocal`, from -d; 7 operations."""
    r = _seed_of_minus(minus)
    return _refined(r, r, minus, steps)


def quotient_of_minus(n: Float, minus: Float) -> Float:
    """n/d from -d, relative error 1e-6, infinite from 5% below the largest f32 on; 8 operations."""
    r = _seed_of_minus(minus)
    return _refined(r if n.constant == 1 else n * r, r, minus, CENTRED)


def _seed_of_minus(minus: Float) -> Float:
    return (minus.lanes.int(SEED ^ SIGN) - minus.bits).as_float()


def _refined(q: Float, r: Float, minus: Float, steps: tuple[float, ...]) -> Float:
    """n/d from q = n r, r near 1/d, and -d: each Newton step multiplies q and -d r by the same number.

    All of n, d and r then have one format in HVX; qfloat can add an IEEE constant, but not subtract from one. (R.
    Goldschmidt, "Applications of division by convergence", MIT, 1964.)
    """
    minus = minus * r
    for two in steps[:-1]:
        factor = two + minus
        minus, q = minus * factor, q * factor
    return q * (steps[-1] + minus)


def divide_bounded(n: Float, d: Float, mode: Mode = ACCURATE) -> Float:
    """n / d where 2^-100 < |d| < 2^100 and n and n/d are finite."""
    if mode.short:
        return quotient_of_minus(n, -d)
    r = approximate_reciprocal(d)
    q = n * r
    return q + (n + q * -d if n.lanes.qfloat else n - q * d) * r


def quotient_parts(n: Float, d: Float) -> tuple[Float, Float]:
    """The quotient of `divide_bounded`, and its rounding error."""
    r = approximate_reciprocal(d)
    q = n * r
    correction = (n - q * d) * r
    total = q + correction
    return total, correction - (total - q)


def reciprocal_bounded(d: Float) -> Float:
    """1 / d where 2^-120 < |d| < 2^120."""
    r = approximate_reciprocal(d)
    return r + r * (1.0 + -d * r)


def _special(d: Float) -> tuple[Mask, Float]:
    """Lanes where d is 0, infinite or NaN, and 1/d there, for all three as a difference of bit patterns."""
    one_less = (d.bits & ABSOLUTE) - 1  # zero wraps around to above every number, as infinity and NaN are
    return one_less.above(INFINITY - 2), (d.lanes.int(INFINITY) - d.bits).as_float()


def divide(n: Float, d: Float, mode: Mode = ACCURATE) -> Float:
    """n / d for every pair of f32, denormals included; fast: for 2^-125 <= |d|, infinite d counting as 2^125.

    A constant d becomes a multiplication by its reciprocal.
    """
    if d.constant is not None and SMALLEST_SCALE <= abs(d.constant) <= 1 / SMALLEST_SCALE:
        return n * (1 / d.constant)
    if mode.fast:
        limited = d.maximum(-LIMIT).minimum(LIMIT)
        if mode.half or mode.shared:
            return n * (short_reciprocal(limited) if mode.half else approximate_reciprocal(limited))
        return quotient_of_minus(n, -limited)
    if n.lanes.qfloat:
        return qfloat_division.divide(n, d, mode, approximate_reciprocal)
    special, inverse = _special(d)
    if mode.narrow:  # a normal f32 far from overflow and underflow
        return n * special.select(inverse, approximate_reciprocal(d))
    # Both times 2^-exponent(d): d becomes about 1, and the quotient over- or underflows only where n/d does.
    if mode.shared and n.constant is None:
        q, error = _by_shared(n, d, special, inverse)
    else:
        large, small = (d.lanes.int(exponent) for exponent in SCALE_EXPONENTS)
        exponent = large if n.constant == 1 else ((n.bits & ABSOLUTE) < ONE).select(small, large)
        scale = _scale(d, exponent).as_float()
        divisor = d * scale
        r = approximate_reciprocal(divisor, BELOW)
        error = special.select(d.lanes.float(0.0), 1.0 + -divisor * r)
        q = (scale if n.constant == 1 else n * scale) * special.select(inverse, r)
    if mode.half:
        return q
    corrected = q + q * error
    infinite = (q.bits & ABSOLUTE) > INFINITY - 1
    return infinite.select(q, (corrected.bits | (q.bits & SIGN)).as_float())  # the sign of zero


def _scale(d: Float, exponent: Int) -> Int:
    """The bits of 2^-exponent(d), or half of it."""
    return (exponent - (d.bits & INFINITY)).maximum(SMALLEST_NORMAL)


def _by_shared(n: Float, d: Float, special: Mask, inverse: Float) -> tuple[Float, Float]:
    """n / d and its relative error where many n share d: everything that depends on d alone is computed once."""
    for_large, for_small = (_scale(d, d.lanes.int(exponent)) for exponent in SCALE_EXPONENTS)
    divisor = d * for_small.as_float()
    r = approximate_reciprocal(divisor, BELOW)
    twice = (r.bits + (for_small - for_large)).as_float()
    error = special.select(d.lanes.float(0.0), 1.0 + -divisor * r)
    small = (n.bits & ABSOLUTE) < ONE
    scaled = n * small.select(for_small, for_large).as_float()
    return scaled * small.select(special.select(inverse, r), special.select(inverse, twice)), error


def reciprocal(d: Float, mode: Mode = ACCURATE) -> Float:
    """1 / d for every f32."""
    return divide(d.lanes.float(1.0), d, mode)
