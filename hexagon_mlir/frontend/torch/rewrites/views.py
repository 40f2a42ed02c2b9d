"""Looks through views, casts and permutations that preserve the order of elements."""

from __future__ import annotations

from math import prod
from typing import Any

import torch
from torch.fx import Node

from hexagon_mlir.frontend.torch.graph import TorchGraph, args_of, dtype_of, shape_of

_aten = torch.ops.aten
VIEWS = frozenset({_aten.view.default, _aten.reshape.default, _aten._unsafe_view.default, _aten.unsqueeze.default,
                   _aten.squeeze.dim, _aten.squeeze.dims, _aten.squeeze.default, _aten.flatten.using_ints})
_SAME = frozenset({_aten.clone.default, _aten.dropout.default, _aten.contiguous.default, _aten.alias.default,
                   _aten._to_copy.default, _aten.to.dtype, _aten.detach.default})


def end_of_views(node: Any, readers: int = 1) -> Node | None:
    """The end of a chain of views and casts that keep the order of elements, each the only reader of the one before."""
    while isinstance(node, Node) and len(node.users) == readers:
        source = same_order(node)
        if source is None:
            break
        node, readers = source, 1
    return node if isinstance(node, Node) and len(node.users) == readers else None


def same_order(node: Node) -> Node | None:
    """The operand of a view or cast that keeps the order of elements, or of permutations that do together."""
    target, source = node.target, args_of(node)[0] if node.args else None
    if not isinstance(source, Node):
        return None
    if target in VIEWS or (target in _SAME and dtype_of(node).is_floating_point):
        return source
    if target == _aten.expand.default:
        return source if prod(shape_of(node)) == prod(shape_of(source)) else None
    if target not in (_aten.permute.default, _aten.transpose.int):
        return None
    order = order_of(node)
    while [d for d in order if shape_of(source)[d] != 1] != sorted(d for d in order if shape_of(source)[d] != 1):
        if len(source.users) != 1 or source.target not in (_aten.permute.default, _aten.transpose.int):
            return None
        order, source = [order_of(source)[d] for d in order], args_of(source)[0]
    return source


def order_of(node: Node) -> list[int]:
    """The dimensions of the operand of a permutation, in the order of the result's."""
    rank = len(shape_of(node))
    if node.target == _aten.permute.default:
        return [d % rank for d in args_of(node)[1]]
    order, (first, second) = list(range(rank)), (d % rank for d in args_of(node)[1:])
    order[first], order[second] = second, first
    return order


def unrepeated(node: Node) -> Node:
    """The operand of ``repeat_kv``, which repeats heads: (..., H, 1, T, D) to (..., H R, T, D)."""
    inner, tail = node, shape_of(node)[-2:]
    while inner.target in VIEWS | {_aten.clone.default, _aten.contiguous.default} and inner.op == "call_function":
        inner = args_of(inner)[0]
    if inner.target != _aten.expand.default:
        return node
    source = args_of(inner)[0]
    sizes, have = shape_of(inner), shape_of(source)
    if len(have) != len(sizes) or sizes[-2:] != tail or len(sizes) < 4:
        return node
    if have == (*sizes[:-3], 1, *tail) and len(shape_of(node)) >= 3:
        return source
    return node


def transposed(graph: TorchGraph, at: Node, key: Node) -> Node:
    """The tensor whose last two dimensions ``key`` swaps; swapped again when ``key`` is none."""
    rank = len(shape_of(key))
    swap = [*range(rank - 2), rank - 1, rank - 2]
    if key.target in (_aten.transpose.int, _aten.permute.default) and order_of(key) == swap:
        return args_of(key)[0]
    return graph.insert(at, _aten.permute.default, key, swap)


def transpose_operand(node: Any) -> Node | None:
    """The operand of ``node`` if that swaps the last two dimensions, perhaps between views of the others with one
    reader each."""
    inner = node
    while isinstance(inner, Node) and len(inner.users) == 1 and shape_of(inner)[-2:] == shape_of(node)[-2:]:
        rank = len(shape_of(inner))
        if inner.target in (_aten.permute.default, _aten.transpose.int):
            swaps = rank > 1 and order_of(inner) == [*range(rank - 2), rank - 1, rank - 2]
            return args_of(inner)[0] if swaps else None
        if inner.target not in VIEWS | _SAME:
            return None
        inner = args_of(inner)[0]
    return None


def operands_swapped(graph: TorchGraph, node: Node, right: Node) -> Node:
    """The product ``left @ right^T`` of ``node`` as ``right @ left^T``, of which ``node`` becomes a view."""
    left, dead = args_of(node)
    *lead, rows, columns = shape_of(dead)
    first = graph.insert(node, _aten.reshape.default, right, [*lead, columns, rows])
    product = graph.insert(node, node.target, first, transposed(graph, node, left))
    graph.replace(node, graph.insert(node, _aten.transpose.int, product, -2, -1))
    while dead is not right and not dead.users:
        source = args_of(dead)[0]
        graph.graph.erase_node(dead)
        dead = source
    return product
