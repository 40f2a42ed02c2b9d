"""Common code of both generations of qfloat: formats of lanes, and integer helpers."""

from __future__ import annotations

from dataclasses import dataclass

from hexagon_mlir.sim.semantics.lanes import Pair
from hexagon_mlir.sim.semantics.value import Val

F32_FRACTION, F32_BIAS = 23, 127
QUARTERS = 2
"""Bits below the unit of a result."""


@dataclass(frozen=True)
class LaneFormat:
    """An IEEE format and the qfloat of the same width, lengths in bits."""

    fraction: int
    exponent: int

    @property
    def top(self) -> int:
        """The largest exponent field of an IEEE number."""
        return (1 << self.exponent) - 1

    @property
    def bias(self) -> int:
        return self.top >> 1


def magnitude_log2(significand: Val) -> Val:
    """The exponent field of the significand as f32: 127 + floor(log2), exact; 0 for zero."""
    bits = significand.sitofp(32).as_(significand.ty)
    return (bits << 1).lshr(F32_FRACTION + 1)


def cut(value: Val, shift: Val) -> Val:
    """``value`` shifted right by up to 31; its last bit is sticky."""
    kept = value >> shift
    return kept | (kept << shift).icmp("ne", value).zext(32)


def high_product(a: Val, b: Val) -> Pair:
    """The upper and the lower words of the product of i32 lanes."""
    wide = [((x.view(64) << 32) >> 32, x.view(64) >> 32) for x in (a, b)]
    even, odd = ((x * y).view(32) for x, y in zip(*wide, strict=True))
    n = a.ty.lanes
    upper, lower = ([i + first if i % 2 == 0 else n + i + first - 1 for i in range(n)] for first in (1, 0))
    return even.shuffle(odd, upper), even.shuffle(odd, lower)
