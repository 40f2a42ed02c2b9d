"""Products whose results the program has in f32, although their factors are f16 (``numerics="mixed"``)."""

from __future__ import annotations

from math import prod

import torch
from torch.fx import Node

from hexagon_mlir.frontend.torch.graph import TorchGraph, args_of, arguments_of, dtype_of, shape_of
from hexagon_mlir.frontend.torch.kernels.wide_product import wide_product

_aten = torch.ops.aten
_PRODUCTS = frozenset({_aten.linear.default, _aten.mm.default, _aten.bmm.default, _aten.matmul.default,
                       _aten.addmm.default})
_VIEWS = frozenset({
    _aten.view.default, _aten.reshape.default, _aten._unsafe_view.default, _aten.permute.default,
    _aten.transpose.int, _aten.t.default, _aten.squeeze.dim, _aten.squeeze.dims, _aten.unsqueeze.default,
    _aten.slice.Tensor, _aten.select.int, _aten.clone.default, _aten.contiguous.default, _aten.dropout.default,
    _aten.detach.default, _aten.alias.default,
})


def keep_wide_results(graph: TorchGraph) -> None:
    """Let products of f32 that are results of the model keep their sums, which factors of f16 have in f32 anyway.

    Products that anything computes with are rounded to f16: on the matrix engine, a result of f32 takes two
    conversions and twice the memory.
    """
    for node in list(graph.graph.nodes):
        if node.target in _PRODUCTS and dtype_of(node) == torch.float32 and _is_result(node):
            wide = _wide(graph, node)
            if wide is not None:
                graph.replace(node, wide)


def _is_result(node: Node) -> bool:
    """Whether ``node`` is a result of the model, maybe in another shape, and nothing else."""
    readers = [user for user in node.users if user.op == "output" or user.users]  # others are dead
    return bool(readers) and all(user.op == "output" or (user.target in _VIEWS and _is_result(user))
                                 for user in readers)


def _wide(graph: TorchGraph, node: Node) -> Node | None:
    """``node`` with a `wide_product`; None where it scales what it adds, or where one factor has batches alone."""
    given, shape = arguments_of(node), shape_of(node)
    bias = given.get("bias") if node.target == _aten.linear.default else None
    if node.target == _aten.addmm.default:
        if given.get("beta", 1) != 1 or given.get("alpha", 1) != 1:
            return None
        bias, left, right = args_of(node)[:3]
    else:
        left, right = args_of(node)[:2]
    if node.target == _aten.linear.default:
        right = graph.insert(node, _aten.permute.default, right, [1, 0])
    shapes = shape_of(left), shape_of(right)
    if min(map(len, shapes)) < 2 or (len(shapes[1]) > 2 and shapes[0][:-2] != shapes[1][:-2]):
        return None
    if len(shapes[1]) == 2 < len(shapes[0]):
        left = graph.insert(node, _aten.reshape.default, left, [prod(shapes[0][:-1]), shapes[0][-1]])
    result = graph.insert(node, wide_product, left, right)
    if bias is not None:
        result = graph.insert(node, _aten.add.Tensor, result, bias)
    return result if shape_of(result) == shape else graph.insert(node, _aten.reshape.default, result, list(shape))
