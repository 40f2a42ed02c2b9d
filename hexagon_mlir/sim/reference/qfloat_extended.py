"""qfloat of v79 and v81 in integer arithmetic: exact zeros, infinities, NaNs, and rounding to nearest even.

Beside the word of a lane stand bits L, R, E, Q (qf32) or L, R (qf16). T = 2M + L is a two's complement number, and
R is an increment still to be made: S = T + R, the value is S * 2**(exponent - fraction_bits). E is the exponent's
ninth bit. Q tells, where it differs from R, that the number before rounding was above S (R = 0) or below it (R = 1).
Zeros have the sign R. The complement of M, L, R and Q negates.

A result is T = floor and R = "nearest even is one up". An exact S has two forms, R = Q = 0 and (with T one less)
R = Q = 1; which one a result takes depends on the R of the operands, and decides at the ends of a binade, where
-2**(fraction_bits + 1) still fits T and its negative does not.

Sources: qualcomm/qemu c71ea853, confirmed by the published results of Qualcomm's simulator that its tests carry;
nothing here is taken from it, it uses doubles. The v81 forms have that one source.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from hexagon_mlir.sim.reference.arithmetic import Vector, qfloat_vector
from hexagon_mlir.sim.reference.exact import Format
from hexagon_mlir.sim.reference.ieee_float import TYPES as IEEE_TYPES
from hexagon_mlir.sim.reference.lane_integers import bit_length, exact_sum, round_even, two_complement_length
from hexagon_mlir.sim.reference.qfloat_format import FORMATS, TYPES, QFormat, ieee_operand

_FAR = 1 << 20
"""Beyond every exponent."""
FIRST, LAST = {32: -255, 16: -15}, {32: 256, 16: 16}
"""The exponents of each width of lane."""
WORDS = {32: (0x7FFFFF7F, 0x8000007F), 16: (0x7FFF, 0x801F)}
"""The words of positive and negative specials; the extension bits tell what they are."""
NAN = {32: (0xD, 0x0), 16: (0x3, 0x0)}
INFINITY = {32: (0x8, 0x5), 16: (0x2, 0x1)}
INEXACT_INFINITY = {32: (0x9, 0x4), 16: (0x2, 0x1)}
_ALSO_NAN = {32: (0xC, 0x1), 16: NAN[16]}


def _kinds(bits: int, sign: int) -> np.ndarray:
    """By extension bits of a special's word: 0 a number, 1 infinity, 2 NaN."""
    table = np.zeros(16, np.int64)
    table[[INFINITY[bits][sign], INEXACT_INFINITY[bits][sign]]] = 1
    table[[NAN[bits][sign], _ALSO_NAN[bits][sign]]] = 2
    return table


_KINDS = {(bits, sign): _kinds(bits, sign) for bits in (32, 16) for sign in (0, 1)}


@dataclass(frozen=True)
class Number:
    """An operand. ``increment`` is R, the sign of an IEEE number; ``lost`` the direction of what rounding dropped."""

    format: QFormat
    significand: np.ndarray
    exponent: np.ndarray
    negative: np.ndarray
    increment: np.ndarray
    lost: np.ndarray
    infinite: np.ndarray
    nan: np.ndarray

    @property
    def scale(self) -> np.ndarray:
        return self.exponent - self.format.fraction_bits

    @property
    def zero(self) -> np.ndarray:
        return (self.significand == 0) & ~self.infinite & ~self.nan


def decode(suffix: str, value: Vector) -> Number:
    """The lanes of a register read as ``qf32``, ``qf16``, ``sf`` or ``hf``."""
    f = FORMATS[suffix]
    patterns = value.data.view(TYPES[f.bits])
    if suffix in ("sf", "hf"):
        significand, exponent, negative, field = ieee_operand(patterns, f)
        top, one = field == f.exponent_mask, np.abs(significand) == 1 << f.fraction_bits
        return Number(f, significand, exponent, negative, negative, np.zeros_like(field), top & one, top & ~one)
    word, bits = patterns.astype(np.int64), value.extensions(f.bits)
    if f.bits == 32:
        last, increment, quarter = bits >> 3, bits >> 2 & 1, bits & 1
        exponent = ((bits >> 1 & 1) << 8 | word & 0xFF) - 128 & 0x1FF
    else:
        last, increment, quarter = bits >> 1, bits & 1, bits & 1
        exponent = word & f.exponent_mask
    significand = 2 * f.mantissa(word) + last + increment
    kind = np.zeros_like(word)
    for sign, end in enumerate(WORDS[f.bits]):
        kind = np.where(word == end, _KINDS[f.bits, sign][bits], kind)
    negative = (significand < 0) | ((significand == 0) & (increment == 1))
    lost = np.where(increment == quarter, 0, 1 - 2 * increment)
    return Number(f, significand, exponent + FIRST[f.bits], negative, increment == 1, lost, kind == 1, kind == 2)


