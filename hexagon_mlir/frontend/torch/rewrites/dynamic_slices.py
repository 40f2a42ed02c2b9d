"""Look-ups of one slice become slices at dynamic offsets, which the kernel that reads them takes from their place."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch.fx import Node

from hexagon_mlir.frontend.torch.graph import TorchGraph, args_of, dtype_of, shape_of
from hexagon_mlir.frontend.torch.kernels.dynamic_slice import ELEMENTS, dynamic_slice

_aten = torch.ops.aten
_INDICES = (torch.int32, torch.int64)


def take_dynamic_slices(graph: TorchGraph) -> None:
    """Rewrite ``index_select`` and indexing by one index, and ``select`` at an element of a tensor.

    What permutes such slices of a constant takes slices of the permuted constant, which is permuted once.
    """
    for node in list(graph.graph.nodes):
        found = _lookup(node) if node.op == "call_function" else None
        if found is None:
            continue
        x, index, dim = found
        if dtype_of(x) in ELEMENTS and dtype_of(index) in _INDICES and 0 not in shape_of(x):
            place = graph.insert(node, _aten.reshape.default, index, [1])
            part = graph.insert(node, dynamic_slice, x, place, dim)
            graph.replace(node, graph.insert(node, _aten.reshape.default, part, list(shape_of(node))))
    for node in [node for node in graph.graph.nodes if _removes_one(node)]:
        view = args_of(node)[0]
        if view.target == _aten.reshape.default and args_of(view)[0].target == dynamic_slice:
            graph.replace(node, graph.insert(node, _aten.reshape.default, args_of(view)[0], list(shape_of(node))))
            if not view.users:
                graph.graph.erase_node(view)
    for constant in [node for node in graph.graph.nodes if graph.is_constant(node)]:
        _permute_once(graph, constant)


def _lookup(node: Node) -> tuple[Node, Node, int] | None:
    """A tensor, the one index that ``node`` looks up in it, and along which dimension."""
    target, args = node.target, args_of(node)
    if target == _aten.index_select.default:
        x, dim, index = args
    elif target == _aten.select.int and isinstance(args[2], Node) and args[2].target == _aten.item.default:
        x, dim, index = args[0], args[1], args_of(args[2])[0]
    elif target == _aten.index.Tensor:
        x, indices = args
        (dim, index), *others = [(d, index) for d, index in enumerate(indices) if index is not None] or [(0, None)]
        if index is None or others:
            return None
    else:
        return None
    rank = len(shape_of(x))
    return (x, index, dim % rank) if rank and index.meta["val"].numel() == 1 else None


def _removes_one(node: Node) -> bool:
    """True for a view without one dimension of size 1."""
    args = args_of(node)
    return (node.target == _aten.select.int and args[2] == 0 and shape_of(args[0])[args[1]] == 1) or (
        node.target == _aten.squeeze.dim and len(shape_of(node)) < len(shape_of(args[0])))


def _permute_once(graph: TorchGraph, constant: Node) -> None:
    """Where all uses of ``constant`` permute a slice of it in the same way: permute it, and take the slices of that."""
    slices = list(constant.users)
    if not slices or any(user.target != dynamic_slice or args_of(user)[0] is not constant for user in slices):
        return
    dim, sizes = args_of(slices[0])[2], shape_of(constant)
    rest = [d for d in range(len(sizes)) if d != dim]
    views = [user for part in slices for user in part.users]
    permuted = [user for view in views for user in view.users]
    orders = {_order(user) for user in permuted}
    if (len(orders) != 1 or None in orders or any(args_of(part)[2] != dim for part in slices)
            or any(not _is_view(view, [sizes[d] for d in rest]) for view in views)):
        return
    (order,) = orders
    assert order is not None
    turned = graph.insert(slices[0], _aten.permute.default, constant, [dim, *(rest[d] for d in order)])
    for node in permuted:
        view = args_of(node)[0]
        index = args_of(args_of(view)[0])[1]
        part = graph.insert(node, dynamic_slice, turned, index, 0)
        graph.replace(node, graph.insert(node, _aten.reshape.default, part, list(shape_of(node))))
    for node in (*views, *slices):
        graph.graph.erase_node(node)


def _is_view(node: Node, sizes: Sequence[int]) -> bool:
    return node.target == _aten.reshape.default and list(shape_of(node)) == list(sizes)


def _order(node: Node) -> tuple[int, ...] | None:
    """The order of dimensions in which ``node`` reads its operand; None if it does more."""
    rank, args = len(shape_of(node)), args_of(node)
    order = list(range(rank))
    if node.target == _aten.permute.default:
        order = [d % rank for d in args[1]]
    elif node.target in (_aten.transpose.int, _aten.t.default):
        first, second = (d % rank for d in args[1:3]) if len(args) > 1 else (0, 1)
        order[first], order[second] = order[second], order[first]
    else:
        return None
    return tuple(order)
