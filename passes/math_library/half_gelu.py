"""GELU by erf of an f16 number, for results that are rounded to f16: most of it in integers of 16 bits.

x Phi(x) = max(x, 0) - t Phi(-t), t = |x|, Phi(-t) = 2^L, L = -1 - t^2 + t K(t) with a polynomial K of degree 5: a power
of two instead of an exponential and a quotient, and relative errors stay small where Phi vanishes. t is a fraction of
12 bits, rounded down: for t from 1/4 on it is exact, below that `BIAS` halves the error. From `END` on, t Phi(-t)
rounds to 0. Before the last rounding the error is 0.2 units in the last place at most.
"""

from __future__ import annotations

from hexagon_mlir.passes.math_library.coefficients import EXP2_CORRECTION
from hexagon_mlir.passes.math_library.fixed_point import correction, rounded_product
from hexagon_mlir.passes.math_library.lanes import MANTISSA_BITS, Float, float_bits
from hexagon_mlir.passes.math_library.mode import ACCURATE, Mode

END, END_BITS = 5.80078125, 0x45CD
"""Of |x|, and its bits as f16."""
CENTRE = 22501
"""Of 2 t with 12 bits of a fraction, an odd number: so no difference from it is -2^15."""
POINT, EXPONENT = 12, 10
K_BITS = 14
K_COEFFICIENTS = (-1005, -24664, 3872, -2236, 1222, -658)
"""Of -K, of powers of 2 t - `CENTRE` in units of 2^-15; the best ones near the minimax polynomial for all f16
numbers."""
BIAS = 1300
"""In units of 2^-23, 1.5e-4."""
ABSOLUTE, SIGN, INFINITY = 0x7FFF, 0x8000, 0x7C00
"""Bits of f16."""


def half_gelu(x: Float, mode: Mode = ACCURATE) -> Float:
    """x Phi(x) in f32 for an f16 number x; without a meaning where x is infinite or NaN."""
    t = (x.bits & ABSOLUTE).minimum(END_BITS).as_float("f16")
    fixed = (t.bits + (POINT << EXPONENT)).as_float("f16").to_int("i16")
    twice = fixed << 1
    centred = twice - CENTRE
    k = centred.lanes.int(K_COEFFICIENTS[-1], "i16")
    for coefficient in reversed(K_COEFFICIENTS[1:-1]):
        k = rounded_product(centred, k) + coefficient
    k = rounded_product(centred, k)
    # -1 - L = t^2 - t K, which is positive, with 26 bits of a fraction: HVX adds products to others.
    double, single = twice.extend_unsigned(), fixed.extend_signed()
    power = double * double + single * k.extend_signed() + single * K_COEFFICIENTS[0]
    bits = float_bits(0.5) - BIAS - power.shift_right_unsigned(POINT + K_BITS - MANTISSA_BITS)
    tail = (bits + correction(bits, EXP2_CORRECTION, scale=2)).as_float()
    return x.maximum(0.0).extend() - t.extend() * tail


def with_classes(x: Float, result: Float) -> Float:
    """The f16 ``result`` with the sign of ``x``, and with infinity or NaN where ``x`` is no number."""
    bits = x.bits
    special = bits | (bits >> 15)  # all ones, a NaN, where x is negative
    return ((bits & ABSOLUTE) > INFINITY - 1).select(special, result.bits | (bits & SIGN)).as_float("f16")
