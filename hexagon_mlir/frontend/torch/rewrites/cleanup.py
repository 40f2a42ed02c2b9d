"""Dead code, common subexpressions, and calls that do nothing."""

from __future__ import annotations

from typing import Any

import torch
from torch.fx import Node

from hexagon_mlir.frontend.torch.graph import TorchGraph, args_of, dtype_of, shape_of

_aten = torch.ops.aten
_NOTHING = frozenset({_aten.alias.default, _aten.detach.default, _aten.lift_fresh_copy.default, _aten.clone.default,
                      _aten.contiguous.default, _aten.dropout.default, _aten.detach_copy.default,
                      _aten.feature_dropout.default, _aten.alpha_dropout.default})
_MAYBE_NOTHING = frozenset({_aten.view.default, _aten.reshape.default, _aten.expand.default, _aten._to_copy.default,
                            _aten.to.dtype, _aten._unsafe_view.default, _aten.slice.Tensor, _aten.permute.default})
_OF_EQUALS = frozenset({_aten.eq.Tensor, _aten.ge.Tensor, _aten.le.Tensor})
RANDOM = frozenset({_aten.rand.default, _aten.randn.default, _aten.bernoulli.default, _aten.rand_like.default,
                     _aten.randn_like.default, _aten.dropout.default, _aten.native_dropout.default})


def eliminate_dead_code(graph: TorchGraph) -> None:
    """Drop calls nobody uses, and constants nobody reads; inputs stay, they are the interface."""
    for node in reversed(list(graph.graph.nodes)):
        unused = not node.users and node.op != "output"
        if unused and (node.op != "placeholder" or node.name in graph.constants):
            graph.constants.pop(node.name, None)
            graph.graph.erase_node(node)


def remove_identities(graph: TorchGraph) -> None:
    """Drop copies, views to the same shape, casts to the same type, x + 0, x * 1, x / 1."""
    for node in list(graph.graph.nodes):
        if node.target in (_aten.view.default, _aten._unsafe_view.default):
            node.target = _aten.reshape.default  # without copies strides differ, and a view may not exist
        if node.op == "call_function" and _does_nothing(node):
            source = args_of(node)[0]
            assert isinstance(source, Node)
            graph.replace(node, source)
        elif node.target in _OF_EQUALS or node.target == _aten.ne.Tensor:
            _compare_with_itself(graph, node)


def _compare_with_itself(graph: TorchGraph, node: Node) -> None:
    """``x == x`` is a test for NaN, which torch-mlir folds to true."""
    left, right = args_of(node)
    if left is right and dtype_of(left).is_floating_point:
        is_nan = graph.insert(node, _aten.isnan.default, left)
        graph.replace(node, is_nan if node.target == _aten.ne.Tensor else
                      graph.insert(node, _aten.logical_not.default, is_nan))


def _does_nothing(node: Node) -> bool:
    source = args_of(node)[0] if args_of(node) else None
    if not isinstance(source, Node) or not isinstance(source.meta.get("val"), torch.Tensor):
        return False
    if not isinstance(node.meta.get("val"), torch.Tensor):
        return False
    same = shape_of(source) == shape_of(node) and dtype_of(source) == dtype_of(node)
    if node.target in _NOTHING:
        return same and not _is_active_dropout(node)
    if not same:
        return False
    if node.target == _aten.permute.default:
        return list(args_of(node)[1]) == list(range(len(shape_of(node))))
    if node.target in _MAYBE_NOTHING:
        return True
    neutrals: dict[Any, int] = {_aten.add.Tensor: 0, _aten.sub.Tensor: 0, _aten.mul.Tensor: 1, _aten.div.Tensor: 1}
    neutral = neutrals.get(node.target)
    factor = args_of(node)[1] if len(node.args) > 1 else None
    is_neutral = neutral is not None and isinstance(factor, int | float) and factor == neutral and not node.kwargs
    # x + 0 turns -0.0 into 0.0
    return is_neutral and not (dtype_of(node).is_floating_point and node.target == _aten.add.Tensor)


def _is_active_dropout(node: Node) -> bool:
    return "dropout" in str(node.target) and bool(args_of(node)[2]) and args_of(node)[1] != 0


def share_common_subexpressions(graph: TorchGraph) -> None:
    """Keep one of each set of calls with equal target and arguments."""
    seen: dict[Any, Node] = {}
    for node in list(graph.graph.nodes):
        if node.op != "call_function" or node.target in RANDOM:
            continue
        try:
            key = (node.target, _frozen(args_of(node)), _frozen(node.kwargs))
            twin = seen.setdefault(key, node)
        except TypeError:
            continue  # an argument that cannot be compared
        if twin is not node:
            graph.replace(node, twin)


def _frozen(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return (type(value).__name__, *map(_frozen, value))
    if isinstance(value, dict):
        return tuple(sorted((k, _frozen(v)) for k, v in value.items()))
    return (type(value).__name__, repr(value)) if isinstance(value, (bool, int, float)) else value
