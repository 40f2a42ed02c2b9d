"""Decompositions of special functions into elementary ones, in f32."""

from __future__ import annotations

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
