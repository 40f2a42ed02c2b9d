"""Decompositions of the ops that compute gradients, and of attention as training traces it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import torch
import torch.nn.functional as F
from torch import Tensor

from hexagon_mlir.frontend.torch.registry import decomposes

_aten = torch.ops.aten
FROM_TORCH = tuple(getattr(_aten, name) for name in (
    "native_layer_norm_backward", "native_group_norm_backward", "_fused_rms_norm_backward", "native_dropout_backward",
    "native_batch_norm_backward", "select_backward", "slice_backward", "diagonal_backward", "unfold_backward",
    "embedding_dense_backward", "max_pool2d_with_indices_backward", "reflection_pad2d_backward", "silu_backward",
    "gelu_backward", "threshold_backward", "tanh_backward", "sigmoid_backward", "hardtanh_backward", "glu_backward",
    "hardswish_backward", "hardsigmoid_backward", "leaky_relu_backward", "elu_backward", "softplus_backward",
    "mish_backward", "log_sigmoid_backward", "log_sigmoid_forward", "_softmax_backward_data", "nll_loss_backward",
    "_log_softmax_backward_data", "_prelu_kernel_backward", "mse_loss_backward", "binary_cross_entropy_backward",
    "smooth_l1_loss_backward", "huber_loss_backward", "nll_loss2d_backward", "reflection_pad1d_backward",
    "_unsafe_masked_index_put_accumulate"))
"""Those for which PyTorch's own decompositions serve."""
_LOWEST = torch.finfo(torch.float32).min


@decomposes(_aten.convolution_backward.default)
def convolution_backward(dy: Tensor, x: Tensor, weight: Tensor, bias_sizes: Sequence[int] | None,
                         stride: Sequence[int], padding: Sequence[int], dilation: Sequence[int], transposed: bool,
                         output_padding: Sequence[int], groups: int, mask: Sequence[bool]
                         ) -> tuple[Tensor | None, Tensor | None, Tensor | None]:
    """Of the input, the convolution in the other direction; of the weights, a product for each place of the window."""
    rank, window = x.dim() - 2, weight.shape[2:]
    steps, edges, gaps = ([*numbers] * (rank if len(numbers) == 1 else 1) for numbers in (stride, padding, dilation))
    dx = dw = None
    if mask[0]:
        missing = [0] * rank if transposed else [
            x.shape[2 + i] - ((dy.shape[2 + i] - 1) * steps[i] - 2 * edges[i] + gaps[i] * (window[i] - 1) + 1)
            for i in range(rank)]
        dx = _aten.convolution.default(dy, weight, None, steps, edges, gaps, not transposed, missing, groups)
    if mask[1]:
        small, large = (x, dy) if transposed else (dy, x)
        dw = _weight_gradient(small, large, window, steps, edges, gaps, groups)
    db = dy.sum([0, *range(2, dy.dim())]) if mask[2] else None
    return dx, dw, db


