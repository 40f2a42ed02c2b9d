"""Bessel functions in f32: of the first and second kind, and modified.

Errors against mpmath, as part of the value or, beyond x = n, of the amplitude sqrt(2 / pi x) of the waves where that is
larger: 3e-7 for orders 0 and 1, 1e-6 up to order 10, 4e-6 up to 50, 3e-5 up to 300.
"""

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
_ROOT_BY_PI = tl.constexpr(0.564189583547756287)
_LIMIT = tl.constexpr(8.0)
_NEAR, _FAR = tl.constexpr(0.02), tl.constexpr(24)


@triton.jit
def _sincos(v):
    """sin and cos of v >= 0, finite for infinity too."""
    size = tl.where(v < float("inf"), v, 0.0)
    return tl.sin(size), tl.cos(size)


@triton.jit
def _wave(root, sine, cosine, LATER: tl.constexpr, modulus, phase):
    """M cos(v - pi / 4 + p / v) sqrt(2 / pi v), or M sin(..): J0 or Y0, -Y1 or J1; p / v is at most 0.05."""
    p = phase * (root * root)
    square = p * p
    across, along = p - p * square * 0.166666667, 1 - square * 0.5 + square * square * 0.0416666667
    if LATER:
        value = (sine - cosine) * along + (sine + cosine) * across
    else:
        value = (sine + cosine) * along - (sine - cosine) * across
    return value * modulus * _ROOT_BY_PI * root


@triton.jit
def _outer(v, LATER: tl.constexpr, modulus: tl.constexpr, phase: tl.constexpr):
    """`_wave` of v >= 8, whose M and p are polynomials of 1 / v^2."""
    sine, cosine = _sincos(v)
    root = tl.rsqrt(v)
    t = 128 * (root * root) * (root * root) - 1
    return _wave(root, sine, cosine, LATER, polynomial(t, modulus), polynomial(t, phase))


@triton.jit
def _j0(v):
    size = tl.abs(v)
    low = polynomial(tl.minimum(size, 4.0) * tl.minimum(size, 4.0) * 0.125 - 1, J0_LOW)
    middle = polynomial((tl.minimum(size, _LIMIT) - 6) * 0.5, J0_HIGH)
    wave = _outer(tl.maximum(size, _LIMIT), False, MODULUS_0, PHASE_0)
    value = tl.where(size < 4, low, tl.where(size < _LIMIT, middle, wave))
    return tl.where(v == v, value, v)


@triton.jit
def _j1(v):
    size = tl.abs(v)
    low = polynomial(tl.minimum(size, 4.0) * tl.minimum(size, 4.0) * 0.125 - 1, J1_LOW) * size
    middle = polynomial((tl.minimum(size, _LIMIT) - 6) * 0.5, J1_HIGH)
    wave = _outer(tl.maximum(size, _LIMIT), True, MODULUS_1, PHASE_1)
    value = tl.where(size < 4, low, tl.where(size < _LIMIT, middle, wave))
    return tl.where(v == v, tl.where(v < 0, -value, value), v)


@triton.jit
def _outside(v, value):
    """The second kind at 0, below and for NaN."""
    return tl.where(v > 0, value, tl.where(v == 0, float("-inf"), float("nan")))


@triton.jit
def _second(v):
    """The second kind of orders 0 and 1, which share a logarithm, sin and cos."""
    near = tl.where(v > 0, tl.minimum(v, 4.0), 1.0)
    t = near * near * 0.125 - 1
    logarithm = _TWO_BY_PI * tl.log(near)
    low_0 = polynomial(t, Y0_LOW) + logarithm * polynomial(t, J0_LOW)
    low_1 = (polynomial(t, Y1_LOW) + logarithm * polynomial(t, J1_LOW)) * near - _TWO_BY_PI / near
    t = (tl.minimum(v, _LIMIT) - 6) * 0.5
    middle_0, middle_1 = polynomial(t, Y0_HIGH), polynomial(t, Y1_HIGH)
    large = tl.maximum(v, _LIMIT)
    wave_0, wave_1 = _outer(large, True, MODULUS_0, PHASE_0), -_outer(large, False, MODULUS_1, PHASE_1)
    value_0 = tl.where(v < 4, low_0, tl.where(v < _LIMIT, middle_0, wave_0))
    value_1 = tl.where(v < 4, low_1, tl.where(v < _LIMIT, middle_1, wave_1))
    return _outside(v, value_0), _outside(v, value_1)


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
    return like(_second(wide(x))[0], x)


