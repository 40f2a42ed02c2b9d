"""Which inputs of a model are indices, and their bounds: eager PyTorch refuses others, the machine would read out of
bounds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
from torch.fx import Node

from hexagon_mlir.frontend.torch.graph import TorchGraph, arguments_of, shape_of

Bounds = tuple[int, int]
"""The lowest index and the highest."""

_aten = torch.ops.aten
_SAME_VALUES = {
    _aten.view.default, _aten.reshape.default, _aten._unsafe_view.default, _aten.unsqueeze.default, _aten.alias.default,
    _aten.squeeze.dim, _aten.squeeze.dims, _aten.expand.default, _aten.permute.default, _aten.transpose.int,
    _aten.t.default, _aten.clone.default, _aten.detach.default, _aten._to_copy.default}
_ALONG = {
    _aten.gather.default: "index", _aten.index_select.default: "index", _aten.scatter.src: "index",
    _aten.scatter.value: "index", _aten.scatter_add.default: "index", _aten.scatter_reduce.two: "index",
    _aten.index_add.default: "index", _aten.index_copy.default: "index", _aten.index_fill.int_Scalar: "index"}


def index_bounds(graph: TorchGraph) -> dict[str, Bounds]:
    """The bounds of inputs, by name. Computed indices have no bounds."""
    found: dict[str, Bounds] = {}
    for node in graph.graph.nodes:
        for index, (low, high) in _lookups(node) if node.op == "call_function" else ():
            while isinstance(index, Node) and index.target in _SAME_VALUES:
                index = index.args[0]
            if isinstance(index, Node) and index.name in graph.inputs:
                before = found.get(index.name, (low, high))
                found[index.name] = max(low, before[0]), min(high, before[1])
    return found


def _lookups(node: Node) -> Iterator[tuple[Any, Bounds]]:
    """The indices that ``node`` takes, with their bounds."""
    target: Any = node.target
    if target == _aten.embedding.default:
        given = arguments_of(node)
        yield given["indices"], (0, shape_of(given["weight"])[0] - 1)
    elif target in _ALONG:
        given = arguments_of(node)
        shape = shape_of(given["self"])
        yield given[_ALONG[target]], (0, (shape[given["dim"]] if shape else 1) - 1)
    elif target == _aten.select.int and isinstance(node.args[2], Node) and node.args[2].target == _aten.item.default:
        x, dim, place = node.args
        size = shape_of(x)[dim]  # type: ignore[arg-type,index]
        yield place.args[0], (-size, size - 1)  # type: ignore[union-attr]
    elif target == torch.ops.hexagon_mlir.put_slices.default:
        x, places, _, wraps = node.args
        rows = shape_of(x)[1]  # type: ignore[arg-type]
        yield places, (-rows if wraps else 0, rows - 1)
    elif target in (_aten.index.Tensor, _aten.index_put.default):
        given = arguments_of(node)
        for size, index in zip(shape_of(given["self"]), given["indices"], strict=False):
            if index is not None and index.meta["val"].dtype not in (torch.bool, torch.uint8):
                yield index, (-size, size - 1)
