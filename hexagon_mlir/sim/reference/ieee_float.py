"""HVX IEEE forms and conversions on lanes of patterns, in integer arithmetic with one rounding.

Nearest even, denormals kept, no flush. A NaN result is the pattern of all ones under a clear sign; payload and sign
are lost. Facts: `Qualcomm's QEMU (kvx_ieee.c, kvx_mac_reduce.c)` and `upstream QEMU (hvx_ieee_fp.c)` with their tests.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hexagon_mlir.sim.reference.exact import HALF, SINGLE, Format
from hexagon_mlir.sim.reference.lane_integers import bit_length, exact_sum, round_even

BRAIN = Format(8, 7)
FORMATS = {"sf": SINGLE, "hf": HALF, "bf": BRAIN}
TYPES = {8: np.uint8, 16: np.uint16, 32: np.uint32}


@dataclass(frozen=True)
class Lanes:
    """Numbers: significand * 2**scale with a sign that zeros have too. Those of infinities and NaNs mean nothing."""

    significand: np.ndarray
    scale: np.ndarray
    negative: np.ndarray
    infinite: np.ndarray
    nan: np.ndarray

    def negated(self) -> Lanes:
        return Lanes(-self.significand, self.scale, ~self.negative, self.infinite, self.nan)

    @property
    def zero(self) -> np.ndarray:
        return (self.significand == 0) & ~self.infinite & ~self.nan


def decode(patterns: np.ndarray, f: Format) -> Lanes:
    """The numbers that patterns stand for."""
    bits = patterns.astype(np.int64)
    negative = bits >> f.bits - 1 == 1
    size = bits & f.sign - 1
    field = size >> f.fraction_bits
    significand = (size & (1 << f.fraction_bits) - 1) | (field > 0).astype(np.int64) << f.fraction_bits
    significand = np.where(negative, -significand, significand)
    scale = np.maximum(field, 1) - f.bias - f.fraction_bits
    return Lanes(significand, scale, negative, size == f.infinity, size > f.infinity)


def magnitudes(size: np.ndarray, scale: np.ndarray, f: Format) -> np.ndarray:
    """Patterns of size * 2**scale without sign; beyond the largest number the exponent field runs on."""
    least = 1 - f.bias
    exponent = np.maximum(bit_length(size) - 1 + scale, least)
    steps = round_even(size, exponent - f.fraction_bits - scale)
    return np.where(size == 0, 0, steps + (exponent - least << f.fraction_bits))


def encode(
    number: np.ndarray, scale: np.ndarray, negative: np.ndarray, infinite: np.ndarray, nan: np.ndarray, f: Format
) -> np.ndarray:
    """Patterns of number * 2**scale, with ``negative`` as the sign of all that are not NaN."""
    size = np.minimum(magnitudes(np.abs(number), scale, f), f.infinity)
    pattern = np.where(infinite, f.infinity, size) | np.where(negative, f.sign, 0)
    return np.where(nan, f.sign - 1, pattern).astype(TYPES[f.bits])


# -- arithmetic --------------------------------------------------------------------------------------------
def add(a: Lanes, b: Lanes, f: Format) -> np.ndarray:
    """a + b; an exact zero is negative when both are."""
    z, scale = exact_sum(a.significand, a.scale, b.significand, b.scale)
    infinite = a.infinite | b.infinite
    nan = a.nan | b.nan | (a.infinite & b.infinite & (a.negative != b.negative))
    negative = np.where(z == 0, a.negative & b.negative, z < 0)
    negative = np.where(infinite, np.where(a.infinite, a.negative, b.negative), negative)
    return encode(z, scale, negative, infinite, nan, f)


def product(a: Lanes, b: Lanes) -> Lanes:
    """Exact."""
    infinite = a.infinite | b.infinite
    nan = a.nan | b.nan | (a.infinite & b.zero) | (a.zero & b.infinite)
    return Lanes(a.significand * b.significand, a.scale + b.scale, a.negative != b.negative, infinite & ~nan, nan)


def multiply(a: Lanes, b: Lanes, f: Format) -> np.ndarray:
    p = product(a, b)
    return encode(p.significand, p.scale, p.negative, p.infinite, p.nan, f)


def multiply_add(a: Lanes, b: Lanes, c: Lanes, f: Format) -> np.ndarray:
    """a * b + c, rounded once."""
    return add(product(a, b), c, f)


# -- conversions -------------------------------------------------------------------------------------------
def convert(a: Lanes, f: Format) -> np.ndarray:
    """To another format."""
    return encode(a.significand, a.scale, a.negative, a.infinite, a.nan, f)


def from_integers(values: np.ndarray, f: Format) -> np.ndarray:
    """int64 lanes as floats."""
    none = np.zeros(values.shape, bool)
    return encode(values, np.zeros_like(values), values < 0, none, none, f)


def to_integers(a: Lanes, limits: np.iinfo, nearest: bool, signed_nan: bool) -> np.ndarray:
    """Whole numbers, to nearest even or toward zero, saturated to ``limits``.

    NaN gives the largest, with ``signed_nan`` and a set sign the least.
    """
    size = np.abs(a.significand)
    down = np.clip(-a.scale, 0, 62)
    small = round_even(size, down) if nearest else size >> down
    whole = np.where(a.scale > 0, size << np.clip(a.scale, 0, 38), small)
    whole = np.where(a.infinite | a.nan | (a.scale > 38), np.iinfo(np.int64).max, whole)
    low = a.negative & (signed_nan | ~a.nan)
    return np.clip(np.where(low, -whole, whole), limits.min, limits.max)


# -- order -------------------------------------------------------------------------------------------------
def order(patterns: np.ndarray, f: Format, signed_zero: bool) -> np.ndarray:
    """Integers ordered as the numbers, NaNs beyond the infinities; -0 below +0 or equal to it."""
    bits = patterns.astype(np.int64)
    size = bits & f.sign - 1
    return np.where(bits >= f.sign, -size - signed_zero, size)


def is_nan(patterns: np.ndarray, f: Format) -> np.ndarray:
    return (patterns.astype(np.int64) & f.sign - 1) > f.infinity


def extreme(name: str, a: np.ndarray, b: np.ndarray, f: Format) -> np.ndarray:
    """``max`` or ``min`` in the order of all patterns: +0 above -0, QNaN beyond SNaN beyond infinity."""
    x, y = order(a, f, True), order(b, f, True)
    return np.where(x > y if name == "max" else x < y, a, b)


def extreme_or_nan(name: str, a: np.ndarray, b: np.ndarray, f: Format) -> np.ndarray:
    """The same, but NaN when either is."""
    nan = is_nan(a, f) | is_nan(b, f)
    return np.where(nan, f.sign - 1, extreme(name, a, b, f)).astype(a.dtype)


def extreme_or_signed_nan(name: str, a: np.ndarray, b: np.ndarray, f: Format) -> np.ndarray:
    """The same with the sign of one: ``max`` of a NaN that is not negative is positive, ``min`` the other way."""
    nans = [(is_nan(x, f), x.astype(np.int64) >= f.sign) for x in (a, b)]
    wanted = name == "min"
    found = np.any([nan & (negative == wanted) for nan, negative in nans], axis=0)
    negative = found if wanted else ~found
    value = np.where(negative, (1 << f.bits) - 1, f.sign - 1)
    return np.where(nans[0][0] | nans[1][0], value, extreme(name, a, b, f)).astype(a.dtype)