@triton.jit
def y1(x):
    """The Bessel function of the second kind of order 1: -inf at 0, NaN below."""
    return like(_second(wide(x))[1], x)


@triton.jit
def _orders(n, x):
    """``x`` in f32 and ``n``, of one shape, and the largest size of an order."""
    tl.static_assert(tl.to_tensor(n).dtype.is_int(), "the order of a Bessel function is an integer")
    v, order = tl.broadcast(wide(x), tl.to_tensor(n).to(tl.int32))
    size = tl.abs(order)
    return v, order, tl.max(size) if len(size.shape) else size


@triton.jit
def _forward(first, second, v, size, highest):
    """The forward recurrence of both kinds from orders 0 and 1; once an order is -inf, all later ones are."""
    found, double = tl.where(size == 0, first, second), 2.0 / v
    for k in range(1, highest):
        later = tl.where(second == float("-inf"), second, tl.cast(k, tl.float32) * double * second - first)
        first, second = second, later
        found = tl.where(size == k + 1, later, found)
    return found


@triton.jit
def _backward(size_of_v, size, highest):
    """The first kind of orders above ``size_of_v``, or all below `_FAR`: Miller's recurrence, J0 + 2 J2 + 2 J4 .. is 1.

    It begins far above the highest order. Below ``_NEAR`` the value there is multiplied by (v / NEAR)^n.
    """
    v = tl.maximum(size_of_v, _NEAR)
    double, ratio = 2.0 / v, tl.minimum(size_of_v, _NEAR) * (1 / _NEAR)
    last = tl.maximum(highest, _FAR) * 5 // 4 + 40
    later, total, found = v * 0.0, v * 0.0, v * 0.0
    value = later + 1.0
    for step in range(0, last):
        k = last - step
        earlier = tl.cast(k, tl.float32) * double * value - later
        scale = tl.where(tl.abs(earlier) > 1e10, 1e-10, 1.0)
        later, value = value * scale, earlier * scale
        total = total * scale + value * (k % 2).to(tl.float32)
        found = tl.where(size < k, value, found * scale * ratio)
    return found / (2 * total - value) * (1 + (1 - ratio * ratio) * (_NEAR * _NEAR / 4) / (size + 1).to(tl.float32))


@triton.jit
def jn(n, x):
    """The Bessel function of the first kind of order n, also below 0."""
    v, order, highest = _orders(n, x)
    size, far = tl.abs(order), tl.minimum(tl.abs(v), 1e30)
    large = tl.maximum(far, _FAR)
    sine, cosine = _sincos(large)
    root = tl.rsqrt(large)
    t = (root * root) * (root * root)
    first = _wave(root, sine, cosine, False, (0.103515625 * t - 0.0625) * t + 1, 0.0651041667 * t - 0.125)
    second = _wave(root, sine, cosine, True, (-0.193359375 * t + 0.1875) * t + 1, -0.1640625 * t + 0.375)
    value = _forward(first, second, large, size, highest)
    value = tl.where((size > far) | (far < _FAR), _backward(far, size, highest), value)
    value = tl.where(tl.abs(v) == float("inf"), 0.0, value)
    value = tl.where((size % 2 == 1) & ((v < 0) != (order < 0)), -value, value)
    return like(tl.where(v == v, value, v), x)


@triton.jit
def yn(n, x):
    """The Bessel function of the second kind of order n, also below 0: infinite at 0, NaN below."""
    v, order, highest = _orders(n, x)
    size = tl.abs(order)
    first, second = _second(v)
    value = tl.where(v == float("inf"), 0.0, _forward(first, second, v, size, highest))
    return like(tl.where((size % 2 == 1) & (order < 0), -value, value), x)


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
