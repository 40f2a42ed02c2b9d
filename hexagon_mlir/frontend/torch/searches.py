"""Decompositions of searches and choices: places in sorted values, masks filled, elements in a row, signs."""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from torch import Tensor

from hexagon_mlir.frontend.torch.registry import decomposes
from hexagon_mlir.frontend.torch.scans import running

_aten = torch.ops.aten


@decomposes(_aten.searchsorted.Tensor)
def searchsorted(sorted_sequence: Tensor, values: Tensor, *, out_int32: bool = False, right: bool = False,
                 side: str | None = None, sorter: Tensor | None = None) -> Tensor:
    """How many of the sorted values precede each value, by comparing all. NaN is last."""
    if sorter is not None:
        sorted_sequence = sorted_sequence.gather(-1, sorter)
    rows, wanted = sorted_sequence.unsqueeze(-2), values.unsqueeze(-1)
    behind = rows > wanted if right or side == "right" else rows >= wanted
    kind = torch.int32 if out_int32 else torch.int64
    before = sorted_sequence.shape[-1] - behind.to(torch.int32).sum(-1, dtype=torch.int32)
    return before.to(kind).reshape(values.shape)


@decomposes(_aten.searchsorted.Scalar)
def searchsorted_scalar(sorted_sequence: Tensor, value: float, *, out_int32: bool = False, right: bool = False,
                        side: str | None = None, sorter: Tensor | None = None) -> Tensor:
    """`searchsorted` of one number."""
    one = torch.full((1,), value, dtype=sorted_sequence.dtype)
    return searchsorted(sorted_sequence, one, out_int32=out_int32, right=right, side=side, sorter=sorter).reshape(())


@decomposes(_aten.masked_scatter.default)
def masked_scatter(x: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    """Where the mask is true, the elements of ``source`` in order: the mask's running sum tells which."""
    shape = torch.broadcast_shapes(x.shape, mask.shape)
    wide, mask = x.expand(shape), mask.expand(shape)
    if not wide.numel() or not source.numel():
        return wide.clone()
    order = running(mask.reshape(-1).to(torch.int32), 0, torch.add) - 1
    order = torch.where(order < 0, torch.zeros_like(order), order).to(torch.int64)
    return torch.where(mask, source.reshape(-1)[order].reshape(shape), wide)


@decomposes(_aten.roll.default)
def roll(x: Tensor, shifts: Sequence[int], dims: Sequence[int] = ()) -> Tensor:
    """Two slices in the other order, for each dimension; without dimensions, of all elements in a row."""
    if not dims:
        return roll(x.reshape(-1), shifts, [0]).reshape(x.shape)
    for shift, dim in zip(shifts, dims, strict=True):
        size = x.shape[dim] if x.dim() else 0
        first = shift % size if size else 0
        if first:
            x = torch.cat([x.narrow(dim, size - first, first), x.narrow(dim, 0, size - first)], dim)
    return x.clone()


@decomposes(_aten.signbit.default)
def signbit(x: Tensor) -> Tensor:
    """Of a zero, that of its reciprocal."""
    if not x.dtype.is_floating_point:
        return x < 0
    return (x < 0) | ((x == 0) & (torch.reciprocal(x) < 0))


@decomposes(_aten.copysign.Tensor)
def copysign(x: Tensor, y: Tensor) -> Tensor:
    """Negated where the signs differ."""
    return torch.where(signbit(x) ^ signbit(y), -x, x) if x.dtype.is_floating_point else NotImplemented


@decomposes(_aten.copysign.Scalar)
def copysign_scalar(x: Tensor, y: float) -> Tensor:
    """With the sign of a number."""
    if not x.dtype.is_floating_point:
        return NotImplemented
    return torch.where(signbit(x), x if math.copysign(1, y) < 0 else -x, -x if math.copysign(1, y) < 0 else x)
