"""Emitters for tensors: fill, broadcast, transpose, index-dependent values, element-wise bodies, reshapes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from math import prod

from hexagon_mlir.ir import arith, ir, linalg, make, tensor
from hexagon_mlir.passes.triton_import import ints
from hexagon_mlir.passes.triton_import.values import Dims, Tensor, varying

_PAIR = 2
DYNAMIC = ir.ShapedType.get_dynamic_size()
Body = Callable[[Sequence[ir.Value], Callable[[int], ir.Value]], Sequence[ir.Value]]


def empty(shape: Sequence[int], element: ir.Type) -> ir.Value:
    """An uninitialised tensor of ``shape``."""
    return tensor.empty(list(shape), element)


def filled(scalar: ir.Value, shape: Sequence[int]) -> ir.Value:
    """A tensor of ``shape`` with every element ``scalar``."""
    return make.fill(scalar, empty(shape, scalar.type)).result


def generic(inputs: Sequence[tuple[ir.Value, Dims]], dims: Dims, shape: Sequence[int],
            elements: Sequence[ir.Type], body: Body) -> list[ir.Value]:
    """A parallel ``linalg.generic`` over ``dims`` (``shape`` gives their extents).

    Each input names the dims its axes run along. ``body`` gets the input scalars and the index of a dimension, and
    returns one scalar for each of ``elements``.
    """
    if is_cube(shape) and all(tuple(of) == tuple(dims) for _, of in inputs):
        return _flat(inputs, dims, shape, elements, body)
    position = {dim: place for place, dim in enumerate(dims)}
    outs = [empty(shape, element) for element in elements]
    rank = len(dims)
    exprs = [ir.AffineDimExpr.get(i) for i in range(rank)]
    maps = [ir.AffineMap.get(rank, 0, [exprs[position[d]] for d in of]) for _, of in inputs]
    maps += [ir.AffineMap.get(rank, 0, exprs)] * len(outs)
    op = linalg.GenericOp(
        [out.type for out in outs], [value for value, _ in inputs], outs,
        ir.ArrayAttr.get([ir.AffineMapAttr.get(m) for m in maps]),
        ir.ArrayAttr.get([ir.Attribute.parse("#linalg.iterator_type<parallel>")] * rank))
    block = op.regions[0].blocks.append(*[v.type.element_type for v, _ in inputs], *elements)
    with ir.InsertionPoint(block):
        index = cache(lambda dim: linalg.IndexOp(position[dim]).result)
        linalg.YieldOp(list(body(list(block.arguments)[: len(inputs)], index)))
    return list(op.results)


def is_cube(shape: Sequence[int]) -> bool:
    """True for the tensors of sorting networks: no dimension but the first has more than two elements."""
    return len(shape) > 1 and all(size == _PAIR for size in shape[1:]) and shape[0] & (shape[0] - 1) == 0


def _flat(inputs: Sequence[tuple[ir.Value, Dims]], dims: Dims, shape: Sequence[int], elements: Sequence[ir.Type],
          body: Body) -> list[ir.Value]:
    """`generic` in one loop over all elements, whose number is a power of two; indices are bits of the element's
    number."""
    i32, last = ir.IntegerType.get_signless(32), len(shape) - 1

    def flat_body(values: Sequence[ir.Value], flat: Callable[[int], ir.Value]) -> Sequence[ir.Value]:
        def index(dim: int) -> ir.Value:
            place = list(dims).index(dim)
            number = arith.shrui(arith.index_cast(i32, flat(0)), ints.value(last - place, i32))
            return arith.index_cast(ints.index_type(), arith.andi(number, ints.value(shape[place] - 1, i32)))

        return body(values, cache(index))

    flattened = [(reshape(value, [prod(shape)]), (0,)) for value, _ in inputs]
    return [reshape(value, shape) for value in generic(flattened, (0,), [prod(shape)], elements, flat_body)]


def scalar_of(node: Tensor) -> ir.Value:
    """The scalar of a uniform ``node``."""
    return ints.value(node.data, node.element)


def dense(node: Tensor, dims: Dims) -> ir.Value:
    """``node`` as a tensor whose axes are ``dims``, which include the node's own; a scalar when there are none."""
    if not dims:
        return scalar_of(node)
    shape = [node.shape[d] for d in dims]
    if node.expression is not None:
        expression = node.expression
        return generic([], dims, shape, [node.element], lambda _, index: [expression(index)])[0]
    if not node.dims:
        return filled(scalar_of(node), shape)
    ordered = tuple(d for d in dims if d in node.dims)
    value = node.data
    if ordered != node.dims:
        order = [node.dims.index(d) for d in ordered]
        out = empty([node.shape[d] for d in ordered], node.element)
        value = linalg.transpose(value, outs=[out], permutation=order).result[0]
    if ordered != dims:
        added = [place for place, d in enumerate(dims) if d not in node.dims]
        out = empty(shape, node.element)
        value = linalg.broadcast(value, outs=[out], dimensions=added).result[0]
    return value


