"""Linear layers that read the same input as one layer."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import accumulate, pairwise
from math import prod
from typing import Any

import torch
from torch.fx import Node

from hexagon_mlir.dialects.engine_tiles import TILE
from hexagon_mlir.frontend.torch.graph import TorchGraph, args_of, dtype_of, shape_of

_aten = torch.ops.aten


def merge_shared_inputs(graph: TorchGraph, kinds: Sequence[torch.dtype] = ()) -> None:
    """Merge layers with constant weights that read the same input: queries, keys and values, or, of one row, a gate and
    what it gates.

    Of one row, weights have to follow each other in memory: weights elsewhere would be copied. Such a product waits for
    its first weights before it computes, and computes the last ones after all transfers: both happen once for all
    layers. Of several rows, weights have to be of ``kinds``, which the matrix engine multiplies: it packs the rows once
    for all layers, and weights are packed when the model is compiled. There, layers whose results meet in an
    elementwise operation stay apart: the kernel of the later product computes that operation on its blocks.
    """
    groups: dict[Any, list[Node]] = defaultdict(list)
    for node in graph.graph.nodes:
        if node.target == _aten.linear.default:
            x, weight, bias = (*args_of(node), None)[:3]
            constants = [weight] if bias is None else [weight, bias]
            if all(map(graph.is_constant, constants)) and len(shape_of(weight)) == 2:
                groups[x, dtype_of(weight), bias is None].append(node)
    for (x, kind, _), layers in groups.items():
        one_row = prod(shape_of(x)[:-1]) == 1
        if not one_row:
            layers = _apart([node for node in layers if shape_of(node)[-1] % TILE == 0]) if kind in kinds else []
        if len(layers) < 2:
            continue
        weights = [graph.constants[args_of(node)[1].name] for node in layers]
        if _follow_each_other(weights):
            _merge(graph, x, layers, _joined(weights))
        elif not one_row:
            _merge(graph, x, layers, torch.cat([graph.value(args_of(node)[1]) for node in layers]))


def _apart(layers: Sequence[Node]) -> list[Node]:
    """Those of ``layers`` whose results no elementwise operation combines with the results of others."""
    reached = [_computed_from(node) for node in layers]
    return [node for number, node in enumerate(layers)
            if not any(reached[number] & other for at, other in enumerate(reached) if at != number)]


def _computed_from(node: Node) -> set[Node]:
    """What elementwise operations compute from ``node``."""
    found: set[Node] = set()
    worklist = [node]
    while worklist:
        for user in worklist.pop().users:
            if user not in found and torch.Tag.pointwise in getattr(user.target, "tags", ()):
                found.add(user)
                worklist.append(user)
    return found


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
