"""Scalar floating point forms by exact arithmetic and one rounding (V73 PRM 80-N2040-53, XTYPE/FP).

The reciprocal seed has 8 fraction bits: the reciprocal in the middle of one of 128 intervals of the mantissa,
rounded, but for two entries that QEMU gives otherwise. ``dfmpyhh`` does the whole product, the other ``dfmpy``
steps none. Payload and sign of a NaN are not defined.
"""

from __future__ import annotations

import math
from fractions import Fraction

from hexagon_mlir.sim.reference.exact import (
    DOUBLE,
    SINGLE,
    is_infinite,
    is_nan,
    is_signaling,
    is_zero,
    multiply_add,
    rounded,
    value,
)
from hexagon_mlir.sim.reference.rules import DIVIDED_BY_ZERO, INEXACT, INVALID, STICKY, clamp, rule, signed

FORMATS = {"sf": SINGLE, "df": DOUBLE}
INTEGERS = {"w": (32, True), "uw": (32, False), "d": (64, True), "ud": (64, False)}
NAN = 0xFFFFFFFF
SEED_EXCEPTIONS = {112: 0x11, 127: 0}


def _quiet(f, *operands):
    """Only a signaling NaN is invalid."""
    if any(is_signaling(x, f) for x in operands):
        STICKY.add(INVALID)


def _one(f):
    return f.bias << f.fraction_bits


@rule("{R|RR}={sf|df}{add|sub}({1},{1})")
def add(_, kind, name, a, b):
    f = FORMATS[kind]
    return multiply_add(a, _one(f), b ^ f.sign if name == "sub" else b, f)


@rule("R=sfmpy(R,R)")
def multiply(a, b):
    """The zero added takes the product's sign, so that a zero product keeps it."""
    return multiply_add(a, b, (a ^ b) & SINGLE.sign, SINGLE)


@rule("RR=dfmpyfix(RR,RR)", "RR=dfmpyll(RR,RR)", "RR+=dfmpylh(RR,RR)")
def double_steps(first, *_):
    return first


@rule("RR+=dfmpyhh(RR,RR)")
def double_product(_, a, b):
    """What the steps of a double multiply set in USR is not modelled."""
    result = multiply_add(a, b, (a ^ b) & DOUBLE.sign, DOUBLE)
    STICKY.clear()
    return result


@rule("{R|RR}={sf|df}{max|min}({1},{1})")
def extreme(_, kind, name, a, b):
    """The number when one is NaN; -0 is below +0."""
    f = FORMATS[kind]
    _quiet(f, a, b)
    if is_nan(a, f) or is_nan(b, f):
        return b if is_nan(a, f) else a

    def key(bits):
        return -(bits & ~f.sign) - 1 if bits & f.sign else bits

    return (max if name == "max" else min)(a, b, key=key)


@rule("R{+|-}=sfmpy(R,R)")
def fused(sign, x, a, b):
    return multiply_add(a ^ SINGLE.sign if sign == "-" else a, b, x, SINGLE)


@rule("R{+|-}=sfmpy(R,R):lib")
def fused_library(sign, x, a, b):
    """Infinity minus infinity is 0; finite inputs never overflow to infinity."""
    f = SINGLE
    a = a ^ f.sign if sign == "-" else a
    if any(is_nan(v, f) for v in (x, a, b)):
        return NAN
    infinite_product = (is_infinite(a, f) and not is_zero(b, f)) or (is_infinite(b, f) and not is_zero(a, f))
    if infinite_product and is_infinite(x, f) and (a ^ b ^ x) & f.sign:
        return 0
    result = multiply_add(a, b, x, f)
    STICKY.clear()
    finite = not any(is_infinite(v, f) for v in (x, a, b))
    return result - 1 if finite and is_infinite(result, f) else result


@rule("R+=sfmpy(R,R,P):scale")
def fused_scaled(x, a, b, p):
    return multiply_add(a, b, x, SINGLE, signed(p, 8))


def _scaled(bits, power):
    if is_nan(bits, SINGLE) or is_infinite(bits, SINGLE) or is_zero(bits, SINGLE):
        return bits
    return rounded(value(bits, SINGLE) * Fraction(2) ** power, SINGLE)


def _prepare(n, d):
    """Numerator, denominator, seed and predicate of a division; the seed is None in the ordinary case."""
    f = SINGLE
    sign = (n ^ d) & f.sign
    _quiet(f, n, d)
    both = ((is_infinite, is_infinite), (is_zero, is_zero))
    if is_nan(n, f) or is_nan(d, f):
        return NAN, NAN, NAN, 0
    if any(p(n, f) and q(d, f) for p, q in both):
        STICKY.add(INVALID)
        return NAN, NAN, NAN, 0
    if is_zero(d, f) or is_infinite(n, f):
        if not is_infinite(n, f):
            STICKY.add(DIVIDED_BY_ZERO)
        return sign | f.infinity, _one(f), _one(f), 0
    if is_infinite(d, f) or is_zero(n, f):
        return sign, _one(f), _one(f), 0
    exponent_n, exponent_d = n >> 23 & 255, d >> 23 & 255
    quotient = exponent_n - exponent_d + f.bias
    if quotient <= 23:
        return _scaled(n, 64), _scaled(d, -64), None, 0x80
    if quotient > 254 - 24:
        return _scaled(n, -32), _scaled(d, 32), None, 0x40
    if exponent_n <= 23 + 2:
        power = 64
    elif exponent_d <= 1:
        power = 32
    elif exponent_d > 252:
        power = -32
    else:
        power = 0
    return _scaled(n, power), _scaled(d, power), None, 0


