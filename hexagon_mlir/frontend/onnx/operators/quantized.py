"""Quantized operators. Conversions from and to bytes, and layers of bytes, are written as PyTorch's export flow writes
them (``quantized_decomposed``), so that the same passes find them; all else is ONNX's arithmetic in single steps."""

from __future__ import annotations

from collections.abc import Sequence

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.ao.quantization.fx import _decomposed  # noqa: F401  (registers the operations)

from hexagon_mlir.frontend.onnx.operators.pooling import window
from hexagon_mlir.frontend.onnx.operators.registry import operator

_own = torch.ops.quantized_decomposed
_BYTES = (torch.int8, torch.uint8)
_CONVOLUTIONS = {1: F.conv1d, 2: F.conv2d, 3: F.conv3d}
_DTYPES = {0: torch.uint8, 1: torch.float32, 2: torch.uint8, 3: torch.int8, 5: torch.int16, 6: torch.int32,
           10: torch.float16, 16: torch.bfloat16}


def _per_axis(value: Tensor, x: Tensor, axis: int, block: int = 0) -> Tensor:
    """One number for all of ``x``, one for each slice along ``axis``, or one for each block of slices."""
    if block:
        return value.repeat_interleave(block, axis).narrow(axis, 0, x.shape[axis])
    if value.numel() == 1:
        return value.reshape(())
    return value.reshape([-1 if d == axis % x.dim() else 1 for d in range(x.dim())])


def _scheme(x: Tensor, scale: Tensor, zero: Tensor | None) -> tuple[Tensor, Tensor]:
    """Scale and zero point, each a number or one for each channel, as the conversions take them."""
    shape = () if scale.numel() == 1 else (-1,)
    zeros = torch.zeros_like(scale, dtype=torch.int64) if zero is None else zero.to(torch.int64)
    return scale.to(torch.float32).reshape(shape), zeros.reshape(shape)


@operator("QuantizeLinear")
def quantize(x: Tensor, scale: Tensor, zero: Tensor | None = None, *, axis: int = 1, saturate: int = 1,
             block_size: int = 0, output_dtype: int = 0, precision: int = 0) -> Tensor:
    """Rounded to even, moved by the zero point, saturated."""
    if output_dtype not in _DTYPES:
        raise ValueError(f"there is no code for elements of ONNX's type number {output_dtype}")
    dtype = _DTYPES[output_dtype] if zero is None else zero.dtype
    limits = torch.iinfo(dtype)
    if dtype in _BYTES and x.dtype == torch.float32 and scale.numel() == 1 and not block_size:
        return _own.quantize_per_tensor.tensor(x, *_scheme(x, scale, zero), limits.min, limits.max, dtype)
    numbers = torch.round(x.to(torch.float32) / _per_axis(scale.to(torch.float32), x, axis, block_size))
    if zero is None:
        return numbers.clamp(limits.min, limits.max).to(torch.int32).to(dtype)
    whole = numbers.clamp(limits.min - limits.max, limits.max - limits.min).to(torch.int32)
    return (whole + _per_axis(zero.to(torch.int32), x, axis, block_size)).clamp(limits.min, limits.max).to(dtype)


@operator("DequantizeLinear")
def dequantize(x: Tensor, scale: Tensor, zero: Tensor | None = None, *, axis: int = 1, block_size: int = 0,
               output_dtype: int = 0) -> Tensor:
    """The difference to the zero point, scaled."""
    limits = torch.iinfo(x.dtype)
    if x.dtype in _BYTES and scale.dtype == torch.float32 and output_dtype in (0, 1) and not block_size:
        scales, zeros = _scheme(x, scale, zero)
        if scale.numel() == 1:
            return _own.dequantize_per_tensor.tensor(x, scales, zeros, limits.min, limits.max, x.dtype)
        return _own.dequantize_per_channel.default(x, scales, zeros, axis % x.dim(), limits.min, limits.max, x.dtype)
    numbers = x.to(torch.int32)
    if zero is not None:
        numbers = numbers - _per_axis(zero.to(torch.int32), x, axis, block_size)
    numbers = numbers.to(torch.float32) * _per_axis(scale.to(torch.float32), x, axis, block_size)
    return numbers.to(_DTYPES[output_dtype] if output_dtype else scale.dtype)


