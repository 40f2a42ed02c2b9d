"""Attention of one query for each head, as when a token is decoded, as `query_attention` and `joined_attention`."""

from __future__ import annotations

from operator import getitem

import torch
from torch.fx import Node

from hexagon_mlir.frontend.torch.graph import TorchGraph, dtype_of, shape_of
from hexagon_mlir.frontend.torch.kernels.joined_attention import joined_attention
from hexagon_mlir.frontend.torch.kernels.query_attention import few_of, query_attention

_aten = torch.ops.aten
_MOST_ROWS, _FEWEST_KEYS = 16, 128
"""Queries that share a head's keys; elsewhere `attention` takes fewer cycles."""
_PARTS, _STEP, _MOST_KEYS, _FEW_KEYS = 4, 32, 1024, 256
"""Parts of the keys of a head come in multiples of so many, each of a multiple of so many keys and of at most so many:
two tiles of four longer parts do not fit a kernel's share of the TCM. One part of a few keys takes 7 % fewer cycles."""


def takes(query: Node, key: Node, causal: bool, sink: Node | None, cap: float) -> bool:
    """Whether `expand` is for these: ``query`` (G, S, D), ``key`` (H, T, D)."""
    (heads, queries, _), (key_heads, keys, _) = shape_of(query), shape_of(key)
    rows = heads // key_heads * queries
    return queries == 1 and rows <= _MOST_ROWS and keys >= _FEWEST_KEYS and not (
        causal or sink is not None or cap)


def expand(graph: TorchGraph, at: Node, query: Node, key: Node, value: Node, scale: float, added: Node | None,
           hidden: Node | None, safe: bool) -> Node:
    """What `kernels.attention.attention` computes of its arguments of these names, (G, 1, E): nodes before ``at``."""
    (heads, _, depth), (key_heads, keys, _) = shape_of(query), shape_of(key)
    rows, width = heads // key_heads, shape_of(value)[2]
    parts = parts_of(key_heads, keys)

    def shaped(node: Node, *sizes: int) -> Node:
        return graph.insert(at, _aten.reshape.default, node, list(sizes))

    def mask(node: Node | None) -> Node | None:
        """(P or 1, Q or 1, 1, T) with P Q = G as (H or 1, P, R or 1, N)."""
        if node is None:
            return None
        sizes, of_all = shape_of(node), [1, 1]
        if sizes[0] > 1 or sizes[1] > 1:
            outer, of_all = sizes[0] if sizes[0] > 1 else heads // sizes[1], [key_heads, rows]
            node = graph.insert(at, _aten.expand.default, node, [outer, heads // outer, 1, keys])
        node = shaped(node, *of_all, parts, keys // parts)
        return graph.insert(at, _aten.permute.default, node, [0, 2, 1, 3])

    blocks = [shaped(x, key_heads, parts, keys // parts, size) for x, size in ((key, depth), (value, width))]
    wide = graph.insert(at, _aten._to_copy.default, query, dtype=torch.float32)
    scaled = graph.insert(at, _aten.mul.Tensor, wide, scale)
    scaled = graph.insert(at, _aten._to_copy.default, scaled, dtype=dtype_of(query))
    masks = [node for node in (added, hidden) if node is not None]
    alike = masks and all(list(shape_of(node)[:-1]) == [1, 1, 1] for node in masks)
    extent = _extent(graph, at, masks) if alike and few_of(parts, keys // parts) else None
    of_parts = graph.insert(at, query_attention, shaped(scaled, key_heads, rows, depth), *blocks, mask(added),
                            mask(hidden), extent)
    results = [graph.insert(at, getitem, of_parts, number) for number in range(3)]
    result = graph.insert(at, joined_attention, *results, dtype_of(query), safe)
    return shaped(result, heads, 1, width)


def _extent(graph: TorchGraph, at: Node, masks: list[Node]) -> Node:
    """How many keys there are up to the last one that none of ``masks`` (1, 1, 1, T) hides: float32 (1)."""
    keys = shape_of(masks[0])[-1]
    found = graph.insert(at, _aten.arange.start, 1, keys + 1, dtype=torch.float32)
    zero = graph.insert(at, _aten.full.default, [1], 0.0, dtype=torch.float32)
    for mask in masks:
        seen = graph.insert(at, _aten.ne.Scalar, graph.insert(at, _aten.reshape.default, mask, [keys]), float("-inf"))
        found = graph.insert(at, _aten.where.self, seen, found, zero)
    return graph.insert(at, _aten.amax.default, found, [0], True)


def parts_of(heads: int, keys: int) -> int:
    """The parts of so many ``keys`` of each of ``heads``: one where threads can share the heads of a few keys."""
    parts = _PARTS * -(-keys // (_PARTS * _MOST_KEYS))
    shares_heads = keys <= _FEW_KEYS and heads % _PARTS == 0
    return parts if keys % (parts * _STEP) == 0 and not shares_heads else 1