@rule("R,P=sfrecipa(R,R)")
def reciprocal_seed(n, d):
    _, divisor, seed, p = _prepare(n, d)
    if seed is None:
        index = divisor >> 16 & 127
        fraction = SEED_EXCEPTIONS.get(index, round((2 / (1 + Fraction(2 * index + 1, 256)) - 1) * 256))
        exponent = 2 * SINGLE.bias - 1 - (divisor >> 23 & 255) & 255
        seed = divisor & SINGLE.sign | exponent << 23 | fraction << 15 | 1
    return seed, p


@rule("R=sffixup{n|d}(R,R)")
def fix_up(which, n, d):
    return _prepare(n, d)["nd".index(which)]


@rule("P={sf|df}class({R|RR},I)")
def classify(kind, _, bits, mask):
    f = FORMATS[kind]
    size = bits & ~f.sign
    if size == 0:
        bit = 0
    elif is_nan(bits, f):
        bit = 4
    elif is_infinite(bits, f):
        bit = 3
    else:
        bit = 1 if size >> f.fraction_bits else 2
    return 0xFF * (mask >> bit & 1)


@rule("P={sf|df}cmp.{eq|gt|ge|uo}({R|RR},{R|RR})")
def compare(kind, name, _a, _b, a, b):
    f = FORMATS[kind]
    _quiet(f, a, b)
    unordered = is_nan(a, f) or is_nan(b, f)
    if unordered or name == "uo":
        return 0xFF * (unordered and name == "uo")
    left, right = (_ordered(x, f) for x in (a, b))
    return 0xFF * {"eq": left == right, "gt": left > right, "ge": left >= right}[name]


def _ordered(bits, f):
    size = bits & ~f.sign
    return -size if bits & f.sign else size


@rule("{R|RR}=convert_{w|uw|d|ud}2{sf|df}({R|RR})")
def from_integer(_a, integer, kind, _b, a):
    bits, is_signed = INTEGERS[integer]
    return rounded(Fraction(signed(a, bits) if is_signed else a), FORMATS[kind])


@rule("{R|RR}=convert_{sf|df}2{w|uw|d|ud}({R|RR}){|:chop}")
def to_integer(_a, kind, integer, _b, chop, a):
    """Saturating; NaN gives all ones."""
    f, (bits, is_signed) = FORMATS[kind], INTEGERS[integer]
    if is_nan(a, f):
        STICKY.add(INVALID)
        return -1
    if is_infinite(a, f):
        STICKY.add(INVALID)
        return clamp(-1 << 200 if a & f.sign else 1 << 200, bits, is_signed)
    number = value(a, f)
    whole = math.trunc(number) if chop else round(number)
    result = clamp(whole, bits, is_signed)
    if result != whole or (a & f.sign and not is_signed):  # even -0 has no unsigned integer
        STICKY.add(INVALID)
    elif whole != number:
        STICKY.add(INEXACT)
    return result


@rule("RR=convert_sf2df(R)")
def widen(a):
    return _convert(a, SINGLE, DOUBLE)


@rule("R=convert_df2sf(RR)")
def narrow(a):
    return _convert(a, DOUBLE, SINGLE)


def _convert(bits, source, result):
    sign = result.sign if bits & source.sign else 0
    _quiet(source, bits)
    if is_nan(bits, source):
        return result.infinity | 1 << result.fraction_bits - 1
    if is_infinite(bits, source):
        return sign | result.infinity
    return rounded(value(bits, source), result, int(sign != 0))


# -- inverse square root and constants ---------------------------------------------------------------------
def _prepare_root(x):
    """Operand and seed of a square root, and the predicate; the seed is None in the ordinary case."""
    f = SINGLE
    _quiet(f, x)
    if is_nan(x, f) or (x & f.sign and not is_zero(x, f)):
        if not is_nan(x, f):
            STICKY.add(INVALID)
        return NAN, NAN, 0
    if is_infinite(x, f):
        return f.sign | f.infinity, f.sign | f.infinity, 0
    if is_zero(x, f):
        return x, _one(f), 0
    if x >> 23 & 255 <= 24:
        return _scaled(x, 64), None, 0xE0
    return x, None, 0


@rule("R=sffixupr(R)")
def fix_up_root(x):
    return _prepare_root(x)[0]


@rule("R,P=sfinvsqrta(R)")
def root_seed(x):
    """The seed has 8 fraction bits: the inverse root in the middle of one of 128 intervals of [1, 4)."""
    operand, seed, p = _prepare_root(x)
    if seed is None:
        index, exponent = operand >> 17 & 127, operand >> 23 & 255
        middle = (1 + (index % 64 + 0.5) / 64) * (1 if exponent % 2 else 2)
        fraction = round((2 / math.sqrt(middle) - 1) * 256)
        seed = SINGLE.bias - 1 - (exponent - SINGLE.bias >> 1) << 23 | fraction << 15
    return seed, p


@rule("{R|RR}={sf|df}make(I):{pos|neg}")
def make(_, kind, sign, n):
    """Six fraction bits and four exponent bits around one."""
    f = FORMATS[kind]
    return (f.bias - 6 << f.fraction_bits) + (n << f.fraction_bits - 6) | (f.sign if sign == "neg" else 0)
