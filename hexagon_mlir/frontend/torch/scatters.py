"""Scatters and assignments to indices, as rows put to places; sorts, as elements put to their ranks."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import torch
from torch import Tensor

from hexagon_mlir.frontend.torch.kernels import put_slices as slices
from hexagon_mlir.frontend.torch.kernels.put import ELEMENTS, put
from hexagon_mlir.frontend.torch.kernels.ranks import ranks
from hexagon_mlir.frontend.torch.registry import decomposes

_aten = torch.ops.aten
_REDUCTIONS = {"sum": "add", "add": "add", "prod": "multiply", "multiply": "multiply", "amax": "maximum",
               "amin": "minimum"}


def _computed(dtype: torch.dtype) -> torch.dtype:
    """The element type in which values of ``dtype`` are compared, added and moved."""
    return dtype if dtype in ELEMENTS else torch.float32 if dtype.is_floating_point else torch.int32


def _put(x: Tensor, places: Tensor, values: Tensor, how: str) -> Tensor:
    """`put` for any element type; `NotImplemented` for f64, and when there is nothing to write."""
    wide = _computed(x.dtype)
    if x.dtype == torch.float64 or not values.numel():
        return NotImplemented
    if x.dtype == torch.bool and how == "add":
        how = "maximum"  # a sum of truths is a truth
    return put(x.to(wide), places.to(torch.int32), values.to(wide), how).to(x.dtype)


def _along(x: Tensor, dim: int, index: Tensor, values: Tensor, how: str) -> Tensor:
    """Element ``index[..., k, ...]`` along ``dim`` becomes ``values[..., k, ...]``, one after the other."""
    if not x.dim():
        return _along(x.reshape(1), 0, index.reshape(-1), values.reshape(-1), how).reshape(())
    if not index.numel():
        return x.clone()
    places = index.to(torch.int32)
    total = torch.zeros_like(places)
    stride = 1
    for d in reversed(range(x.dim())):
        here = places if d == dim % x.dim() else torch.arange(index.shape[d], dtype=torch.int32).reshape(
            [-1 if other == d else 1 for other in range(x.dim())])
        total = total + here * stride
        stride *= x.shape[d]
    flat = _put(x.reshape(-1, 1), total.reshape(-1), values.reshape(-1, 1), how)
    return flat if flat is NotImplemented else flat.reshape(x.shape)


@decomposes(_aten.scatter.src)
def scatter(x: Tensor, dim: int, index: Tensor, src: Tensor) -> Tensor:
    """Elements of ``src`` at the places that ``index`` names; the last one stays."""
    return _along(x, dim, index, src[tuple(slice(size) for size in index.shape)], "replace")


@decomposes(_aten.scatter.value)
def scatter_value(x: Tensor, dim: int, index: Tensor, value: float) -> Tensor:
    """One number everywhere."""
    return _along(x, dim, index, torch.full(index.shape, value, dtype=x.dtype), "replace")


@decomposes(_aten.scatter_add.default)
def scatter_add(x: Tensor, dim: int, index: Tensor, src: Tensor) -> Tensor:
    """Sums, in the order of ``index``."""
    return _along(x, dim, index, src[tuple(slice(size) for size in index.shape)], "add")


@decomposes(_aten.scatter_reduce.two, _aten.scatter.reduce)
def scatter_reduce(x: Tensor, dim: int, index: Tensor, src: Tensor, reduce: str, *, include_self: bool = True
                   ) -> Tensor:
    """Combined with the old element, or, where an element is written, with the neutral element."""
    if x.dtype == torch.float64 or (reduce not in _REDUCTIONS and not (
            reduce == "mean" and x.dtype.is_floating_point)):
        return NotImplemented
    start = x if include_self else scatter_value(x, dim, index, _neutral(reduce, x.dtype))
    if reduce == "mean":
        counts = scatter_add(torch.full_like(x, float(include_self)), dim, index, torch.ones_like(src))
        return scatter_add(start, dim, index, src) / counts.clamp(min=1)
    return _along(start, dim, index, src[tuple(slice(size) for size in index.shape)], _REDUCTIONS[reduce])


def _neutral(reduce: str, dtype: torch.dtype) -> float:
    """The neutral element of the reduction."""
    if reduce in ("amax", "amin"):
        lowest, highest = ((float("-inf"), float("inf")) if dtype.is_floating_point
                           else (torch.iinfo(dtype).min, torch.iinfo(dtype).max))
        return lowest if reduce == "amax" else highest
    return 1 if reduce in ("prod", "multiply") else 0


@decomposes(_aten.index_copy.default)
def index_copy(x: Tensor, dim: int, index: Tensor, source: Tensor) -> Tensor:
    """Slices along ``dim``."""
    if not x.dim():
        return source.reshape(())
    found = _put_slices(x, dim % x.dim(), index.reshape(-1), source, wraps=False)
    return index_put(x, [*[None] * (dim % x.dim()), index.reshape(-1)], source) if found is NotImplemented else found


def _put_slices(x: Tensor, dim: int, index: Tensor, values: Tensor, wraps: bool) -> Tensor:
    """`put_slices` along ``dim``; `NotImplemented` for other element types, and when there is nothing to write."""
    if x.dtype not in slices.ELEMENTS or not values.numel():
        return NotImplemented
    before, after = prod(x.shape[:dim]), prod(x.shape[dim + 1:])
    flat = slices.put_slices(x.reshape(before, x.shape[dim], after), index.to(torch.int32),
                             values.to(x.dtype).reshape(before, index.shape[0], after), wraps)
    return flat.reshape(x.shape)


@decomposes(_aten.index_put.default, _aten._unsafe_index_put.default)
def index_put(x: Tensor, indices: Sequence[Tensor | None], values: Tensor, accumulate: bool = False) -> Tensor:
    """``x[indices] = values``, or ``+=``."""
    if any(i is not None and i.dtype in (torch.bool, torch.uint8) for i in indices):
        return _masked(x, indices, values, accumulate)
    indexed = [d for d, index in enumerate(indices) if index is not None]
    if len(indexed) == 1 and not accumulate and indices[indexed[0]].dim() == 1 and x.numel():  # type: ignore[union-attr]
        place, index = indexed[0], indices[indexed[0]]
        assert index is not None
        shape = [*x.shape[:place], index.shape[0], *x.shape[place + 1:]]
        found = _put_slices(x, place, index, values.expand(shape), wraps=True)
        if found is not NotImplemented:
            return found
    given = torch.broadcast_tensors(*(index for index in indices if index is not None))
    rest = [d for d in range(x.dim()) if d not in indexed]
    sizes = [x.shape[d] for d in rest]
    if not prod(sizes) or not given[0].numel():
        return x.clone()
    together = indexed == list(range(indexed[0], indexed[-1] + 1))
    before = indexed[0] if together else 0
    picked = given[0].shape
    values = values.expand([*sizes[:before], *picked, *sizes[before:]])
    values = values.permute(*range(before, before + len(picked)), *range(before), *range(before + len(picked),
                                                                                         values.dim()))
    places = torch.zeros_like(given[0], dtype=torch.int32)
    for d, index in zip(indexed, given, strict=True):
        index = index.to(torch.int32)
        places = places * x.shape[d] + torch.where(index < 0, index + x.shape[d], index)
    order = [*indexed, *rest]
    moved = x.permute(order)
    flat = _put(moved.reshape(-1, prod(sizes)), places.reshape(-1), values.reshape(-1, prod(sizes)),
                "add" if accumulate else "replace")
    if flat is NotImplemented:
        return NotImplemented
    return flat.reshape(moved.shape).permute([order.index(d) for d in range(x.dim())])


@decomposes(_aten.put.default)
def put_elements(x: Tensor, index: Tensor, source: Tensor, accumulate: bool = False) -> Tensor:
    """Elements at places counted over the whole tensor."""
    flat = index_put(x.reshape(-1), [index.reshape(-1)], source.reshape(-1), accumulate)
    return flat if flat is NotImplemented else flat.reshape(x.shape)


@decomposes(_aten.index_reduce.default)
def index_reduce(x: Tensor, dim: int, index: Tensor, source: Tensor, reduce: str, *, include_self: bool = True
                 ) -> Tensor:
    """Slices along ``dim`` combined with those that ``index`` names, as `scatter_reduce`."""
    if not x.dim():
        return scatter_reduce(x.reshape(1), 0, index.reshape(-1), source.reshape(-1), reduce,
                              include_self=include_self).reshape(())
    along = index.reshape([-1 if d == dim % x.dim() else 1 for d in range(x.dim())])
    return scatter_reduce(x, dim, along.expand(source.shape), source, reduce, include_self=include_self)


@decomposes(_aten.index_fill.int_Scalar, _aten.index_fill.int_Tensor)
def index_fill(x: Tensor, dim: int, index: Tensor, value: Tensor | float) -> Tensor:
    """One number in slices along ``dim``."""
    number = value.to(x.dtype).reshape(()) if isinstance(value, Tensor) else torch.full((), value, dtype=x.dtype)
    if not x.dim():
        return number
    return index_put(x, [*[None] * (dim % x.dim()), index.reshape(-1)], number)


def _masked(x: Tensor, indices: Sequence[Tensor | None], values: Tensor, accumulate: bool) -> Tensor:
    """One mask and one number; a tensor of values, one for each True, has a size that depends on the mask."""
    given = [(d, index) for d, index in enumerate(indices) if index is not None]
    if len(given) != 1 or values.numel() != 1:
        return NotImplemented
    (d, mask), = given
    mask = mask.to(torch.bool).reshape(*[1] * d, *mask.shape, *[1] * (x.dim() - d - mask.dim()))
    value = values.to(x.dtype).reshape(())
    return torch.where(mask, x + value if accumulate else value, x)


@decomposes(_aten.sort.default)
def sort(x: Tensor, dim: int = -1, descending: bool = False) -> tuple[Tensor, Tensor]:
    """Values and where they were; equal ones keep their order, NaN is the largest."""
    if x.dtype == torch.float64:
        return NotImplemented
    if not x.dim() or not x.numel():
        return x.clone(), torch.zeros_like(x, dtype=torch.int64)
    wide = _computed(x.dtype)
    moved = x.to(wide).movedim(dim, -1)
    size = moved.shape[-1]
    rows = moved.reshape(-1, size)
    first = torch.arange(rows.shape[0], dtype=torch.int32)[:, None] * size
    places = (ranks(rows, descending) + first).reshape(-1)
    old = torch.arange(size, dtype=torch.int32).expand(rows.shape).reshape(-1, 1)
    flat = rows.reshape(-1, 1)
    values = put(flat, places, flat, "replace")  # every place is written
    indices = put(old, places, old, "replace")
    return (values.reshape(moved.shape).movedim(-1, dim).to(x.dtype),
            indices.reshape(moved.shape).movedim(-1, dim).to(torch.int64))


@decomposes(_aten.sort.stable)
def sort_stable(x: Tensor, *, stable: bool | None = None, dim: int = -1, descending: bool = False
                ) -> tuple[Tensor, Tensor]:
    """`sort` is."""
    return sort(x, dim, descending)


@decomposes(_aten.argsort.default)
def argsort(x: Tensor, dim: int = -1, descending: bool = False) -> Tensor:
    """Where the sorted values were."""
    found = sort(x, dim, descending)
    return found if found is NotImplemented else found[1]


@decomposes(_aten.argsort.stable)
def argsort_stable(x: Tensor, *, stable: bool, dim: int = -1, descending: bool = False) -> Tensor:
    """`argsort` is."""
    return argsort(x, dim, descending)
