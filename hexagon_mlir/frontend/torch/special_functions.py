"""Decompositions of special functions into elementary ones, in f32."""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from torch import Tensor

from hexagon_mlir.frontend.torch.registry import decomposes

_aten = torch.ops.aten
_CENTRE = (2.81022636e-08, 3.43273939e-07, -3.5233877e-06, -4.39150654e-06, 0.00021858087, -0.00125372503,
           -0.00417768164, 0.246640727, 1.50140941)
_TAIL = (-0.000200214257, 0.000100950558, 0.00134934322, -0.00367342844, 0.00573950773, -0.0076224613,
         0.00943887047, 1.00167406, 2.83297682)
"""Coefficients of Giles, Approximating the erfinv function (GPU Computing Gems, 2011), table 5: error 3.5e-7."""


def polynomial(x: Tensor, coefficients: Sequence[float]) -> Tensor:
    """By Horner's rule, the highest power first."""
    y = torch.full_like(x, coefficients[0])
    for coefficient in coefficients[1:]:
        y = y * x + coefficient
    return y


@decomposes(_aten.erfinv.default)
def erfinv(x: Tensor) -> Tensor:
    """Infinite at 1 and -1."""
    if x.dtype != torch.float32:
        return NotImplemented
    return torch.where(x.abs() == 1.0, x * float("inf"), erfinv_of(x, (1.0 - x) * (1.0 + x)))


def erfinv_of(x: Tensor, rest: Tensor) -> Tensor:
    """Two polynomials in the logarithm of ``rest``, which is 1 - x^2."""
    w = -torch.log(rest)
    centre, tail = polynomial(w - 2.5, _CENTRE), polynomial(torch.sqrt(w) - 3.0, _TAIL)
    return torch.where(w < 5.0, centre, tail) * x


_ERFC = (0.17087277, -0.82215223, 1.48851587, -1.13520398, 0.27886807, -0.18628806, 0.09678418, 0.37409196, 1.00002368,
         -1.26551223)
"""Press et al., Numerical Recipes in C (1992), section 6.2: relative error 1.2e-7."""


@decomposes(_aten.erfc.default)
def erfc(x: Tensor) -> Tensor:
    """With the factor exp(-x^2): exact to the last digits where it is small."""
    if x.dtype != torch.float32:
        return NotImplemented
    size = x.abs().clamp(max=11.0)  # beyond, it is zero
    t = torch.reciprocal(1.0 + 0.5 * size)
    y = t * torch.exp(polynomial(t, _ERFC) - size * size)
    return torch.where(torch.isnan(x), x, torch.where(x < 0, 2.0 - y, y))


def _erfcx_of_positive(size: Tensor) -> Tensor:
    """A polynomial in 1 / (1 + size / 2)."""
    t = torch.reciprocal(1.0 + 0.5 * size)
    return t * torch.exp(polynomial(t, _ERFC))


@decomposes(_aten.special_erfcx.default)
def erfcx(x: Tensor) -> Tensor:
    """``exp(x^2) erfc(x)``."""
    if x.dtype != torch.float32:
        return NotImplemented
    y = _erfcx_of_positive(x.abs())
    y = torch.where(x < 0, 2.0 * torch.exp(x * x) - y, y)
    return torch.where(torch.isnan(x), x, torch.where(x == float("inf"), 0.0, y))


@decomposes(_aten.special_log_ndtr.default)
def log_ndtr(x: Tensor) -> Tensor:
    """The logarithm of the normal distribution: below -1 by `erfcx`, so that it does not end with exp(-x^2 / 2)."""
    if x.dtype != torch.float32:
        return NotImplemented
    z = x * math.sqrt(0.5)
    low = torch.log(0.5 * _erfcx_of_positive((-z).clamp(min=0.0))) - z * z
    high = torch.log1p(-0.5 * erfc(z.clamp(min=-1.0)))
    return torch.where(torch.isnan(x), x, torch.where(x == float("-inf"), x, torch.where(x < -1.0, low, high)))


_LANCZOS = (76.18009172947146, -86.50532032941677, 24.01409824083091, -1.231739572450155, 0.1208650973866179e-2,
            -0.5395239384953e-5)
"""Lanczos (1964), with the constant 5: relative error of the function 2e-10."""
_LARGE = 4e36
"""Beyond, the logarithm of the gamma function is infinite in f32."""


@decomposes(_aten.lgamma.default)
def lgamma(x: Tensor) -> Tensor:
    """Lanczos' series; below 1/2, the reflection log(pi / |sin(pi x)|) - lgamma(1 - x)."""
    if x.dtype != torch.float32:
        return NotImplemented
    mirrored = x < 0.5
    z = torch.where(mirrored, 1.0 - x, x).clamp(max=_LARGE)
    series = torch.full_like(x, 1.000000000190015)
    for number, coefficient in enumerate(_LANCZOS):
        series = series + coefficient / (z + float(number + 1))
    y = (z + 0.5) * torch.log(z + 5.5) - (z + 5.5) + torch.log(series * math.sqrt(2 * math.pi) / z)
    sine = torch.sin(math.pi * (x - torch.round(x))).abs()
    y = torch.where(mirrored, torch.log(math.pi / sine) - y, y)
    y = torch.where(mirrored & (sine == 0), float("inf"), y)
    return torch.where(torch.isnan(x), x, torch.where(x.abs() >= _LARGE, float("inf"), y))