def _weight_gradient(small: Tensor, large: Tensor, window: Sequence[int], stride: Sequence[int],
                     padding: Sequence[int], dilation: Sequence[int], groups: int) -> Tensor:
    """Sums over batch and places p of small[p] * large[p * stride + place * dilation - padding], place by place.

    ``small`` is (N, A, ...), ``large`` (N, B, ...); the result is (A, B / groups, *window).
    """
    rank = len(window)
    reach = [stride[i] * (small.shape[2 + i] - 1) + dilation[i] * (window[i] - 1) + 1 for i in range(rank)]
    ends = [max(reach[i] - padding[i] - large.shape[2 + i], 0) for i in range(rank)]
    padded = F.pad(large, [edge for i in reversed(range(rank)) for edge in (padding[i], ends[i])])

    def grouped(y: Tensor) -> Tensor:  # (groups, channels, batch and places)
        return y.transpose(0, 1).reshape(groups, y.shape[1] // groups, -1)

    factor, parts = grouped(small), []
    for place in product(*(range(size) for size in window)):
        part = padded
        for i in range(rank):
            start = place[i] * dilation[i]
            part = _aten.slice.Tensor(part, 2 + i, start, start + stride[i] * (small.shape[2 + i] - 1) + 1, stride[i])
        parts.append(factor @ grouped(part).transpose(1, 2))
    return torch.stack(parts, -1).reshape(small.shape[1], large.shape[1] // groups, *window)


@decomposes(_aten.avg_pool2d_backward.default)
def avg_pool2d_backward(dy: Tensor, x: Tensor, kernel_size: Sequence[int], stride: Sequence[int],
                        padding: Sequence[int], ceil_mode: bool, count_include_pad: bool,
                        divisor_override: int | None) -> Tensor:
    """A transposed convolution with equal weights; windows that count fewer elements at edges are left alone."""
    height, width = [*kernel_size] * (2 // len(kernel_size))
    edges, steps = [*padding] * (2 // len(padding)), ([*stride] or [height, width]) * (2 // (len(stride) or 2))
    if ceil_mode or x.dim() != 4 or (any(edges) and not count_include_pad and divisor_override is None):
        return NotImplemented
    missing = [x.shape[2 + i] - ((dy.shape[2 + i] - 1) * steps[i] - 2 * edges[i] + size)
               for i, size in enumerate((height, width))]
    weight = dy.new_full((1, 1, height, width), 1.0 / (divisor_override or height * width))
    images = dy.reshape(-1, 1, *dy.shape[2:])
    return _aten.convolution.default(images, weight, None, steps, edges, [1, 1], True, missing, 1).reshape(x.shape)


@decomposes(_aten._adaptive_avg_pool2d_backward.default)
def adaptive_avg_pool2d_backward(dy: Tensor, x: Tensor) -> Tensor:
    """Each gradient spread over its window; windows of unequal size are left alone."""
    (height, width), (rows, columns) = x.shape[-2:], dy.shape[-2:]
    if height % rows or width % columns:
        return NotImplemented
    down, across = height // rows, width // columns
    spread = (dy * (1.0 / (down * across)))[..., :, None, :, None]
    return spread.expand(*dy.shape[:-2], rows, down, columns, across).reshape(x.shape)


def _scores(q: Tensor, k: Tensor, is_causal: bool, mask: Tensor | None, scale: float) -> tuple[Tensor, Tensor | None]:
    """The scores, and which of them count: none is infinite, with which v68 to v75 do not compute."""
    scores, counts = q @ k.transpose(-2, -1) * scale, None
    if is_causal:
        counts = torch.ones(scores.shape[-2:], dtype=torch.bool).tril()
    elif mask is not None and mask.dtype == torch.bool:
        counts = mask
    elif mask is not None:
        counts = mask > float("-inf")
        scores = scores + torch.where(counts, mask, 0.0)
    return scores, counts


def _weights(scores: Tensor, counts: Tensor | None, less: Tensor) -> Tensor:
    weights = torch.exp(scores - less)
    return weights if counts is None else torch.where(counts, weights, 0.0)


def attention(q: Tensor, k: Tensor, v: Tensor, dropout_p: float = 0.0, is_causal: bool = False, *,
              attn_mask: Tensor | None = None, scale: float | None = None) -> tuple[Tensor, Tensor]:
    """The result, and the logarithm of each row's sum. A row with all keys masked is zero, and so is its logarithm.

    ``q`` is (batch, heads, queries, size); keys and values may have fewer heads, shared by neighbouring ones.
    """
    if dropout_p:
        return NotImplemented
    shared = q.shape[1] // k.shape[1]
    k, v = k.repeat_interleave(shared, 1), v.repeat_interleave(shared, 1)
    scores, counts = _scores(q, k, is_causal, attn_mask, q.shape[-1] ** -0.5 if scale is None else scale)
    highest = (scores if counts is None else torch.where(counts, scores, _LOWEST)).amax(-1, keepdim=True)
    weights = _weights(scores, counts, highest)
    sums = weights.sum(-1, keepdim=True)
    if counts is None:
        return weights @ v * (1.0 / sums), (highest + torch.log(sums)).squeeze(-1)
    some = sums > 0.0
    sums = torch.where(some, sums, 1.0)
    return weights @ v * (1.0 / sums), torch.where(some, highest + torch.log(sums), 0.0).squeeze(-1)


def attention_backward(dy: Tensor, q: Tensor, k: Tensor, v: Tensor, y: Tensor, logsumexp: Tensor, dropout_p: float,
                       is_causal: bool, *, attn_mask: Tensor | None = None, scale: float | None = None
                       ) -> tuple[Tensor, Tensor, Tensor]:
    """The weights again from the sums that `attention` kept; of Dao et al., FlashAttention (2022), appendix B.2."""
    if dropout_p:
        return NotImplemented
    heads, shared = k.shape[1], q.shape[1] // k.shape[1]
    k, v = k.repeat_interleave(shared, 1), v.repeat_interleave(shared, 1)
    factor = q.shape[-1] ** -0.5 if scale is None else scale
    weights = _weights(*_scores(q, k, is_causal, attn_mask, factor), logsumexp.unsqueeze(-1))
    inner = dy @ v.transpose(-2, -1) - (dy * y).sum(-1, keepdim=True)
    ds = weights * inner * factor
    dk, dv = ds.transpose(-2, -1) @ q, weights.transpose(-2, -1) @ dy
    if shared > 1:
        dk, dv = (part.unflatten(1, (heads, shared)).sum(2) for part in (dk, dv))
    return ds @ k, dk, dv


ATTENTION = {_aten._scaled_dot_product_flash_attention_for_cpu.default: attention,
             _aten._scaled_dot_product_flash_attention_for_cpu_backward.default: attention_backward}
"""Where gradients are needed; without them attention is one operation of ours."""
