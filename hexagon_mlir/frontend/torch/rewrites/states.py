"""Buffers of a model that are changed in place: only the slices that a run writes are moved."""

from __future__ import annotations

from typing import Any

import torch
from torch.fx import Node

from hexagon_mlir.frontend.torch.graph import TorchGraph, args_of
from hexagon_mlir.frontend.torch.kernels.put_slices import put_slices_in_place
from hexagon_mlir.frontend.torch.rewrites.views import VIEWS

_PUT = torch.ops.hexagon_mlir.put_slices.default


def write_states_in_place(graph: TorchGraph) -> None:
    """Slices put to a state, which becomes the result, are put in its memory if nothing else reads the old state."""
    results: Any = args_of(next(iter(reversed(graph.graph.nodes))))[0]
    names = {id(tensor): name for name, tensor in graph.states.items()}
    for number, target in graph.mutations:
        name = names.get(id(target))
        node = _without_views(results[number])
        if name is None or node.target != _PUT:
            continue
        old = _only_reader_of(node)
        if old is not None and old.name == name and graph.states[name].is_contiguous():
            node.target = put_slices_in_place


def _without_views(node: Node) -> Node:
    while node.target in VIEWS:
        node = args_of(node)[0]
    return node


def _only_reader_of(put: Node) -> Node | None:
    """What ``put`` changes, seen through views; None where something else reads it."""
    node = args_of(put)[0]
    while len(node.users) == 1 and node.target in VIEWS:
        node = args_of(node)[0]
    return node if len(node.users) == 1 and node.op == "placeholder" else None
