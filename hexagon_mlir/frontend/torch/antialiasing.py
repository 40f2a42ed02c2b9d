"""Interpolation of images with antialiasing: a product with a matrix of weights along each dimension."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from hexagon_mlir.frontend.torch.registry import decomposes

_aten = torch.ops.aten
_CUBIC = -0.5
"""Keys' parameter (1981), with which PyTorch's cubic filter is that of the Python imaging library."""


def _linear(distance: Tensor) -> Tensor:
    return (1.0 - distance).clamp(min=0.0)


def _cubic(distance: Tensor) -> Tensor:
    near = ((_CUBIC + 2.0) * distance - (_CUBIC + 3.0)) * distance * distance + 1.0
    far = (((distance - 5.0) * distance + 8.0) * distance - 4.0) * _CUBIC
    return torch.where(distance < 1.0, near, torch.where(distance < 2.0, far, 0.0))


def _weights(size: int, result: int, align_corners: bool, scale: float | None, kernel: Callable[[Tensor], Tensor]
             ) -> Tensor:
    """(result, size): the filter, stretched where the image shrinks, at the distance of each pixel; rows sum to 1."""
    if align_corners:
        step = (size - 1) / (result - 1) if result > 1 else 0.0
    else:
        step = 1.0 / scale if scale else size / result
    centres = (torch.arange(result, dtype=torch.float32) + 0.5) * step
    places = torch.arange(size, dtype=torch.float32) + 0.5
    weights = kernel((places - centres[:, None]).abs() * (1.0 / max(step, 1.0)))
    return weights / weights.sum(1, keepdim=True)


def _resized(kernel: Callable[[Tensor], Tensor]) -> Callable[..., Tensor]:
    def function(x: Tensor, output_size: Sequence[int], align_corners: bool, scales_h: float | None = None,
                 scales_w: float | None = None) -> Tensor:
        """Rows, then columns."""
        if x.dtype != torch.float32 or not x.numel():
            return NotImplemented
        rows, columns = (_weights(x.shape[2 + i], output_size[i], align_corners, scale, kernel)
                         for i, scale in enumerate((scales_h, scales_w)))
        return rows @ (x @ columns.transpose(0, 1))

    return function


def _by_factors(kernel: Callable[[Tensor], Tensor]) -> Callable[..., Tensor]:
    def function(x: Tensor, output_size: Any, align_corners: bool, scale_factors: Sequence[float] | None) -> Tensor:
        """As the functions of Python arrive: sizes, or factors."""
        factors = scale_factors or (None, None)
        size = output_size or [int(x.shape[2 + i] * factor) for i, factor in enumerate(factors) if factor]
        return _resized(kernel)(x, size, align_corners, *factors)

    return function


decomposes(_aten._upsample_bilinear2d_aa.default)(_resized(_linear))
decomposes(_aten._upsample_bicubic2d_aa.default)(_resized(_cubic))
decomposes(_aten._upsample_bilinear2d_aa.vec)(_by_factors(_linear))
decomposes(_aten._upsample_bicubic2d_aa.vec)(_by_factors(_cubic))
