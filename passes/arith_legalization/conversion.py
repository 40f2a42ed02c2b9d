"""Integers to floats by building the float's bits, and bf16 to and from f32.

f32 to signed integer is left to the code generator: 12 packets for 32 lanes, without a call and right for every number
in range; to unsigned, LLVM 22 ends at 2^31 - 1.
"""

from __future__ import annotations

from hexagon_mlir.passes.arith_legalization.comparison import is_nan
from hexagon_mlir.passes.math_library.lanes import SIGN, Float, Int, Mask

UNIT = 0x4B000000  # 2^23: one unit in the last place is 1
UNIT_MIDDLE = 0x4B400000  # 1.5 * 2^23: room below and above
UNIT_MIDDLE_F16 = 0x6600  # 1.5 * 2^10, the same in f16
HIGH = 0x53000000  # 2^39: one unit in the last place is 2^16
HALF = 16
LOW_MASK = 0xFFFF
ONE_BF16 = 0x3F80
SIGN_OF_HALF = 0x8000
QUIET_BIT = 0x00400000
TWO_TO_31 = 0x4F000000


def small_to_f32(x: Int) -> Float:
    """A signed i32 with |x| < 2^22; 2 operations."""
    return (x + UNIT_MIDDLE).as_float() - (1.5 * 2.0**23)


def signed_to_f32(x: Int) -> Float:
    """Any signed i32, rounded to nearest even; 6 operations."""
    # The halves become floats of their own weight; the upper one loses 2^23, which the lower one has too much.
    low = ((x & LOW_MASK) | UNIT).as_float()
    high = (x.shift_right_unsigned(HALF) ^ (HIGH | SIGN_OF_HALF)).as_float()
    return (high - (2.0**39 + 2.0**31 + 2.0**23)) + low


def unsigned_to_f32(x: Int) -> Float:
    """Any unsigned i32, rounded to nearest even; 6 operations."""
    low = ((x & LOW_MASK) | UNIT).as_float()
    high = (x.shift_right_unsigned(HALF) | HIGH).as_float()
    return (high - (2.0**39 + 2.0**23)) + low


def integer_to_f32(x: Int, signed: bool) -> Float:
    """An i8, i16 or i32 as f32."""
    if x.element == "i32":
        return signed_to_f32(x) if signed else unsigned_to_f32(x)
    return small_to_f32(x.extend_signed() if signed else x.extend_unsigned())


def byte_to_f16(x: Int, signed: bool) -> Float:
    """An i8 as f16, exactly; 2 operations on its 16 bits. LLVM 22 leaves even and odd lanes apart for v79."""
    wide = x.extend_signed("i16") if signed else x.extend_unsigned("i16")
    return (wide + UNIT_MIDDLE_F16).as_float("f16") - 1.5 * 2.0**10


def half_to_f16(x: Int, signed: bool) -> Float:
    """An i16 as f16, rounded once, from the exact f32. LLVM 22 loses the carry of 8190 into the exponent."""
    wide = small_to_f32(x.extend_signed() if signed else x.extend_unsigned())
    return wide.truncate("f16")


def to_unsigned(x: Float) -> Int:
    """An f32 from 0 to 2^32 as i32, truncated: from 2^31 on the mantissa without its leading bit is in its place."""
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
