"""Which node of a graph the importer has no lowering for, named with the model's source line."""

from __future__ import annotations

import operator
from typing import Any

import torch
from torch.fx import Graph, Node
from torch.fx.node import map_arg

from hexagon_mlir.frontend.torch.graph import source_of
from hexagon_mlir.ir import HexError
from hexagon_mlir.ir.torch_import import ORIGIN, import_graph

_HINT = "write it with other operations; torch.compile runs what cannot be compiled in eager PyTorch"


def without_lowering(graph: Graph, error: HexError) -> HexError:
    """``error`` of importing ``graph``, as one about the first node that cannot be imported alone.

    The importer's own message often names an unrelated constant, without a location.
    """
    tried = set()
    for node in graph.nodes:
        if node.op != "call_function" or not isinstance(node.target, torch._ops.OpOverload):
            continue
        key = type_key(node)
        if key in tried:
            continue
        tried.add(key)
        try:
            import_graph(alone(node), "one")
        except HexError as reason:
            message = reason.diagnostics[0].message
            about = f"no lowering for '{node.target}'"
            if "failed to legalize" not in message:
                about += f": {message}"
            return HexError.plain(about, origin=ORIGIN, file=source_of(node), hint=_HINT)
    return error


def type_key(node: Node) -> str:
    """What ``node`` does: its target, the types of the tensors it takes, its other arguments, and results in use."""
    return str((node.target, map_arg((node.args, node.kwargs), _type_of), sorted(_used(node))))


def _type_of(node: Node) -> Any:
    value = node.meta.get("val", node.target if node.op == "get_attr" else None)
    return f"{value.dtype}{tuple(value.shape)}" if isinstance(value, torch.Tensor) else str(value)


def alone(node: Node) -> Graph:
    """A graph of ``node`` and inputs; of several results, of those that are used. It is for the module that owns
    ``node``, which has the graphs that ``node`` calls."""
    graph = Graph()
    inputs = {}
    for source in node.all_input_nodes:
        if source.op == "get_attr" and not isinstance(source.meta.get("val"), torch.Tensor):
            inputs[source] = graph.node_copy(source)
            continue
        inputs[source] = graph.placeholder(source.name)
        inputs[source].meta = dict(source.meta)
    copy = graph.node_copy(node, inputs.__getitem__)
    graph.output((copy,) if isinstance(node.meta.get("val"), torch.Tensor) else
                 tuple(_parts(graph, copy, _used(node))))
    return graph


def _used(node: Node) -> set[int]:
    """Numbers of the results that are used; empty for a node with one."""
    return {int(str(user.args[1])) for user in node.users if user.target is operator.getitem}


def _parts(graph: Graph, node: Node, used: set[int]) -> list[Node]:
    """Results of ``node`` by number: those of ``used``, all where there is none."""
    parts = []
    for number, value in enumerate(node.meta["val"]):
        if used and number not in used:
            continue
        with graph.inserting_after(node):
            part = graph.call_function(operator.getitem, (node, number))
        part.meta["val"] = value
        parts.append(part)
    return parts
