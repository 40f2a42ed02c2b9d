"""Decompositions of views by strides and of diagonals, read and written: look-ups and assignments by places."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from hexagon_mlir.frontend.torch.registry import decomposes
from hexagon_mlir.frontend.torch.scatters import index_put

_aten = torch.ops.aten


def _places(size: Sequence[int], stride: Sequence[int], offset: int | None) -> Tensor:
    """Places in memory of the elements of a view, (size), i64."""
    places = torch.full((), offset or 0, dtype=torch.int64)
    for dim, (count, step) in enumerate(zip(size, stride, strict=True)):
        places = places + (torch.arange(count) * step).reshape([-1, *[1] * (len(size) - dim - 1)])
    return places


def _memory_order(x: Tensor) -> list[int] | None:
    """The dimensions of ``x`` as they lie in memory, outermost first; None unless it lies there whole, from its start.
    """
    order = sorted(range(x.dim()), key=lambda dim: (-x.stride()[dim], dim) if x.shape[dim] > 1 else (0, dim))
    return order if x.permute(order).is_contiguous() and not x.storage_offset() else None


@decomposes(_aten.as_strided.default)
def as_strided(x: Tensor, size: Sequence[int], stride: Sequence[int], storage_offset: int | None = None) -> Tensor:
    """A look-up by places in memory, of a tensor that lies there whole, its dimensions in any order."""
    order = _memory_order(x)
    return NotImplemented if order is None else x.permute(order).reshape(-1)[_places(size, stride, storage_offset)]


@decomposes(_aten.as_strided_scatter.default)
def as_strided_scatter(x: Tensor, src: Tensor, size: Sequence[int], stride: Sequence[int],
                       storage_offset: int | None = None) -> Tensor:
    """``x`` in which the elements of the view are those of ``src``."""
    order = _memory_order(x)
    if order is None or not src.numel():
        return NotImplemented
    places, moved = _places(size, stride, storage_offset).reshape(-1), x.permute(order)
    flat = index_put(moved.reshape(-1), [places], src.reshape(-1))
    if flat is NotImplemented:
        return NotImplemented
    return flat.reshape(moved.shape).permute([order.index(dim) for dim in range(x.dim())])


def _diagonal(x: Tensor, offset: int, dim1: int, dim2: int) -> tuple[list[int], Tensor]:
    """The dimensions with the diagonal's two last, and the places of the diagonal in the matrices of these."""
    first, second = dim1 % x.dim(), dim2 % x.dim()
    rows, columns = x.shape[first], x.shape[second]
    count = max(min(rows + min(offset, 0), columns - max(offset, 0)), 0)
    order = [*(d for d in range(x.dim()) if d not in (first, second)), first, second]
    return order, torch.arange(count) * (columns + 1) + max(offset, 0) - min(offset, 0) * columns


@decomposes(_aten.diagonal_copy.default)
def diagonal(x: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    """Elements whose places along two dimensions differ by ``offset``."""
    order, places = _diagonal(x, offset, dim1, dim2)
    return x.permute(order).flatten(-2).index_select(-1, places)


@decomposes(_aten.diagonal_scatter.default)
def diagonal_scatter(x: Tensor, src: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    """``x`` in which the diagonal is ``src``."""
    order, places = _diagonal(x, offset, dim1, dim2)
    moved = x.permute(order)
    flat = index_put(moved.flatten(-2), [*[None] * (x.dim() - 2), places], src)
    if flat is NotImplemented:
        return NotImplemented
    return flat.reshape(moved.shape).permute([order.index(d) for d in range(x.dim())])
