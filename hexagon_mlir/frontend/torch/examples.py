"""Tensors to export programs for."""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch

from hexagon_mlir.frontend.torch.result import Signature
from hexagon_mlir.ir import HexError

_ADDRESSES = 1 << 32


def zeros(shape: Sequence[int], dtype: torch.dtype) -> torch.Tensor:
    """Zeros of ``shape``; raises `HexError` for one that no tensor of the chip can have."""
    if min(shape, default=0) < 0 or math.prod(shape) * dtype.itemsize >= _ADDRESSES:
        raise HexError.plain(f"an input of shape {tuple(shape)}", hint="the chip has 4 GiB of addresses")
    return torch.zeros(tuple(shape), dtype=dtype)


def arguments(signature: Signature) -> list[torch.Tensor | int | float | bool | str | None]:
    """Flat arguments that a model takes: normal numbers, of integers the lowest that is no wrong index, the same each
    time."""
    generator = torch.Generator().manual_seed(0)
    found: list[torch.Tensor | int | float | bool | str | None] = [None] * signature.arguments
    for place, fixed in signature.fixed.items():
        found[place] = fixed.value
    for number, used in enumerate(signature.inputs):
        if used is not None:
            shape, dtype = signature.shapes[number]
            low, _ = signature.bounds.get(number, (0, 0))
            found[used] = (torch.randn(shape, generator=generator).to(dtype) if dtype.is_floating_point
                            else torch.full(shape, max(low, 0), dtype=dtype))
    return found
