"""Operators that move elements."""

from __future__ import annotations

from collections.abc import Sequence

import torch
import torch.nn.functional as F
from torch import Tensor

from hexagon_mlir.frontend.onnx.operators.registry import operator


@operator("Slice", known=(1, 2, 3, 4))
def slice_(x: Tensor, starts: Sequence[int], ends: Sequence[int], axes: Sequence[int] | None = None,
           steps: Sequence[int] | None = None) -> Tensor:
    """Steps may be negative: a slice of the same elements, reversed."""
    axes, steps = axes or range(len(starts)), steps or [1] * len(starts)
    for axis, start, end, step in zip(axes, starts, ends, steps, strict=True):
        chosen = range(x.shape[axis])[start:end:step]
        if step < 0:
            chosen = chosen[::-1]
        x = torch.ops.aten.slice.Tensor(x, axis, chosen.start, max(chosen.start, chosen.stop), abs(step))
        x = x.flip(axis) if step < 0 else x
    return x


@operator("Reshape", known=(1,))
def reshape(x: Tensor, shape: Sequence[int], *, allowzero: int = 0) -> Tensor:
    """A size of 0 is that of ``x``, unless ``allowzero``; -1 is what is left."""
    return x.reshape([x.shape[d] if size == 0 and not allowzero else size for d, size in enumerate(shape)])


@operator("Unsqueeze", known=(1,))
def unsqueeze(x: Tensor, inputs: Sequence[int] | int | None = None, *, axes: Sequence[int] | None = None) -> Tensor:
    """Dimensions of size one; places in the result are an attribute until version 12."""
    places = _axes(inputs, axes)
    for axis in sorted(place % (x.dim() + len(places)) for place in places):
        x = x.unsqueeze(axis)
    return x


@operator("Squeeze", known=(1,))
def squeeze(x: Tensor, inputs: Sequence[int] | int | None = None, *, axes: Sequence[int] | None = None) -> Tensor:
    """Without dimensions of size one: those named, or all."""
    places = _axes(inputs, axes) or [d for d, size in enumerate(x.shape) if size == 1]
    return x.squeeze(places) if places else x.clone()


def _axes(given: Sequence[int] | int | None, attribute: Sequence[int] | None) -> list[int]:
    """A list, as the operators have it, or one number, as PyTorch's exporter writes it."""
    return [given] if isinstance(given, int) else list(given or attribute or ())


@operator("Split", known=(1,))
def split_(x: Tensor, sizes: Sequence[int] | None = None, *, axis: int = 0, num_outputs: int = 0,
           split: Sequence[int] | None = None, outputs: int = 1) -> list[Tensor]:
    """Parts of given sizes, or of the same size but for the last; sizes are an attribute until version 12."""
    return list(x.split(list(sizes or split or ()) or -(-x.shape[axis] // (num_outputs or outputs)), axis))


@operator("Pad", known=(1, 3))
def pad(x: Tensor, pads: Sequence[int], value: Tensor | None = None, axes: Sequence[int] | None = None, *,
        mode: str = "constant") -> Tensor:
    """Sides of negative width are cut off."""
    axes = [axis % x.dim() for axis in (range(x.dim()) if axes is None else axes)]
    sides = {axis: (pads[n], pads[n + len(axes)]) for n, axis in enumerate(axes)}
    if mode == "constant":
        flat = [side for axis in reversed(range(x.dim())) for side in sides.get(axis, (0, 0))]
        if value is None or value.numel() == 0:
            return F.pad(x, flat)
        where = F.pad(torch.ones(x.shape, dtype=torch.bool), flat)
        return torch.where(where, F.pad(x, flat), value.reshape(()))
    for axis, (before, after) in sides.items():
        if before or after:
            x = x.index_select(axis, _sources(x.shape[axis], before, after, mode))
    return x


def _sources(size: int, before: int, after: int, mode: str) -> Tensor:
    """Where each element along a padded dimension comes from."""
    places = torch.arange(-before, size + after)
    if mode == "edge":
        return places.clamp(0, size - 1)
    if mode == "wrap":
        return places % size
    if mode != "reflect":
        raise ValueError(f"no way of padding is called '{mode}'")
    period = max(1, 2 * (size - 1))
    places = places % period
    return torch.where(places < size, places, period - places)


@operator("ScatterElements")
def scatter_elements(x: Tensor, indices: Tensor, updates: Tensor, *, axis: int = 0, reduction: str = "none") -> Tensor:
    """Elements put to places along ``axis``, which may count from the end."""
    places = indices.to(torch.int64)
    places = torch.where(places < 0, places + x.shape[axis], places)
    if reduction == "none":
        return x.scatter(axis, places, updates)
    names = {"add": "sum", "mul": "prod", "max": "amax", "min": "amin"}
    return x.scatter_reduce(axis, places, updates, names[reduction])


@operator("TensorScatter")
def tensor_scatter(cache: Tensor, update: Tensor, write: Tensor | None = None, *, axis: int = -2, mode: str = "linear"
                   ) -> Tensor:
    """Replace rows of a cache, from an index of its own for each batch."""
    axis %= cache.dim()
    size, count = cache.shape[axis], update.shape[axis]
    start = torch.zeros(cache.shape[0], dtype=torch.int64) if write is None else write
    offset = torch.arange(size) - start[:, None]  # batch x rows: which row of the update comes here
    if mode == "circular":
        offset = torch.where(offset < 0, offset + size, offset)
    shape = [cache.shape[0], *[size if d == axis else 1 for d in range(1, cache.dim())]]
    taken = offset.clamp(0, count - 1).reshape(shape).expand(cache.shape)
    here = ((offset >= 0) & (offset < count)).reshape(shape)
    return torch.where(here, update.gather(axis, taken), cache)


@operator("SpaceToDepth")
def space_to_depth(x: Tensor, *, blocksize: int, mode: str = "DCR") -> Tensor:
    """Blocks of the image become channels: after the old ones, or (CRD) before them."""
    batch, channels, height, width = x.shape
    blocks = x.reshape(batch, channels, height // blocksize, blocksize, width // blocksize, blocksize)
    order = (0, 3, 5, 1, 2, 4) if mode == "DCR" else (0, 1, 3, 5, 2, 4)
    return blocks.permute(order).reshape(batch, -1, height // blocksize, width // blocksize)


@operator("AffineGrid", known=(1,))
def affine_grid(theta: Tensor, size: Sequence[int], *, align_corners: int = 0) -> Tensor:
    """Places to sample at, for an image of ``size``."""
    return F.affine_grid(theta, list(size), bool(align_corners))
