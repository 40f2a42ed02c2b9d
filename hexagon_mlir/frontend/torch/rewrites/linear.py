"""``linear`` as a matrix product with the weight transposed once, at compile time."""

from __future__ import annotations

from math import prod

import torch

from hexagon_mlir.frontend.torch.graph import TorchGraph, args_of, shape_of

_aten = torch.ops.aten


def expand_linear(graph: TorchGraph) -> None:
    """``linear(x, w, b)`` becomes ``mm(view(x), permute(w)) + b``: constant folding packs ``permute(w)``, so that
    the product reads both operands along their rows."""
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
