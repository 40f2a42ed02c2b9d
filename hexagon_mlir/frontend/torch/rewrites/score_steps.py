"""Passes a model's operations on attention's scores, one after the other, to `Scores`."""

from __future__ import annotations

import math
from math import prod
from typing import Any

import torch
from torch.fx import Node

from hexagon_mlir.frontend.torch.graph import TorchGraph, args_of, dtype_of, shape_of
from hexagon_mlir.frontend.torch.rewrites.scores import Scores
from hexagon_mlir.frontend.torch.rewrites.views import end_of_views

_aten = torch.ops.aten
PRODUCTS = frozenset({_aten.matmul.default, _aten.bmm.default, _aten.mm.default})


def is_product(node: Node) -> bool:
    return node.target in PRODUCTS or node.target == _aten.baddbmm.default


def scores_in(graph: TorchGraph, node: Node) -> Node | None:
    """The operand of ``node``, an operation of `follow`, that holds the scores: the one of its own shape that is
    computed; of several products that are added (DeBERTa's, Transformer-XL's) the first, the others being masks."""
    names = {_aten.where.self: (1, 2), _aten.where.ScalarOther: (1,), _aten.where.ScalarSelf: (2,),
             _aten.add.Tensor: (0, 1), _aten.mul.Tensor: (0, 1), _aten.maximum.default: (0, 1),
             _aten.max.other: (0, 1)}
    if node.target not in _STEPS:
        return None
    args = args_of(node)
    found = [args[place] for place in names.get(node.target, (0,)) if isinstance(args[place], Node)
             and shape_of(args[place]) == shape_of(node) and not graph.is_constant(args[place])]
    leading = [x for x in found if _leads_to_product(graph, x)]
    return leading[0] if leading else None


def _leads_to_product(graph: TorchGraph, node: Node) -> bool:
    inner = end_of_views(node)
    return inner is not None and (is_product(inner) or scores_in(graph, inner) is not None)


_FILLS = frozenset({_aten.masked_fill.Scalar, _aten.masked_fill.Tensor, _aten.where.self, _aten.where.ScalarOther,
                    _aten.where.ScalarSelf})
_FACTORS = frozenset({_aten.mul.Tensor, _aten.mul.Scalar, _aten.div.Tensor, _aten.div.Scalar})
_SUMS = frozenset({_aten.add.Tensor, _aten.sub.Tensor})
_BOUNDS = frozenset({_aten.maximum.default, _aten.max.other, _aten.clamp_min.default, _aten.clamp.default})
_STEPS = _FILLS | _FACTORS | _SUMS | _BOUNDS | {_aten.tanh.default}


def follow(graph: TorchGraph, scores: Scores, node: Node) -> bool:
    """Apply one operation of the model to ``scores``; False if it has no form there."""
    args = args_of(node)
    inner = scores_in(graph, node)
    if node.target == _aten.tanh.default:
        return scores.bend()
    if node.target in _FILLS:
        hides = "masked_fill" in str(node.target)
        keeps = not hides and args[1] is inner
        number = _number(graph, args[2] if hides or keeps else args[1])
        if number is not None:
            condition = args[1] if hides else args[0]
            scores.where(shaped(graph, scores.at, condition, shape_of(node), scores.shape), number, keeps)
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
    factor = keyword_of(node, "alpha") * (-1 if node.target == _aten.sub.Tensor else 1)
    if args[1] is inner and factor != 1.0:
        return False
    scores.plus(shaped(graph, scores.at, others[0], shape_of(node), scores.shape), factor)
    return True


def shaped(graph: TorchGraph, at: Node, mask: Node, shape: tuple[int, ...], wanted: tuple[int, ...]) -> Node:
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


def keyword_of(node: Node, name: str) -> float:
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