def negated(a: Number) -> Number:
    return replace(a, significand=-a.significand, negative=~a.negative, increment=~a.increment, lost=-a.lost)


# -- results -----------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Result:
    """T, R, Q, the exponent and the sign of results."""

    format: QFormat
    floor: np.ndarray
    increment: np.ndarray
    quarter: np.ndarray
    exponent: np.ndarray
    negative: np.ndarray

    def complement(self, where: np.ndarray) -> Result:
        """Negated lanes."""
        return replace(
            self, floor=np.where(where, ~self.floor, self.floor), increment=self.increment ^ where,
            quarter=self.quarter ^ where, negative=self.negative ^ where,
        )  # fmt: skip

    def packed(self, infinite: np.ndarray, nan: np.ndarray, special_negative: np.ndarray) -> Vector:
        """The register: numbers out of range become zeros or infinities, both inexact; then the specials."""
        f, bits = self.format, self.format.bits
        under, over = self.exponent < FIRST[bits], self.exponent > LAST[bits]
        end = np.int64(1) << f.fraction_bits
        over |= (self.exponent == LAST[bits]) & ((self.floor >= end) | (self.floor < -end))
        sign = self.negative.astype(np.int64)
        floor = np.where(under, -sign, self.floor)
        increment, quarter = np.where(under, sign, self.increment), np.where(under, 1 - sign, self.quarter)
        exponent = np.where(under, FIRST[bits], self.exponent)
        word, extension = _fields(floor, increment, quarter, exponent, f)
        for where, marks, negative in (
            (over, INEXACT_INFINITY, self.negative), (infinite, INFINITY, special_negative),
            (nan, NAN, special_negative),
        ):  # fmt: skip
            word = np.where(where, np.where(negative, *WORDS[bits][::-1]), word)
            extension = np.where(where, np.where(negative, *marks[bits][::-1]), extension)
        return qfloat_vector(word.astype(TYPES[bits]), extension)


def _fields(
    floor: np.ndarray, increment: np.ndarray, quarter: np.ndarray, exponent: np.ndarray, f: QFormat
) -> tuple[np.ndarray, np.ndarray]:
    """Words and extension bits."""
    last = floor & 1
    if f.bits == 16:
        return f.word(floor >> 1, exponent - FIRST[16]), last << 1 | increment
    field = exponent - FIRST[32] + 128
    return f.word(floor >> 1, field), last << 3 | increment << 2 | (field >> 8 & 1) << 1 | quarter


def rounded(
    s: np.ndarray, fraction: np.ndarray | int, exponent: np.ndarray, other_form: np.ndarray, f: QFormat
) -> Result:
    """S = s * 2**-fraction at ``exponent``, or one up where T does not fit; bit 0 of s may be sticky.

    Where ``other_form``, an exact result has R = Q = 1; a zero is negative there.
    """
    s, fraction = s << 2, np.asarray(fraction) + 2
    form = other_form.astype(np.int64)
    end = np.int64(1) << f.fraction_bits + 1

    def split(n: np.ndarray | int) -> tuple[np.ndarray, np.ndarray]:
        whole = s >> n
        return whole, s - (whole << n)

    whole, rest = split(fraction)
    whole = whole - form * (rest == 0)
    carry = (whole >= end) | (whole < -end)
    fraction = fraction + carry
    whole, rest = split(fraction)
    half, exact = np.int64(1) << fraction - 1, rest == 0
    up = (rest > half) | ((rest == half) & (whole & 1 == 1))
    increment = np.where(exact, form, up)
    quarter = np.where(exact, form, 1 - increment)
    negative = (s < 0) | ((s == 0) & other_form)
    return Result(f, whole - form * exact, increment, quarter, exponent + carry, negative)


