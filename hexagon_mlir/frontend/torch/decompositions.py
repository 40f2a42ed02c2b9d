"""Decompositions of ATen ops, applied before our passes; attention, linear and convolution stay whole.

Ours replace lowerings that compute in f64 or i64, for which HVX has no lanes. Sums are in f32.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import torch
from torch import Tensor
from torch._decomp import get_decompositions
from torch._export.utils import _get_decomp_for_cia

from hexagon_mlir.frontend.torch import (  # noqa: F401  (they register their own)
    antialiasing,
    bessel_functions,
    cells,
    complex_numbers,
    distances,
    factorizations,
    fourier,
    gradients,
    linear_algebra,
    optimizers,
    padding,
    pooling,
    quantization_parameters,
    random_numbers,
    recurrent_layers,
    sampling,
    scans,
    searches,
    selections,
    special_functions,
    strided_views,
    volumes,
)
from hexagon_mlir.frontend.torch.library_operators import of_libraries
from hexagon_mlir.frontend.torch.registry import OURS, decomposes
from hexagon_mlir.frontend.torch.scatters import sort

_aten = torch.ops.aten
_FROM_TORCH = (
    _aten._log_softmax, _aten.logsumexp, _aten._native_batch_norm_legit, _aten._native_batch_norm_legit.no_stats,
    _aten._native_batch_norm_legit_functional, _aten.upsample_bilinear2d.vec, _aten.grid_sampler_2d,
    _aten.affine_grid_generator, _aten._euclidean_dist, _aten.squeeze.dims, _aten.diag, _aten._adaptive_avg_pool2d,
    _aten.celu, _aten.softplus, _aten.mish, _aten.nll_loss_forward, _aten.addcmul, _aten.addcdiv,
    _aten.lerp, _aten.logit, _aten.unfold_copy, _aten.logaddexp, _aten.glu, _aten.index_add, _aten.rot90,
    _aten.upsample_bicubic2d, _aten.upsample_linear1d, _aten.upsample_trilinear3d, _aten.upsample_nearest3d,
    _aten._upsample_nearest_exact3d, _aten.im2col, _aten.col2im, _aten.nansum, _aten.linalg_cross, _aten.take,
    _aten.reflection_pad3d, _aten.xlogy, _aten.sinc, _aten.smooth_l1_loss, _aten.huber_loss, _aten.nll_loss2d_forward,
    _aten.rsub, _aten.alias_copy, _aten.expand_copy, _aten.as_strided_copy, _aten._chunk_cat,
    _aten._unsafe_masked_index, _aten.clamp_max, _aten.clamp_min, _aten.dist,
    _aten._batch_norm_with_update_functional, _aten.isin, _aten.vdot, _aten.mvlgamma, _aten.narrow_copy,
    _aten.binary_cross_entropy, _aten.soft_margin_loss, _aten.max_unpool3d, _aten.special_xlog1py,
    _aten.permute_copy, _aten.split_with_sizes_copy, _aten.squeeze_copy, _aten.t_copy, _aten.transpose_copy,
    _aten.unbind_copy, _aten.unsqueeze_copy, _aten.view_copy, _aten.std_mean,
)
_COMPOSITE = (_aten.einsum.default, _aten.instance_norm.default,
              _aten.adaptive_avg_pool1d.default, _aten.adaptive_avg_pool2d.default, _aten.cosine_similarity.default,
              _aten.pairwise_distance.default, _aten.grid_sampler.default, _aten.std.default, _aten.std.dim,
              _aten.var.default, _aten.var.dim, _aten.upsample_linear1d.vec, _aten.adaptive_max_pool1d.default,
              _aten.cross.default, _aten.kron.default, _aten.tensordot.default, _aten.meshgrid.default,
              _aten.meshgrid.indexing, _aten.cartesian_prod.default, _aten.take_along_dim.default,
              _aten.true_divide.Tensor, _aten.isfinite.default, _aten.nll_loss_nd.default,
              _aten.cross_entropy_loss.default, _aten.linalg_multi_dot.default, _aten.cdist.default,
              _aten.nll_loss.default, _aten.nll_loss2d.default, _aten.nanmean.default,
              _aten.log_softmax.int)


def decompositions() -> dict[Any, Any]:
    """The table for ``run_decompositions`` and AOTAutograd."""
    composite = {op: _get_decomp_for_cia(op) for op in _COMPOSITE}
    return {**get_decompositions((*_FROM_TORCH, *gradients.FROM_TORCH)), **composite, **OURS,
            **optimizers.multiply_adds(), **quantization_parameters.of_torchao(), **of_libraries()}


def _wide(x: Tensor) -> Tensor:
    return x.to(torch.float32) if x.dtype in (torch.float16, torch.bfloat16) else x


@decomposes(_aten.mean.dim)
def mean_dim(x: Tensor, dim: Sequence[int] | None, keepdim: bool = False, *, dtype: torch.dtype | None = None
             ) -> Tensor:
    """The sum, scaled."""
    dims = [d % max(x.dim(), 1) for d in dim] if dim else list(range(x.dim()))
    count = prod(x.shape[d] for d in dims)
    if not count or not x.dim():
        return NotImplemented
    wide = _wide(x if dtype is None else x.to(dtype))
    return (_aten.sum.dim_IntList(wide, dims, keepdim) * (1.0 / count)).to(dtype or x.dtype)


@decomposes(_aten.mean.default)
def mean(x: Tensor, *, dtype: torch.dtype | None = None) -> Tensor:
    """The mean over everything."""
    return mean_dim(x, None, dtype=dtype)


@decomposes(_aten.var.correction)
def var(x: Tensor, dim: Sequence[int] | None = None, *, correction: float | None = None, keepdim: bool = False
        ) -> Tensor:
    """The mean square of the difference to the mean (two passes: no cancellation)."""
    dims = [d % max(x.dim(), 1) for d in dim] if dim else list(range(x.dim()))
    count = prod(x.shape[d] for d in dims) - (1 if correction is None else correction)
    if count <= 0 or not x.dim():
        return NotImplemented
    wide = _wide(x)
    centred = wide - mean_dim(wide, dims, True)
    return (_aten.sum.dim_IntList(centred * centred, dims, keepdim) * (1.0 / count)).to(x.dtype)


@decomposes(_aten.std.correction)
def std(x: Tensor, dim: Sequence[int] | None = None, *, correction: float | None = None, keepdim: bool = False
        ) -> Tensor:
    """The root of the variance."""
    variance = var(x, dim, correction=correction, keepdim=keepdim)
    return NotImplemented if variance is NotImplemented else variance.sqrt()


@decomposes(_aten.var_mean.correction)
def var_mean(x: Tensor, dim: Sequence[int] | None = None, *, correction: float | None = None, keepdim: bool = False
             ) -> tuple[Tensor, Tensor]:
    """Both."""
    variance = var(x, dim, correction=correction, keepdim=keepdim)
    return NotImplemented if variance is NotImplemented else (variance, mean_dim(x, dim, keepdim))


def _normalise(x: Tensor, dims: list[int], eps: float) -> tuple[Tensor, Tensor, Tensor]:
    centred = x - mean_dim(x, dims, True)
    scale = torch.rsqrt(mean_dim(centred * centred, dims, True) + eps)
    return centred * scale, mean_dim(x, dims, True), scale


@decomposes(_aten.native_layer_norm.default)
def native_layer_norm(x: Tensor, shape: Sequence[int], weight: Tensor | None, bias: Tensor | None, eps: float
                      ) -> tuple[Tensor, Tensor, Tensor]:
    """Normalised over the last dimensions."""
    wide, mean_, scale = _normalise(_wide(x), list(range(x.dim() - len(shape), x.dim())), eps)
    wide = wide if weight is None else wide * weight
    return (wide if bias is None else wide + bias).to(x.dtype), mean_, scale


@decomposes(_aten.layer_norm.default)
def layer_norm(x: Tensor, shape: Sequence[int], weight: Tensor | None = None, bias: Tensor | None = None,
               eps: float = 1e-5, cudnn_enable: bool = True) -> Tensor:
    """The first result of ``native_layer_norm``."""
    return native_layer_norm(x, shape, weight, bias, eps)[0]


@decomposes(_aten.native_group_norm.default)
def native_group_norm(x: Tensor, weight: Tensor | None, bias: Tensor | None, batch: int, channels: int, size: int,
                      groups: int, eps: float) -> tuple[Tensor, Tensor, Tensor]:
    """Normalised over the channels of a group and all positions."""
    grouped, mean_, scale = _normalise(_wide(x).reshape(batch, groups, -1), [2], eps)
    wide = grouped.reshape(x.shape)
    per_channel = [1, channels, *[1] * (x.dim() - 2)]
    wide = wide if weight is None else wide * weight.reshape(per_channel)
    wide = wide if bias is None else wide + bias.reshape(per_channel)
    return wide.to(x.dtype), mean_.reshape(batch, groups), scale.reshape(batch, groups)


@decomposes(_aten.group_norm.default)
def group_norm(x: Tensor, groups: int, weight: Tensor | None = None, bias: Tensor | None = None, eps: float = 1e-5,
               cudnn_enabled: bool = True) -> Tensor:
    """The first result of ``native_group_norm``."""
    return native_group_norm(x, weight, bias, x.shape[0], x.shape[1], prod(x.shape[2:]), groups, eps)[0]


@decomposes(_aten.rms_norm.default)
def rms_norm(x: Tensor, shape: Sequence[int], weight: Tensor | None = None, eps: float | None = None) -> Tensor:
    """Scaled to a mean square of one over the last dimensions."""
    wide = _wide(x)
    mean_square = mean_dim(wide * wide, list(range(x.dim() - len(shape), x.dim())), True)
    wide = wide * torch.rsqrt(mean_square + (torch.finfo(wide.dtype).eps if eps is None else eps))
    return (wide if weight is None else wide * weight).to(x.dtype)


@decomposes(_aten._fused_rms_norm.default)
def fused_rms_norm(x: Tensor, shape: Sequence[int], weight: Tensor | None, eps: float | None
                   ) -> tuple[Tensor, Tensor]:
    """The same, and what it was scaled by, which inference does not use."""
    return rms_norm(x, shape, weight, eps), torch.empty_like(x[..., :1], dtype=torch.float32)


@decomposes(_aten.prelu.default)
def prelu(x: Tensor, weight: Tensor) -> Tensor:
    """A slope for each channel, dimension 1; NaN stays."""
    if weight.numel() > 1:
        weight = weight.reshape([1, -1, *[1] * (x.dim() - 2)])
    return torch.where(x > 0, x, x * weight.reshape([1] * x.dim() if weight.numel() == 1 else weight.shape))


@decomposes(_aten._prelu_kernel.default)
def prelu_kernel(x: Tensor, weight: Tensor) -> Tensor:
    """What torch.compile makes of it: the slopes have as many dimensions as ``x``."""
    return torch.where(x > 0, x, x * weight)


@decomposes(_aten.gelu.default)
def gelu(x: Tensor, *, approximate: str = "none") -> Tensor:
    """With the error function, or (as GPT-2) with tanh."""
    wide = _wide(x)
    if approximate == "tanh":
        inner = math.sqrt(2 / math.pi) * (wide + 0.044715 * (wide * wide * wide))
        return (0.5 * wide * (1.0 + torch.tanh(inner))).to(x.dtype)
    return (0.5 * wide * (1.0 + torch.erf(wide * math.sqrt(0.5)))).to(x.dtype)


def _integer_power(x: Tensor, exponent: int) -> Tensor:
    """Squares and products; they wrap as PyTorch's do."""
    power = None
    while exponent:
        if exponent % 2:
            power = x if power is None else power * x
        exponent //= 2
        x = x * x if exponent else x
    return torch.ones_like(x) if power is None else power.clone()


