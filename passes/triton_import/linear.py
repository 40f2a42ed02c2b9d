"""Linear forms of integer tensors in their indices, and arithmetic on these forms."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from hexagon_mlir.ir import ir, tensor
from hexagon_mlir.passes.triton_import import ints
from hexagon_mlir.passes.triton_import.ints import Int
from hexagon_mlir.passes.triton_import.values import Dims, IndexOf, Lane, Linear, Tensor


def linear_of(node: Tensor) -> Linear:
    """``node`` as a linear form; a non-affine part becomes a lane."""
    if node.linear is not None:
        return node.linear
    zero = (0,) * len(node.shape)
    if node.uniform:
        return Linear(node.data, zero)
    return Linear(0, zero, (Lane(node, node.dims),))


def added(a: Linear, b: Linear, type: ir.Type) -> Linear:
    """a + b"""
    strides = tuple(ints.add(x, y, type) for x, y in zip(a.strides, b.strides, strict=True))
    return Linear(ints.add(a.offset, b.offset, type), strides, a.lanes + b.lanes, a.pieces + b.pieces)


def scaled(a: Linear, factor: Int, type: ir.Type) -> Linear:
    """a * factor"""
    lanes = tuple(replace(lane, scale=ints.mul(lane.scale, factor, type)) for lane in a.lanes)
    pieces = tuple(replace(piece, scale=ints.mul(piece.scale, factor, type)) for piece in a.pieces)
    return Linear(ints.mul(a.offset, factor, type), tuple(ints.mul(s, factor, type) for s in a.strides), lanes, pieces)


def converted(a: Linear, source: ir.Type, target: ir.Type) -> Linear:
    """``a`` sign-extended or truncated to ``target``; assumes that no extended value has wrapped."""
    def cast(x: Int) -> Int:
        return ints.cast(x, source, target)

    lanes = tuple(replace(lane, scale=cast(lane.scale)) for lane in a.lanes)
    pieces = tuple(replace(piece, scale=cast(piece.scale), value=_then(piece.value, cast), step=_then(piece.step, cast))
                   for piece in a.pieces)
    return Linear(cast(a.offset), tuple(cast(s) for s in a.strides), lanes, pieces)


def _then(first: Callable[[ir.Value], Int], second: Callable[[Int], Int]) -> Callable[[ir.Value], Int]:
    return lambda i: second(first(i))


def moved(a: Linear, place: Callable[[int], int], rank: int) -> Linear:
    """``a`` with dimension d renamed to ``place(d)`` in a tensor of ``rank`` dimensions."""
    strides: list[Int] = [0] * rank
    for d, stride in enumerate(a.strides):
        if not (ints.known(stride) and stride == 0):
            strides[place(d)] = stride
    lanes = tuple(replace(lane, dims=tuple(place(d) for d in lane.dims)) for lane in a.lanes)
    pieces = tuple(replace(piece, dim=place(piece.dim)) for piece in a.pieces)
    return Linear(a.offset, tuple(strides), lanes, pieces)


def same_shape_of_access(a: Linear, b: Linear) -> bool:
    """True when ``a`` and ``b`` differ in their offset only."""
    return (len(a.strides) == len(b.strides) and len(a.lanes) == len(b.lanes) and len(a.pieces) == len(b.pieces)
            and all(x is y for x, y in zip(a.pieces, b.pieces, strict=True))
            and all(ints.same(x, y) for x, y in zip(a.strides, b.strides, strict=True))
            and all(x.node is y.node and x.dims == y.dims and ints.same(x.scale, y.scale)
                    for x, y in zip(a.lanes, b.lanes, strict=True)))


def value_at(a: Linear, type: ir.Type, index: IndexOf, dims: Dims) -> Int:
    """``a`` at the indices of ``dims``, as a scalar of ``type``; the indices of other dimensions are zero."""
    total = a.offset
    for dim in dims:
        stride = a.strides[dim]
        if not (ints.known(stride) and stride == 0):
            position = ints.cast(index(dim), ints.index_type(), type)
            total = ints.add(total, ints.mul(position, stride, type), type)
    for piece in a.pieces:
        if piece.dim in dims:
            total = ints.add(total, ints.mul(piece.value(index(piece.dim)), piece.scale, type), type)
    for lane in a.lanes:
        total = ints.add(total, ints.mul(read_lane(lane, type, index), lane.scale, type), type)
    return total


def read_lane(lane: Lane, type: ir.Type, index: IndexOf) -> Int:
    """The lane's element at ``index``, converted to ``type``, not scaled."""
    if lane.node.expression is not None:
        place = dict(zip(lane.node.dims, lane.dims, strict=True))
        element = lane.node.expression(lambda d: index(place[d]))
    else:
        element = tensor.extract(lane.node.data, [index(d) for d in lane.dims])
    return ints.cast(element, element.type, type)


def dims_of(a: Linear, shape: tuple[int, ...]) -> Dims:
    """The dimensions of ``shape`` along which ``a`` varies."""
    found = {d for d, s in enumerate(a.strides) if shape[d] != 1 and not (ints.known(s) and s == 0)}
    for lane in a.lanes:
        found.update(lane.dims)
    found.update(piece.dim for piece in a.pieces)
    return tuple(sorted(found))


def as_node(a: Linear, element: ir.Type, shape: tuple[int, ...]) -> Tensor:
    """The tensor that ``a`` describes, computed from the index wherever it is used."""
    dims = dims_of(a, shape)
    if not dims:
        return Tensor(element, shape, (), a.offset, linear=a)

    def expression(index: IndexOf) -> ir.Value:
        return ints.value(value_at(a, element, index, dims), element)

    return Tensor(element, shape, dims, expression=expression, linear=a)
