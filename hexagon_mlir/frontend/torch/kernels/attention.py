"""Attention as one operation of the graph; `attention_tiles` or `attention_rows` writes the function that computes it.
"""

from __future__ import annotations

import torch
from torch.fx import Node

from hexagon_mlir.frontend.torch.graph import args_of, dtype_of, shape_of
from hexagon_mlir.frontend.torch.importer import BUILDERS
from hexagon_mlir.frontend.torch.kernels import attention_rows, attention_tiles
from hexagon_mlir.frontend.torch.kernels.attention_scores import Shape, mask_groups

_ELEMENTS = {torch.float32: "f32", torch.float16: "f16", torch.bfloat16: "bf16"}
_GIVEN, _DEFAULTS = 8, (None, 0.0, 0)
"""Arguments that each `attention` node has, and values of those that may follow."""


def attention(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, mask: torch.Tensor | None, causal: bool,
              scale: float, hidden: torch.Tensor | None = None, safe: bool = True, sink: torch.Tensor | None = None,
              cap: float = 0.0, batches: int = 0) -> torch.Tensor:
    """softmax(query key^T * scale + mask) value; shapes (G, S, D), (H, T, D), (H, T, E) with G a multiple of H.

    ``mask`` and ``hidden`` are (P or 1, Q or 1, S or 1, T) of float32 with P Q = G. Elements of ``hidden`` below inf
    replace product and mask. ``causal`` lets query i see keys 0..i. A query that sees no key has zeros when ``safe``,
    and NaN otherwise. With a ``cap``, tanh(query key^T * scale) * cap replaces the product; ``sink``, (G) of float32,
    is one more score in each row of a head, whose value is 0.
    The result is (G, S, E), with so many ``batches`` (batches, S, G / batches, E).
    """
    repeat = query.shape[0] // key.shape[0]
    scores = query.float() @ key.float().repeat_interleave(repeat, 0).transpose(1, 2) * scale
    if cap:
        scores = torch.tanh(scores) * cap
    if mask is not None:
        scores = scores + _per_head(mask, scores.shape)
    if hidden is not None:
        hidden = _per_head(hidden, scores.shape)
        scores = torch.where(hidden == float("inf"), scores, hidden)
    if causal:
        allowed = torch.ones(scores.shape[1:], dtype=torch.bool).tril()
        scores = scores.masked_fill(~allowed, float("-inf"))
    if sink is not None:
        scores = torch.cat([scores, sink[:, None, None].expand(*scores.shape[:2], 1)], -1)
    weights = torch._safe_softmax(scores, -1) if safe else scores.softmax(-1)
    weights = weights[..., :key.shape[1]]
    result = (weights @ value.float().repeat_interleave(repeat, 0)).to(query.dtype)
    return result.reshape(batches, -1, *result.shape[1:]).transpose(1, 2).contiguous() if batches else result


def _per_head(mask: torch.Tensor, shape: torch.Size) -> torch.Tensor:
    return mask.expand(*mask_groups(tuple(mask.shape), shape[0]), *shape[1:]).reshape(shape)


def build(node: Node) -> str:
    """The function for one ``attention`` node."""
    given = args_of(node)
    query, key, value, mask, causal, scale, hidden, safe, sink, cap, batches = given + _DEFAULTS[len(given) - _GIVEN:]
    heads, queries, depth = shape_of(query)
    key_heads, keys, _ = shape_of(key)
    width = shape_of(value)[2]
    masks = [shape_of(m) if isinstance(m, Node) else () for m in (mask, hidden)]
    element = _ELEMENTS[dtype_of(query)]
    shape = Shape(heads, key_heads, queries, keys, depth, width, masks[0], masks[1], element, bool(causal),
                  float(scale), bool(safe), sink is not None, float(cap), int(batches))
    return (attention_rows if attention_rows.takes(shape) else attention_tiles).function(shape)


BUILDERS[attention] = build