# -- operations --------------------------------------------------------------------------------------------
def add(a: Number, b: Number, f: QFormat) -> Vector:
    """The exponent: of the operand with the larger one after normalising it, less one where the signs differ; or of
    the other if that is larger. +NaN goes before -NaN, and infinities of two signs are +NaN.
    """
    z, scale = exact_sum(a.significand, a.scale, b.significand, b.scale)
    both = a.increment & b.increment
    differ = a.negative != b.negative

    def top(x: Number) -> np.ndarray:
        length = two_complement_length(np.where(both, -x.significand, x.significand))
        return np.where(x.significand == 0, -_FAR, x.scale + length - 1 - differ)

    larger = a.exponent > b.exponent
    exponent = np.where(larger, np.maximum(top(a), b.exponent), np.maximum(top(b), a.exponent))
    fraction = np.where(z == 0, 0, exponent - f.fraction_bits - scale)
    result = rounded(z, fraction, exponent, both, f)
    nan = a.nan | b.nan | (a.infinite & b.infinite & differ)
    positive_nan = (a.nan & ~a.negative) | (b.nan & ~b.negative) | ~(a.nan | b.nan)
    infinite = a.infinite | b.infinite
    below = np.where(nan, ~positive_nan, (a.infinite & a.negative) | (b.infinite & b.negative))
    return result.packed(infinite, nan, below)


def multiply(a: Number, b: Number, f: QFormat) -> Vector:
    """Magnitudes, then the complement; the exponents add, a zero has the first one."""
    z = np.abs(a.significand) * np.abs(b.significand)
    fraction = a.format.fraction_bits + b.format.fraction_bits - f.fraction_bits
    form = (a.increment ^ a.negative) & (b.increment ^ b.negative)
    exponent = np.where(z == 0, FIRST[f.bits], a.exponent + b.exponent)
    negative = a.negative ^ b.negative
    result = rounded(z << max(0, -fraction), max(0, fraction), exponent, form, f)
    result = replace(result, negative=np.zeros_like(negative)).complement(negative)
    nan = a.nan | b.nan | (a.infinite & b.zero) | (a.zero & b.infinite)
    return result.packed(a.infinite | b.infinite, nan, negative)


def normalised(a: Number, f: QFormat) -> Vector:
    """a + -0, where the zero has the first exponent (v81: copies, ``vneg``, ``vabs``)."""
    none, sign = np.zeros_like(a.significand), np.ones_like(a.negative)
    zero = Number(f, none, none + FIRST[f.bits], sign, sign, none, ~sign, ~sign)
    return add(a, zero, f)


def absolute(a: Number) -> Number:
    other = negated(a)
    return Number(a.format, *(np.where(a.negative, getattr(other, n), getattr(a, n)) for n in (
        "significand", "exponent", "negative", "increment", "lost", "infinite", "nan",
    )))  # fmt: skip


def to_ieee(a: Number, f: Format) -> np.ndarray:
    """IEEE patterns: nearest even of the number before it was rounded to the register.

    What that rounding lost is smaller than anything and decides ties.
    """
    size = np.abs(a.significand)
    least = 1 - f.bias
    exponent = np.maximum(bit_length(size) - 1 + a.scale, least)
    down = exponent - f.fraction_bits - a.scale
    tie_breaker = np.where(a.negative, -a.lost, a.lost)
    steps = np.where(down > 0, round_even(2 * size + tie_breaker, down + 1), round_even(size, down))
    pattern = np.minimum(steps + (exponent - least << f.fraction_bits), f.infinity)
    pattern = np.where(a.zero, 0, np.where(a.infinite, f.infinity, np.where(a.nan, f.sign - 1, pattern)))
    return (pattern | np.where(a.negative, f.sign, 0)).astype(IEEE_TYPES[f.bits])


def floor_log2(a: Number) -> np.ndarray:
    """Of the magnitude; zero gives the least integer of the lane, NaN the largest and infinity the one before it."""
    least = 1 << a.format.bits - 1
    value = bit_length(np.abs(a.significand)) - 1 + a.scale
    value = np.where(a.zero, least, np.where(a.infinite, least - 2, np.where(a.nan, least - 1, value)))
    return (value & a.format.mask).astype(TYPES[a.format.bits])
