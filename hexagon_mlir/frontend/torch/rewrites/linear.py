"""``linear`` as a matrix product with the weight transposed once, at compile time."""

from __future__ import annotations

from math import prod

import torch
from torch.fx import Node

from hexagon_mlir.frontend.torch.graph import TorchGraph, args_of, shape_of

_aten = torch.ops.aten
_MATRIX = 2


def expand_linear(graph: TorchGraph) -> None:
    """``linear(x, w, b)`` becomes ``mm(view(x), permute(w)) + b``: constant folding packs ``permute(w)``, so that
    the product reads both operands along their rows. ``matmul(x, w)`` of more than two dimensions with a matrix of
    weights becomes ``mm(view(x), w)``: it is no batch."""
    for node in [n for n in graph.graph.nodes if n.target == _aten.linear.default]:
        x, weight = args_of(node)[:2]
        bias = args_of(node)[2] if len(args_of(node)) > 2 else None
        shape = shape_of(x)
        rows = prod(shape[:-1])
        flat = x if len(shape) == 2 else graph.insert(node, _aten.reshape.default, x, [rows, shape[-1]])
        packed = graph.insert(node, _aten.permute.default, weight, [1, 0])
        result = graph.insert(node, _aten.mm.default, flat, packed)
        if bias is not None:
            result = graph.insert(node, _aten.add.Tensor, result, bias)
        if len(shape) != 2:
            result = graph.insert(node, _aten.reshape.default, result, list(shape_of(node)))
        graph.replace(node, result)
    for node in [n for n in graph.graph.nodes if n.target == _aten.matmul.default]:
        x, weight = args_of(node)
        shape = shape_of(x)
        if len(shape) > _MATRIX == len(shape_of(weight)) and _is_weight(graph, weight):
            flat = graph.insert(node, _aten.reshape.default, x, [prod(shape[:-1]), shape[-1]])
            result = graph.insert(node, _aten.mm.default, flat, weight)
            graph.replace(node, graph.insert(node, _aten.reshape.default, result, list(shape_of(node))))


def _is_weight(graph: TorchGraph, node: Node) -> bool:
    """Whether ``node`` is a constant, or computed from some alone."""
    if node.op == "placeholder":
        return graph.is_constant(node)
    return bool(node.all_input_nodes) and all(_is_weight(graph, one) for one in node.all_input_nodes)
