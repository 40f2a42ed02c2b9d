"""Integers to floats, and bf16 to and from f32.

A sum in legacy qfloat may be off by one unit in the last place even where the exact sum is representable, so the usual
conversion by adding and subtracting a constant is wrong there: `arith.sitofp` of an i32 is left to the code generator.
Elsewhere the bits of the float are constructed.

f32 to signed integer is left to the code generator: 12 packets for 32 lanes, without a call and right for every number
in range; to unsigned, LLVM 22 ends at 2^31 - 1.
"""

from __future__ import annotations

from hexagon_mlir.passes.arith_legalization.comparison import is_nan
from hexagon_mlir.passes.math_library.lanes import MANTISSA_BITS, SIGN, Float, Int, Mask

UNIT = 0x4B000000  # 2^23: one unit in the last place is 1
UNIT_MIDDLE = 0x4B400000  # 1.5 * 2^23: integers of either sign can be added without a change of exponent
UNIT_MIDDLE_F16 = 0x6600  # 1.5 * 2^10, the same in f16
HIGH = 0x53000000  # 2^39: one unit in the last place is 2^16
LOST_IN_F16 = 13  # mantissa bits of f32 beyond those of f16
INFINITE_IN_F16 = 1 << 16
HALF = 16
LOW_MASK = 0xFFFF
ONE_BF16 = 0x3F80
SIGN_OF_HALF = 0x8000
QUIET_BIT = 0x00400000
TWO_TO_31 = 0x4F000000
DOUBLE = 1 << MANTISSA_BITS
"""Increment of the bits of an f32 when the number doubles."""


def small_to_f32(x: Int) -> Float:
    """A signed i32 with |x| < 2^22; 2 operations."""
    if x.lanes.qfloat:
        return x.to_float()
    return (x + UNIT_MIDDLE).as_float() - (1.5 * 2.0**23)


def signed_to_f32(x: Int) -> Float:
    """Any signed i32, rounded to nearest even; 6 operations."""
    if x.lanes.qfloat:
        return x.to_float()
    # Each half becomes a float of its own weight; the bias 2^23 of the lower half is subtracted from the upper one.
    low = ((x & LOW_MASK) | UNIT).as_float()
    high = (x.shift_right_unsigned(HALF) ^ (HIGH | SIGN_OF_HALF)).as_float()
    return (high - (2.0**39 + 2.0**31 + 2.0**23)) + low


def unsigned_to_f32(x: Int) -> Float:
    """Any unsigned i32, rounded to nearest even; 6 operations."""
    if x.lanes.qfloat:
        return _unsigned_by_halving(x)
    low = ((x & LOW_MASK) | UNIT).as_float()
    high = (x.shift_right_unsigned(HALF) | HIGH).as_float()
    return (high - (2.0**39 + 2.0**23)) + low


def _unsigned_by_halving(x: Int) -> Float:
    """Any unsigned i32 from half of it where that is negative; 9 operations."""
    zero = x.lanes.int(0)
    large = x < 0
    # Of 31 bits or more, the last one only decides whether a value is a tie.
    half = x.shift_right_unsigned(1) | (x & 1)
    number = large.select(half, x).to_float()
    return (number.bits + large.select(x.lanes.int(DOUBLE), zero)).as_float()


def integer_to_f32(x: Int, signed: bool) -> Float:
    """An i8, i16 or i32 as f32."""
    if x.element == "i32":
        return signed_to_f32(x) if signed else unsigned_to_f32(x)
    return small_to_f32(x.extend_signed() if signed else x.extend_unsigned())


def integer_to_f16(x: Int, signed: bool) -> Float:
    """An i8 or i16, or in legacy qfloat an i32, as f16, rounded once: what f32 has to round is infinite in f16."""
    if x.lanes.qfloat:
        wide = _within_f16(x, signed).to_float() if x.element == "i32" else integer_to_f32(x, signed)
        return (wide if x.element == "i8" else _with_half_precision(wide)).truncate("f16")
    return (_byte_to_f16 if x.element == "i8" else _half_to_f16)(x, signed)


def _within_f16(x: Int, signed: bool) -> Int:
    """x, clamped to values that round to infinity at most: a larger one would become a NaN in legacy qfloat."""
    if signed:
        return x.minimum(INFINITE_IN_F16).maximum(-INFINITE_IN_F16)
    return x.above(INFINITE_IN_F16).select(x.lanes.int(INFINITE_IN_F16), x)


def _with_half_precision(x: Float) -> Float:
    """x rounded to the 11 bits of an f16, ties to even: legacy qfloat narrows it without a further rounding."""
    odd = x.bits.shift_right_unsigned(LOST_IN_F16) & 1
    return ((x.bits + odd + ((1 << LOST_IN_F16 - 1) - 1)) & -(1 << LOST_IN_F16)).as_float()


def _byte_to_f16(x: Int, signed: bool) -> Float:
    """An i8 as f16, exactly; 2 operations on its 16 bits. On v79 LLVM 22 returns the even and the odd lanes in separate
    vectors."""
    wide = x.extend_signed("i16") if signed else x.extend_unsigned("i16")
    return (wide + UNIT_MIDDLE_F16).as_float("f16") - 1.5 * 2.0**10


def _half_to_f16(x: Int, signed: bool) -> Float:
    """An i16 as f16, rounded once, from the exact f32. LLVM 22 loses the carry of 8190 into the exponent."""
    wide = small_to_f32(x.extend_signed() if signed else x.extend_unsigned())
    return wide.truncate("f16")


def to_unsigned(x: Float) -> Int:
    """An f32 from 0 to 2^32 as i32, truncated: from 2^31 on, the mantissa without its leading bit is already at its bit
    position."""
    return (x.bits > TWO_TO_31 - 1).select((x.bits << 8) | SIGN, x.to_int())


def mask_to_float(mask: Mask, element: str, signed: bool) -> Float:
    """0 or 1, or -1 for a signed bit."""
    if element == "bf16":  # a selection between bf16 numbers would run lane by lane
        one = mask.lanes.int(ONE_BF16 | (SIGN_OF_HALF if signed else 0), "i16")
        return mask.select(one, mask.lanes.int(0, "i16")).as_float(element)
    return mask.select(mask.lanes.float(-1.0 if signed else 1.0, element), mask.lanes.float(0.0, element))


def from_bf16(x: Float) -> Float:
    """bf16 is the upper half of an f32; 2 operations."""
    return (x.bits.extend_unsigned() << HALF).as_float()


def to_bf16(x: Float) -> Float:
    """Rounded to nearest even, NaN kept; 10 operations."""
    rounded = x.bits + (x.bits.shift_right_unsigned(HALF) & 1) + 0x7FFF
    kept = is_nan(x).select(x.bits | QUIET_BIT, rounded)
    return kept.shift_right_unsigned(HALF).truncate("i16").as_float("bf16")
