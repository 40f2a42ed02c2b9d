"""Samples of volumes at places between their elements."""

from __future__ import annotations

from itertools import product
from math import prod

import torch
from torch import Tensor

from hexagon_mlir.frontend.torch.registry import decomposes

_aten = torch.ops.aten
_LINEAR, _NEAREST = 0, 1
_ZEROS, _BORDER, _REFLECTION = 0, 1, 2


def _place(grid: Tensor, size: int, padding: int, align_corners: bool) -> Tensor:
    """Of -1 to 1, the place among ``size`` elements, moved into the volume as ``padding`` says."""
    place = (grid + 1.0) * (0.5 * (size - 1)) if align_corners else (grid + 1.0) * (0.5 * size) - 0.5
    if padding == _REFLECTION:
        low, span = (0.0, float(size - 1)) if align_corners else (-0.5, float(size))
        if not span:
            return torch.zeros_like(place)
        distance = (place - low).abs()
        turns = torch.floor(distance / span)
        rest = distance - turns * span
        place = torch.where((turns.to(torch.int32) & 1) > 0, span - rest, rest) + low
    return place if padding == _ZEROS else place.clamp(0.0, float(size - 1))


@decomposes(_aten.grid_sampler_3d.default)
def grid_sampler_3d(x: Tensor, grid: Tensor, interpolation_mode: int, padding_mode: int, align_corners: bool) -> Tensor:
    """``x`` (N, C, D, H, W) at ``grid`` (N, d, h, w, 3), whose places are along W, H, D: (N, C, d, h, w).

    The sum of the 8 elements around each place, weighted by nearness, or the nearest one.
    """
    if x.dtype != torch.float32 or not x.numel() or not grid.numel():
        return NotImplemented
    (batch, channels), sizes = x.shape[:2], x.shape[2:]
    flat = x.reshape(batch, channels, prod(sizes))
    y = torch.zeros(batch, channels, prod(grid.shape[1:4]))
    places = [_place(grid[..., 2 - d], size, padding_mode, align_corners) for d, size in enumerate(sizes)]
    down = torch.floor if interpolation_mode == _LINEAR else torch.round
    starts = [down(place).to(torch.int32) for place in places]  # sums of integers are exact on every chip
    for corner in product((0, 1), repeat=3) if interpolation_mode == _LINEAR else [(0, 0, 0)]:
        weight = torch.ones_like(places[0])
        number = torch.zeros_like(places[0], dtype=torch.int32)
        for d, (side, size) in enumerate(zip(corner, sizes, strict=True)):
            here = starts[d] + side
            inside = (here >= 0) & (here <= size - 1)
            near = 1.0 - (places[d] - here.to(x.dtype)).abs() if interpolation_mode == _LINEAR else 1.0
            weight = torch.where(inside, weight * near, 0.0)
            number = number * size + torch.where(inside, here, 0)
        index = number.to(torch.int64).reshape(batch, 1, -1).expand(batch, channels, -1)
        y = y + flat.gather(2, index) * weight.reshape(batch, 1, -1)
    return y.reshape(batch, channels, *grid.shape[1:4])
