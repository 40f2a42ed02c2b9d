"""Arithmetic on bytes is done in 32 bits where the importer fails on them.

torch-mlir treats unsigned bytes as signed; on signed bytes it aborts or fails where a Python number is an operand, in
divisions, and in the maximum and minimum of all elements.
"""

from __future__ import annotations

import operator
from typing import Any

import torch
from torch.fx import Node
from torch.fx.node import map_arg

from hexagon_mlir.frontend.torch.graph import TorchGraph, arguments_of, shape_of

_aten = torch.ops.aten
_MOVES = frozenset({operator.getitem} | {getattr(_aten, name) for name in (
    "view", "_unsafe_view", "reshape", "permute", "transpose", "t", "expand", "slice", "select", "clone", "alias",
    "squeeze", "unsqueeze", "cat", "stack", "index", "gather", "index_select", "flip", "roll", "split",
    "split_with_sizes", "unbind", "detach", "contiguous", "slice_scatter", "select_scatter", "repeat", "flatten",
    "_to_copy", "eq", "ne", "bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_not")})
"""Ops that do not interpret the bits, and conversions, which do so correctly."""
_DIVISIONS_AND_EXTREMES = frozenset(getattr(_aten, name) for name in (
    "floor_divide", "div", "remainder", "fmod", "max", "min"))


def widen_bytes(graph: TorchGraph) -> None:
    """Give each op that computes with bytes their values as i32, and cast its result back where it is bytes."""
    for node in [n for n in graph.graph.nodes if n.op == "call_function"]:
        if isinstance(node.target, torch._ops.OpOverload) and node.target.namespace == "aten" and _fails(node):
            _compute(graph, node)


def _fails(node: Node) -> bool:
    if pools_bytes(node):
        return False
    kinds = {operand.meta["val"].dtype for operand in node.all_input_nodes if _is_bytes(operand)}
    kind = getattr(node.target, "overloadpacket", node.target)
    if torch.uint8 in kinds and kind not in _MOVES:
        return True
    by_number = kind in (_aten.mul, _aten.sub, _aten.rsub) and isinstance(node.args[1], int)
    return torch.int8 in kinds and (by_number or kind in _DIVISIONS_AND_EXTREMES)


def pools_bytes(node: Node) -> bool:
    """True for the largest byte of each window of an image: there is a kernel for both kinds of bytes."""
    return (node.target == _aten.max_pool2d.default and _is_bytes(node) and len(shape_of(node)) == 4
            and not arguments_of(node).get("ceil_mode", False))


def _is_bytes(node: Node) -> bool:
    value = node.meta.get("val")
    return isinstance(value, torch.Tensor) and value.dtype in (torch.uint8, torch.int8)


def _compute(graph: TorchGraph, node: Node) -> None:
    def wide(operand: Node) -> Node:
        return graph.insert(node, _aten._to_copy.default, operand, dtype=torch.int32) if _is_bytes(operand) else operand

    target: Any = node.target
    result = graph.insert(node, target, *map_arg(node.args, wide), **map_arg(node.kwargs, wide))
    wanted = node.meta["val"]
    if isinstance(wanted, torch.Tensor):
        if result.meta["val"].dtype != wanted.dtype:
            result = graph.insert(node, _aten._to_copy.default, result, dtype=wanted.dtype)
        graph.replace(node, result)
        return
    for user in list(node.users):  # one of several results
        part = graph.insert(user, operator.getitem, result, user.args[1])
        if _is_bytes(user):
            part = graph.insert(user, _aten._to_copy.default, part, dtype=user.meta["val"].dtype)
        graph.replace(user, part)
    graph.graph.erase_node(node)
