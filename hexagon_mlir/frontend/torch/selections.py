"""Decompositions of counts and order statistics, of products with a matrix for each group of rows, of bags of rows."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from hexagon_mlir.frontend.torch.registry import decomposes
from hexagon_mlir.frontend.torch.scans import running
from hexagon_mlir.frontend.torch.scatters import sort

_aten = torch.ops.aten
_MODES = 512
"""Elements of the longest row in which each is compared with each."""
_ROWS = 4
"""Rows for each matrix below which a copy of its matrix for each row is less work than all rows for each matrix."""
_FEW_ROWS = 16
"""Rows that are each multiplied by themselves, with their matrix where it is: a row of each of the chosen experts."""


@decomposes(_aten.histc.default)
def histc(x: Tensor, bins: int = 100, min: float = 0, max: float = 0) -> Tensor:
    """How many elements are in each of equal parts of a range, its end included; an empty range is that of ``x``."""
    if not x.numel() or x.dtype != torch.float32:
        return NotImplemented
    flat = x.reshape(-1)
    if min == max:
        low, high = flat.amin(), flat.amax()
    else:
        low, high = torch.full((), float(min)), torch.full((), float(max))
    low, high = torch.where(low == high, low - 1, low), torch.where(low == high, high + 1, high)
    place = ((flat - low) * bins / (high - low)).to(torch.int32).clamp(max=bins - 1)
    place = torch.where((flat >= low) & (flat <= high), place, -1)
    found = (place == torch.arange(bins, dtype=torch.int32)[:, None]).to(torch.int32)
    return found.sum(1, dtype=torch.int32).to(x.dtype)


@decomposes(_aten._grouped_mm.default)
def grouped_mm(x: Tensor, weights: Tensor, offs: Tensor | None = None, bias: Tensor | None = None,
               out_dtype: torch.dtype | None = None) -> Tensor:
    """``x`` (rows, steps) times ``weights`` (groups, steps, columns), whose group g ends at row ``offs[g]``.

    A few rows are multiplied one by one, more with a copy of their matrix each; otherwise each matrix is multiplied
    with all rows, others set to zero. Rows after the last group are zero.
    """
    if offs is None or x.dim() != 2 or weights.dim() != 3 or bias is not None or not x.numel() or not weights.numel():
        return NotImplemented
    (rows, _), (groups, _, columns) = x.shape, weights.shape
    row, ends = torch.arange(rows, dtype=torch.int32), offs.to(torch.int32)
    group = (row[:, None] >= ends).to(torch.int32).sum(1, dtype=torch.int32)  # `groups` after the last one
    if rows < _ROWS * groups:
        own = group.clamp(max=groups - 1).to(torch.int64)
        if rows <= _FEW_ROWS:
            y = torch.cat([x[n: n + 1] @ weights.index_select(0, own[n: n + 1]).squeeze(0) for n in range(rows)])
        else:
            y = (x[:, None, :] @ weights[own]).squeeze(1)
        y = torch.where((group < groups)[:, None], y, 0.0)
    else:
        y = torch.zeros(rows, columns, dtype=x.dtype)
        for number in range(groups):
            y = torch.where((group == number)[:, None], x @ weights[number], y)
    return y if out_dtype is None else y.to(out_dtype)


def _ordered(x: Tensor, place: int, dim: int, keepdim: bool) -> tuple[Tensor, Tensor]:
    values, indices = (part.narrow(dim, place, 1) for part in sort(x, dim, False))
    return (values, indices) if keepdim else (values.squeeze(dim), indices.squeeze(dim))


@decomposes(_aten.kthvalue.default)
def kthvalue(x: Tensor, k: int, dim: int = -1, keepdim: bool = False) -> tuple[Tensor, Tensor]:
    """The element at place ``k`` of the sorted ones; NaN is last."""
    return _ordered(x, k - 1, dim, keepdim) if x.dim() and x.numel() else NotImplemented


@decomposes(_aten.median.dim)
def median_of_rows(x: Tensor, dim: int, keepdim: bool = False) -> tuple[Tensor, Tensor]:
    """The lower of two in the middle; the first NaN where there is one."""
    if not x.dim() or not x.numel():
        return NotImplemented
    values, indices = _ordered(x, (x.shape[dim] - 1) // 2, dim, keepdim)
    if not x.dtype.is_floating_point:
        return values, indices
    missing = torch.isnan(x).to(torch.int32)
    some, first = missing.amax(dim, keepdim), missing.argmax(dim, keepdim)
    return torch.where(some > 0, float("nan"), values), torch.where(some > 0, first, indices)


@decomposes(_aten.median.default)
def median(x: Tensor) -> Tensor:
    """Of all elements."""
    return median_of_rows(x.reshape(-1), 0)[0] if x.numel() else NotImplemented


@decomposes(_aten.nanmedian.dim)
def nanmedian_of_rows(x: Tensor, dim: int, keepdim: bool = False) -> tuple[Tensor, Tensor]:
    """The lower of two in the middle of the numbers, which a sort puts before NaN; NaN where there is no number."""
    if not x.dim() or not x.numel():
        return NotImplemented
    if not x.dtype.is_floating_point:
        return median_of_rows(x, dim, keepdim)
    ordered = sort(x, dim)
    if ordered is NotImplemented:
        return NotImplemented
    numbers = (~torch.isnan(x)).to(torch.int32).sum(dim, True, dtype=torch.int32)
    place = ((numbers - 1).clamp(min=0) >> 1).to(torch.int64)
    values, indices = (part.gather(dim, place) for part in ordered)
    return (values, indices) if keepdim else (values.squeeze(dim), indices.squeeze(dim))


@decomposes(_aten.nanmedian.default)
def nanmedian(x: Tensor) -> Tensor:
    """Of all elements."""
    if not x.numel():
        return NotImplemented
    found = nanmedian_of_rows(x.reshape(-1), 0)
    return found if found is NotImplemented else found[0]


@decomposes(_aten.amax.default, _aten.amin.default)
def extreme_of_one(x: Tensor, dim: Sequence[int] = (), keepdim: bool = False) -> Tensor:
    """Of a tensor without dimensions."""
    return NotImplemented if x.dim() else x.clone()


@decomposes(_aten.argmax.default, _aten.argmin.default)
def place_of_one(x: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
    """Of a tensor without dimensions."""
    return NotImplemented if x.dim() else torch.zeros((), dtype=torch.int64)


@decomposes(_aten.logcumsumexp.default)
def logcumsumexp(x: Tensor, dim: int) -> Tensor:
    """Logarithms of sums of more and more exponentials, each pair less its larger one."""
    return running(x, dim, torch.logaddexp)


@decomposes(_aten.hypot.default)
def hypot(x: Tensor, y: Tensor) -> Tensor:
    """The root of the sum of squares, of the quotient to the larger one: nothing overflows before the result does."""
    large, small = torch.maximum(x.abs(), y.abs()), torch.minimum(x.abs(), y.abs())
    ratio = small / torch.where(large > 0, large, 1.0)
    return large * torch.sqrt(1.0 + ratio * ratio)


_SUM, _MEAN = 0, 1


@decomposes(_aten._embedding_bag_forward_only.default)
def embedding_bag(weight: Tensor, indices: Tensor, offsets: Tensor, scale_grad_by_freq: bool = False, mode: int = 0,
                  sparse: bool = False, per_sample_weights: Tensor | None = None, include_last_offset: bool = False,
                  padding_idx: int = -1) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Sums or means of rows of ``weight``: a product of the rows with a matrix that tells the bag of each."""
    if mode not in (_SUM, _MEAN) or not indices.numel() or not offsets.numel():
        return NotImplemented
    starts = offsets[:-1] if include_last_offset else offsets
    place = torch.arange(indices.shape[0], dtype=torch.int32)
    bag = (place[:, None] >= starts.to(torch.int32)).to(torch.int32).sum(1, dtype=torch.int32) - 1
    counts = indices != padding_idx if padding_idx >= 0 else torch.ones_like(indices, dtype=torch.bool)
    member = (bag == torch.arange(starts.shape[0], dtype=torch.int32)[:, None]) & counts
    share = member.to(weight.dtype)
    share = share if per_sample_weights is None else share * per_sample_weights
    size = member.to(torch.int32).sum(1, dtype=torch.int32)
    y = share @ weight[indices]
    if mode == _MEAN:
        y = y / size.clamp(min=1).to(y.dtype)[:, None]
    return y, bag.to(indices.dtype), size.to(indices.dtype), torch.zeros_like(offsets)


@decomposes(_aten.mode.default)
def mode(x: Tensor, dim: int = -1, keepdim: bool = False) -> tuple[Tensor, Tensor]:
    """The smallest of the values that occur most often, and its last place."""
    if not x.dim() or not x.numel() or x.shape[dim] > _MODES or x.dtype == torch.float64:
        return NotImplemented
    rows = x.movedim(dim, -1)
    counts = (rows.unsqueeze(-1) == rows.unsqueeze(-2)).to(torch.int32).sum(-1, dtype=torch.int32)
    often = counts == counts.amax(-1, True)
    number = x.dtype.is_floating_point
    value = torch.where(often, rows, float("inf") if number else torch.iinfo(x.dtype).max).amin(-1, True)
    place = torch.arange(x.shape[dim], dtype=torch.int32)
    last = torch.where(rows == value, place, -1).amax(-1, True).to(torch.int64)
    values, places = (part.movedim(-1, dim) for part in (value, last))
    return (values, places) if keepdim else (values.squeeze(dim), places.squeeze(dim))
