"""Products of a matrix and a vector whose results are stacked, as one: the steps of a state space model."""

from __future__ import annotations

from typing import Any

import torch
from torch.fx import Node

from hexagon_mlir.frontend.torch.graph import TorchGraph, args_of, arguments_of, dtype_of, shape_of

_aten = torch.ops.aten
_MOST_TERMS = 32
"""Of each sum. The matrices are stacked too, which are as long again; state space models have 8 to 16."""


def join_stacked_products(graph: TorchGraph) -> None:
    """``stack([select(matmul(a, unsqueeze(b, -1)), -1, 0), ...])`` of f32 becomes ``sum(stack(a) * stack(b), -1)``.

    Each product would be a kernel of its own, and its reduction is short. Of f16 the results would be rounded more
    often.
    """
    for node in list(graph.graph.nodes):
        if node.target == _aten.stack.default and dtype_of(node) == torch.float32:
            factors = [_factors(part) for part in args_of(node)[0]]
            known = [both for both in factors if both is not None]
            if len(known) == len(factors) > 1 and len({tuple(map(shape_of, both)) for both in known}) == 1:
                _join(graph, node, known)


def _factors(part: Node) -> tuple[Node, Node] | None:
    """The matrices (..., M, K) and vectors (..., K) whose products (..., M) are ``part``, which nothing else reads."""
    if part.target != _aten.select.int or len(part.users) != 1:
        return None
    product, dim, _ = args_of(part)
    if product.target != _aten.matmul.default or len(product.users) != 1:
        return None
    matrix, columns = args_of(product)
    rank = len(shape_of(product))
    if dim % rank != rank - 1 or columns.target != _aten.unsqueeze.default or dtype_of(matrix) != torch.float32:
        return None
    vector, place = args_of(columns)
    if place % rank != rank - 1 or len(shape_of(matrix)) != rank or len(shape_of(columns)) != rank:
        return None
    is_short = shape_of(vector)[-1] <= _MOST_TERMS
    return (matrix, vector) if is_short and shape_of(matrix)[:-2] == shape_of(columns)[:-2] else None


def _join(graph: TorchGraph, node: Node, factors: list[tuple[Node, Node]]) -> None:
    rank = len(shape_of(node))
    dim = int(arguments_of(node).get("dim", 0)) % rank
    matrices = graph.insert(node, _aten.stack.default, [matrix for matrix, _ in factors], dim)
    of_rows: list[Any] = [graph.insert(node, _aten.unsqueeze.default, vector, -2) for _, vector in factors]
    vectors = graph.insert(node, _aten.stack.default, of_rows, dim)
    products = graph.insert(node, _aten.mul.Tensor, matrices, vectors)
    graph.replace(node, graph.insert(node, _aten.sum.dim_IntList, products, [-1]))
