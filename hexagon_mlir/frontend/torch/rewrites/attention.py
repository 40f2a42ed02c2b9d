"""Recognises attention in the ways PyTorch spells it, and keeps it as one operation."""

from __future__ import annotations

import math
from math import prod
from typing import Any

import torch
from torch.fx import Node

from hexagon_mlir.frontend.torch.graph import TorchGraph, args_of, arguments_of, dtype_of, shape_of
from hexagon_mlir.frontend.torch.kernels.attention import attention
from hexagon_mlir.frontend.torch.rewrites.scores import Scores

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
        elif node.target in _PRODUCTS:
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
    result = graph.insert(at, attention, *flat, scores.operand(scores.added), causal or scores.causal,
                          float(scores.scale), scores.operand(scores.hidden), safe)
    graph.replace(at, graph.insert(at, _aten.reshape.default, result, list(shape_of(at))))


# -- attention written out -----------------------------------------------------------------------------------------
_PRODUCTS = frozenset({_aten.matmul.default, _aten.bmm.default, _aten.mm.default})
_VIEWS = frozenset({_aten.view.default, _aten.reshape.default, _aten._unsafe_view.default, _aten.unsqueeze.default,
                    _aten.squeeze.dim, _aten.squeeze.dims, _aten.squeeze.default, _aten.flatten.using_ints})
_SAME = frozenset({_aten.clone.default, _aten.dropout.default, _aten.contiguous.default, _aten.alias.default,
                   _aten._to_copy.default, _aten.to.dtype, _aten.detach.default})


def _from_products(graph: TorchGraph, node: Node) -> None:
    weights, value = args_of(node)
    normalised = _softmax_of(_behind_views(weights))
    if normalised is None:
        return
    chain: list[Node] = []  # from the softmax to the product
    inner = _behind_views(normalised, readers=len(normalised.users))
    while inner is not None and not _is_product(inner):
        chain.append(inner)
        inner = _behind_views(_scores_in(graph, inner))
    if inner is None or not _fits(inner, node):
        return
    query, key = args_of(inner)[-2:]
    shape = next((shape_of(x) for x in chain), shape_of(normalised))
    key = _transposed(graph, node, key)
    if _heads(_unrepeated(key)) == _heads(_unrepeated(value)):
        key, value = _unrepeated(key), _unrepeated(value)
    views = [shape_of(x)[-1:] == shape_of(key)[-2:-1] for x in (*chain, normalised, weights)]
    if _heads(key) != _heads(value) or prod(shape[:-2]) % _heads(key) or not all(views):
        return
    scores = Scores(graph, node, shape)
    if inner.target == _aten.baddbmm.default:
        scores.times(_keyword(inner, "alpha"))
        if _keyword(inner, "beta"):
            scores.plus(_shaped(graph, node, args_of(inner)[0], shape_of(inner), shape), _keyword(inner, "beta"))
    if all(_follow(graph, scores, step) for step in reversed(chain)):
        _insert(graph, node, query, key, value, scores)


def _is_product(node: Node) -> bool:
    return node.target in _PRODUCTS or node.target == _aten.baddbmm.default


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


def _behind_views(node: Any, readers: int = 1) -> Node | None:
    """Through views and casts that keep the order of elements, while the only reader is the next one."""
    while isinstance(node, Node) and len(node.users) == readers:
        source = _same_order(node)
        if source is None:
            break
        node, readers = source, 1
    return node if isinstance(node, Node) and len(node.users) == readers else None


def _same_order(node: Node) -> Node | None:
    """The operand of a view or cast that keeps the order of elements, or of permutations that do together."""
    target, source = node.target, args_of(node)[0] if node.args else None
    if not isinstance(source, Node):
        return None
    if target in _VIEWS or (target in _SAME and dtype_of(node).is_floating_point):
        return source
    if target == _aten.expand.default:
        return source if prod(shape_of(node)) == prod(shape_of(source)) else None
    if target not in (_aten.permute.default, _aten.transpose.int):
        return None
    order = _order(node)
    while [d for d in order if shape_of(source)[d] != 1] != sorted(d for d in order if shape_of(source)[d] != 1):
        if len(source.users) != 1 or source.target not in (_aten.permute.default, _aten.transpose.int):
            return None
        order, source = [_order(source)[d] for d in order], args_of(source)[0]
    return source


