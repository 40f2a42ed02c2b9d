"""Operations that give lists of views, as the slices they are."""

from __future__ import annotations

import operator
from itertools import accumulate
from typing import Any

import torch
from torch.fx import Node

from hexagon_mlir.frontend.torch.graph import TorchGraph, args_of, arguments_of, shape_of

_aten = torch.ops.aten
_SPLITS = frozenset({_aten.split.Tensor, _aten.split_with_sizes.default, _aten.chunk.default, _aten.unsafe_split.Tensor,
                     _aten.unsafe_chunk.default, _aten.tensor_split.sections, _aten.tensor_split.indices})


def expand_lists(graph: TorchGraph) -> None:
    """``split(x)[i]`` becomes ``slice(x)``, ``unbind(x)[i]`` becomes ``select(x)``."""
    for node in list(graph.graph.nodes):
        if node.op != "call_function" or not all(user.target is operator.getitem for user in node.users):
            continue
        if node.target in _SPLITS:
            _slices(graph, node)
        elif node.target == _aten.unbind.int:
            for user in list(node.users):
                dim = args_of(node)[1] if len(args_of(node)) > 1 else 0
                graph.replace(user, graph.insert(user, _aten.select.int, args_of(node)[0], dim, args_of(user)[1]))


def _slices(graph: TorchGraph, node: Node) -> None:
    source: Any = args_of(node)[0]
    given = arguments_of(node)
    dim = int(given.get("dim", 0)) % len(shape_of(source))
    sizes = [int(part.shape[dim]) for part in node.meta["val"]]
    ends = list(accumulate(sizes))
    for user in list(node.users):
        i: Any = args_of(user)[1]
        piece = graph.insert(user, _aten.slice.Tensor, source, dim, ends[i] - sizes[i], ends[i])
        graph.replace(user, piece)
