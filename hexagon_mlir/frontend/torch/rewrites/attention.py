"""Recognises attention in the ways PyTorch spells it, and keeps it as one operation."""

from __future__ import annotations

import math
from math import prod
from typing import Any

import torch
from torch.fx import Node

from hexagon_mlir.frontend.torch.graph import TorchGraph, args_of, arguments_of, dtype_of, shape_of
from hexagon_mlir.frontend.torch.kernels.attention import attention

_aten = torch.ops.aten
_FLOATS = (torch.float32, torch.float16, torch.bfloat16)


def recognise_attention(graph: TorchGraph) -> None:
    """Calls of scaled-dot-product attention, and softmax(q k^T * scale + mask) v, become ``attention``."""
    for node in list(graph.graph.nodes):
        if node.target == _aten.scaled_dot_product_attention.default:
            _from_call(graph, node, node, arguments_of(node))
        elif node.target == _aten._scaled_dot_product_flash_attention_for_cpu.default:
            results = [user for user in node.users if args_of(user)[1] == 0]
            if len(results) == len(node.users) and results:
                _from_call(graph, node, results[0], arguments_of(node))
                for extra in results[1:]:
                    graph.replace(extra, results[0])
        elif node.target in (_aten.matmul.default, _aten.bmm.default):
            _from_products(graph, node)




def _from_call(graph: TorchGraph, call: Node, result: Node, given: dict[str, Any]) -> None:
    query, key, value = given["query"], given["key"], given["value"]
    if given.get("dropout_p", 0.0) or dtype_of(query) not in _FLOATS:
        return
    scale = given.get("scale")
    scale = 1 / math.sqrt(shape_of(query)[-1]) if scale is None else scale
    _insert(graph, result, query, key, value, given.get("attn_mask"), bool(given.get("is_causal")), scale)


def _insert(graph: TorchGraph, at: Node, query: Node, key: Node, value: Node, mask: Node | None, causal: bool,
            scale: float) -> bool:
    """Replace ``at`` by an attention node between views to three dimensions; False when the shapes do not fit."""
    batch, keys = shape_of(query)[:-2], shape_of(key)[:-2]
    if keys != shape_of(value)[:-2] or len(batch) != len(keys):
        return False
    if batch != keys and (prod(batch[:-1]) != prod(keys[:-1]) or batch[-1] % keys[-1]):
        return False
    if batch[:-1] != keys[:-1]:
        return False
    tail = (shape_of(query)[-2], shape_of(key)[-2])
    if mask is not None:
        found = _mask(graph, at, mask, batch, tail)
        if found is None:
            return False
        mask, is_causal = found
        causal = causal or is_causal
    flat = [graph.insert(at, _aten.reshape.default, x, [prod(shape_of(x)[:-2]), *shape_of(x)[-2:]])
            for x in (query, key, value)]
    result = graph.insert(at, attention, *flat, mask, causal, float(scale))
    result = graph.insert(at, _aten.reshape.default, result, [*batch, tail[0], shape_of(value)[-1]])
    graph.replace(at, result)
    return True


def _mask(graph: TorchGraph, at: Node, mask: Node, batch: tuple[int, ...], tail: tuple[int, int]
          ) -> tuple[Node | None, bool] | None:
    """The mask as (1 or G, S, T) of float32, or as causal; None when it broadcasts in a way the kernel lacks."""
    if graph.is_constant(mask) and shape_of(mask)[-2:] == tail and _is_causal(graph.value(mask)):
        return None, True
    if dtype_of(mask) == torch.bool:
        minus = graph.insert(at, _aten.full.default, [], float("-inf"), dtype=torch.float32)
        zero = graph.insert(at, _aten.full.default, [], 0.0, dtype=torch.float32)
        mask = graph.insert(at, _aten.where.self, mask, zero, minus)
    elif dtype_of(mask) != torch.float32:
        mask = graph.insert(at, _aten._to_copy.default, mask, dtype=torch.float32)
    heads = prod(shape_of(mask)[:-2])
    if shape_of(mask)[-2:] != tail or heads != 1:
        mask = graph.insert(at, _aten.expand.default, mask, [*(batch if heads != 1 else [1] * len(batch)), *tail])
        heads = prod(batch) if heads != 1 else 1
    return graph.insert(at, _aten.reshape.default, mask, [heads, *tail]), False


def _is_causal(mask: torch.Tensor) -> bool:
    allowed = mask if mask.dtype == torch.bool else mask == 0
    if mask.dtype != torch.bool and not bool((mask[~allowed] <= torch.finfo(mask.dtype).min / 2).all()):
        return False
    wanted = torch.ones(mask.shape[-2:], dtype=torch.bool).tril()
    return bool((allowed == wanted).all())


