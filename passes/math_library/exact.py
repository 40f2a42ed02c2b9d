"""Quotient and square root of f32 rounded as IEEE 754 asks, which Triton's `div_rn` and `sqrt_rn` promise.

An estimate in f32 within a few units of the mantissa, then the remainder in integers modulo 2^32, which is exact
because it is small. Comparing the remainder with half of the divisor (or the root) decides the rounding. The estimate
may come from any arithmetic, legacy qfloat too: the steps after it search sixteen candidates.
"""

from __future__ import annotations

from hexagon_mlir.ir import arith, math
from hexagon_mlir.passes.math_library.division import reciprocal_bounded
from hexagon_mlir.passes.math_library.lanes import ABSOLUTE, BIAS, HIDDEN_BIT, INFINITY, MANTISSA_BITS, SIGN, Float, Int
from hexagon_mlir.passes.math_library.remainder import parts
from hexagon_mlir.passes.math_library.roots import sqrt_bounded

ONE = 0x3F800000
MOST_OFF = 8
STEPS = (4, 2, 1)
"""An estimate is off by less than ``MOST_OFF`` units (a root by half as many), found in binary steps."""
MOST = 25
"""A shift that leaves less than half a unit of any mantissa."""


def _doubled(x: Float) -> Float:
    """x 2 for a normal number, exactly."""
    return (x.bits + HIDDEN_BIT).as_float()


def _special(bits: Int) -> Int:
    """Above INFINITY - 2, unsigned, for zeros, infinities and NaN: zero wraps round."""
    return (bits & ABSOLUTE) - 1


def _estimate(numerator: Float, inverse: Float) -> Int:
    """numerator inverse 2^23 as an integer, for a product near [1, 2); within 7 units."""
    return (numerator * inverse).to_fixed(MANTISSA_BITS)


def divide_exactly(n: Float, d: Float) -> Float:
    """n / d of any two f32 numbers, rounded to nearest even, denormal results included."""
    lanes = n.lanes
    a, a_exponent = parts(n.bits & ABSOLUTE)
    b, b_exponent = parts(d.bits & ABSOLUTE)
    smaller = b > a
    numerator, divisor = ((mantissa + (ONE - HIDDEN_BIT)).as_float() for mantissa in (a, b))
    # brings the quotient of the mantissas to [1, 2)
    numerator, a = smaller.select(_doubled(numerator), numerator), smaller.select(a + a, a)
    exponent = a_exponent - b_exponent + smaller.select(lanes.int(BIAS - 1), lanes.int(BIAS))
    quotient = _estimate(numerator, reciprocal_bounded(divisor))
    rest = (a << MANTISSA_BITS) - quotient * b
    below = rest < 0
    rest, quotient = below.select(rest + b * MOST_OFF, rest), below.select(quotient - MOST_OFF, quotient)
    for step in STEPS:
        fits = rest > b * step - 1
        rest, quotient = fits.select(rest - b * step, rest), fits.select(quotient + step, quotient)
    # quotient, half-unit bit and sticky bit
    twice = rest + rest
    high = twice > b - 1
    more = ~(high.select(twice - b, twice).equals(0))
    number = (quotient << 2) + high.select(lanes.int(2), lanes.int(0)) + more.select(lanes.int(1), lanes.int(0))
    drop = (1 - exponent).maximum(0).minimum(MOST) + 2
    odd = (number >> drop) & 1
    rounded = (number + (lanes.int(1) << (drop - 1)) - 1 + odd) >> drop
    bits = ((exponent.maximum(1).minimum(BIAS * 2 + 1) - 1) << MANTISSA_BITS) + rounded
    result = (bits.minimum(INFINITY) | ((n.bits ^ d.bits) & SIGN)).as_float()
    special = _special(n.bits).above(INFINITY - 2) | _special(d.bits).above(INFINITY - 2)
    plain = Float(lanes, arith.divf(n.value, d.value))
    return special.select(plain, result)


def sqrt_exactly(x: Float) -> Float:
    """The root of any f32 number, rounded to nearest."""
    lanes = x.lanes
    mantissa, exponent = parts(x.bits & ABSOLUTE)
    exponent = exponent - BIAS
    odd = (exponent & 1).equals(1)
    one = (mantissa + (ONE - HIDDEN_BIT)).as_float()
    root = sqrt_bounded(odd.select(_doubled(one), one)).bits - (ONE - HIDDEN_BIT) - MOST_OFF // 2
    mantissa = odd.select(mantissa + mantissa, mantissa)
    rest = (mantissa << MANTISSA_BITS) - root * root
    for step in STEPS:
        more = (root + root) * step + step * step  # (root + step)^2 - root^2
        fits = rest > more - 1
        rest, root = fits.select(rest - more, rest), fits.select(root + step, root)
    root = (rest > root).select(root + 1, root)
    result = (((exponent >> 1) + (BIAS - 1)) << MANTISSA_BITS) + root
    special = (x.bits - 1).above(INFINITY - 2)
    return special.select(Float(lanes, math.sqrt(x.value)), result.as_float())
