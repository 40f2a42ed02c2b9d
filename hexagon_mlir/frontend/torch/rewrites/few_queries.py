"""Attention of few queries, as when a token is decoded, as two batches of products with a softmax between them.

Its time is that of reading keys and values once: products read them by DMA on all threads, and the scores are few.
"""

from __future__ import annotations

import torch
from torch.fx import Node

from hexagon_mlir.frontend.torch.graph import TorchGraph, shape_of

_aten = torch.ops.aten
_MOST_ROWS, _FEWEST_KEYS = 16, 128
"""Queries that share a head's keys; elsewhere `attention` takes fewer cycles."""
_LOWEST = -1e30
"""Scores below it count as it, so that no infinity is subtracted."""


def takes(query: Node, key: Node, causal: bool, sink: Node | None, cap: float) -> bool:
    """Whether `expand` is for these: ``query`` (G, S, D), ``key`` (H, T, D)."""
    (heads, queries, _), (key_heads, keys, _) = shape_of(query), shape_of(key)
    rows = heads // key_heads * queries
    return queries == 1 and rows <= _MOST_ROWS and keys >= _FEWEST_KEYS and not (
        causal or sink is not None or cap)


def expand(graph: TorchGraph, at: Node, query: Node, key: Node, value: Node, scale: float, added: Node | None,
           hidden: Node | None, safe: bool) -> Node:
    """What `kernels.attention.attention` computes of its arguments of these names, (G, S, E): nodes before ``at``."""
    (heads, queries, depth), (key_heads, keys, _) = shape_of(query), shape_of(key)
    rows = heads // key_heads * queries

    def put(target: object, *args: object, **kwargs: object) -> Node:
        return graph.insert(at, target, *args, **kwargs)

    def wide(node: Node) -> Node:
        narrow = node.meta["val"].dtype != torch.float32
        return put(_aten._to_copy.default, node, dtype=torch.float32) if narrow else node

    scaled = put(_aten.mul.Tensor, wide(put(_aten.reshape.default, query, [key_heads, rows, depth])), scale)
    if query.meta["val"].dtype != torch.float32:  # factors of one narrow type
        scaled = wide(put(_aten._to_copy.default, scaled, dtype=query.meta["val"].dtype))
    scores = put(_aten.bmm.default, scaled, put(_aten.permute.default, wide(key), [0, 2, 1]))
    for mask in (x for x in (added, hidden) if x is not None):
        sizes = shape_of(mask)
        outer = sizes[0] if sizes[0] > 1 else heads // sizes[1]
        grouped = put(_aten.reshape.default, scores, [outer, heads // outer, queries, keys])
        kept = put(_aten.ne.Scalar, mask, float("-inf")) if mask is added else put(_aten.eq.Scalar, mask, float("inf"))
        seen = put(_aten.add.Tensor, grouped, mask) if mask is added else grouped
        scores = put(_aten.reshape.default, put(_aten.where.self, kept, seen, mask), [key_heads, rows, keys])
    largest = put(_aten.amax.default, scores, [2], True)
    bounded = [put(_aten.clamp.default, x, _LOWEST) for x in (scores, largest)]
    weights = put(_aten.exp.default, put(_aten.sub.Tensor, *bounded))
    total = put(_aten.sum.dim_IntList, weights, [2], True)
    if query.meta["val"].dtype != torch.float32:
        weights = wide(put(_aten._to_copy.default, weights, dtype=query.meta["val"].dtype))
    result = put(_aten.div.Tensor, put(_aten.bmm.default, weights, wide(value)), total)
    if added is not None or hidden is not None:
        nothing = put(_aten.eq.Scalar, largest, float("-inf"))
        of_none = put(_aten.full.default, [1, 1, 1], 0.0 if safe else float("nan"), dtype=torch.float32)
        result = put(_aten.where.self, nothing, of_none, result)
    if query.meta["val"].dtype != torch.float32:
        result = put(_aten._to_copy.default, result, dtype=query.meta["val"].dtype)
    return put(_aten.reshape.default, result, [heads, queries, shape_of(value)[2]])