# -- attention written out -----------------------------------------------------------------------------------------
_VIEWS = frozenset({_aten.view.default, _aten.reshape.default, _aten.expand.default, _aten._unsafe_view.default,
                    _aten.clone.default, _aten.dropout.default, _aten.contiguous.default, _aten._to_copy.default,
                    _aten.to.dtype})


def _from_products(graph: TorchGraph, node: Node) -> None:
    weights, value = args_of(node)
    softmax = _single_user_chain(weights)
    if softmax is None or softmax.target not in (_aten.softmax.int, _aten._softmax.default):
        return
    if args_of(softmax)[1] not in (-1, len(shape_of(softmax)) - 1):
        return
    scores, scale, mask = _scores(graph, args_of(softmax)[0])
    if scores is None or scores.target not in (_aten.matmul.default, _aten.bmm.default):
        return
    query, key = args_of(scores)
    transposed = _transposed_source(graph, node, key)
    if transposed is None or dtype_of(query) not in _FLOATS:
        return
    _insert(graph, node, query, transposed, value, mask, False, scale)


def _single_user_chain(node: Any) -> Node | None:
    """Through views and casts whose only reader is the next one."""
    while isinstance(node, Node) and len(node.users) == 1 and node.target in _VIEWS:
        node = args_of(node)[0]
    return node if isinstance(node, Node) and len(node.users) == 1 else None


def _scores(graph: TorchGraph, node: Any) -> tuple[Node | None, float, Node | None]:
    """The product behind scale and mask: (product, factor, mask)."""
    factor, mask = 1.0, None
    while isinstance(node, Node) and len(node.users) == 1:
        if node.target in (_aten.mul.Tensor, _aten.mul.Scalar, _aten.div.Tensor, _aten.div.Scalar):
            number = _number(graph, args_of(node)[1])
            if number is None:
                return None, 1.0, None
            factor = factor * number if "mul" in str(node.target) else factor / number
            node = args_of(node)[0]
        elif (node.target == _aten.add.Tensor and mask is None and not node.kwargs
              and isinstance(args_of(node)[1], Node)):
            mask, node = args_of(node)[1], args_of(node)[0]
            if factor != 1.0:
                return None, 1.0, None
        elif node.target in (_aten.masked_fill.Scalar, _aten.where.self) and mask is None and factor == 1.0:
            found = _fill_as_mask(graph, node)
            if found is None:
                return None, 1.0, None
            node, mask = found
        elif node.target in _VIEWS and shape_of(node) == shape_of(args_of(node)[0]):
            node = args_of(node)[0]
        else:
            break
    return (node, factor, mask) if isinstance(node, Node) and len(node.users) == 1 else (None, 1.0, None)


def _fill_as_mask(graph: TorchGraph, node: Node) -> tuple[Node, Node] | None:
    """``masked_fill(scores, hidden, -inf)`` or ``where`` with -inf on one side, as (scores, allowed)."""
    first, second, third = args_of(node)
    if node.target == _aten.masked_fill.Scalar:
        scores, hidden, fill = first, second, third
    elif _number(graph, second) is not None:
        scores, hidden, fill = third, first, second
    else:
        scores, hidden, fill = second, None, third
    number = _number(graph, fill)
    if number is None or number > torch.finfo(torch.float32).min / 2 or not isinstance(scores, Node):
        return None
    if shape_of(scores) != shape_of(node):
        return None
    if hidden is None:
        return scores, first
    if graph.is_constant(hidden):
        return scores, graph.add_constant(~graph.value(hidden).bool(), "mask")
    return scores, graph.insert(node, _aten.logical_not.default, hidden)


def _number(graph: TorchGraph, value: Any) -> float | None:
    if isinstance(value, (int, float)):
        return float(value)
    if graph.is_constant(value) and graph.value(value).numel() == 1:
        return float(graph.value(value))
    if isinstance(value, Node) and value.target in (_aten.scalar_tensor.default,):
        return float(args_of(value)[0])
    if isinstance(value, Node) and value.target == _aten.full.default and not args_of(value)[0]:
        return float(args_of(value)[1])
    return None


def _transposed_source(graph: TorchGraph, at: Node, key: Any) -> Node | None:
    """The tensor whose last two dimensions ``key`` swaps; swapped again when ``key`` is none."""
    if not isinstance(key, Node):
        return None
    rank = len(shape_of(key))
    if key.target == _aten.transpose.int and {d % rank for d in args_of(key)[1:]} == {rank - 1, rank - 2}:
        return args_of(key)[0]
    swap = [*range(rank - 2), rank - 1, rank - 2]
    if key.target == _aten.permute.default and [d % rank for d in args_of(key)[1]] == swap:
        return args_of(key)[0]
    return graph.insert(at, _aten.permute.default, key, swap)
