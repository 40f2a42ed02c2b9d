"""IEEE numbers as exact rationals, and one correct rounding back (to nearest, ties to even)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from hexagon_mlir.sim.reference.rules import FLOAT_OVERFLOW, INEXACT, INVALID, STICKY, UNDERFLOW


@dataclass(frozen=True)
class Format:
    """Field widths of a binary format."""

    exponent_bits: int
    fraction_bits: int

    @property
    def bits(self) -> int:
        return 1 + self.exponent_bits + self.fraction_bits

    @property
    def bias(self) -> int:
        return (1 << self.exponent_bits - 1) - 1

    @property
    def infinity(self) -> int:
        return ((1 << self.exponent_bits) - 1) << self.fraction_bits

    @property
    def sign(self) -> int:
        return 1 << self.bits - 1


HALF, SINGLE, DOUBLE = Format(5, 10), Format(8, 23), Format(11, 52)


def is_nan(bits: int, f: Format) -> bool:
    return bits & ~f.sign > f.infinity


def is_signaling(bits: int, f: Format) -> bool:
    return is_nan(bits, f) and not bits >> f.fraction_bits - 1 & 1


def is_infinite(bits: int, f: Format) -> bool:
    return bits & ~f.sign == f.infinity


def is_zero(bits: int, f: Format) -> bool:
    return bits & ~f.sign == 0


def value(bits: int, f: Format) -> Fraction:
    """The number a finite pattern stands for."""
    fraction = bits & ((1 << f.fraction_bits) - 1)
    exponent = bits >> f.fraction_bits & ((1 << f.exponent_bits) - 1)
    if exponent:
        fraction |= 1 << f.fraction_bits
    scale = max(exponent, 1) - f.bias - f.fraction_bits
    number = Fraction(fraction) * Fraction(2) ** scale
    return -number if bits & f.sign else number


def rounded(number: Fraction, f: Format, zero_sign: int = 0) -> int:
    """The nearest pattern; overflow gives infinity, an exact zero takes ``zero_sign`` (0 or 1)."""
    if number == 0:
        return f.sign * zero_sign
    sign = f.sign if number < 0 else 0
    size = abs(number)
    exponent = size.numerator.bit_length() - size.denominator.bit_length()
    if Fraction(2) ** exponent > size:
        exponent -= 1
    unit = Fraction(2) ** (max(exponent, 1 - f.bias) - f.fraction_bits)
    steps = size / unit
    whole = math.floor(steps)
    rest = steps - whole
    if rest:
        STICKY.add(INEXACT)
        if exponent < 1 - f.bias:
            STICKY.add(UNDERFLOW)
    if rest > Fraction(1, 2) or (rest == Fraction(1, 2) and whole % 2):
        whole += 1
    pattern = whole
    if exponent >= 1 - f.bias:
        pattern = whole + ((exponent + f.bias - 1) << f.fraction_bits)
    if pattern >= f.infinity:
        STICKY.update((FLOAT_OVERFLOW, INEXACT))
    return sign | min(pattern, f.infinity)


def multiply_add(a: int, b: int, c: int, f: Format, power: int = 0) -> int:
    """(a * b + c) * 2**power rounded once; a NaN result is the canonical quiet NaN."""
    nan = f.infinity | 1 << f.fraction_bits - 1
    sign = (a ^ b) & f.sign
    no_product = any(is_infinite(x, f) and is_zero(y, f) for x, y in ((a, b), (b, a)))
    if no_product or any(is_signaling(x, f) for x in (a, b, c)):
        STICKY.add(INVALID)
    if no_product or any(is_nan(x, f) for x in (a, b, c)):
        return nan
    if is_infinite(a, f) or is_infinite(b, f):
        if is_infinite(c, f) and (c & f.sign) != sign:
            STICKY.add(INVALID)
            return nan
        return sign | f.infinity
    if is_infinite(c, f):
        return c
    total = value(a, f) * value(b, f) + value(c, f)
    negative_zero = sign != 0 and c == f.sign if is_zero(a, f) or is_zero(b, f) else False
    return rounded(total * Fraction(2) ** power, f, int(negative_zero))
