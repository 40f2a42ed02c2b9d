"""Shape operations: most only rename dimensions; the rest move data."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, TypeVar, cast

from hexagon_mlir.ir import ir, tensor
from hexagon_mlir.passes.triton_import import build, elementwise, ints, linear, masks, views
from hexagon_mlir.passes.triton_import.values import Choice, IndexOf, Known, Linear, Pointer, Tensor, varying

Node = TypeVar("Node", bound=Known)


def make_range(start: int, end: int, element: ir.Type) -> Tensor:
    """``start, start + 1, .. end - 1``"""
    shape = (end - start,)
    return linear.as_node(Linear(start, (1 if shape[0] != 1 else 0,)), element, shape)


def splat(node: Known, shape: tuple[int, ...]) -> Known:
    """The scalar ``node`` in every element of ``shape``."""
    if isinstance(node, Pointer):
        return replace(node, shape=shape, linear=replace(node.linear, strides=(0,) * len(shape)))
    assert isinstance(node, Tensor)
    return Tensor(node.element, shape, (), node.data)


def renamed(node: Known, shape: tuple[int, ...], place: Callable[[int], int]) -> Known:
    """``node`` with dimension d as dimension ``place(d)`` of ``shape``."""
    if isinstance(node, Choice):
        return Choice(*(cast(Any, renamed(part, shape, place)) for part in (node.condition, node.a, node.b)))
    if isinstance(node, Pointer):
        base = renamed(node.base, shape, place) if isinstance(node.base, Tensor) else node.base
        return replace(node, base=base, shape=shape, linear=linear.moved(node.linear, place, len(shape)))
    assert isinstance(node, Tensor)
    moved = {place(d): d for d in node.dims}
    inner = node.expression

    def expression(index: IndexOf) -> ir.Value:
        return inner(lambda d: index(place(d)))

    return Tensor(
        node.element, shape, tuple(place(d) for d in node.dims) if inner is None else tuple(sorted(moved)), node.data,
        expression if inner is not None else None,
        linear.moved(node.linear, place, len(shape)) if node.linear is not None else None,
        masks.moved(node.mask, place) if node.mask is not None else None, node.pairs,
        one=(place(node.one[0]), node.one[1]) if node.one is not None else None)


def expand_dims(node: Known, axis: int) -> Known:
    """A new dimension of one element at ``axis``."""
    shape = (*node.shape[:axis], 1, *node.shape[axis:])
    result = renamed(node, shape, lambda d: d if d < axis else d + 1)
    return replace(result, half=node.half) if isinstance(node, Tensor) and isinstance(result, Tensor) else result


def broadcast(node: Known, shape: tuple[int, ...]) -> Known:
    """``node`` repeated along its unit dimensions."""
    return renamed(node, shape, lambda d: d)


def transpose(node: Node, order: list[int]) -> Node:
    """Dimension ``order[i]`` becomes dimension i."""
    shape = tuple(node.shape[d] for d in order)
    return cast(Node, renamed(node, shape, order.index))


def reshape(node: Known, shape: tuple[int, ...]) -> Known:
    """The elements of ``node`` in row-major order as ``shape``."""
    old, new = varying(node.shape), varying(shape)
    if [node.shape[d] for d in old] == [shape[d] for d in new]:
        place = dict(zip(old, new, strict=True))
        same = renamed(node, shape, lambda d: place.get(d, 0))
        return replace(same, padded=node.padded) if isinstance(node, Tensor) and isinstance(same, Tensor) else same
    if isinstance(node, Choice):
        return Choice(*(cast(Any, reshape(part, shape)) for part in (node.condition, node.a, node.b)))
    if isinstance(node, Pointer):
        index = ints.index_type()
        offsets = reshape(linear.as_node(node.linear, index, node.shape), shape)
        assert isinstance(offsets, Tensor)
        base = reshape(node.base, shape) if isinstance(node.base, Tensor) else node.base
        return replace(node, base=base, shape=shape, linear=linear.linear_of(offsets))
    assert isinstance(node, Tensor)
    if node.uniform:
        return Tensor(node.element, shape, (), node.data)
    result = build.from_compact(build.reshape(build.compact(node), [shape[d] for d in new]), node.element, shape)
    return replace(result, padded=node.padded)


def join(a: Tensor, b: Tensor) -> Tensor:
    """``a`` and ``b`` along a new last dimension of two."""
    rank, shape = len(a.shape), (2, *a.shape)
    out = build.empty(shape, a.element)
    for place, node in enumerate((a, b)):  # whole copies, one after the other, and then a transpose
        out = views.placed(build.full(expand_dims(node, 0)), out, [place] + [0] * rank, [1, *a.shape])
    return transpose(build.from_full(out, shape), [*range(1, rank + 1), 0])


def split(node: Tensor) -> list[Tensor]:
    """The two halves of a last dimension of two."""
    value, shape = build.full(node), node.shape[:-1]
    halves = [views.slice_of(value, [0] * len(shape) + [place], [*shape, 1], list(range(len(shape) + 1)))
              for place in (0, 1)]
    return [build.from_full(half, (*shape, 1)) if not shape else
            replace(build.from_full(half, (*shape, 1)), shape=shape) for half in halves]


def cat(a: Tensor, b: Tensor) -> Tensor:
    """``a`` and ``b`` concatenated along the first dimension."""
    shape = (a.shape[0] + b.shape[0], *a.shape[1:])
    out = build.empty(shape, a.element)
    for start, node in ((0, a), (a.shape[0], b)):
        out = views.placed(build.full(node), out, [start] + [0] * (len(shape) - 1), list(node.shape))
    return build.from_full(out, shape)


def gather(source: Tensor, indices: Tensor, axis: int) -> Tensor:
    """``source`` at ``indices`` along ``axis``, at the element's own position along the others."""
    shape, own = indices.shape, varying(source.shape)
    dims = varying(shape)
    if not own:
        return Tensor(source.element, shape, (), build.scalar_of(source))
    data = build.dense(source, own)

    def pick(position: ir.Value, index: Callable[[int], ir.Value]) -> ir.Value:
        position = ints.cast(position, position.type, ints.index_type())
        return tensor.extract(data, [position if d == axis else index(d) for d in own])

    if not dims:
        return Tensor(source.element, shape, (), pick(build.scalar_of(indices), lambda d: None))
    stored = bool(indices.dims) and indices.expression is None

    def body(arguments: Sequence[ir.Value], index: IndexOf) -> list[ir.Value]:
        return [pick(arguments[0] if stored else elementwise.at(indices, index), index)]

    inputs = [(indices.data, indices.dims)] if stored else []
    value = build.generic(inputs, dims, [shape[d] for d in dims], [source.element], body)[0]
    return Tensor(source.element, shape, dims, value)