def _order(node: Node) -> list[int]:
    """The dimensions of the operand of a permutation, in the order of the result's."""
    rank = len(shape_of(node))
    if node.target == _aten.permute.default:
        return [d % rank for d in args_of(node)[1]]
    order, (first, second) = list(range(rank)), (d % rank for d in args_of(node)[1:])
    order[first], order[second] = second, first
    return order


def _softmax_of(node: Node | None) -> Node | None:
    """What ``node`` is the softmax of over its last dimension: PyTorch's, or by quotient, sum, power and maximum."""
    if node is None or not shape_of(node):
        return None
    last = (-1, len(shape_of(node)) - 1)
    if node.target in (_aten.softmax.int, _aten._softmax.default):
        source = args_of(node)[0]
        return source if args_of(node)[1] in last and (len(node.users), len(source.users)) == (1, 1) else None
    if node.target != _aten.div.Tensor or len(node.users) != 1:
        return None
    power, total = args_of(node)
    if not _reduces(total, _aten.sum.dim_IntList, power, last) or power.target != _aten.exp.default:
        return None
    less = args_of(power)[0]
    if less.target != _aten.sub.Tensor or less.kwargs or (len(power.users), len(less.users)) != (2, 1):
        return None
    scores, highest = args_of(less)
    found = _reduces(highest, _aten.amax.default, scores, last) and len(scores.users) == 2
    return scores if found else None


def _reduces(node: Any, target: Any, source: Any, last: tuple[int, int]) -> bool:
    """True when ``node``, with one reader, is ``target(source, [last], keepdim=True)``."""
    return (isinstance(node, Node) and node.target == target and args_of(node)[0] is source and not node.kwargs
            and len(node.users) == 1 and args_of(node)[1:] in (([last[0]], True), ([last[1]], True)))


def _scores_in(graph: TorchGraph, node: Node) -> Node | None:
    """The operand of ``node``, an operation of `_follow`, that holds the scores: the one of its own shape that is
    computed."""
    names = {_aten.where.self: (1, 2), _aten.where.ScalarOther: (1,), _aten.where.ScalarSelf: (2,),
             _aten.add.Tensor: (0, 1), _aten.mul.Tensor: (0, 1), _aten.maximum.default: (0, 1),
             _aten.max.other: (0, 1)}
    if node.target not in _STEPS:
        return None
    args = args_of(node)
    found = [args[place] for place in names.get(node.target, (0,)) if isinstance(args[place], Node)
             and shape_of(args[place]) == shape_of(node) and not graph.is_constant(args[place])]
    leading = [x for x in found if _leads_to_product(graph, x)]
    return leading[0] if len(leading) == 1 else None


def _leads_to_product(graph: TorchGraph, node: Node) -> bool:
    inner = _behind_views(node)
    return inner is not None and (_is_product(inner) or _scores_in(graph, inner) is not None)


_FILLS = frozenset({_aten.masked_fill.Scalar, _aten.masked_fill.Tensor, _aten.where.self, _aten.where.ScalarOther,
                    _aten.where.ScalarSelf})
_FACTORS = frozenset({_aten.mul.Tensor, _aten.mul.Scalar, _aten.div.Tensor, _aten.div.Scalar})
_SUMS = frozenset({_aten.add.Tensor, _aten.sub.Tensor})
_BOUNDS = frozenset({_aten.maximum.default, _aten.max.other, _aten.clamp_min.default, _aten.clamp.default})
_STEPS = _FILLS | _FACTORS | _SUMS | _BOUNDS


