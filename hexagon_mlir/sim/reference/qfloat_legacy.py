"""qfloat of v68, v69, v71, v73 and v75 in integer arithmetic.

S = 2M + 1: the significand is always odd, its last bit is not stored ("von Neumann"), and negation is exact. The value
is S * 2**(E - bias - fraction_bits). There is no zero, no infinity and no NaN: every pattern is a number. An IEEE
operand is S without a hidden bit for denormals; 0 is S = 0, infinity 2**128 (qf16 2**16), a NaN 1.f * 2**128.

An operation makes the exact S of its result in the unit of an exponent e that it chooses (`Sum`, `multiply`), and one
function rounds all of them (`rounded`): what can be written are the odd S, and twice an odd S one exponent up, which
costs a leading bit. Multiples of 4 are in reach of neither: they go up by one.

Sources: the five QEMU trees that have it (qualcomm/qemu 7cb7d76d and c71ea853, quic/qemu, qemu/qemu 4481d3e,
androm3da/qemu b2bf61c) compute the same but for overflow of conversions; nothing here is theirs, which use doubles.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from hexagon_mlir.sim.reference.arithmetic import Vector, qfloat_vector
from hexagon_mlir.sim.reference.exact import Format
from hexagon_mlir.sim.reference.ieee_float import TYPES as IEEE_TYPES
from hexagon_mlir.sim.reference.ieee_float import magnitudes
from hexagon_mlir.sim.reference.lane_integers import bit_length, exact_sum
from hexagon_mlir.sim.reference.qfloat_format import FORMATS, TYPES, QFormat, ieee_operand

_FAR = 1 << 20
"""Below every exponent."""


@dataclass(frozen=True)
class Number:
    """An operand: S, its exponent and exponent field; the sign of an IEEE one, False for a qfloat."""

    format: QFormat
    significand: np.ndarray
    exponent: np.ndarray
    field: np.ndarray
    negative: np.ndarray
    ieee: bool

    @property
    def scale(self) -> np.ndarray:
        return self.exponent - self.format.fraction_bits

    def magnitude(self) -> np.ndarray:
        """S of an IEEE number without its sign."""
        return np.abs(self.significand) if self.ieee else self.significand

    def normalised_exponent(self) -> np.ndarray:
        """The exponent of the leading bit; that of zero is below all others."""
        top = self.scale + bit_length(np.abs(self.significand)) - 1
        return np.where(self.significand == 0, -_FAR, top)


def decode(suffix: str, value: Vector) -> Number:
    """The lanes of a register read as ``qf32``, ``qf16``, ``sf`` or ``hf``."""
    f = FORMATS[suffix]
    patterns = value.data.view(TYPES[f.bits])
    if suffix in ("sf", "hf"):
        significand, exponent, negative, field = ieee_operand(patterns, f)
        return Number(f, significand, exponent, field, negative, True)
    word = patterns.astype(np.int64)
    field = word & f.exponent_mask
    return Number(f, 2 * f.mantissa(word) + 1, field - f.bias, field, np.zeros(word.shape, bool), False)


def rounded(s: np.ndarray, fraction: np.ndarray | int, exponent: np.ndarray, f: QFormat) -> np.ndarray:
    """int64 patterns of S = s * 2**-fraction at ``exponent``; with a fraction, bit 0 of s may be sticky.

    With r = S mod 4: S goes to the nearest of r = 1, 2 (as S/2 one exponent up) and 3, ties down, and r = 0 up to 1.
    Only odd S where S does not fit (then S/2, one exponent up), at the last exponent, and below the first (S/2).
    """
    s, fraction = s << 2, np.add(fraction, 2)
    least, most = -f.bias, f.exponent_mask - f.bias
    limit = np.int64(1) << np.minimum(f.fraction_bits + 1 + fraction, 62)
    carry = (s >= limit) | (s < -limit)
    below = exponent == least - 1

    whole = s >> fraction
    rest = s - (whole << fraction)
    half, r = np.int64(1) << fraction - 1, whole & 3
    to_one = (r == 0) | ((r == 1) & (rest <= half))
    to_two = ~to_one & ((r == 1) | ((r == 2) & (rest <= half)))
    near = whole - r + np.where(to_one, 1, np.where(to_two, 2, 3))
    mantissa, up = np.where(to_two, near >> 2, near >> 1), to_two

    halved = carry | below
    whole = s >> fraction + halved
    even_tie = (s == whole << fraction + halved) & (whole & 3 == 2)
    odd = (whole | 1) - np.where(even_tie, 2, 0)
    only_odd = halved | (exponent == most)
    mantissa, up = np.where(only_odd, odd >> 1, mantissa), np.where(only_odd, halved, up)

    end = (1 << f.fraction_bits) - 1
    negative = s < 0
    over, under = (exponent > most) | (carry & (exponent == most)), exponent < least - 1
    mantissa = np.where(over, np.where(negative, ~end, end), np.where(under, np.where(negative, -1, 0), mantissa))
    field = np.where(over, most, np.where(under, least, exponent + up)) + f.bias
    return np.where(s == 0, 0, f.word(mantissa, field))


def _complement(word: np.ndarray, negative: np.ndarray, f: QFormat) -> np.ndarray:
    return np.where(negative, word ^ f.mask & ~f.exponent_mask, word)


def _vector(word: np.ndarray, f: QFormat) -> Vector:
    return qfloat_vector(word.astype(TYPES[f.bits]))


def negated(a: Number) -> Number:
    return replace(a, significand=-a.significand, negative=a.negative ^ a.ieee)


def add(a: Number, b: Number, f: QFormat) -> Vector:
    """The exponent: of the operand with the larger field after normalising it, or of the other if that is larger.

    Two negative IEEE numbers: their magnitudes, then the complement.
    """
    negative = a.negative & b.negative
    x, y = (np.where(negative, -n.significand, n.significand) for n in (a, b))
    z, scale = exact_sum(x, a.scale, y, b.scale)
    exponent = np.where(
        a.field > b.field, np.maximum(a.normalised_exponent(), b.exponent),
        np.maximum(b.normalised_exponent(), a.exponent),
    )  # fmt: skip
    fraction = np.where(z == 0, 0, exponent - f.fraction_bits - scale)
    return _vector(_complement(rounded(z, fraction, exponent, f), negative, f), f)


def multiply(a: Number, b: Number, f: QFormat) -> Vector:
    """The exponents add, the significands multiply as they are. Signs of IEEE factors come last, by complement."""
    z = a.magnitude() * b.magnitude()
    fraction = a.format.fraction_bits + b.format.fraction_bits - f.fraction_bits
    word = rounded(z << max(0, -fraction), max(0, fraction), a.exponent + b.exponent, f)
    return _vector(_complement(word, a.negative != b.negative, f), f)


def to_ieee(a: Number, f: Format, overflow: str) -> np.ndarray:
    """IEEE patterns, nearest even.

    Beyond the largest number: the exponent field runs on into the NaNs and ends at the pattern of all ones
    (``overflow`` "pattern"), or infinity.
    """
    last = f.sign - 1 if overflow == "pattern" else f.infinity
    size = np.minimum(magnitudes(np.abs(a.significand), a.scale, f), last)
    return np.where(a.significand < 0, size | f.sign, size).astype(IEEE_TYPES[f.bits])
