"""Linear layers of one row that read the same input as one layer: one product streams all their weights."""

from __future__ import annotations

from collections import defaultdict
from math import prod
from typing import Any

import torch
from torch.fx import Node

from hexagon_mlir.frontend.torch.graph import TorchGraph, args_of, dtype_of, shape_of

_aten = torch.ops.aten


def merge_shared_inputs(graph: TorchGraph) -> None:
    """Layers with constant weights, of one row: queries, keys and values of a token, a gate and what it gates.

    A product of one row waits for its first weights before it computes, and computes the last ones after all transfers:
    both happen once for all layers. Of more rows the results would be strided.
    """
    groups: dict[Any, list[Node]] = defaultdict(list)
    for node in graph.graph.nodes:
        if node.target == _aten.linear.default:
            x, weight, bias = (*args_of(node), None)[:3]
            constants = [weight] if bias is None else [weight, bias]
            if prod(shape_of(x)[:-1]) == 1 and all(map(graph.is_constant, constants)) and len(shape_of(weight)) == 2:
                groups[x, dtype_of(weight), bias is None].append(node)
    for (x, *_), layers in groups.items():
        if len(layers) > 1:
            _merge(graph, x, layers)


def _merge(graph: TorchGraph, x: Node, layers: list[Node]) -> None:
    weights, *biases = zip(*(args_of(node)[1:3] for node in layers), strict=True)
    joined = [graph.add_constant(torch.cat([graph.value(one) for one in parts]), "joined")
              for parts in (weights, *biases) if parts[0] is not None]
    result = graph.insert(layers[0], _aten.linear.default, x, *joined)
    first = 0
    for node in layers:
        end = first + shape_of(node)[-1]
        graph.replace(node, graph.insert(layers[0], _aten.slice.Tensor, result, -1, first, end))
        first = end
