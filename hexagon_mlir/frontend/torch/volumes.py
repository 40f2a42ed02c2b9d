"""Decompositions of convolutions of volumes into convolutions of images."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from hexagon_mlir.frontend.torch.registry import decomposes

_aten = torch.ops.aten
_RANK = 5


@decomposes(_aten.conv3d.default)
def conv3d(x: Tensor, weight: Tensor, bias: Tensor | None = None, stride: Sequence[int] = (1,),
           padding: Sequence[int] = (0,), dilation: Sequence[int] = (1,), groups: int = 1) -> Tensor:
    """Of (N, C, D, H, W) or (C, D, H, W), by weights (O, C / groups, KD, KH, KW).

    Each depth of the result is an image. Its channels are those of the KD images that it is computed of.
    """
    if x.dim() != _RANK:
        return conv3d(x.unsqueeze(0), weight, bias, stride, padding, dilation, groups).squeeze(0)
    (steps, *stride), (edge, *padding), (gap, *dilation) = (
        list(numbers) * (3 if len(numbers) == 1 else 1) for numbers in (stride, padding, dilation))
    if edge:
        x = _aten.constant_pad_nd.default(x, [0, 0, 0, 0, edge, edge], 0.0)
    batch, channels, depth, *image = x.shape
    outputs, inputs, taps, *window = weight.shape
    count = (depth - gap * (taps - 1) - 1) // steps + 1
    parts = [x[:, :, tap * gap: tap * gap + (count - 1) * steps + 1: steps].reshape(
        batch, groups, channels // groups, count, *image) for tap in range(taps)]
    images = torch.cat(parts, 2).permute(0, 3, 1, 2, 4, 5).reshape(batch * count, taps * channels, *image)
    filters = weight.permute(0, 2, 1, 3, 4).reshape(outputs, taps * inputs, *window)
    y = _aten.conv2d.default(images, filters, bias, stride, padding, dilation, groups)
    return y.reshape(batch, count, outputs, *y.shape[2:]).permute(0, 2, 1, 3, 4)


@decomposes(_aten.convolution.default)
def convolution(x: Tensor, weight: Tensor, bias: Tensor | None, stride: Sequence[int], padding: Sequence[int],
                dilation: Sequence[int], transposed: bool, output_padding: Sequence[int], groups: int) -> Tensor:
    """As AOTAutograd writes them; other ranks, and transposed ones, stay."""
    if transposed or x.dim() != _RANK:
        return NotImplemented
    return conv3d(x, weight, bias, stride, padding, dilation, groups)
