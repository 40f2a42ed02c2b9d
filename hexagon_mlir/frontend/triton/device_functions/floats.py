"""Remainders, classes, parts and neighbours of floating-point numbers, in the operand's own type."""

import triton
import triton.language as tl

from hexagon_mlir.frontend.triton.device_functions.operations import (
    cbrt,
    copysign,
    fraction_bits,
    highest_exponent,
    integer_of,
    like,
    own,
    pow,
    rint,
    wide,
)

_INT_MAX = tl.constexpr(2**31 - 1)
_INT_MIN = tl.constexpr(-(2**31))
_PI = tl.constexpr(3.141592653589793)


@triton.jit
def isnan(x):
    """int1: true for a NaN."""
    v = tl.to_tensor(x)
    return v != v


@triton.jit
def isinf(x):
    """int1: true for plus and minus infinity."""
    return tl.abs(tl.to_tensor(x)) == float("inf")


@triton.jit
def isfinited(x):
    """int1: false for infinities and NaN."""
    return tl.abs(tl.to_tensor(x)) < float("inf")


@triton.jit
def signbit(x):
    """int32: 1 where the sign bit is set, of zeros and NaN too."""
    v = tl.to_tensor(x)
    return (v.to(integer_of(v.dtype), bitcast=True) < 0).to(tl.int32)


@triton.jit
def fmod(x, y):
    """x - y trunc(x / y), exact, with the sign of x; NaN for an infinite x and for y = 0."""
    v = tl.to_tensor(x)
    return copysign(like(v % y, v), v)


@triton.jit
def remainder(x, y):
    """x - y n with n the integer nearest to x / y, the even one of two: exact, as IEEE 754 has it."""
    v, w = tl.to_tensor(x), tl.abs(tl.to_tensor(y))
    double = w + w
    rest = tl.where(double < float("inf"), tl.abs(v) % double, tl.where(w <= float("inf"), tl.abs(v), double))
    rest = tl.where(isfinited(v), rest, float("nan")).to(v.dtype)
    over = rest + rest > w
    rest = tl.where(over, rest - w, rest)
    rest = tl.where(over & (rest + rest >= w), rest - w, rest)
    result = like(tl.where(v < 0, -rest, rest), v)
    return tl.where(result == 0, copysign(result, v), result)


@triton.jit
def nextafter(x, y):
    """The number next to x towards y; y where they are equal."""
    v = tl.to_tensor(x)
    w = tl.to_tensor(y).to(v.dtype)
    v, w = tl.broadcast(v, w)
    bits = v.to(integer_of(v.dtype), bitcast=True)
    away = (v < w) == (bits >= 0)
    stepped = tl.where(away, bits + 1, bits - 1)
    lowest: tl.constexpr = -(1 << (v.dtype.primitive_bitwidth - 1))
    smallest = tl.where(w.to(integer_of(v.dtype), bitcast=True) < 0, lowest + 1, 1)
    stepped = tl.where(v == 0, smallest, stepped).to(integer_of(v.dtype))
    result = tl.where(v == w, w, stepped.to(v.dtype, bitcast=True))
    return tl.where((v != v) | (w != w), v + w, result)


@triton.jit
def fdim(x, y):
    """x - y where that is positive, else +0; NaN where one is."""
    v = tl.to_tensor(x)
    return tl.where(v <= y, 0.0, v - y).to(v.dtype)


@triton.jit
def saturatef(x):
    """x limited to [0, 1]; 0 for a NaN."""
    v = tl.to_tensor(x)
    return tl.where(v > 0, tl.where(v < 1, v, 1.0), 0.0).to(v.dtype)


@triton.jit
def _power_of_two(n, like):
    """2^n in the type of ``like``, for any exponent of a normal number."""
    biased = tl.to_tensor(n).to(integer_of(like.dtype)) + highest_exponent(like.dtype)
    return (biased << fraction_bits(like.dtype)).to(like.dtype, bitcast=True)


@triton.jit
def ldexp(x, n):
    """x 2^n, rounded once; ``n`` is an integer of any size."""
    v = own(x)
    highest: tl.constexpr = highest_exponent(v.dtype)
    # if this result is denormal, the rest of n makes it zero: no double rounding
    down: tl.constexpr = fraction_bits(v.dtype) + 2 - highest
    n = tl.minimum(tl.maximum(tl.to_tensor(n), -2200), 2200).to(tl.int32)
    for _ in tl.static_range(2):
        step = tl.where(n <= -highest, down, tl.where(n > highest, highest, 0))
        v = v * _power_of_two(step, v)
        n = n - step
    n = tl.minimum(tl.maximum(n, 1 - highest), highest)
    return copysign(like(v * _power_of_two(n, v), x), tl.to_tensor(x))


