"""Conversions between f32 and bytes, and layers between them, as PyTorch's quantized programs say them."""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
import torch.ao.quantization.fx._decomposed
from torch import nn

_ops: Any = torch.ops.quantized_decomposed
_LEAST, _MOST = 0, 255
"""Of activations."""
_MOST_WEIGHT = 127
"""Weights are between its negative and it."""
_SMALLEST_SCALE, _SMALLEST_WEIGHT_SCALE = 2.0**-12, 2.0**-24
"""Those of `hexagon_mlir.quantization.quantizer.HexagonQuantizer`."""


class Range(NamedTuple):
    """The least and the largest element that a tensor had."""

    low: float
    high: float

    def joined(self, other: Range) -> Range:
        """Of both tensors."""
        return Range(min(self.low, other.low), max(self.high, other.high))

    @property
    def affine(self) -> tuple[float, int]:
        """Scale and zero point of bytes without sign for this range with zero."""
        low, high = min(self.low, 0.0), max(self.high, 0.0)
        scale = max((high - low) / _MOST, _SMALLEST_SCALE)
        return scale, min(round(-low / scale), _MOST)


class ToBytes(nn.Module):
    """f32 to uint8, of any shape."""

    def __init__(self, of: Range):
        super().__init__()
        self.affine = of.affine

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return _ops.quantize_per_tensor(x, *self.affine, _LEAST, _MOST, torch.uint8)


class FromBytes(ToBytes):
    """uint8 to f32, of any shape."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return _ops.dequantize_per_tensor(x, *self.affine, _LEAST, _MOST, torch.uint8)


class BytesLayer(nn.Module):
    """A linear layer or convolution whose weight is int8 with a scale for each channel; inputs and results are f32."""

    def __init__(self, layer: Any):
        super().__init__()
        weight = layer.weight.detach()
        scales = weight.flatten(1).abs().amax(1).clamp(min=_SMALLEST_WEIGHT_SCALE * _MOST_WEIGHT) / _MOST_WEIGHT
        zeros = torch.zeros(len(scales), dtype=torch.int64)
        self.codes = nn.Buffer(_ops.quantize_per_channel(weight, scales, zeros, 0, -_MOST_WEIGHT, _MOST_WEIGHT,
                                                         torch.int8))
        self.scales, self.zeros = nn.Buffer(scales), nn.Buffer(zeros)
        self.layer = layer

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        weight = _ops.dequantize_per_channel(self.codes, self.scales, self.zeros, 0, -_MOST_WEIGHT, _MOST_WEIGHT,
                                             torch.int8)
        return torch.func.functional_call(self.layer, {"weight": weight}, (x,))


def rounding(layer: nn.Module, inputs: Range, results: Range) -> nn.Module:
    """``layer`` with inputs, weights and results that are rounded to bytes of these ranges."""
    return nn.Sequential(ToBytes(inputs), FromBytes(inputs), BytesLayer(layer), ToBytes(results), FromBytes(results))
