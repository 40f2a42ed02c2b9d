"""Resize: positions and weights are computed at compile time; moves and sums remain, one dimension after the other."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from hexagon_mlir.frontend.onnx.operators.registry import operator

_FEW = 4
"""Most neighbours that are added one by one; more are a product with a matrix."""

_ROUND: dict[str, Callable[[float], int]] = {
    "round_prefer_floor": lambda x: math.ceil(x - 0.5), "round_prefer_ceil": lambda x: math.floor(x + 0.5),
    "floor": math.floor, "ceil": math.ceil,
}


@operator("Resize", known=(1, 2, 3))
def resize(x: Tensor, roi: Sequence[float] | None = None, scales: Sequence[float] | None = None,
           sizes: Sequence[int] | None = None, *, mode: str = "nearest", nearest_mode: str = "round_prefer_floor",
           coordinate_transformation_mode: str = "half_pixel", cubic_coeff_a: float = -0.75, exclude_outside: int = 0,
           extrapolation_value: float = 0.0, antialias: int = 0, axes: Sequence[int] | None = None,
           keep_aspect_ratio_policy: str = "stretch") -> Tensor:
    """In f32, positions in f64."""
    axes = [axis % x.dim() for axis in (range(x.dim()) if axes is None else axes)]
    old = [x.shape[axis] for axis in axes]
    if sizes:
        if keep_aspect_ratio_policy != "stretch":
            choose = min if keep_aspect_ratio_policy == "not_larger" else max
            factor = choose(new / size for new, size in zip(sizes, old, strict=True))
            scales = [factor] * len(old)
            sizes = [math.floor(size * factor + 0.5) for size in old]
        else:
            scales = [new / size for new, size in zip(sizes, old, strict=True)]
    elif scales:
        sizes = [math.floor(size * scale) for size, scale in zip(old, scales, strict=True)]
    else:
        raise ValueError("neither sizes nor scales are given")
    regions = [(0.0, 1.0)] * len(axes)
    if coordinate_transformation_mode == "tf_crop_and_resize" and roi:
        regions = [*zip(roi[:len(axes)], roi[len(axes):], strict=True)]
    positions = {axis: _positions(n, new, scale, coordinate_transformation_mode, region) for axis, n, new, scale, region
                 in zip(axes, old, sizes, scales, regions, strict=True)}
    changed = {axis: places for axis, places in positions.items() if places != [*range(x.shape[axis])]}
    if mode == "nearest":
        y = _nearest(x, {axis: [min(max(_ROUND[nearest_mode](p), 0), x.shape[axis] - 1) for p in places]
                         for axis, places in changed.items()})
    else:
        y = x.to(torch.float32)
        for axis, places in changed.items():
            scale = min(1.0, scales[axes.index(axis)]) if antialias else 1.0
            weights = _weights(x.shape[axis], places, scale, mode, cubic_coeff_a, bool(exclude_outside))
            y = _combine(y, axis, weights)
        y = y.to(x.dtype)
    if coordinate_transformation_mode == "tf_crop_and_resize":
        for axis, places in changed.items():
            inside = torch.tensor([0 <= p <= x.shape[axis] - 1 for p in places])
            y = torch.where(inside.reshape([-1 if d == axis else 1 for d in range(x.dim())]), y, extrapolation_value)
    return y


def _positions(n: int, new: int, scale: float, mode: str, region: tuple[float, float]) -> list[float]:
    """Where each of ``new`` elements lies among ``n`` old ones; ``scale * n`` is ``new`` before it was rounded."""
    start, end = region
    match mode:
        case "asymmetric":
            return [i / scale for i in range(new)]
        case "align_corners":
            return [i * (n - 1) / (scale * n - 1) if new > 1 else 0.0 for i in range(new)]
        case "half_pixel":
            return [(i + 0.5) / scale - 0.5 for i in range(new)]
        case "pytorch_half_pixel":
            return [(i + 0.5) / scale - 0.5 if new > 1 else 0.0 for i in range(new)]
        case "half_pixel_symmetric":
            offset = n / 2 * (1 - new / (scale * n))
            return [offset + (i + 0.5) / scale - 0.5 for i in range(new)]
        case "tf_crop_and_resize":
            step = (end - start) * (n - 1) / (scale * n - 1) if new > 1 else 0.0
            return [(start if new > 1 else 0.5 * (start + end)) * (n - 1) + i * step for i in range(new)]
    raise ValueError(f"no way to place pixels is called '{mode}'")


def _nearest(x: Tensor, sources: dict[int, list[int]]) -> Tensor:
    """Elements taken; as PyTorch's interpolation where it takes the same, which moves less."""
    spatial = {axis: len(places) for axis, places in sources.items()}
    floors = all(places == [i * x.shape[axis] // len(places) for i in range(len(places))]
                 for axis, places in sources.items())
    if sources and floors and min(sources) > 1 and x.dim() in (3, 4) and x.dtype.is_floating_point:
        return F.interpolate(x, [spatial.get(axis, x.shape[axis]) for axis in range(2, x.dim())], mode="nearest")
    for axis, places in sources.items():
        x = x.index_select(axis, torch.tensor(places))
    return x


def _weights(n: int, places: Sequence[float], scale: float, mode: str, a: float, exclude: bool) -> np.ndarray:
    """A row for each new element: how much of each of the ``n`` old ones it holds.

    ``scale`` below one widens the filter. Neighbours outside count as the edge, or not at all (``exclude``).
    """
    if mode not in ("linear", "cubic"):
        raise ValueError(f"no interpolation is called '{mode}'")
    matrix = np.zeros((len(places), n))
    reach = math.ceil((1 if mode == "linear" else 2) / scale)
    for row, place in zip(matrix, places, strict=True):
        taps = [(at, _filter(abs(place - at) * scale, mode, a))
                for at in range(math.floor(place) - reach + 1, math.floor(place) + reach + 1)]
        if exclude:
            taps = [(at, weight) for at, weight in taps if 0 <= at < n]
        total = sum(weight for _, weight in taps)
        for at, weight in taps:
            row[min(max(at, 0), n - 1)] += weight / total
    return matrix.astype(np.float32)


def _filter(distance: float, mode: str, a: float) -> float:
    if mode == "linear":
        return max(0.0, 1 - distance)
    if distance <= 1:
        return ((a + 2) * distance - (a + 3)) * distance * distance + 1
    return ((a * distance - 5 * a) * distance + 8 * a) * distance - 4 * a if distance < 2 else 0.0


def _combine(x: Tensor, axis: int, weights: np.ndarray) -> Tensor:
    """``weights`` times ``x`` along ``axis``."""
    count = int((weights != 0).sum(1).max())
    if count > _FEW:
        return (x.movedim(axis, -1) @ torch.tensor(weights.T)).movedim(-1, axis)
    sources = np.sort(np.argsort(-abs(weights), axis=1, kind="stable")[:, :count], axis=1)
    shape = [-1 if d == axis else 1 for d in range(x.dim())]
    total = None
    for taken in sources.T:
        share = torch.tensor(np.take_along_axis(weights, taken[:, None], axis=1)).reshape(shape)
        part = x.index_select(axis, torch.tensor(taken)) * share
        total = part if total is None else total + part
    assert total is not None
    return total
