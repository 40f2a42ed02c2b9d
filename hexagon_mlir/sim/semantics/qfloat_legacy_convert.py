"""Conversions of qfloat of v68 to v75, in integers."""

from __future__ import annotations

from hexagon_mlir.sim.semantics.lanes import Pair
from hexagon_mlir.sim.semantics.qfloat_lanes import F32_BIAS, F32_FRACTION, QUARTERS
from hexagon_mlir.sim.semantics.qfloat_legacy import HALF, SINGLE, Format, qfloat
from hexagon_mlir.sim.semantics.value import Type, Val
from hexagon_mlir.targets.disputed import ConversionOverflow


def to_ieee(word: Val, f: Format) -> Val:
    """The IEEE word of the same length (in i32 lanes): exact but below the normal range, where it is rounded to nearest
    even. On overflow the exponent field becomes that of infinity, see `ConversionOverflow`."""
    number = qfloat(word, f)
    significand = number.high >> (f.room + QUARTERS)
    bits = significand.sitofp(32).as_(word.ty)
    size = bits & 0x7FFFFFFF
    shift = number.exponent - (F32_BIAS + f.fraction)
    normal = size.lshr(F32_FRACTION - f.fraction) + (shift << f.fraction)
    magnitude = significand.two("smax", -significand)
    halved = (magnitude + (magnitude.lshr(1) & 1)).lshr(1)
    moved = magnitude << ((number.exponent - 1) & 31)
    denormal = number.exponent.icmp("eq", 0).select(halved, moved)
    inside = (size.lshr(F32_FRACTION) + shift).icmp("sgt", 0)
    if _infinite(word):
        normal = normal.two("smin", f.top << f.fraction)
    return inside.select(normal, denormal) | ((word >> 31) << (f.fraction + f.exponent))


def _infinite(word: Val) -> bool:
    return word.code.floats.disputed.conversion_overflow is ConversionOverflow.INFINITY


def narrowed(pair: Pair) -> Val:
    """qf32 lanes of two registers to hf, to nearest even; even lanes from the low register."""
    parts = [_narrow(word.w) for word in pair]
    return parts[0] | (parts[1] << 16)


def _narrow(word: Val) -> Val:
    """hf bits in the low halves."""
    number = qfloat(word, SINGLE)
    bits = (number.high >> (SINGLE.room + QUARTERS)).sitofp(32).as_(word.ty)
    size = bits & 0x7FFFFFFF
    shift = number.exponent - (F32_BIAS + F32_FRACTION)
    field = size.lshr(F32_FRACTION) + shift
    single = field.icmp("sgt", 0).select(size + (shift << F32_FRACTION), 0)
    host = single.as_(Type(word.ty.lanes, "f", 32)).fptrunc(16)
    small = host.as_(host.ty.of(16, "i")).zext(32)
    # from 2^16 on the exponent field is incremented up to that of infinity
    cut = F32_FRACTION - HALF.fraction
    even = (size + ((size.lshr(cut) & 1) + ((1 << (cut - 1)) - 1))).lshr(cut)
    most = 0x7C00 if _infinite(word) else 0x7FFF
    large = (even + ((shift + (HALF.bias - F32_BIAS)) << HALF.fraction)).two("smin", most)
    beyond = field.icmp("sgt", F32_BIAS + HALF.bias)
    return beyond.select(large, small) | (word.lshr(16) & 0x8000)
