"""Logarithms under legacy qfloat, where no difference of close numbers is exact.

x = 2^k m as in `logarithm`, but k and f = m - 1 are converted from integers: the bits of m are in units of 2^-23 from 1
on, of 2^-24 below 1. The bits of a denormal number are an integer multiple of 2^-149. Where f is 0, k alone is the
logarithm: a sum with zero would change it. log(1 + x) near 1 is x (1 - f/2 + f^2 P(f)) with f of the rounded sum 1 + x:
the second factor changes so slowly that the rounding is negligible.
"""

from __future__ import annotations

import math

from hexagon_mlir.passes.math_library.coefficients import LOG, LOG_FAST, LOG_HALF
from hexagon_mlir.passes.math_library.lanes import MANTISSA_BITS, SMALLEST_NORMAL, Float, Int, float_bits, horner
from hexagon_mlir.passes.math_library.mode import Mode

SQRT_HALF_BITS = 0x3F3504F3  # the mantissa is taken from [sqrt(1/2), sqrt(2))
MANTISSA_MASK = 0x7FFFFF
DENORMAL_UNIT = 149
"""A denormal number is its bits, as an integer, times 2 to minus this."""


def parts(x: Float, mode: Mode, doubled: Int | None = None) -> tuple[Int, Float]:
    """k and f of x > 0; k + ``doubled`` where that is given."""
    bits, lanes = x.bits, x.lanes
    lift = doubled
    if not (mode.narrow or mode.fast):
        small = bits < SMALLEST_NORMAL
        bits = small.select(bits.to_float().bits, bits)
        unit = small.select(lanes.int(-DENORMAL_UNIT), lanes.int(0))
        lift = unit if lift is None else lift + unit
    shifted = bits - SQRT_HALF_BITS
    k = shifted >> MANTISSA_BITS
    below = (shifted & MANTISSA_MASK) + (SQRT_HALF_BITS - float_bits(1.0))
    f = below.maximum(below + below).to_float() * 2.0 ** -(MANTISSA_BITS + 1)
    return (k if lift is None else k + lift), f


def below_one(magnitude: Int) -> Float:
    """1 - x for the bits of an x from 1/2 to 1, which are in units of 2^-24. Negative beyond 1."""
    return (float_bits(1.0) - magnitude).to_float() * 2.0 ** -(MANTISSA_BITS + 1)


def ratio(f: Float) -> Float:
    """log(1 + f) / f."""
    return 1.0 - f * (0.5 - f * horner(f, LOG))


def logarithm(x: Float, scale: float, mode: Mode, doubled: Int | None = None) -> Float:
    """log(x) ``scale`` of a positive number."""
    k, f = parts(x, mode, doubled)
    whole = k.to_float()
    per_octave = math.log(2) * scale
    if abs(per_octave - 1) > 2.0**-24:
        whole = whole * per_octave
    if mode.short:
        small = f * horner(f, tuple(c * scale for c in (LOG_HALF if mode.half else LOG_FAST)))
    else:
        square = f * f
        small = f - (square * 0.5 - square * f * horner(f, LOG))
        small = small * scale if scale != 1 else small
    return (f.bits.equals(0)).select(whole, whole + small)


def log1p_of(x: Float, u: Float, mode: Mode, doubled: Int | None = None) -> Float:
    """log(1 + x) from u, which is 1 + x rounded and positive."""
    k, f = parts(u, mode, doubled)
    square = f * f
    far = k.to_float() * math.log(2) + (f - (square * 0.5 - square * f * horner(f, LOG)))
    return k.equals(0).select(x * ratio(f), far)
