"""Tensors of which one dimension is computed with as two: groups of elements, and the elements of a group."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from hexagon_mlir.ir import arith, ir
from hexagon_mlir.passes.triton_import import build, ints
from hexagon_mlir.passes.triton_import.values import Dims, Expanded, IndexOf, Tensor


def common(nodes: Sequence[Tensor]) -> tuple[int, int] | None:
    """(axis, size of a group) as which ``nodes`` are computed with: the largest groups of any of them."""
    found = [(node.expanded.axis, node.expanded.node.shape[node.expanded.axis + 1])
             for node in nodes if node.expanded is not None]
    return max(found, key=lambda one: one[1], default=None)


def expand(node: Tensor, axis: int, size: int) -> Tensor:
    """``node`` with dimension ``axis`` as two, the second one of ``size``."""
    known = node.expanded
    shape = _split(node.shape, axis, size)
    if known is not None and known.axis != axis:
        inner = expand(known.node, axis + (axis > known.axis), size)
        return collapse(inner, known.axis + (known.axis > axis))
    if known is not None and known.node.shape == shape:
        return known.node
    if known is not None and size % known.node.shape[axis + 1] == 0:
        return collapse(expand(known.node, axis, size // known.node.shape[axis + 1]), axis + 1)
    dims = _dims(node, axis)
    if node.expression is not None:
        expression = node.expression

        def at(index: IndexOf) -> ir.Value:
            def place(dim: int) -> ir.Value:
                if dim != axis:
                    return index(dim + (dim > axis))
                number = ints.value(size, ints.index_type())
                return arith.addi(arith.muli(index(axis), number), index(axis + 1))

            return expression(place)

        return Tensor(node.element, shape, tuple(sorted(dims)), expression=at)
    data = node.data
    if axis in node.dims:
        data = build.reshape(data, [shape[d] for d in dims])
    return Tensor(node.element, shape, dims, data)


def collapse(node: Tensor, axis: int) -> Tensor:
    """``node`` with dimension ``axis`` and the one after it as one."""
    shape = (*node.shape[:axis], prod(node.shape[axis:axis + 2]), *node.shape[axis + 2:])
    dims = set(node.dims) | {axis, axis + 1} if {axis, axis + 1} & set(node.dims) else set(node.dims)
    own = tuple(sorted({d - (d > axis) for d in dims}))
    if node.uniform:
        return Tensor(node.element, shape, (), node.data)
    data = build.dense(node, tuple(sorted(dims)))
    return Tensor(node.element, shape, own, build.reshape(data, [shape[d] for d in own]), expanded=Expanded(node, axis))


def _split(shape: tuple[int, ...], axis: int, size: int) -> tuple[int, ...]:
    return (*shape[:axis], shape[axis] // size, size, *shape[axis + 1:])


def _dims(node: Tensor, axis: int) -> Dims:
    """The dimensions along which ``node`` varies, after `_split`."""
    return tuple(new for d in node.dims for new in ((d, d + 1) if d == axis else (d + (d > axis),)))
