"""Decompositions of pooling into windows of unequal size."""

from __future__ import annotations

from collections.abc import Sequence

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
