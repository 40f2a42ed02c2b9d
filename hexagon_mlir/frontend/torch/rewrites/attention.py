"""Recognizes the forms of attention in PyTorch, and keeps each as one operation."""

from __future__ import annotations

import math
from math import prod
from typing import Any

import torch
from torch.fx import Node

from hexagon_mlir.frontend.torch.graph import TorchGraph, args_of, arguments_of, dtype_of, shape_of
from hexagon_mlir.frontend.torch.kernels.attention import attention
from hexagon_mlir.frontend.torch.rewrites import few_queries
from hexagon_mlir.frontend.torch.rewrites.score_steps import PRODUCTS, follow, is_product, keyword_of, scores_in, shaped
from hexagon_mlir.frontend.torch.rewrites.scores import Scores
from hexagon_mlir.frontend.torch.rewrites.softmax import softmax_of_weights
from hexagon_mlir.frontend.torch.rewrites.views import (
    VIEWS,
    end_of_views,
    operands_swapped,
    order_of,
    transpose_operand,
    transposed,
    unrepeated,
)

_aten = torch.ops.aten
_FLOATS = (torch.float32, torch.float16, torch.bfloat16)


def recognise_attention(graph: TorchGraph) -> None:
    """Calls of scaled-dot-product attention, and softmax(q k^T * scale + mask) v, become ``attention``."""
    for node in list(graph.graph.nodes):
        if node.target == _aten.type_as.default:  # reads no elements
            graph.replace(node, graph.insert(node, _aten._to_copy.default, args_of(node)[0], dtype=dtype_of(node)))
    for node in list(graph.graph.nodes):
        if node.target == _aten.scaled_dot_product_attention.default:
            _from_call(graph, node, node, arguments_of(node))
        elif node.target == _aten._scaled_dot_product_flash_attention_for_cpu.default:
            results = [user for user in node.users if args_of(user)[1] == 0]
            if len(results) == len(node.users) and results:
                _from_call(graph, node, results[0], arguments_of(node))
                for extra in results[1:]:
                    graph.replace(extra, results[0])
        elif node.target in PRODUCTS:
            _from_products(graph, node)


def _from_call(graph: TorchGraph, call: Node, result: Node, given: dict[str, Any]) -> None:
    query, key, value = given["query"], given["key"], given["value"]
    if given.get("dropout_p", 0.0) or dtype_of(query) not in _FLOATS:
        return
    lead, keys = shape_of(query)[:-2], shape_of(key)[:-2]
    if keys != shape_of(value)[:-2] or len(lead) != len(keys) or lead[:-1] != keys[:-1]:
        return
    if lead != keys and lead[-1] % keys[-1]:
        return
    scale, mask = given.get("scale"), given.get("attn_mask")
    scores = Scores(graph, result, (*shape_of(query)[:-1], shape_of(key)[-2]))
    scores.times(1 / math.sqrt(shape_of(query)[-1]) if scale is None else scale)
    if mask is not None and dtype_of(mask) == torch.bool:
        scores.where(mask, float("-inf"), keeps=True)
    elif mask is not None:
        scores.plus(mask)
    _insert(graph, result, query, key, value, scores, bool(given.get("is_causal")), safe=True)


def _insert(graph: TorchGraph, at: Node, query: Node, key: Node, value: Node, scores: Scores, causal: bool = False,
            safe: bool = False) -> None:
    """Replace ``at`` by an attention node between views to three dimensions; ``safe`` as `attention` has it."""
    heads = [prod(scores.shape[:-2]), scores.shape[-2], shape_of(query)[-1]]
    flat = [graph.insert(at, _aten.reshape.default, query, heads),
            *(graph.insert(at, _aten.reshape.default, x, [prod(shape_of(x)[:-2]), *shape_of(x)[-2:]])
              for x in (key, value))]
    added, hidden = scores.operand(scores.added), scores.operand(scores.hidden)
    if few_queries.takes(flat[0], flat[1], causal or scores.causal, scores.sink, scores.cap):
        result = few_queries.expand(graph, at, flat[0], flat[1], flat[2], float(scores.scale), added, hidden, safe)
        graph.replace(at, graph.insert(at, _aten.reshape.default, result, list(shape_of(at))))
        return
    reader = _queries_first(at, heads[0])
    result = graph.insert(at, attention, *flat, added, causal or scores.causal,
                          float(scores.scale), hidden, safe, scores.sink, scores.cap,
                          0 if reader is None else shape_of(reader)[0])
    last = at if reader is None else reader
    done = [last]
    while done[-1] is not at:
        done.append(args_of(done[-1])[0])
    graph.replace(last, graph.insert(last, _aten.reshape.default, result, list(shape_of(last))))
    for node in done[1:]:
        graph.graph.erase_node(node)