def compact(node: Tensor) -> ir.Value:
    """``node`` over all its dimensions larger than one: the form in which loops and branches carry it."""
    return dense(node, varying(node.shape))


def full(node: Tensor) -> ir.Value:
    """``node`` as a tensor of exactly its TTIR shape."""
    value = compact(node)
    if not varying(node.shape):
        return filled(value, node.shape)
    return reshape(value, node.shape)


def from_full(value: ir.Value, shape: tuple[int, ...]) -> Tensor:
    """The node of a tensor ``value`` with all dimensions of ``shape``, unit ones included."""
    element = value.type.element_type
    return from_compact(collapse_units(value, shape), element, shape)


def from_compact(value: ir.Value, element: ir.Type, shape: tuple[int, ...]) -> Tensor:
    """The node of ``value``, which has no unit dimensions (a scalar when nothing is left)."""
    return Tensor(element, shape, varying(shape), value)


def collapse_units(value: ir.Value, shape: tuple[int, ...]) -> ir.Value:
    """``value`` without its unit dimensions; the element itself when there are no others."""
    kept = [shape[d] for d in varying(shape)]
    if kept:
        return reshape(value, kept)
    zero = ints.value(0, ints.index_type())
    return tensor.extract(value, [zero] * len(shape))


def reshape(value: ir.Value, shape: Sequence[int]) -> ir.Value:
    """``value`` with its elements, in row-major order, laid out as ``shape``."""
    old, new = list(value.type.shape), list(shape)
    if old == new:
        return value
    element = value.type.element_type
    groups = _groups(old, new)
    if groups is None or len(old) == len(new):
        value = _collapse(value, [list(range(len(old)))], [prod(old)], element)
        return reshape(value, new) if len(new) > 1 else value
    type = ir.RankedTensorType.get(new, element)
    if len(old) > len(new):
        return _collapse(value, groups, new, element)
    return tensor.ExpandShapeOp(type, value, groups, [], new).result


def _collapse(value: ir.Value, groups: list[list[int]], shape: list[int], element: ir.Type) -> ir.Value:
    if value.type.rank == 1:
        return value
    return tensor.CollapseShapeOp(ir.RankedTensorType.get(shape, element), value, groups).result


def _groups(old: list[int], new: list[int]) -> list[list[int]] | None:
    """Which axes of the longer shape make up each axis of the shorter one; None when they do not nest."""
    long, short = (old, new) if len(old) >= len(new) else (new, old)
    groups: list[list[int]] = []
    at = 0
    for size in short:
        group: list[int] = []
        product = 1
        while at < len(long) and (product < size or not group):
            product *= long[at]
            group.append(at)
            at += 1
        if product != size:
            return None
        groups.append(group)
    if at < len(long) and groups:
        if prod(long[at:]) != 1:
            return None
        groups[-1] += range(at, len(long))
    return groups
