"""Sums, products, quotients and roots of f64 numbers, rounded to nearest, with the sign of the rounding error.

It is the sign of a residual, which f64 represents exactly without underflow: small and large numbers are scaled first.
"""

import triton
import triton.language as tl

_FAR = tl.constexpr(2.0**600)
_SMALL = tl.constexpr(2.0**-400)
"""Smaller numbers may be multiplied by `_FAR`."""
_TINY = tl.constexpr(2.0**-900)
"""The rounding error of a larger product is not denormal."""
_LARGE = tl.constexpr(2.0**900)
_DOWN = tl.constexpr(2.0**-200)


@triton.jit
def _finite(x):
    return tl.abs(x) < float("inf")


@triton.jit
def two_sum(a, b):
    """a + b as the nearest number and its rounding error."""
    total = a + b
    other = total - a
    return total, (a - (total - other)) + (b - other)


@triton.jit
def _overflowed(nearest, error, finite):
    """``error``, or that of an infinite ``nearest`` of ``finite`` numbers: the exact result is closer to zero."""
    return tl.where(_finite(nearest), error, tl.where(finite & (nearest == nearest), -nearest, 0.0))


@triton.jit
def fma(x, y, z):
    """x y + z to nearest, and a number with the sign of its rounding error (exact minus nearest)."""
    nearest = tl.fma(x, y, z)
    first = tl.abs(x) < tl.abs(y)
    low, high = tl.where(first, x, y), tl.where(first, y, x)
    size = tl.abs(x * y)
    near, far = (size < _TINY) & (tl.abs(z) < _SMALL), (size > _LARGE) | (tl.abs(z) > _LARGE)
    scale = tl.where(near, _FAR, tl.where(far, _DOWN, 1.0))
    low, high = tl.where(near, low * _FAR, low), tl.where(far, high * _DOWN, high)
    added = z * scale
    added = tl.where((added == 0) & (z != 0), tl.where(z < 0, -_TINY, _TINY), added)  # negligible
    product = low * high
    rest = tl.fma(low, high, -product)
    # the error of a fused sum in two numbers (Boldo and Muller, 2011)
    total, left = two_sum(added, rest)
    total, other = two_sum(product, total)
    error = ((total - nearest * scale) + other) + left
    sign = tl.where((x == 0) | (y == 0), 0.0, tl.where((x < 0) != (y < 0), -1.0, 1.0))
    error = tl.where(tl.abs(product) < _TINY, sign, error)  # the sum is z: the whole product is the rounding error
    return nearest, _overflowed(nearest, error, _finite(x) & _finite(y) & _finite(z))


@triton.jit
def div(x, y):
    """x / y, as `fma`."""
    nearest = x / y
    small = (tl.abs(x) < _SMALL) & (tl.abs(nearest) < 1 / _SMALL)
    scale = tl.where(small, _FAR, 1.0)
    residue = tl.fma(-(nearest * scale), y, x * scale)
    error = tl.where(y < 0, -residue, residue)
    return nearest, _overflowed(nearest, error, _finite(x) & _finite(y) & (y != 0))


@triton.jit
def sqrt(x):
    """The root of x, as `fma`."""
    nearest = tl.sqrt(x)
    small = tl.abs(x) < _SMALL
    root = tl.where(small, nearest * 2.0**300, nearest)
    return nearest, tl.where(_finite(nearest), tl.fma(-root, root, tl.where(small, x * _FAR, x)), 0.0)
