"""Tensors to export programs for."""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch

from hexagon_mlir.ir import HexError

_ADDRESSES = 1 << 32


def zeros(shape: Sequence[int], dtype: torch.dtype) -> torch.Tensor:
    """Zeros of ``shape``; raises `HexError` for one that no tensor of the chip can have."""
    if min(shape, default=0) < 0 or math.prod(shape) * dtype.itemsize >= _ADDRESSES:
        raise HexError.plain(f"an input of shape {tuple(shape)}", hint="the chip has 4 GiB of addresses")
    return torch.zeros(tuple(shape), dtype=dtype)
