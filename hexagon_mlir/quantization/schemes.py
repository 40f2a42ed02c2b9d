"""How one layer may be computed: schemes, the layers that have them, their weights' bytes and their rounding."""

from __future__ import annotations

import copy
from enum import StrEnum
from typing import Any

import torch
from torch import nn

from hexagon_mlir.dialects.engine_tiles import HALF_BYTES, TILE
from hexagon_mlir.dialects.nibble_weights import NIBBLE_BITS

Product = nn.Linear | nn.Conv1d | nn.Conv2d
PRODUCTS = (nn.Linear, nn.Conv1d, nn.Conv2d)
"""Modules whose scheme is chosen."""
_BYTE_BITS = 8
_LOW, _HIGH = -8, 7
"""The numbers of 4 bits."""
_SMALLEST_SCALE = 2.0**-14
"""Of a group of 4-bit weights: smaller ones have fewer bits in f16."""


class Scheme(StrEnum):
    """How a layer computes. ``f32``: as the model says. ``f16``: operands and results of f16, on the matrix engine
    where that pays. ``int8``: operands and results of bytes with static scales. ``int4``: weights of 4 bits, an f16
    scale for each 32 of a row; f32 else."""

    F32 = "f32"
    F16 = "f16"
    INT8 = "int8"
    INT4 = "int4"


def schemes_of(layer: Product) -> tuple[Scheme, ...]:
    """The schemes that ``layer`` may have, the exact one first."""
    return tuple(Scheme) if isinstance(layer, nn.Linear) else (Scheme.F32, Scheme.F16, Scheme.INT8)


def weight_bytes(layer: Product, scheme: Scheme) -> int:
    """Bytes of the weight of ``layer`` in memory, with its scales."""
    number, rows = layer.weight.numel(), layer.weight.shape[0]
    if scheme == Scheme.F16:
        return HALF_BYTES * number
    if scheme == Scheme.INT8:
        return number + layer.weight.element_size() * rows
    if scheme == Scheme.INT4:
        groups = rows * -(-(number // rows) // TILE)
        return groups * (TILE * NIBBLE_BITS // _BYTE_BITS + HALF_BYTES)
    return layer.weight.element_size() * number


def replaced(layer: Product, scheme: Scheme) -> nn.Module:
    """A module that computes ``layer`` in ``scheme``; ``layer`` itself where the model stays as it is: f32, and int8,
    which `hexagon_mlir.quantization.quantizer.HexagonQuantizer` annotates."""
    if scheme == Scheme.F16:
        return _Half(layer)
    if scheme == Scheme.INT4:
        return _with_weight(layer, four_bits(layer.weight.detach()))
    return layer


def four_bits(weight: torch.Tensor) -> torch.Tensor:
    """``weight`` [N][K], rounded: each 32 of a row that follow each other are multiples -8 to 7 of one f16 number.

    The element of largest magnitude is -8 or 7 times it, whichever has the smaller squared error.
    """
    rows, depth = weight.shape
    groups = nn.functional.pad(weight.float(), (0, -depth % TILE)).reshape(-1, TILE)
    largest = groups.gather(1, groups.abs().argmax(1, keepdim=True))
    best, error = torch.zeros_like(groups), torch.full_like(largest, torch.inf)
    for multiple in (_LOW, _HIGH):
        scale = (largest / multiple).half().float()
        scale = torch.where(scale.abs() < _SMALLEST_SCALE, torch.full_like(scale, _SMALLEST_SCALE), scale)
        numbers = (groups / scale).round().clamp(_LOW, _HIGH) * scale
        off = (numbers - groups).square().sum(1, keepdim=True)
        best, error = torch.where(off < error, numbers, best), torch.minimum(off, error)
    return best.reshape(rows, -1)[:, :depth].to(weight.dtype)


def _with_weight(layer: Any, weight: torch.Tensor) -> Any:
    """``layer`` with another weight; all else is shared."""
    other = copy.copy(layer)
    other._parameters = dict(layer._parameters)
    other.weight = nn.Parameter(weight, requires_grad=False)
    return other


class _Half(nn.Module):
    """A layer of f16 between conversions."""

    def __init__(self, layer: Product):
        super().__init__()
        self.layer = copy.deepcopy(layer).half()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.layer(x.half()).to(x.dtype)
