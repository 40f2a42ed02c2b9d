"""Bessel functions in f32: of the first and second kind, and modified."""

import triton
import triton.language as tl

from hexagon_mlir.frontend.triton.device_functions.coefficients import (
    I0_LARGE,
    I0_SMALL,
    I1_LARGE,
    I1_SMALL,
    J0_HIGH,
    J0_LOW,
    J1_HIGH,
    J1_LOW,
    MODULUS_0,
    MODULUS_1,
    PHASE_0,
    PHASE_1,
    Y0_HIGH,
    Y0_LOW,
    Y1_HIGH,
    Y1_LOW,
)
from hexagon_mlir.frontend.triton.device_functions.operations import like, polynomial, wide

_TWO_BY_PI = tl.constexpr(0.636619772367581343)
_ROOT_TWO_BY_PI = tl.constexpr(0.797884560802865356)
_LIMIT = tl.constexpr(8.0)


@triton.jit
def _wave(v, SECOND: tl.constexpr, QUARTERS: tl.constexpr, modulus: tl.constexpr, phase: tl.constexpr):
    """M cos(v - d) sqrt(2 / pi v) for v >= 8, or M sin(..), with d near ``QUARTERS`` quarters of pi."""
    inverse = 1 / v
    t = 2 * (_LIMIT * inverse) * (_LIMIT * inverse) - 1
    shift = 0.785398163397448310 * QUARTERS - polynomial(t, phase) * inverse
    # cos and sin of v are those of the unrounded difference
    size = tl.where(v < float("inf"), v, 0.0)
    if SECOND:
        value = tl.sin(size) * tl.cos(shift) - tl.cos(size) * tl.sin(shift)
    else:
        value = tl.cos(size) * tl.cos(shift) + tl.sin(size) * tl.sin(shift)
    return value * polynomial(t, modulus) * _ROOT_TWO_BY_PI * tl.sqrt(inverse)


@triton.jit
def _j0(v):
    size = tl.abs(v)
    low = polynomial(tl.minimum(size, 4.0) * tl.minimum(size, 4.0) * 0.125 - 1, J0_LOW)
    middle = polynomial((tl.minimum(size, _LIMIT) - 6) * 0.5, J0_HIGH)
    wave = _wave(tl.maximum(size, _LIMIT), False, 1, MODULUS_0, PHASE_0)
    value = tl.where(size < 4, low, tl.where(size < _LIMIT, middle, wave))
    return tl.where(v == v, value, v)


@triton.jit
def _j1(v):
    size = tl.abs(v)
    low = polynomial(tl.minimum(size, 4.0) * tl.minimum(size, 4.0) * 0.125 - 1, J1_LOW) * size
    middle = polynomial((tl.minimum(size, _LIMIT) - 6) * 0.5, J1_HIGH)
    wave = _wave(tl.maximum(size, _LIMIT), False, 3, MODULUS_1, PHASE_1)
    value = tl.where(size < 4, low, tl.where(size < _LIMIT, middle, wave))
    return tl.where(v == v, tl.where(v < 0, -value, value), v)


@triton.jit
def _outside(v, value):
    """The second kind at 0, below and for NaN."""
    return tl.where(v > 0, value, tl.where(v == 0, float("-inf"), float("nan")))


@triton.jit
def _y0(v):
    near = tl.where(v > 0, tl.minimum(v, 4.0), 1.0)
    low = polynomial(near * near * 0.125 - 1, Y0_LOW) + _TWO_BY_PI * tl.log(near) * _j0(near)
    middle = polynomial((tl.minimum(v, _LIMIT) - 6) * 0.5, Y0_HIGH)
    wave = _wave(tl.maximum(v, _LIMIT), True, 1, MODULUS_0, PHASE_0)
    return _outside(v, tl.where(v < 4, low, tl.where(v < _LIMIT, middle, wave)))


@triton.jit
def _y1(v):
    near = tl.where(v > 0, tl.minimum(v, 4.0), 1.0)
    low = polynomial(near * near * 0.125 - 1, Y1_LOW) * near + _TWO_BY_PI * (tl.log(near) * _j1(near) - 1 / near)
    middle = polynomial((tl.minimum(v, _LIMIT) - 6) * 0.5, Y1_HIGH)
    wave = _wave(tl.maximum(v, _LIMIT), True, 3, MODULUS_1, PHASE_1)
    return _outside(v, tl.where(v < 4, low, tl.where(v < _LIMIT, middle, wave)))


@triton.jit
def j0(x):
    """The Bessel function of the first kind of order 0."""
    return like(_j0(wide(x)), x)


@triton.jit
def j1(x):
    """The Bessel function of the first kind of order 1."""
    return like(_j1(wide(x)), x)


@triton.jit
def y0(x):
    """The Bessel function of the second kind of order 0: -inf at 0, NaN below."""
    return like(_y0(wide(x)), x)


@triton.jit
def y1(x):
    """The Bessel function of the second kind of order 1: -inf at 0, NaN below."""
    return like(_y1(wide(x)), x)


@triton.jit
def _modified(size, small: tl.constexpr, large: tl.constexpr, ODD: tl.constexpr):
    """I(size): e^size in two factors, since the function is finite a little longer than it."""
    near, far = tl.minimum(size, _LIMIT), tl.maximum(size, _LIMIT)
    low = polynomial(near * 0.25 - 1, small)
    if ODD:
        low = low * near
    high = polynomial(16 / far - 1, large) * tl.rsqrt(far)
    half = tl.exp(size * 0.5)
    return tl.where(size < _LIMIT, low, tl.where(size == float("inf"), 1.0, high)) * half * half


@triton.jit
def cyl_bessel_i0(x):
    """The modified Bessel function of the first kind of order 0."""
    v = wide(x)
    return like(tl.where(v == v, _modified(tl.abs(v), I0_SMALL, I0_LARGE, False), v), x)


@triton.jit
def cyl_bessel_i1(x):
    """The modified Bessel function of the first kind of order 1."""
    v = wide(x)
    value = _modified(tl.abs(v), I1_SMALL, I1_LARGE, True)
    return like(tl.where(v == v, tl.where(v < 0, -value, value), v), x)
