"""Conversions of qfloat of v79 and later, in integers."""

from __future__ import annotations

from hexagon_mlir.sim.semantics.qfloat_extended import Format, Number
from hexagon_mlir.sim.semantics.qfloat_lanes import F32_BIAS, F32_FRACTION, QUARTERS, magnitude_log2
from hexagon_mlir.sim.semantics.value import Val


def to_ieee(number: Number, f: Format, target: Format) -> Val:
    """The nearest even IEEE number of the value before the register's rounding, in the low bits of words."""
    negative = number.negative
    value = number.value
    size = value.two("smax", -value)
    empty = (-magnitude_log2(size) + (F32_FRACTION + F32_BIAS)).two("smax", 0).two("umin", F32_FRACTION)
    above = ((number.increment ^ 1) ^ (negative & 1)) << 1
    wide = (size << (empty + QUARTERS)) + (number.inexact & 1) * (above - 1)
    field = number.exponent - empty + (F32_FRACTION - f.fraction + target.bias)
    missing = (-field + 1).two("smax", 0)
    drop = (missing + (F32_FRACTION + QUARTERS - target.fraction)).two("umin", 31)
    one = wide.lift(1)
    rounded = (wide + ((one << (drop - 1)) - 1) + (wide.lshr(drop) & 1)).lshr(drop)
    base = (field - 1).two("smax", 0).two("smin", target.top)
    infinity = target.top << target.fraction
    bits = ((base << target.fraction) + rounded).two("umin", infinity)
    bits = size.icmp("eq", 0).select(0, bits)
    bits = number.infinite.select(infinity, bits)
    bits = number.nan.select((1 << (target.fraction + target.exponent)) - 1, bits)
    return bits | (negative & (1 << (target.fraction + target.exponent)))


def floor_log2(number: Number, f: Format) -> Val:
    """As integers; NaN and infinity are the largest numbers, zero the least, of the lanes' size."""
    value = number.value
    result = magnitude_log2(value.two("smax", -value)) + number.exponent - (F32_BIAS + f.fraction)
    largest = (1 << (f.fraction + f.exponent)) - 1
    zero = value.icmp("eq", 0) & ~(number.nan | number.infinite)
    result = zero.select(-largest - 1, result)
    return number.nan.select(largest, number.infinite.select(largest - 1, result))
