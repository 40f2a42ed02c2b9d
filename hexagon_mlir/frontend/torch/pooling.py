"""Decompositions of pooling into windows of unequal size."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from hexagon_mlir.frontend.torch.registry import decomposes

_aten = torch.ops.aten


def _windows(size: int, count: int) -> list[tuple[int, int]]:
    """First element and length of each, as in PyTorch: neighbours may share an element."""
    starts = [number * size // count for number in range(count)]
    return [(start, -(-(number + 1) * size // count) - start) for number, start in enumerate(starts)]


@decomposes(_aten.adaptive_max_pool2d.default)
def adaptive_max_pool2d(x: Tensor, output_size: Sequence[int]) -> tuple[Tensor, Tensor]:
    """The largest of each window, and where it is in its image: window by window."""
    height, width = x.shape[-2:]
    values, places = [], []
    for top, rows in _windows(height, output_size[0]):
        for left, columns in _windows(width, output_size[1]):
            window = x.narrow(-2, top, rows).narrow(-1, left, columns).flatten(-2)
            index = window.argmax(-1)
            values.append(window.amax(-1))
            places.append((index // columns + top) * width + index % columns + left)
    shape = [*x.shape[:-2], *output_size]
    return torch.stack(values, -1).reshape(shape), torch.stack(places, -1).reshape(shape)


def _unbatched(op: Any, rank: int) -> Callable[..., Any]:
    """``op`` with a batch of one where there is none."""
    def function(x: Tensor, *rest: Any, **keywords: Any) -> Any:
        if x.dim() != rank + 1:
            return NotImplemented
        pooled = op(x.unsqueeze(0), *rest, **keywords)
        return pooled.squeeze(0) if isinstance(pooled, Tensor) else tuple(part.squeeze(0) for part in pooled)

    return function


for _rank, _packets in {
    1: (_aten.max_pool1d, _aten.max_pool1d_with_indices, _aten.avg_pool1d),
    2: (_aten.max_pool2d, _aten.max_pool2d_with_indices, _aten.avg_pool2d),
    3: (_aten.max_pool3d, _aten.max_pool3d_with_indices, _aten.avg_pool3d),
}.items():
    for _packet in _packets:
        decomposes(_packet.default)(_unbatched(_packet.default, _rank))
