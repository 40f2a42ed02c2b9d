"""Inverses and relatives of the error function, in f32."""

import triton
import triton.language as tl

from hexagon_mlir.frontend.triton.device_functions.coefficients import ERFCX, ERFINV_LARGE, ERFINV_SMALL
from hexagon_mlir.frontend.triton.device_functions.operations import erfc, like, polynomial, wide

_ROOT_2 = tl.constexpr(1.41421353816986084)
_ROOT_HALF = tl.constexpr(0.707106769084930420)
_ROOT_HALF_REST = tl.constexpr(1.21016175e-8)
_LIMIT = tl.constexpr(6.0)


@triton.jit
def _inverse(x, product):
    """erfinv(x) with ``product`` = 1 - x^2, which is more accurate where x is nearly 1 or -1."""
    w = -tl.log(product)
    near = x * polynomial(tl.minimum(w, _LIMIT) * (2 / _LIMIT) - 1, ERFINV_SMALL)
    root = tl.sqrt(tl.maximum(w, _LIMIT))
    far = root * polynomial((1 / root - 0.2525) * 6.34920634920634921, ERFINV_LARGE)
    far = tl.where(product == 0, float("inf"), far)
    return tl.where(w < _LIMIT, near, tl.where(x < 0, -far, far))


@triton.jit
def erfinv(x):
    """The inverse of erf: infinite at -1 and 1, NaN outside."""
    v = wide(x)
    return like(tl.where(tl.abs(v) <= 1, _inverse(v, (1 - v) * (1 + v)), float("nan")), x)


@triton.jit
def _erfcinv(v):
    return tl.where((v >= 0) & (v <= 2), _inverse(1 - v, v * (2 - v)), float("nan"))


@triton.jit
def erfcinv(x):
    """The inverse of erfc: infinite at 0 and 2, NaN outside."""
    return like(_erfcinv(wide(x)), x)


@triton.jit
def normcdfinv(x):
    """The inverse of the normal distribution's cumulative function: infinite at 0 and 1, NaN outside."""
    return like(-_ROOT_2 * _erfcinv(wide(x) * 2), x)


@triton.jit
def normcdf(x):
    """The normal distribution's cumulative function, erfc(-x / sqrt(2)) / 2."""
    v = wide(x)
    t = -v * _ROOT_HALF
    # the rounding error of t, which erfc would magnify by 2 t^2
    top = (v.to(tl.int32, bitcast=True) & -4096).to(tl.float32, bitcast=True)
    high: tl.constexpr = 0.70703125
    low: tl.constexpr = 0.000075519084930420
    rest = ((-top * high - t) - (v - top) * high) - v * low - v * _ROOT_HALF_REST
    value = 0.5 * erfc(t)
    inside = (t > 1) & (t < 11)
    return like(tl.where(inside, value - value * 2 * (t + 0.5 / tl.where(inside, t, 1.0)) * rest, value), x)


@triton.jit
def erfcx(x):
    """exp(x^2) erfc(x)"""
    v = wide(x)
    size = tl.abs(v)
    inverse = 1 / (size + 4)
    scaled = polynomial(tl.where(size < 1e30, (size - 4) * inverse, 1.0), ERFCX)
    value = 0.5 * scaled / (0.5 + size)
    # exp(v^2) with the rounding error of the square
    bounded = tl.minimum(size, 10.0)
    top = (bounded.to(tl.int32, bitcast=True) & -4096).to(tl.float32, bitcast=True)
    rest = (bounded - top) * (bounded + top)
    power = tl.exp(top * top)
    mirrored = 2 * (power * tl.exp(rest)) - value
    return like(tl.where(v < 0, mirrored, tl.where(v == v, value, v)), x)
