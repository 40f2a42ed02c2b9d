"""Attention as one operator, and rotary embedding."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor

from hexagon_mlir.frontend.onnx.operators.registry import operator


def _heads(x: Tensor, count: int | None) -> Tensor:
    """batch x heads x length x depth, of that or of batch x length x (heads x depth)."""
    if x.dim() == 4:
        return x
    if not count:
        raise ValueError("the number of heads is not given")
    return x.reshape(x.shape[0], x.shape[1], count, -1).transpose(1, 2)


@operator("Attention")
def attention(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None, past_k: Tensor | None = None,
              past_v: Tensor | None = None, lengths: Tensor | None = None, *, is_causal: int = 0,
              kv_num_heads: int | None = None, q_num_heads: int | None = None, scale: float | None = None,
              softcap: float = 0.0, qk_matmul_output_mode: int = 0, softmax_precision: int | None = None,
              outputs: int = 1) -> list[Tensor]:
    """PyTorch's own, unless the scores are limited, or a result themselves."""
    flat = q.dim() == 3
    q, k, v = _heads(q, q_num_heads), _heads(k, kv_num_heads), _heads(v, kv_num_heads)
    before = 0
    if past_k is not None and past_v is not None:
        before, k, v = past_k.shape[2], torch.cat([past_k, k], 2), torch.cat([past_v, v], 2)
    queries, keys = q.shape[2], k.shape[2]
    mask = _whole(mask, is_causal, before, queries, keys, lengths)
    present = [k, v]
    if mask is None and is_causal and not softcap and outputs < 4:
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True, scale=scale, enable_gqa=True)
        scores = q
    elif not softcap and outputs < 4:
        y = F.scaled_dot_product_attention(q, k, v, mask, scale=scale, enable_gqa=True)
        scores = q
    else:
        y, scores = _written_out(q, k, v, mask, scale, softcap, qk_matmul_output_mode)
    if flat:
        y = y.transpose(1, 2).reshape(y.shape[0], queries, -1)
    return [y, *present, scores][:outputs]


def _whole(mask: Tensor | None, causal: int, before: int, queries: int, keys: int, lengths: Tensor | None
           ) -> Tensor | None:
    """All masks combined; None for no mask, and for a causal mask of square scores alone."""
    if causal and mask is None and lengths is None and not before:
        return None
    seen = None
    if causal:
        rows = torch.arange(queries)[:, None] + before
        if lengths is not None:
            rows = rows + (lengths.reshape(-1, 1, 1, 1) - queries)
        seen = torch.arange(keys) <= rows
    if lengths is not None:
        inside = torch.arange(keys) < lengths.reshape(-1, 1, 1, 1)
        seen = inside if seen is None else seen & inside
    if mask is not None and mask.shape[-1] < keys:
        mask = F.pad(mask, [0, keys - mask.shape[-1]], value=False if mask.dtype == torch.bool else float("-inf"))
    if seen is None:
        return mask
    if mask is None:
        return seen
    return mask & seen if mask.dtype == torch.bool else torch.where(seen, mask, float("-inf"))


def _written_out(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None, scale: float | None, softcap: float, mode: int
                 ) -> tuple[Tensor, Tensor]:
    """The result, and the scores: 0 products, 1 limited, 2 with mask, 3 after softmax."""
    times = q.shape[1] // k.shape[1]
    k, v = k.repeat_interleave(times, 1), v.repeat_interleave(times, 1)
    products = q @ k.transpose(2, 3) * (q.shape[3] ** -0.5 if scale is None else scale)
    limited = softcap * torch.tanh(products / softcap) if softcap else products
    masked = limited
    if mask is not None:
        masked = torch.where(mask, limited, float("-inf")) if mask.dtype == torch.bool else limited + mask
    none = masked.amax(-1, keepdim=True) == float("-inf")
    weights = torch.where(none, 0.0, masked.to(torch.float32).softmax(-1)).to(v.dtype)
    return weights @ v, (products, limited, masked, weights)[mode]


@operator("RotaryEmbedding")
def rotary_embedding(x: Tensor, cos: Tensor, sin: Tensor, positions: Tensor | None = None, *, interleaved: int = 0,
                     num_heads: int = 0, rotary_embedding_dim: int = 0) -> Tensor:
    """Pairs of elements (adjacent, or of both halves) rotated by an angle that grows with the position."""
    heads = _heads(x, num_heads)
    depth = rotary_embedding_dim or heads.shape[3]
    turned, kept = heads[..., :depth], heads[..., depth:]
    if positions is not None:
        cos, sin = cos[positions], sin[positions]
    cos, sin = cos[:, None, :, :depth // 2], sin[:, None, :, :depth // 2]
    if interleaved:
        left, right = turned[..., 0::2], turned[..., 1::2]
    else:
        left, right = turned.chunk(2, -1)
    parts = left * cos - right * sin, left * sin + right * cos
    y = torch.stack(parts, -1).flatten(-2) if interleaved else torch.cat(parts, -1)
    y = torch.cat([y, kept], -1) if kept.shape[-1] else y
    return y if x.dim() == 4 else y.transpose(1, 2).reshape(x.shape)