@decomposes(_aten.pow.Tensor_Scalar)
def pow_scalar(x: Tensor, exponent: float) -> Tensor:
    """Small powers as products and roots."""
    if not x.dtype.is_floating_point:
        return _integer_power(x, int(exponent)) if exponent >= 0 and exponent == int(exponent) else NotImplemented
    match exponent:
        case 1:
            return x.clone()
        case 2:
            return x * x
        case 3:
            return x * x * x
        case 4:
            return (x * x) * (x * x)
        case -1:
            return torch.reciprocal(x)
    return NotImplemented


_TOPK_LIMIT = 16
"""Most results ``topk`` finds one after the other; more would be a sort."""


@decomposes(_aten.topk.default)
def topk(x: Tensor, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> tuple[Tensor, Tensor]:
    """The largest, k times, each hidden after it was found; many of them, and integers, by a sort."""
    if not x.dim():
        return x.clone(), torch.zeros_like(x, dtype=torch.int64)
    if k > _TOPK_LIMIT or not k or not x.dtype.is_floating_point:
        values, indices = sort(x, dim, largest)
        return values.narrow(dim, 0, k), indices.narrow(dim, 0, k)
    size = x.shape[dim]
    places = torch.arange(size, dtype=torch.int32).reshape([-1 if d == dim % x.dim() else 1 for d in range(x.dim())])
    end, extreme = (float("-inf"), _aten.amax.default) if largest else (float("inf"), _aten.amin.default)
    numbers = torch.where(torch.isnan(x), float("inf"), x)  # NaN is the largest: its rank is above infinity's
    if largest:
        keys = torch.where(x == numbers, places + size, places)
    else:
        keys = torch.where(x == numbers, places, places + size)
    taken = torch.zeros_like(x, dtype=torch.int32)  # a number, since tensors of truths are scalar code
    values, indices = [], []
    for _ in range(k):
        value = extreme(torch.where(taken > 0, end, numbers), [dim], True)
        key = _aten.amin.default(torch.where(numbers == value, keys, 2 * size) + taken * (2 * size), [dim], True)
        index = torch.where(key < size, key, key - size)
        values.append(torch.where(key < size if largest else key >= size, float("nan"), value))
        indices.append(index)
        taken = torch.where(places == index, 1, taken)
    return torch.cat(values, dim), torch.cat(indices, dim).to(torch.int64)


@decomposes(_aten._to_copy.default)
def to_copy(x: Tensor, *, dtype: torch.dtype | None = None, **others: Any) -> Tensor:
    """Floats become bytes without sign by way of words: torch-mlir converts to bytes with one.

    Real numbers that become complex ones have an imaginary part of zero.
    """
    if dtype == torch.complex64 and not x.is_complex():
        return torch.complex(x.to(torch.float32), torch.zeros_like(x, dtype=torch.float32))
    if dtype != torch.uint8 or not x.dtype.is_floating_point:
        return NotImplemented
    return x.to(torch.int32).to(torch.uint8)


@decomposes(_aten.full.default)
def full(size: Sequence[int], value: float, *, dtype: torch.dtype | None = None, **others: Any) -> Tensor:
    """Bytes without sign by way of words: torch-mlir writes their constants with one."""
    if dtype != torch.uint8:
        return NotImplemented
    return torch.full(size, value, dtype=torch.int32).to(torch.uint8)


@decomposes(_aten.full_like.default)
def full_like(x: Tensor, value: float, *, dtype: torch.dtype | None = None, **others: Any) -> Tensor:
    """The same in the size of another tensor."""
    return full(x.shape, value, dtype=dtype or x.dtype)


@decomposes(_aten.ones_like.default)
def ones_like(x: Tensor, *, dtype: torch.dtype | None = None, **others: Any) -> Tensor:
    """The same of ones."""
    return full(x.shape, 1, dtype=dtype or x.dtype)


@decomposes(_aten.zeros_like.default)
def zeros_like(x: Tensor, *, dtype: torch.dtype | None = None, **others: Any) -> Tensor:
    """The same of zeros."""
    return full(x.shape, 0, dtype=dtype or x.dtype)


@decomposes(_aten.empty.memory_format)
def empty(size: Sequence[int], *, dtype: torch.dtype | None = None, **others: Any) -> Tensor:
    """Memory without values holds zeros: kernels pass on tensors that have values."""
    return torch.zeros(size, dtype=dtype)


@decomposes(_aten.empty_like.default, _aten.new_empty.default)
def empty_as(x: Tensor, size: Sequence[int] | None = None, *, dtype: torch.dtype | None = None, **others: Any
             ) -> Tensor:
    """The same in the type of another tensor, and in its size where none is given."""
    return torch.zeros(x.shape if size is None else size, dtype=dtype or x.dtype)


@decomposes(_aten.sum.default, _aten.sum.dim_IntList)
def sum_of_bytes(x: Tensor, dim: Sequence[int] | None = None, keepdim: bool = False, *,
                 dtype: torch.dtype | None = None) -> Tensor:
    """Bytes without sign are widened first: torch-mlir widens them with one. It crashes where sums are bytes."""
    dims = None if dim is None else list(dim)
    if dtype in (torch.int8, torch.uint8):
        return torch.sum(x.to(dtype).to(torch.int32), dims, keepdim, dtype=torch.int32).to(dtype)
    return torch.sum(x.to(torch.int64), dims, keepdim, dtype=dtype) if x.dtype == torch.uint8 else NotImplemented


@decomposes(_aten.clamp.default, _aten.hardtanh.default)
def clamp(x: Tensor, low: float | None = None, high: float | None = None) -> Tensor:
    """With comparisons that NaN fails: it stays, as in PyTorch."""
    if not x.dtype.is_floating_point:
        return NotImplemented
    low, high = (-1.0 if low is None and high is None else low), (1.0 if low is None and high is None else high)
    if low is not None:
        x = torch.where(x < low, low, x)
    return x if high is None else torch.where(x > high, high, x)


def _bitwise(op: Any) -> Callable[[Tensor, Any], Tensor]:
    def function(x: Tensor, y: Any) -> Tensor:
        return op(x, y if isinstance(y, Tensor) else torch.full((), y, dtype=x.dtype))

    return function


for _name, _op in (("and", _aten.bitwise_and), ("or", _aten.bitwise_or), ("xor", _aten.bitwise_xor)):
    _operator = getattr(_aten, f"__{_name}__")  # as Python's operators arrive
    decomposes(_operator.Tensor, _operator.Scalar, _op.Scalar)(_bitwise(_op.Tensor))
for _name, _op in (("lshift", _aten.bitwise_left_shift), ("rshift", _aten.bitwise_right_shift)):
    _operator = getattr(_aten, f"__{_name}__")
    decomposes(_operator.Tensor, _operator.Scalar, _op.Tensor_Scalar)(_bitwise(_op.Tensor))


@decomposes(_aten.fmod.Scalar)
def fmod_scalar(x: Tensor, y: float) -> Tensor:
    """What division by a number leaves, with the sign of ``x``."""
    return _aten.fmod.Tensor(x, torch.full((), y, dtype=x.dtype))


@decomposes(_aten._unsafe_index.Tensor)
def unsafe_index(x: Tensor, indices: Sequence[Tensor | None]) -> Tensor:
    """An index known to be within bounds, as of interpolation."""
    return _aten.index.Tensor(x, list(indices))


@decomposes(_aten.relu6.default)
def relu6(x: Tensor) -> Tensor:
    """Between 0 and 6."""
    return clamp(x, 0.0, 6.0)


@decomposes(_aten.hardsigmoid.default)
def hardsigmoid(x: Tensor) -> Tensor:
    """A line between 0 and 1."""
    return clamp(x + 3.0, 0.0, 6.0) * (1.0 / 6.0)


@decomposes(_aten.hardswish.default)
def hardswish(x: Tensor) -> Tensor:
    """``x`` times its hard sigmoid."""
    return x * hardsigmoid(x)


@decomposes(_aten.maximum.default)
def maximum(x: Tensor, y: Tensor) -> Tensor:
    """NaN when either is."""
    return torch.where((x > y) | torch.isnan(x), x, y) if x.dtype.is_floating_point else NotImplemented


@decomposes(_aten.minimum.default)
def minimum(x: Tensor, y: Tensor) -> Tensor:
    """NaN when either is."""
    return torch.where((x < y) | torch.isnan(x), x, y) if x.dtype.is_floating_point else NotImplemented


@decomposes(_aten.clamp.Tensor)
def clamp_tensor(x: Tensor, low: Tensor | None = None, high: Tensor | None = None) -> Tensor:
    """Between bounds that are tensors; NaN when any is."""
    if low is not None:
        x = torch.maximum(x, low)
    return x if high is None else torch.minimum(x, high)
