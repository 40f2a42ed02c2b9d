"""f8E4M3FN and f8E5M2 to and from f32, by integer operations on the bits.

Widening is exact. Rounding is to nearest, ties to even; beyond the largest number E5M2 has infinity, E4M3FN has none
and gives NaN, as PyTorch's conversion does.
"""

from __future__ import annotations

from dataclasses import dataclass

from hexagon_mlir.passes.math_library.lanes import ABSOLUTE, BIAS, INFINITY, MANTISSA_BITS, SIGN, Float, Int, float_bits


@dataclass(frozen=True)
class Small:
    """A format of 8 bits: stored mantissa bits, exponent bias, magnitudes of the largest number and of NaN, and the
    magnitude that replaces overflow."""

    mantissa: int
    bias: int
    largest: int
    nan: int
    overflow: int


SMALL = {"f8E4M3FN": Small(3, 7, 0x7E, 0x7F, 0x7F), "f8E5M2": Small(2, 15, 0x7B, 0x7D, 0x7C)}
SIGN_SHIFT = 24


def widen(x: Int, form: Small) -> Float:
    """The number whose bits the i8 ``x`` has, as f32."""
    wide = x.extend_unsigned()
    magnitude = wide & 0x7F
    # The bits, shifted to f32's exponent field, are the number times 2^(bias - 127), denormal numbers included.
    number = (magnitude << (MANTISSA_BITS - form.mantissa)).as_float() * 2.0 ** (BIAS - form.bias)
    bits = number.bits
    lanes = x.lanes
    if form.largest + 1 < form.nan:  # the format has infinity
        bits = (magnitude > form.largest).select(lanes.int(INFINITY), bits)
    bits = (magnitude > form.nan - 1).select(lanes.int(INFINITY | 1 << MANTISSA_BITS - 1), bits)
    return (bits | ((wide << SIGN_SHIFT) & SIGN)).as_float()


def narrow(x: Float, form: Small) -> Int:
    """``x`` (f32) rounded, as i8 bits."""
    lanes = x.lanes
    magnitude = x.bits & ABSOLUTE
    shift = MANTISSA_BITS - form.mantissa
    odd = magnitude.shift_right_unsigned(shift) & 1
    rounded = (magnitude + odd + ((1 << shift - 1) - 1)) - ((BIAS - form.bias) << MANTISSA_BITS)
    normal = rounded.shift_right_unsigned(shift)
    # Denormal results: adding a number whose unit in the last place is theirs rounds them to the low bits.
    step = 2.0 ** (1 - form.bias - form.mantissa + MANTISSA_BITS)
    denormal = (magnitude.as_float() + step).bits - float_bits(step)
    small = lanes.int(float_bits(2.0 ** (1 - form.bias))) > magnitude
    result = small.select(denormal, normal)
    # Overflow begins halfway between the largest number and the one that would follow.
    limit = float_bits(2.0**40)
    too_large = (magnitude > limit) | (~small & (normal > form.largest))
    result = too_large.select(lanes.int(form.overflow), result)
    result = (magnitude > INFINITY).select(lanes.int(0x7F), result)
    return (result | (x.bits.shift_right_unsigned(SIGN_SHIFT) & 0x80)).truncate("i8")
