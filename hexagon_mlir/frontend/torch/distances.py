"""Decompositions of distances between rows, from their differences."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from hexagon_mlir.frontend.torch.registry import decomposes

_aten = torch.ops.aten


def _norm(apart: Tensor, p: float) -> Tensor:
    """Of the last dimension of ``apart``, which is not negative; order 0 counts what is not zero."""
    match p:
        case 0:
            return (apart != 0).to(apart.dtype).sum(-1)
        case 1:
            return apart.sum(-1)
        case 2:
            return (apart * apart).sum(-1).sqrt()
        case math.inf:
            return apart.amax(-1)
    return apart.pow(p).sum(-1).pow(1 / p)


@decomposes(_aten._pdist_forward.default)
def pdist(x: Tensor, p: float = 2.0) -> Tensor:
    """Distances between the rows, each pair once."""
    first, second = torch.triu_indices(x.shape[0], x.shape[0], 1)
    return _norm((x[first] - x[second]).abs(), p)


@decomposes(_aten._cdist_forward.default)
def cdist(x: Tensor, y: Tensor, p: float, compute_mode: int | None) -> Tensor:
    """Distances (..., P, R) of all pairs of rows of ``x`` (..., P, M) and ``y`` (..., R, M)."""
    return _norm((x.unsqueeze(-2) - y.unsqueeze(-3)).abs(), p) if x.shape[-1] else NotImplemented
