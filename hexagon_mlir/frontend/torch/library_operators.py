"""Decompositions of operators that libraries declare for themselves, by name: transformers' products of experts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from hexagon_mlir.frontend.torch.selections import grouped_mm


def experts(x: Tensor, weights: Tensor, offs: Tensor) -> Tensor:
    """As `grouped_mm` computes it."""
    return grouped_mm(x, weights, offs)


def experts_backward(x: Tensor, weights: Tensor, offs: Tensor, dy: Tensor) -> tuple[Tensor, Tensor]:
    """Gradients of ``x`` (rows, steps) and ``weights`` (groups, steps, columns) from ``dy`` (rows, columns)."""
    dx = grouped_mm(dy, weights.transpose(1, 2), offs)
    if dx is NotImplemented:
        return NotImplemented
    row, ends = torch.arange(x.shape[0], dtype=torch.int32), offs.to(torch.int32)
    starts = torch.cat([torch.zeros(1, dtype=torch.int32), ends[:-1]])
    owns = (row >= starts[:, None]) & (row < ends[:, None])
    return dx, torch.where(owns[:, :, None], x, 0.0).transpose(1, 2) @ dy


_BY_NAME: dict[tuple[str, str], Callable[..., Any]] = {
    ("transformers", "grouped_mm_fallback"): experts,
    ("transformers", "grouped_mm_fallback_backward"): experts_backward,
}


def of_libraries() -> dict[Any, Callable[..., Any]]:
    """The decompositions of those operators that are declared: the libraries that do so are imported."""
    found = {}
    for (library, name), function in _BY_NAME.items():
        packet = getattr(getattr(torch.ops, library), name, None)
        if packet is not None:
            found[packet.default] = function
    return found
