"""Products and convolutions of integers, on operands as narrow as their values: bytes are multiplied four at a time.

PyTorch multiplies integers of one type, so that quantized models widen their bytes first and subtract zero points.
Sums of 32 bits are those of PyTorch modulo 2^32, whatever the width of the operands.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Any

import torch
from torch.fx import Node

from hexagon_mlir.frontend.torch.graph import TorchGraph, args_of, dtype_of, shape_of
from hexagon_mlir.frontend.torch.kernels.integers import integer_product

_aten = torch.ops.aten
_PRODUCTS = frozenset({_aten.mm.default, _aten.bmm.default, _aten.matmul.default})
_NARROW = (torch.int8, torch.int16, torch.int32)
INTEGERS = frozenset({*_NARROW, torch.uint8, torch.int64})
_MOVES = frozenset({
    _aten.reshape.default, _aten.view.default, _aten._unsafe_view.default, _aten.permute.default,
    _aten.transpose.int, _aten.t.default, _aten.expand.default, _aten.unsqueeze.default, _aten.squeeze.dim,
    _aten.clone.default, _aten.slice.Tensor,
})
"""Calls whose result holds elements of the first argument, whatever their type."""


@dataclass(frozen=True)
class Operands:
    """``x`` and ``weight`` have one type with sign, or ``x`` has unsigned bytes, whose first bit the kernel flips.

    Elements of ``x`` that the kernel multiplies are ``zero`` more than those of the model.
    """

    x: Node
    weight: Node
    zero: int


def integer_products(graph: TorchGraph) -> None:
    """Matrix products of integers sum in 32 bits, where that is enough."""
    for node in list(graph.graph.nodes):
        if node.target not in _PRODUCTS or dtype_of(node) not in INTEGERS:
            continue
        shapes = [shape_of(factor) for factor in args_of(node)]
        if min(map(len, shapes)) < 2 or (len(shapes[1]) > 2 and shapes[0][:-2] != shapes[1][:-2]):
            continue
        if len(shapes[1]) > 2:
            batch = prod(shapes[0][:-2])
            shapes = [(batch, *shape[-2:]) for shape in shapes]
        else:
            shapes[0] = (prod(shapes[0][:-1]), shapes[0][-1])
        x, weight = (_reshaped(graph, node, value, shape) for value, shape in zip(args_of(node), shapes, strict=True))
        operands = integer_operands(graph, node, x, weight, shapes[0][-1])
        if operands is not None:
            start = start_of_sums(graph, node, operands, [-2], (*shapes[1][:-2], shapes[1][-1]))
            last, start = _less_constant(graph, node, start)
            result = graph.insert(last, integer_product, operands.x, operands.weight, start)
            result = _reshaped(graph, last, result, shape_of(node))
            graph.replace(last, converted(graph, last, result, dtype_of(node)))


def _less_constant(graph: TorchGraph, product: Node, start: Node) -> tuple[Node, Node]:
    """The call that subtracts a constant from each row of ``product``, if nothing else reads that, and ``start`` less
    the constant; else both as they are. torchao does so with sums of weights on hosts with VNNI instructions.
    """
    user = next(iter(product.users)) if len(product.users) == 1 else product
    if user.target != _aten.sub.Tensor or user.args[0] is not product or user.kwargs or shape_of(start) == ():
        return product, start
    other, size = user.args[1], shape_of(start)
    if not isinstance(other, Node) or not graph.is_constant(other) or dtype_of(other) != dtype_of(user):
        return product, start
    if len(size) != 1 or shape_of(other) not in (size, (1, *size)) or shape_of(user) != shape_of(product):
        return product, start
    row = converted(graph, user, _reshaped(graph, user, other, size), torch.int32)
    return user, graph.insert(user, _aten.sub.Tensor, start, row)


def integer_operands(graph: TorchGraph, at: Node, x: Node, weight: Node, steps: int) -> Operands | None:
    """What to multiply for ``at``, which sums ``steps`` products; None when the sums may need 64 bits."""
    (left, zero), (right, offset) = _narrowed(graph, at, x), _narrowed(graph, at, weight)
    if offset:
        right = weight  # the sums of the rows of x would be needed
    kind = max(_with_sign(dtype_of(right)), torch.int8 if dtype_of(left) == torch.uint8 else dtype_of(left),
               key=lambda kind: kind.itemsize)
    if kind not in _NARROW:
        return None
    largest = (_limits(dtype_of(left))[1] + 1 + abs(zero)) * (_limits(dtype_of(right))[1] + 1)
    if dtype_of(at) == torch.int64 and steps * largest >= 1 << 31:
        return None
    if dtype_of(left) == torch.uint8 and kind == torch.int8:
        return Operands(left, converted(graph, at, right, kind), zero - 128)
    return Operands(converted(graph, at, left, kind), converted(graph, at, right, kind), zero)


def start_of_sums(graph: TorchGraph, at: Node, operands: Operands, summed: list[int], shape: tuple[int, ...],
                  bias: Node | None = None) -> Node:
    """``bias`` less what ``zero`` adds to the sums: ``zero`` times those of the weight over dimensions ``summed``.

    ``shape`` is its shape; it is i32, and constant where the weight is.
    """
    if bias is not None:
        bias = converted(graph, at, bias, torch.int32)
    if not operands.zero:
        return bias or graph.add_constant(torch.zeros(shape, dtype=torch.int32), "no_bias")
    total = graph.insert(at, _aten.sum.dim_IntList, operands.weight, summed, dtype=torch.int32)
    extra = graph.insert(at, _aten.mul.Tensor, total, -operands.zero)
    return extra if bias is None else graph.insert(at, _aten.add.Tensor, bias, extra)


def converted(graph: TorchGraph, at: Node, value: Node, kind: torch.dtype) -> Node:
    """``value`` in type ``kind``."""
    return value if dtype_of(value) == kind else graph.insert(at, _aten._to_copy.default, value, dtype=kind)


def _reshaped(graph: TorchGraph, at: Node, value: Node, shape: tuple[int, ...]) -> Node:
    return value if shape_of(value) == shape else graph.insert(at, _aten.reshape.default, value, list(shape))


def _narrowed(graph: TorchGraph, at: Node, node: Node) -> tuple[Node, int]:
    """A tensor of the narrowest type known to hold the elements of ``node``, and the offset added to them."""
    if graph.is_constant(node):
        return _narrow_constant(graph, node), 0
    if node.op != "call_function":
        return node, 0
    source = args_of(node)[0] if node.args else None
    if not isinstance(source, Node) or dtype_of(source) not in INTEGERS:
        return node, 0
    low, high = _limits(dtype_of(source))
    first, last = _limits(dtype_of(node)) if dtype_of(node) in INTEGERS else (0, 0)
    if node.target == _aten._to_copy.default and first <= low and high <= last:
        return _narrowed(graph, at, source)
    if node.target in _MOVES:
        inner, zero = _narrowed(graph, at, source)
        return (node, 0) if inner is source else (graph.insert(at, node.target, inner, *node.args[1:],
                                                               **node.kwargs), zero)
    by = _subtracted(graph, node)
    if by is not None and dtype_of(node) == dtype_of(source):
        inner, zero = _narrowed(graph, at, source)
        low, high = _limits(dtype_of(inner))
        kept = torch.int8 if dtype_of(inner) == torch.uint8 else dtype_of(inner)
        shown = zero + by - (128 if dtype_of(inner) == torch.uint8 else 0)
        if first <= low - zero - by and high - zero - by <= last and _limits(kept)[0] <= shown <= _limits(kept)[1]:
            return inner, zero + by
    return node, 0


def _narrow_constant(graph: TorchGraph, node: Node) -> Node:
    value = graph.value(node)
    if dtype_of(node) not in INTEGERS or not value.numel():
        return node
    low, high = int(value.min()), int(value.max())
    kind = next((k for k in _NARROW if _limits(k)[0] <= low and high <= _limits(k)[1]), value.dtype)
    return node if kind == value.dtype else graph.add_constant(value.to(kind), "narrow")


def _subtracted(graph: TorchGraph, node: Node) -> int | None:
    """The number that ``node`` subtracts from all elements of its first argument; None when it does not."""
    if node.target not in (_aten.sub.Tensor, _aten.add.Tensor) or node.kwargs or len(node.args) != 2:
        return None
    by: Any = args_of(node)[1]
    if graph.is_constant(by) and graph.value(by).numel() == 1 and shape_of(node) == shape_of(args_of(node)[0]):
        by = graph.value(by).item()
    if not isinstance(by, int) or isinstance(by, bool):
        return None
    return by if node.target == _aten.sub.Tensor else -by


def _with_sign(kind: torch.dtype) -> torch.dtype:
    return torch.int16 if kind == torch.uint8 else kind


def _limits(kind: torch.dtype) -> tuple[int, int]:
    return torch.iinfo(kind).min, torch.iinfo(kind).max
