"""Linear layers of one row that read the same input as one layer: one product streams all their weights."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import accumulate, pairwise
from math import prod
from typing import Any

import torch
from torch.fx import Node

from hexagon_mlir.frontend.torch.graph import TorchGraph, args_of, dtype_of, shape_of

_aten = torch.ops.aten


def merge_shared_inputs(graph: TorchGraph) -> None:
    """Layers of one row whose constant weights follow each other in memory: queries, keys and values of a token, a gate
    and what it gates.

    A product of one row waits for its first weights before it computes, and computes the last ones after all transfers:
    both happen once for all layers. Of more rows the results would be strided. Weights elsewhere would be copied.
    """
    groups: dict[Any, list[Node]] = defaultdict(list)
    for node in graph.graph.nodes:
        if node.target == _aten.linear.default:
            x, weight, bias = (*args_of(node), None)[:3]
            constants = [weight] if bias is None else [weight, bias]
            if prod(shape_of(x)[:-1]) == 1 and all(map(graph.is_constant, constants)) and len(shape_of(weight)) == 2:
                groups[x, dtype_of(weight), bias is None].append(node)
    for (x, *_), layers in groups.items():
        weights = [graph.constants[args_of(node)[1].name] for node in layers]
        if len(layers) > 1 and _follow_each_other(weights):
            _merge(graph, x, layers, _joined(weights))


def _follow_each_other(parts: Sequence[torch.Tensor]) -> bool:
    """Whether each of ``parts`` begins in memory where the one before it ends."""
    return all(one.is_contiguous() and one.untyped_storage().data_ptr() == parts[0].untyped_storage().data_ptr()
               for one in parts) and all(
        one.storage_offset() + one.numel() == after.storage_offset() for one, after in pairwise(parts))


def _joined(parts: Sequence[torch.Tensor]) -> torch.Tensor:
    """A view of ``parts``, matrices that follow each other, as one."""
    first = parts[0]
    return first.as_strided([sum(len(one) for one in parts), *first.shape[1:]], first.stride())


def _merge(graph: TorchGraph, x: Node, layers: list[Node], weight: torch.Tensor) -> None:
    biases = [graph.value(args_of(node)[2]) for node in layers if len(args_of(node)) > 2 and args_of(node)[2]]
    joined = [graph.add_constant(one, "joined") for one in (weight, *([torch.cat(biases)] if biases else []))]
    result = graph.insert(layers[0], _aten.linear.default, x, *joined)
    ends = list(accumulate(shape_of(node)[-1] for node in layers))
    parts = [graph.insert(layers[0], _aten.slice.Tensor, result, -1, first, end)
             for first, end in zip((0, *ends), ends, strict=False)]
    for node, part in zip(layers, parts, strict=True):
        graph.replace(node, part)
