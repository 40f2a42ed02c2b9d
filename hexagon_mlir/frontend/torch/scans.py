"""Decompositions of scans along a dimension: running sums, products and extremes."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from hexagon_mlir.frontend.torch.registry import decomposes

_aten = torch.ops.aten


@decomposes(_aten.cumsum.default)
def cumsum(x: Tensor, dim: int, dtype: torch.dtype | None = None) -> Tensor:
    """Sums of more and more elements, in log2(size) additions of the tensor to itself, shifted."""
    result = dtype or (torch.int64 if not x.dtype.is_floating_point else x.dtype)
    return running(x.to(torch.float32 if result in (torch.float16, torch.bfloat16) else result), dim,
                    torch.add).to(result)


@decomposes(_aten.cumprod.default)
def cumprod(x: Tensor, dim: int, dtype: torch.dtype | None = None) -> Tensor:
    """Products of more and more elements, as `cumsum`."""
    result = dtype or (torch.int64 if not x.dtype.is_floating_point else x.dtype)
    return running(x.to(torch.float32 if result in (torch.float16, torch.bfloat16) else result), dim,
                    torch.mul).to(result)


def running(x: Tensor, dim: int, combine: Callable[[Tensor, Tensor], Tensor]) -> Tensor:
    """Hillis and Steele's scan of ``x`` along ``dim``."""
    size, distance = x.shape[dim] if x.dim() else 1, 1
    while distance < size:
        early, late = x.narrow(dim, 0, size - distance), x.narrow(dim, distance, size - distance)
        x = torch.cat([x.narrow(dim, 0, distance), combine(early, late)], dim)
        distance *= 2
    return x


def _running_extreme(combine: Callable[[Tensor, Tensor], Tensor]) -> Callable[[Tensor, int], tuple[Tensor, Tensor]]:
    def function(x: Tensor, dim: int) -> tuple[Tensor, Tensor]:
        """Values so far, and the last place at which the value of then stood."""
        if not x.dim():
            return x.clone(), torch.zeros_like(x, dtype=torch.int64)
        values = running(x, dim, combine)
        shape = [-1 if d == dim % x.dim() else 1 for d in range(x.dim())]
        places = torch.arange(x.shape[dim], dtype=torch.int32).reshape(shape)
        reached = x == values
        if x.dtype.is_floating_point:
            reached = reached | torch.isnan(x)
        found = torch.where(reached, places, torch.zeros_like(places))
        return values, running(found, dim, torch.maximum).to(torch.int64)

    return function


decomposes(_aten.cummax.default)(_running_extreme(torch.maximum))
decomposes(_aten.cummin.default)(_running_extreme(torch.minimum))
