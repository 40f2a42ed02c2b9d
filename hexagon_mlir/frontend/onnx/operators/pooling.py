"""Pooling with ONNX's padding: uneven, by name, wider than half a window."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

import torch
import torch.nn.functional as F
from torch import Tensor

from hexagon_mlir.frontend.onnx.operators.registry import operator

_AVERAGE = {1: F.avg_pool1d, 2: F.avg_pool2d, 3: F.avg_pool3d}
_MAXIMUM = {1: F.max_pool1d, 2: F.max_pool2d, 3: F.max_pool3d}


@dataclass(frozen=True)
class Window:
    """One number for each spatial dimension. ``after`` is what windows reach, ``declared`` what was asked for."""

    kernel: list[int]
    strides: list[int]
    dilations: list[int]
    before: list[int]
    after: list[int]
    declared: list[int]
    counts: list[int]

    @property
    def sides(self) -> list[int]:
        """For ``F.pad``."""
        return [side for pair in reversed([*zip(self.before, self.after, strict=True)]) for side in pair]

    @property
    def even(self) -> bool:
        """True when PyTorch's pooling can do the padding."""
        return self.before == self.after and all(2 * p <= k for p, k in zip(self.before, self.kernel, strict=True))


def window(sizes: Sequence[int], kernel: Sequence[int], strides: Sequence[int] | None, pads: Sequence[int] | None,
           dilations: Sequence[int] | None, auto_pad: str, ceil_mode: int = 0) -> Window:
    """The windows of an image of ``sizes``."""
    rank = len(sizes)
    strides, dilations = list(strides or [1] * rank), list(dilations or [1] * rank)
    spans = [d * (k - 1) + 1 for d, k in zip(dilations, kernel, strict=True)]
    before, after = list(pads[:rank]) if pads else [0] * rank, list(pads[rank:]) if pads else [0] * rank
    if auto_pad.startswith("SAME"):
        total = [max(0, (-(-n // s) - 1) * s + span - n) for n, s, span in zip(sizes, strides, spans, strict=True)]
        small, large = [t // 2 for t in total], [t - t // 2 for t in total]
        before, after = (small, large) if auto_pad == "SAME_UPPER" else (large, small)
    elif auto_pad == "VALID":
        before, after = [0] * rank, [0] * rank
    counts, reached = [], []
    for n, span, s, b, a in zip(sizes, spans, strides, before, after, strict=True):
        count, left = divmod(n + b + a - span, s)
        count += 2 if ceil_mode and left else 1
        if ceil_mode and (count - 1) * s >= n + b:
            count -= 1  # it would start in the padding
        counts.append(count)
        reached.append((count - 1) * s + span - n - b if ceil_mode else a)
    return Window(list(kernel), strides, dilations, before, [max(0, r) for r in reached], after, counts)


def _sums(padded: Tensor, shape: Window) -> Tensor:
    """Sums over windows, one shifted slice for each of their elements."""
    total = None
    for place in itertools.product(*map(range, shape.kernel)):
        part = padded
        for d, (k, step, s, count) in enumerate(zip(place, shape.dilations, shape.strides, shape.counts, strict=True)):
            start = k * step
            part = torch.ops.aten.slice.Tensor(part, padded.dim() - len(place) + d, start, start + (count - 1) * s + 1,
                                               s)
        total = part if total is None else total + part
    assert total is not None
    return total


@operator("AveragePool")
def average_pool(x: Tensor, *, kernel_shape: Sequence[int], strides: Sequence[int] | None = None,
                 pads: Sequence[int] | None = None, dilations: Sequence[int] | None = None, auto_pad: str = "NOTSET",
                 ceil_mode: int = 0, count_include_pad: int = 0) -> Tensor:
    """Means; what was declared as padding may count, what a last window takes beyond it does not."""
    shape = window(x.shape[2:], kernel_shape, strides, pads, dilations, auto_pad, ceil_mode)
    if shape.even and shape.after == shape.declared and set(shape.dilations) == {1}:
        return _AVERAGE[x.dim() - 2](x, shape.kernel, shape.strides, shape.before, False, bool(count_include_pad))
    rank = x.dim() - 2
    ones = torch.ones([1, 1, *x.shape[2:]], dtype=x.dtype)
    inner = [s for b, a, r in reversed([*zip(shape.before, shape.declared, shape.after, strict=True)])
             for s in (b, min(a, r))]
    outer = [s for a, r in reversed([*zip(shape.declared, shape.after, strict=True)]) for s in (0, max(0, r - a))]
    ones = F.pad(F.pad(ones, inner, value=float(count_include_pad)), outer)
    assert len(inner) == 2 * rank
    return _sums(F.pad(x, shape.sides), shape) / _sums(ones, shape)


@operator("GlobalAveragePool")
def global_average_pool(x: Tensor) -> Tensor:
    """The mean of each channel."""
    return x.mean(list(range(2, x.dim())), keepdim=True)


@operator("LpPool")
def lp_pool(x: Tensor, *, kernel_shape: Sequence[int], p: int = 2, strides: Sequence[int] | None = None,
            pads: Sequence[int] | None = None, dilations: Sequence[int] | None = None, auto_pad: str = "NOTSET",
            ceil_mode: int = 0) -> Tensor:
    """The p-norm of each window."""
    shape = window(x.shape[2:], kernel_shape, strides, pads, dilations, auto_pad, ceil_mode)
    return _sums(F.pad(x.abs() ** p, shape.sides), shape) ** (1 / p)


@operator("MaxPool")
def max_pool(x: Tensor, *, kernel_shape: Sequence[int], strides: Sequence[int] | None = None,
             pads: Sequence[int] | None = None, dilations: Sequence[int] | None = None, auto_pad: str = "NOTSET",
             ceil_mode: int = 0, storage_order: int = 0, outputs: int = 1) -> list[Tensor]:
    """The largest of each window; as second output where it is in all of ``x``."""
    shape = window(x.shape[2:], kernel_shape, strides, pads, dilations, auto_pad, ceil_mode)
    before = shape.before
    padded = x
    if not shape.even:
        lowest = float("-inf") if x.dtype.is_floating_point else torch.iinfo(x.dtype).min
        padded, before = F.pad(x, shape.sides, value=lowest), [0] * len(before)
    pool = _MAXIMUM[x.dim() - 2]
    if outputs == 1:
        return [pool(padded, shape.kernel, shape.strides, before, shape.dilations)]
    pooled, places = pool(padded, shape.kernel, shape.strides, before, shape.dilations, return_indices=True)
    coordinates = []
    for size, start in reversed([*zip(padded.shape[2:], shape.before, strict=True)]):
        coordinates.append(places % size - (0 if shape.even else start))
        places = places // size
    flat = torch.arange(prod(x.shape[:2])).reshape([*x.shape[:2], *[1] * len(before)])
    order = [*zip(x.shape[2:], reversed(coordinates), strict=True)]
    for size, coordinate in reversed(order) if storage_order else order:
        flat = flat * size + coordinate
    return [pooled, flat]