def _follow(graph: TorchGraph, scores: Scores, node: Node) -> bool:
    """Let ``scores`` take one step of the model; False for one it has no form for."""
    args = args_of(node)
    inner = _scores_in(graph, node)
    if node.target in _FILLS:
        hides = "masked_fill" in str(node.target)
        keeps = not hides and args[1] is inner
        number = _number(graph, args[2] if hides or keeps else args[1])
        if number is not None:
            condition = args[1] if hides else args[0]
            scores.where(_shaped(graph, scores.at, condition, shape_of(node), scores.shape), number, keeps)
        return number is not None and number < math.inf
    others = [x for x in args if x is not inner]
    if node.target in _BOUNDS:
        number = _number(graph, others[0]) if len(others) == 1 else None
        return number is not None and scores.at_least(number)
    number = _number(graph, others[0]) if len(others) == 1 and not node.kwargs.get("rounding_mode") else None
    if node.target in _FACTORS:
        if number is not None and 0 < number < math.inf:
            scores.times(number if "mul" in str(node.target) else 1 / number)
            return True
        return False
    if len(others) != 1 or not isinstance(others[0], Node) or not dtype_of(others[0]).is_floating_point:
        return False
    factor = _keyword(node, "alpha") * (-1 if node.target == _aten.sub.Tensor else 1)
    if args[1] is inner and factor != 1.0:
        return False
    scores.plus(_shaped(graph, scores.at, others[0], shape_of(node), scores.shape), factor)
    return True


def _shaped(graph: TorchGraph, at: Node, mask: Node, shape: tuple[int, ...], wanted: tuple[int, ...]) -> Node:
    """A mask that broadcasts to ``shape`` as one that broadcasts to ``wanted``, another view of the same elements."""
    if shape == wanted or prod(shape_of(mask)) == 1 or shape_of(mask) == shape_of(mask)[-1:]:
        return mask
    sizes = (1,) * (len(shape) - len(shape_of(mask))) + shape_of(mask)
    if prod(sizes[:-2]) == 1 and shape[-2] == wanted[-2]:
        return graph.insert(at, _aten.reshape.default, mask, list(sizes[-2:]))
    if shape[-2] == wanted[-2] and sizes[:-2] == shape[:-2]:
        return graph.insert(at, _aten.reshape.default, mask, [*wanted[:-2], *sizes[-2:]])
    return graph.insert(at, _aten.reshape.default, graph.insert(at, _aten.expand.default, mask, list(shape)),
                        list(wanted))


def _keyword(node: Node, name: str) -> float:
    """A factor that is 1 unless given."""
    given: Any = node.kwargs.get(name, 1)
    return float(given)


def _number(graph: TorchGraph, value: Any) -> float | None:
    """The number that ``value`` is, or holds everywhere."""
    if isinstance(value, (int, float)):
        return float(value)
    if graph.is_constant(value) and graph.value(value).numel():
        first = graph.value(value).flatten()[0]
        return float(first) if bool((graph.value(value) == first).all()) else None
    if isinstance(value, Node) and value.target == _aten.scalar_tensor.default:
        return float(args_of(value)[0])
    if isinstance(value, Node) and value.target == _aten.full.default:
        return float(args_of(value)[1])
    return None


def _unrepeated(node: Node) -> Node:
    """The keys behind ``repeat_kv``: heads that stand several times in a row, (..., H, 1, T, D) in (..., H R, T, D)."""
    inner, tail = node, shape_of(node)[-2:]
    while inner.target in _VIEWS | {_aten.clone.default, _aten.contiguous.default} and inner.op == "call_function":
        inner = args_of(inner)[0]
    if inner.target != _aten.expand.default:
        return node
    source = args_of(inner)[0]
    sizes, have = shape_of(inner), shape_of(source)
    if len(have) != len(sizes) or sizes[-2:] != tail or len(sizes) < 4:
        return node
    if have == (*sizes[:-3], 1, *tail) and len(shape_of(node)) >= 3:
        return source
    return node


def _transposed(graph: TorchGraph, at: Node, key: Node) -> Node:
    """The tensor whose last two dimensions ``key`` swaps; swapped again when ``key`` is none."""
    rank = len(shape_of(key))
    swap = [*range(rank - 2), rank - 1, rank - 2]
    if key.target in (_aten.transpose.int, _aten.permute.default) and _order(key) == swap:
        return args_of(key)[0]
    return graph.insert(at, _aten.permute.default, key, swap)