@triton.jit
def ilogb(x):
    """int32: the exponent of x; INT_MIN for 0 and NaN, INT_MAX for infinities."""
    v = tl.abs(own(x))
    highest: tl.constexpr = highest_exponent(v.dtype)
    digits: tl.constexpr = fraction_bits(v.dtype)
    small = v < 2.0 ** (1 - highest)
    bits = tl.where(small, v * 2.0**digits, v).to(integer_of(v.dtype), bitcast=True)
    exponent = (bits >> digits) - tl.where(small, highest + digits, highest)
    exponent = tl.where(v == float("inf"), _INT_MAX, exponent)
    return tl.where((v == 0) | (v != v), _INT_MIN, exponent).to(tl.int32)


@triton.jit
def logb(x):
    """The exponent of x as a float; -inf for 0, inf for infinities."""
    v = own(x)
    special = tl.where(v == 0, float("-inf"), v * v)
    return like(tl.where((v == 0) | (v != v) | isinf(v), special, ilogb(v).to(v.dtype)), x)


@triton.jit
def exp10(x):
    """10^x"""
    v = own(x)
    return like(pow(tl.full(v.shape, 10.0, v.dtype), v), x)


@triton.jit
def rcbrt(x):
    """1 / cbrt(x)"""
    return like(1 / cbrt(own(x)), x)


@triton.jit
def fast_dividef(x, y):
    """x / y"""
    return wide(x) / wide(y)


@triton.jit
def _quarter(x):
    """x - n / 2 with n the nearest integer to 2 x; (rest in [-1/4, 1/4], n mod 4)."""
    v = x - 2 * rint(x * 0.5)
    n = rint(v * 2)
    return v - n * 0.5, tl.where(v == v, n, 0.0).to(tl.int32) & 3


@triton.jit
def sinpi(x):
    """sin(pi x); NaN for infinities."""
    v = own(x)
    rest, n = _quarter(v)
    rest = rest * _PI
    value = tl.where((n & 1) == 0, tl.sin(rest), tl.cos(rest))
    value = tl.where((n & 2) == 0, value, -value)
    return like(tl.where(value == 0, v * 0, value), x)


@triton.jit
def cospi(x):
    """cos(pi x); NaN for infinities."""
    rest, n = _quarter(own(x))
    rest = rest * _PI
    value = tl.where((n & 1) == 0, tl.cos(rest), -tl.sin(rest))
    return like(tl.where((n & 2) == 0, value, -value) + 0.0, x)


@triton.jit
def _norm(largest, a, b, c, d):
    """The root of a^2 + b^2 + c^2 + d^2, of which ``largest`` is the greatest, without overflow on the way."""
    most: tl.constexpr = highest_exponent(largest.dtype) - 1
    exponent = tl.minimum(tl.maximum(ilogb(largest), -most), most)
    down, up = _power_of_two(-exponent, largest), _power_of_two(exponent, largest)
    a, b, c, d = a * down, b * down, c * down, d * down
    return up, tl.sqrt((a * a + b * b) + (c * c + d * d))


@triton.jit
def _length(a, b, c, d, INVERSE: tl.constexpr):
    first = a
    a, b, c, d = tl.abs(own(a)), tl.abs(own(b)), tl.abs(own(c)), tl.abs(own(d))
    largest = tl.maximum(tl.maximum(a, b), tl.maximum(c, d))
    up, root = _norm(largest, a, b, c, d)
    value = 1.0 / root / up if INVERSE else root * up
    infinite = (a == float("inf")) | (b == float("inf")) | (c == float("inf")) | (d == float("inf"))
    return like(tl.where(infinite, 0.0 if INVERSE else float("inf"), value), first)


@triton.jit
def hypot(x, y):
    """The root of x^2 + y^2; infinite where one is, whatever the other."""
    return _length(x, y, 0.0, 0.0, False)


@triton.jit
def rhypot(x, y):
    """1 / hypot(x, y)"""
    return _length(x, y, 0.0, 0.0, True)


@triton.jit
def norm3d(x, y, z):
    """The root of the sum of three squares."""
    return _length(x, y, z, 0.0, False)


@triton.jit
def rnorm3d(x, y, z):
    """1 / norm3d(x, y, z)"""
    return _length(x, y, z, 0.0, True)


@triton.jit
def norm4d(x, y, z, t):
    """The root of the sum of four squares."""
    return _length(x, y, z, t, False)


@triton.jit
def rnorm4d(x, y, z, t):
    """1 / norm4d(x, y, z, t)"""
    return _length(x, y, z, t, True)
