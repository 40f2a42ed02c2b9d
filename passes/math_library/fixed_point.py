"""2^x and 1/d to 14 bits by 16-bit integers, for results that are rounded to f16 or bf16.

The bits of an f32, as an integer, are nearly its logarithm: ``t 2^23 + bits(1)`` are those of 2^t, and ``2 bits(1) -
bits(d)`` those of 1/d, up to a correction by the fraction field f that is 0 at both ends, f (1 - f) P(f). P is computed
in fractions of 15 bits: a register has twice as many of them as of f32, a rounded product takes one multiply pipe
instead of two, a sum any pipe instead of the one that adds floats. The linear part keeps all bits of the argument.

Largest relative errors: 2^t 2^-15.7 and the error of t ln 2, 1/d 2^-13.3.
"""

from __future__ import annotations

from hexagon_mlir.passes.math_library.coefficients import EXP2_CORRECTION, RECIPROCAL_CORRECTION
from hexagon_mlir.passes.math_library.lanes import MANTISSA_BITS, Float, Int, float_bits

FRACTION_BITS = 15
FRACTION = (1 << FRACTION_BITS) - 1
INVERSE = 0x7F000000
"""Bits of a power of two and of its reciprocal add up to this: twice those of 1."""


def rounded_product(a: Int, b: Int | int) -> Int:
    """a b of i16 fractions (units of 2^-15), rounded; not both may be -1. One instruction of HVX."""
    factor = b if isinstance(b, int) else b.extend_signed()
    return ((a.extend_signed() * factor + (1 << FRACTION_BITS - 1)) >> FRACTION_BITS).truncate("i16")


def correction(bits: Int, coefficients: tuple[int, ...], scale: int = 1) -> Int:
    """f (1 - f) P(f) / ``scale`` in units of the last place of an f32, f being the fraction field of ``bits``."""
    lost = MANTISSA_BITS - FRACTION_BITS
    f = bits.shift_right_unsigned(lost).truncate("i16") & FRACTION
    total: Int | int = coefficients[-1]
    for coefficient in reversed(coefficients[:-1]):
        total = rounded_product(f, total) + coefficient
    assert isinstance(total, Int)
    return rounded_product(rounded_product(f, f ^ FRACTION), total).extend_signed() * ((1 << lost) // scale)


def exp2_of_fixed(fixed: Int) -> Float:
    """2^(fixed 2^-23), where that is a normal number."""
    return (fixed + float_bits(1.0) + correction(fixed, EXP2_CORRECTION, scale=2)).as_float()


def short_reciprocal(d: Float) -> Float:
    """1/d for a normal |d| < 2^126."""
    return (INVERSE - d.bits + correction(d.bits, RECIPROCAL_CORRECTION)).as_float()
