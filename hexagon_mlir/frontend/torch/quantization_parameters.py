"""Decompositions of operations that quantize rows while a model runs: scales and zero points, products of bytes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor
from torch._export.utils import _get_decomp_for_cia
from torch.ao.quantization.fx import _decomposed  # noqa: F401  (registers the operations)

from hexagon_mlir.frontend.torch.registry import decomposes

_aten = torch.ops.aten
_OF_TORCHAO = ("choose_qparams_affine", "dequantize_affine")


@decomposes(torch.ops.quantized_decomposed.choose_qparams.tensor)
def choose_parameters(x: Tensor, low: int, high: int, eps: float, dtype: torch.dtype) -> tuple[Tensor, Tensor]:
    """Scale, f32, and zero point of the range of ``x`` and zero, one each."""
    least, most = x.amin().clamp(max=0.0), x.amax().clamp(min=0.0)
    scale = ((most - least) / (high - low)).clamp(min=eps)
    zero = (low - torch.round(least / scale)).clamp(low, high)
    return scale.reshape(1), zero.to(torch.int32).reshape(1)


@decomposes(_aten._int_mm.default)
def byte_product(x: Tensor, y: Tensor) -> Tensor:
    """Sums of 32 bits."""
    return torch.mm(x.to(torch.int32), y.to(torch.int32))


def of_torchao() -> dict[Any, Callable[..., Any]]:
    """The operations of torchao, if it was imported, as it writes them itself."""
    ops = (getattr(torch.ops.torchao, name).default for name in _OF_TORCHAO if hasattr(torch.ops.torchao, name))
    found: dict[Any, Callable[..., Any]] = {op: _get_decomp_for_cia(op) for op in ops}
    if hasattr(torch.ops.torchao, "quantize_affine"):
        found[torch.ops.torchao.quantize_affine.default] = quantize_blocks
    return found


def quantize_blocks(x: Tensor, block_size: Sequence[int], scale: Tensor, zero: Tensor | None, dtype: torch.dtype,
                    low: int | None = None, high: int | None = None) -> Tensor:
    """``x`` in bytes, with a scale and a zero point for each block; zero points are added to integers, because floats
    are rounded only once."""
    least, most = torch.iinfo(dtype).min if low is None else low, torch.iinfo(dtype).max if high is None else high
    if dtype not in (torch.int8, torch.uint8) or x.dtype != torch.float32:
        return NotImplemented
    counts = [size // block for size, block in zip(x.shape, block_size, strict=True)]
    split = x.reshape([size for count, block in zip(counts, block_size, strict=True) for size in (count, block)])
    of_blocks = [size for count in counts for size in (count, 1)]
    steps = torch.round(split * (1.0 / scale.to(torch.float32).reshape(of_blocks)))
    whole = steps.clamp(least - most, most - least).to(torch.int32)
    if zero is not None and zero.numel():
        whole = whole + zero.to(torch.int32).reshape(of_blocks)
    return whole.clamp(least, most).to(dtype).reshape(x.shape)