def _queries_first(result: Node, heads: int) -> Node | None:
    """The only reader of attention's ``result``, perhaps after views as (B, H, Q, E), that makes (B, Q, H, E) of it."""
    node = result
    while len(node.users) == 1:
        reader = next(iter(node.users))
        if reader.target not in VIEWS:
            turns = reader.target in (_aten.permute.default, _aten.transpose.int) and order_of(reader) == [0, 2, 1, 3]
            batches, number, *block = (*shape_of(node), 0, 0)[:4]
            return reader if turns and batches * number == heads and block == list(shape_of(result)[-2:]) else None
        node = reader
    return None


# -- attention written out -----------------------------------------------------------------------------------------
def _from_products(graph: TorchGraph, node: Node) -> None:
    weights, value = args_of(node)
    found = softmax_of_weights(end_of_views(weights))
    if found is None:
        right = transpose_operand(value)
        if right is None or softmax_of_weights(end_of_views(right)) is None:
            return
        node = operands_swapped(graph, node, right)  # values first, as some write einsum
        weights, value = args_of(node)
        found = softmax_of_weights(end_of_views(weights))
        assert found is not None
    chain: list[Node] = []  # from the softmax to the product
    inner = end_of_views(found.scores, readers=found.readers)
    while inner is not None and not is_product(inner):
        chain.append(inner)
        inner = end_of_views(scores_in(graph, inner))
    if inner is None or not _fits(inner, node):
        return
    query, key = args_of(inner)[-2:]
    shape = next((shape_of(x) for x in chain), shape_of(found.scores))
    key = transposed(graph, node, key)
    if _heads(unrepeated(key)) == _heads(unrepeated(value)):
        key, value = unrepeated(key), unrepeated(value)
    views = [shape_of(x)[-1:] == shape_of(key)[-2:-1] for x in (*chain, found.scores, weights)]
    if _heads(key) != _heads(value) or prod(shape[:-2]) % _heads(key) or not all(views):
        return
    scores = Scores(graph, node, shape)
    if inner.target == _aten.baddbmm.default:
        scores.times(keyword_of(inner, "alpha"))
        if keyword_of(inner, "beta"):
            scores.plus(shaped(graph, node, args_of(inner)[0], shape_of(inner), shape), keyword_of(inner, "beta"))
    if all(follow(graph, scores, step) for step in reversed(chain)) and (
            found.sink is None or scores.beside(found.sink)):
        _insert(graph, node, query, key, value, scores)


def _fits(first: Node, second: Node) -> bool:
    """True for products of floats whose right operands serve rows in turn: of leading sizes, a prefix, then 1."""
    operands = (*args_of(first)[-2:], *args_of(second))
    if len({dtype_of(x) for x in (operands[0], operands[1], operands[3], second)}) > 1:
        return False
    if dtype_of(second) not in _FLOATS or any(len(shape_of(x)) < 2 for x in operands) or not prod(shape_of(first)):
        return False
    for product, left, right in ((first, *operands[:2]), (second, *operands[2:])):
        lead, have = shape_of(product)[:-2], shape_of(right)[:-2]
        have = (1,) * (len(lead) - len(have)) + have
        same = next((i for i, (a, b) in enumerate(zip(lead, have, strict=True)) if a != b), len(lead))
        if prod(have[same:]) != 1 or prod(shape_of(left)[:-1]) != prod(shape_of(product)[:-1]):
            return False
    return True


def _heads(node: Node) -> int:
    return prod(shape_of(node)[:-2])
