"""Folds calls that depend on weights alone (transposed and packed weights, masks, positions), and calls whose results
have no elements."""

from __future__ import annotations

import operator
from typing import Any

import torch
from torch.fx import Node
from torch.utils import _pytree as pytree

from hexagon_mlir.frontend.torch.fourier import COSINES
from hexagon_mlir.frontend.torch.graph import TorchGraph, args_of, dtype_of, shape_of, storage_of
from hexagon_mlir.frontend.torch.rewrites.cleanup import RANDOM
from hexagon_mlir.frontend.torch.stored_weights import OPERATION as STORED

GROWTH_LIMIT = 1 << 16
"""Elements that a folded result may have more than its operands: broadcasts stay in the graph."""

STEPS = 8
"""Calls in a row by which a model makes scales, zero points and bytes of its constants."""


def fold_constants(graph: TorchGraph) -> None:
    """Evaluate calls of constants with PyTorch; their results become constants."""
    values: dict[Node, Any] = {}
    for node in list(graph.graph.nodes):
        if _is_empty(node):
            values[node] = torch.empty(shape_of(node), dtype=dtype_of(node))
            continue
        if node.op != "call_function" or not _foldable(graph, node, values):
            continue
        arguments = torch.fx.map_arg((args_of(node), node.kwargs), lambda n: _value(graph, n, values))
        with torch.no_grad():
            values[node] = node.target(*arguments[0], **arguments[1])
        graph.read |= _storages(arguments) - _storages(values[node])  # a view is of any values
    for node, value in values.items():
        if isinstance(value, torch.Tensor) and any(user not in values for user in node.users):
            constant = graph.add_constant(_kept(graph, value), "folded")
            node.replace_all_uses_with(constant)


def evaluated(graph: TorchGraph, node: Node) -> Node:
    """``node`` as a constant if it depends on constants alone, however many elements it has."""
    values: dict[Node, Any] = {}
    for inner in _sources(node):
        if inner.op == "call_function":
            if inner.target in RANDOM or not isinstance(inner.target, torch._ops.OpOverload):
                return node
            arguments = torch.fx.map_arg((args_of(inner), inner.kwargs), lambda n: values[n])
            with torch.no_grad():
                values[inner] = inner.target(*arguments[0], **arguments[1])
        elif graph.is_constant(inner):
            values[inner] = graph.value(inner)
        else:
            return node
    return graph.add_constant(_kept(graph, values[node]), "folded")


def value_of(graph: TorchGraph, node: Any, steps: int = STEPS) -> torch.Tensor | None:
    """The value of ``node`` if it is a constant, or a few calls make it of constants; else None."""
    if graph.is_constant(node):
        return graph.value(node)
    if not isinstance(node, Node) or not steps or node.target in RANDOM or not isinstance(
            node.target, torch._ops.OpOverload):
        return None
    values: dict[Node, torch.Tensor] = {}
    for source in node.all_input_nodes:
        value = value_of(graph, source, steps - 1)
        if value is None:
            return None
        values[source] = value
    arguments = torch.fx.map_arg((args_of(node), node.kwargs), lambda n: values[n])
    with torch.no_grad():
        result = node.target(*arguments[0], **arguments[1])
    return result if isinstance(result, torch.Tensor) else None


def _sources(node: Node) -> list[Node]:
    """What ``node`` depends on, in order, and itself."""
    found: dict[Node, None] = {}
    for source in node.all_input_nodes:
        found.update(dict.fromkeys(_sources(source)))
    return [*found, node]


def _storages(value: Any) -> set[int]:
    return {storage_of(part) for part in pytree.tree_leaves(value) if isinstance(part, torch.Tensor)}


def _is_empty(node: Node) -> bool:
    """True for a call whose result has no elements: torch-mlir divides by the sizes of some."""
    value = node.meta.get("val")
    return node.op == "call_function" and isinstance(value, torch.Tensor) and not value.numel()


def _foldable(graph: TorchGraph, node: Node, values: dict[Node, Any]) -> bool:
    if node.target in (*RANDOM, STORED) or not (isinstance(node.target, torch._ops.OpOverload)
                                                or node.target is operator.getitem):
        return False
    if graph.sizes_vary and not node.all_input_nodes:
        return False  # a table, such as positions, that may have another size
    if not all(graph.is_constant(source) or source in values for source in node.all_input_nodes):
        return False
    if node.target is COSINES:
        return True
    known = sum(_size(_value(graph, source, values)) for source in node.all_input_nodes)
    return _size(node.meta.get("val")) <= known + GROWTH_LIMIT


def _value(graph: TorchGraph, node: Node, values: dict[Node, Any]) -> Any:
    return values[node] if node in values else graph.constants[node.name]


def _size(value: Any) -> int:
    if isinstance(value, torch.Tensor):
        return value.numel()
    return sum(map(_size, value)) if isinstance(value, (list, tuple)) else 1


def _kept(graph: TorchGraph, value: torch.Tensor) -> torch.Tensor:
    """``value``; computed values are packed here, but views of weights stay views: copying all would double the memory,
    and each is packed when it is copied to a file or to guest memory anyway."""
    value = value.detach()
    owned = any(storage_of(value) == storage_of(weight) for weight in graph.constants.values())
    return value if owned else value.contiguous()