_SHIFTS = 6
"""Steps of a recurrence until the asymptotic series of digamma and trigamma is exact enough in f32."""


@decomposes(_aten.digamma.default)
def digamma(x: Tensor) -> Tensor:
    """The asymptotic series after `_SHIFTS` steps; below 0, the reflection digamma(1 - x) - pi / tan(pi x)."""
    if x.dtype != torch.float32:
        return NotImplemented
    mirrored = x < 0
    z = torch.where(mirrored, 1.0 - x, x)
    less = torch.zeros_like(x)
    for number in range(_SHIFTS):
        less = less + torch.reciprocal(z + float(number))
    z = z + float(_SHIFTS)
    w = torch.reciprocal(z)
    y = torch.log(z) - 0.5 * w - w * w * polynomial(w * w, (1 / 252, -1 / 120, 1 / 12)) - less
    fraction = x - torch.round(x)
    y = torch.where(mirrored, y - math.pi / torch.tan(math.pi * fraction), y)
    y = torch.where(mirrored & (fraction == 0), float("nan"), torch.where(torch.isinf(x) & ~mirrored, x, y))
    return torch.where(x == 0, -(1.0 / x), torch.where(torch.isnan(x), x, y))


@decomposes(_aten.polygamma.default)
def polygamma(n: int, x: Tensor) -> Tensor:
    """Of the orders 0, digamma, and 1, as digamma."""
    if n == 0:
        return digamma(x)
    if n != 1 or x.dtype != torch.float32:
        return NotImplemented
    mirrored = x < 0.5
    z = torch.where(mirrored, 1.0 - x, x)
    more = torch.zeros_like(x)
    for number in range(_SHIFTS):
        w = torch.reciprocal(z + float(number))
        more = more + w * w
    w = torch.reciprocal(z + float(_SHIFTS))
    y = w + 0.5 * (w * w) + w * w * w * polynomial(w * w, (1 / 42, -1 / 30, 1 / 6)) + more
    sine = torch.sin(math.pi * (x - torch.round(x)))
    root = math.pi / torch.where(sine == 0, 1.0, sine)
    y = torch.where(mirrored, torch.where(sine == 0, float("inf"), root * root - y), y)
    return torch.where(torch.isnan(x), x, y)


_I0 = ((0.0045813, 0.0360768, 0.2659732, 1.2067492, 3.0899424, 3.5156229, 1.0),
       (0.00392377, -0.01647633, 0.02635537, -0.02057706, 0.00916281, -0.00157565, 0.00225319, 0.01328592, 0.39894228))
_I1 = ((0.00032411, 0.00301532, 0.02658733, 0.15084934, 0.51498869, 0.87890594, 0.5),
       (-0.00420059, 0.01787654, -0.02895312, 0.02282967, -0.01031555, 0.00163801, -0.00362018, -0.03988024,
        0.39894228))
"""Abramowitz and Stegun (1964), 9.8.1 to 9.8.4: errors 1.6e-7 and 2.2e-7; below 3.75, and above, scaled."""
_SPLIT = 3.75


def _bessel(x: Tensor, first: int, scaled: bool) -> Tensor:
    """The modified Bessel function of order ``first``, 0 or 1; ``scaled`` by exp(-|x|)."""
    if x.dtype != torch.float32:
        return NotImplemented
    small, large = _I1 if first else _I0
    size = x.abs()
    low, high = size.clamp(max=_SPLIT), size.clamp(min=_SPLIT)
    t = low * (1.0 / _SPLIT)
    near = polynomial(t * t, small)
    far = polynomial(_SPLIT / high, large) * torch.rsqrt(high)
    if first:
        near = near * low
    y = torch.where(size < _SPLIT, near * torch.exp(-low) if scaled else near, far if scaled else far * torch.exp(high))
    y = torch.where(x < 0, -y, y) if first else y
    return torch.where(torch.isnan(x), x, y)


@decomposes(_aten.i0.default)
def i0(x: Tensor) -> Tensor:
    """Of order 0."""
    return _bessel(x, 0, False)


@decomposes(_aten.special_i0e.default)
def i0e(x: Tensor) -> Tensor:
    """Of order 0, scaled."""
    return _bessel(x, 0, True)


@decomposes(_aten.special_i1.default)
def i1(x: Tensor) -> Tensor:
    """Of order 1."""
    return _bessel(x, 1, False)


@decomposes(_aten.special_i1e.default)
def i1e(x: Tensor) -> Tensor:
    """Of order 1, scaled."""
    return _bessel(x, 1, True)


@decomposes(_aten.angle.default)
def angle(x: Tensor) -> Tensor:
    """Of real numbers: pi for negative ones."""
    if not x.dtype.is_floating_point:
        return NotImplemented
    return torch.where(torch.isnan(x), x, torch.where(x < 0, math.pi, 0.0))


@decomposes(_aten.special_entr.default)
def entropy(x: Tensor) -> Tensor:
    """``-x log(x)``; minus infinity of negative numbers and of infinity, NaN of NaN."""
    if x.dtype != torch.float32:
        return NotImplemented
    y = torch.where((x < 0) | (x == float("inf")), float("-inf"), -x * torch.log(x))
    return torch.where(x == 0, 0.0, torch.where(torch.isnan(x), x, y))