@operator("DynamicQuantizeLinear")
def dynamic_quantize(x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Bytes without sign over the range of ``x``, which is made to hold zero; the scale, the zero point."""
    low, high = x.amin().clamp(max=0.0), x.amax().clamp(min=0.0)
    scale = (high - low) / 255
    scale = torch.where(scale == 0, 1.0, scale)
    zero = torch.round(-low / scale).clamp(0, 255)
    zeros = zero.to(torch.int32).to(torch.uint8)
    return quantize(x, scale, zeros), scale, zeros


def _without(x: Tensor, zero: Tensor | None, axis: int) -> Tensor:
    """Integers of 32 bits, less their zero point."""
    wide = x.to(torch.int32)
    return wide if zero is None else wide - _per_axis(zero.to(torch.int32), x, axis)


def _as_rows(value: Tensor) -> Tensor:
    """Numbers of the rows of a matrix, in ONNX's forms."""
    return value.unsqueeze(-1) if value.dim() == 1 and value.numel() > 1 else value


@operator("MatMulInteger")
def matmul_integer(x: Tensor, y: Tensor, x_zero: Tensor | None = None, y_zero: Tensor | None = None) -> Tensor:
    """Sums of 32 bits. The zero points of ``x``, which may be computed, are subtracted from the sums of its bytes."""
    right = y.to(torch.int32) if y_zero is None else y.to(torch.int32) - y_zero.to(torch.int32)
    sums = x.to(torch.int32) @ right
    if x_zero is None:
        return sums
    of_columns = right.sum(-2, keepdim=right.dim() > 1 and x.dim() > 1, dtype=torch.int32)
    return sums - _as_rows(x_zero.to(torch.int32)) * of_columns


@operator("QLinearMatMul")
def qlinear_matmul(x: Tensor, x_scale: Tensor, x_zero: Tensor, y: Tensor, y_scale: Tensor, y_zero: Tensor,
                   scale: Tensor, zero: Tensor) -> Tensor:
    """Sums of 32 bits, scaled, quantized."""
    if x_scale.numel() == scale.numel() == 1:
        real = dequantize(x, x_scale, x_zero) @ dequantize(y, y_scale, y_zero, axis=-1)
        return quantize(real, scale, zero)
    factor = _as_rows(x_scale.to(torch.float32)) * y_scale.to(torch.float32)
    real = matmul_integer(x, y, x_zero, y_zero).to(torch.float32) * factor
    return quantize(real, _as_rows(scale), _as_rows(zero), axis=-1)


@operator("ConvInteger")
def conv_integer(x: Tensor, w: Tensor, x_zero: Tensor | None = None, w_zero: Tensor | None = None, *,
                 auto_pad: str = "NOTSET", dilations: Sequence[int] | None = None, group: int = 1,
                 kernel_shape: Sequence[int] | None = None, pads: Sequence[int] | None = None,
                 strides: Sequence[int] | None = None) -> Tensor:
    """Sums of 32 bits; what is padded counts as zero."""
    shape = window(x.shape[2:], w.shape[2:], strides, pads, dilations, auto_pad)
    left, right = _without(x, x_zero, 1), _without(w, w_zero, 0)
    padding = shape.before
    if shape.before != shape.after:
        left, padding = F.pad(left, shape.sides), [0] * len(padding)
    return _CONVOLUTIONS[x.dim() - 2](left, right, None, shape.strides, padding, shape.dilations, group)


@operator("QLinearConv")
def qlinear_conv(x: Tensor, x_scale: Tensor, x_zero: Tensor, w: Tensor, w_scale: Tensor, w_zero: Tensor,
                 scale: Tensor, zero: Tensor, bias: Tensor | None = None, *, auto_pad: str = "NOTSET",
                 dilations: Sequence[int] | None = None, group: int = 1, kernel_shape: Sequence[int] | None = None,
                 pads: Sequence[int] | None = None, strides: Sequence[int] | None = None) -> Tensor:
    """Sums of 32 bits that start at the bias, scaled, quantized; weights may have a scale for each channel."""
    shape = window(x.shape[2:], w.shape[2:], strides, pads, dilations, auto_pad)
    left, padding = dequantize(x, x_scale, x_zero), shape.before
    if shape.before != shape.after:
        left, padding = F.pad(left, shape.sides), [0] * len(padding)
    right = dequantize(w, w_scale, w_zero, axis=0)
    offsets = None if bias is None else bias.to(torch.float32) * (x_scale * w_scale)
    real = _CONVOLUTIONS[x.dim() - 2](left, right, offsets, shape.strides, padding, shape.dilations, group)
    return quantize(real, scale, zero)
