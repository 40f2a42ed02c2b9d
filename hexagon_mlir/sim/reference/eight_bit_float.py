"""8-bit floats of v79 in integer arithmetic: sign, 4 exponent bits of bias 8, 3 fraction bits.

0x80 is the only NaN, there is no infinity and no -0; the largest number is 240. One source: qualcomm/qemu kvx_fp8.c.
"""

from __future__ import annotations

import numpy as np

from hexagon_mlir.sim.reference.ieee_float import Lanes
from hexagon_mlir.sim.reference.lane_integers import bit_length, round_even

NAN, LARGEST = 0x80, 0x7F
FRACTION_BITS, BIAS = 3, 8


def decode(patterns: np.ndarray) -> Lanes:
    bits = patterns.astype(np.int64)
    field = bits >> FRACTION_BITS & 15
    significand = (bits & 7) | (field > 0).astype(np.int64) << FRACTION_BITS
    negative = bits >> 7 == 1
    scale = np.maximum(field, 1) - BIAS - FRACTION_BITS
    nan = bits == NAN
    return Lanes(np.where(negative, -significand, significand), scale, negative, np.zeros_like(nan), nan)


def encode(a: Lanes, saturating: bool) -> np.ndarray:
    """Nearest even; 248 and more, and infinity, are NaN or with ``saturating`` the largest number."""
    size = np.abs(a.significand)
    least = 1 - BIAS
    exponent = np.maximum(bit_length(size) - 1 + a.scale, least)
    steps = round_even(size, exponent - FRACTION_BITS - a.scale) + (exponent - least << FRACTION_BITS)
    over = a.infinite | (steps > LARGEST)
    pattern = np.where(over, LARGEST, steps)
    pattern = np.where(pattern == 0, 0, pattern | np.where(a.negative, 0x80, 0))
    return np.where(a.nan | (over & (not saturating)), NAN, pattern).astype(np.uint8)


def negate(patterns: np.ndarray) -> np.ndarray:
    return np.where((patterns == 0) | (patterns == NAN), patterns, patterns ^ 0x80)


def absolute(patterns: np.ndarray) -> np.ndarray:
    return np.where(patterns == NAN, patterns, patterns & 0x7F)


def extreme(name: str, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """NaN when either is."""
    x, y = (np.where(p & 0x80, -(p & 0x7F).astype(np.int64), p) for p in (a, b))
    return np.where((a == NAN) | (b == NAN), NAN, np.where(x > y if name == "max" else x < y, a, b)).astype(np.uint8)
