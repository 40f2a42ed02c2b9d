"""Decompositions of Bessel functions of orders 0 and 1 into polynomials, in f32.

Abramowitz and Stegun (1964), 9.4.1 to 9.4.6 and 9.8.5 to 9.8.8: errors at most 1.3e-7 of J and Y (where the argument is
large, of the envelope), 1e-6 of K.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor

from hexagon_mlir.frontend.torch.registry import decomposes
from hexagon_mlir.frontend.torch.special_functions import i0, i1, polynomial

_aten = torch.ops.aten
_NEAR, _NEAR_K = 3.0, 2.0
"""Up to them, a series in the argument; beyond, one in its reciprocal."""


@dataclass(frozen=True)
class _Order:
    """Coefficients, highest power first: of J and of Y near 0, of the envelope and the phase far from it; of K."""

    first: tuple[float, ...]
    second: tuple[float, ...]
    envelope: tuple[float, ...]
    phase: tuple[float, ...]
    k_near: tuple[float, ...]
    k_far: tuple[float, ...]


_ORDERS = (
    _Order((0.00021, -0.0039444, 0.0444479, -0.3163866, 1.2656208, -2.2499997, 1.0),
           (-0.00024846, 0.00427916, -0.04261214, 0.25300117, -0.74350384, 0.60559366, 0.36746691),
           (0.00014476, -0.00072805, 0.00137237, -0.00009512, -0.0055274, -0.00000077, 0.79788456),
           (0.00013558, -0.00029333, -0.00054125, 0.00262573, -0.00003954, -0.04166397, -0.78539816),
           (0.0000074, 0.0001075, 0.00262698, 0.0348859, 0.23069756, 0.4227842, -0.57721566),
           (0.00053208, -0.0025154, 0.00587872, -0.01062446, 0.02189568, -0.07832358, 1.25331414)),
    _Order((0.00001109, -0.00031761, 0.00443319, -0.03954289, 0.21093573, -0.56249985, 0.5),
           (0.0027873, -0.0400976, 0.3123951, -1.3164827, 2.1682709, 0.2212091, -0.6366198),
           (-0.00020033, 0.00113653, -0.00249511, 0.00017105, 0.01659667, 0.00000156, 0.79788456),
           (-0.00029166, 0.00079824, 0.00074348, -0.00637879, 0.0000565, 0.12499612, -2.35619449),
           (-0.00004686, -0.00110404, -0.01919402, -0.18156897, -0.67278579, 0.15443144, 1.0),
           (-0.00068245, 0.00325614, -0.00780353, 0.01504268, -0.0365562, 0.23498619, 1.25331414)),
)


def _j(x: Tensor, order: int) -> Tensor:
    """The first kind; zero at infinity."""
    if x.dtype != torch.float32:
        return NotImplemented
    numbers, size = _ORDERS[order], x.abs()
    t = size.clamp(max=_NEAR) * (1.0 / _NEAR)
    near = polynomial(t * t, numbers.first)
    near = near * size.clamp(max=_NEAR) if order else near
    y = torch.where(size <= _NEAR, near, _far(size, order, torch.cos))
    y = torch.where(x < 0, -y, y) if order else y
    return torch.where(torch.isnan(x), x, torch.where(size == float("inf"), 0.0, y))


def _y(x: Tensor, order: int) -> Tensor:
    """The second kind: minus infinity at 0, NaN below."""
    if x.dtype != torch.float32:
        return NotImplemented
    numbers = _ORDERS[order]
    low = x.clamp(max=_NEAR)
    t = low * (1.0 / _NEAR)
    of_logarithm = polynomial(t * t, numbers.first) * torch.log(0.5 * low) * (2.0 / math.pi)
    series = polynomial(t * t, numbers.second)
    near = of_logarithm * low + series / low if order else of_logarithm + series
    y = torch.where(x <= _NEAR, near, _far(x, order, torch.sin))
    y = torch.where(x == 0, float("-inf"), torch.where(x == float("inf"), 0.0, y))
    return torch.where(torch.isnan(x) | (x < 0), float("nan"), y)


def _far(x: Tensor, order: int, wave: object) -> Tensor:
    """The envelope times ``wave`` of the phase, for arguments above `_NEAR`."""
    high = x.clamp(min=_NEAR, max=3e38)
    u = _NEAR / high
    envelope, phase = polynomial(u, _ORDERS[order].envelope), polynomial(u, _ORDERS[order].phase)
    assert callable(wave)
    return envelope * torch.rsqrt(high) * wave(high + phase)


def _k(x: Tensor, order: int, scaled: bool) -> Tensor:
    """The modified second kind: infinite at 0, NaN below; ``scaled`` by exp(x)."""
    if x.dtype != torch.float32:
        return NotImplemented
    numbers = _ORDERS[order]
    low, high = x.clamp(max=_NEAR_K), x.clamp(min=_NEAR_K, max=3e38)
    half = 0.5 * low
    series = polynomial(half * half, numbers.k_near)
    near = torch.log(half) * i1(low) + series / low if order else series - torch.log(half) * i0(low)
    far = polynomial(_NEAR_K / high, numbers.k_far) * torch.rsqrt(high)
    y = torch.where(x <= _NEAR_K, near * torch.exp(low) if scaled else near, far if scaled else far * torch.exp(-high))
    y = torch.where(x == 0, float("inf"), torch.where(x == float("inf"), 0.0, y))
    return torch.where(torch.isnan(x) | (x < 0), float("nan"), y)


@decomposes(_aten.special_bessel_j0.default)
def bessel_j0(x: Tensor) -> Tensor:
    """Of order 0."""
    return _j(x, 0)


@decomposes(_aten.special_bessel_j1.default)
def bessel_j1(x: Tensor) -> Tensor:
    """Of order 1."""
    return _j(x, 1)


@decomposes(_aten.special_bessel_y0.default)
def bessel_y0(x: Tensor) -> Tensor:
    """Of order 0."""
    return _y(x, 0)


@decomposes(_aten.special_bessel_y1.default)
def bessel_y1(x: Tensor) -> Tensor:
    """Of order 1."""
    return _y(x, 1)


@decomposes(_aten.special_modified_bessel_k0.default)
def modified_bessel_k0(x: Tensor) -> Tensor:
    """Of order 0."""
    return _k(x, 0, False)


@decomposes(_aten.special_modified_bessel_k1.default)
def modified_bessel_k1(x: Tensor) -> Tensor:
    """Of order 1."""
    return _k(x, 1, False)


@decomposes(_aten.special_scaled_modified_bessel_k0.default)
def scaled_modified_bessel_k0(x: Tensor) -> Tensor:
    """Of order 0, scaled."""
    return _k(x, 0, True)


@decomposes(_aten.special_scaled_modified_bessel_k1.default)
def scaled_modified_bessel_k1(x: Tensor) -> Tensor:
    """Of order 1, scaled."""
    return _k(x, 1, True)


@decomposes(_aten.special_spherical_bessel_j0.default)
def spherical_bessel_j0(x: Tensor) -> Tensor:
    """``sin(x) / x``: 1 at 0, and 0 at infinity."""
    if x.dtype != torch.float32:
        return NotImplemented
    y = torch.where(x == 0, 1.0, torch.sin(x) / torch.where(x == 0, 1.0, x))
    return torch.where(x.abs() == float("inf"), 0.0, y)


for _one, _other in ((_aten.special_modified_bessel_i0.default, i0), (_aten.special_modified_bessel_i1.default, i1)):
    decomposes(_one)(_other)
