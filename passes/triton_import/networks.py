"""Sorting networks, as Triton's libraries write them: steps compare each element with one a power of two away.

Triton computes that neighbour along a dimension of two as the xor of an element with the xor of both; other libraries
compute the first and the second of a pair as sums of products with 0 and 1. In memory the neighbour is a fixed number
of elements before or after, and is loaded from there. A product with 0 is taken as 0 and one with 1 as the number
itself, for floats too, where an infinity would make the sum NaN and legacy qfloat does not multiply by 1 exactly.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import prod
from typing import TYPE_CHECKING

from hexagon_mlir.ir import arith, ir
from hexagon_mlir.passes.triton_import import build, elementwise, ints, margins, types, views
from hexagon_mlir.passes.triton_import.values import Half, Pairs, Tensor, varying

if TYPE_CHECKING:
    from hexagon_mlir.passes.triton_import.translate import Translator

_PAIR = 2
_PRODUCTS = frozenset({"arith.muli", "arith.mulf"})
_TO_FLOAT = frozenset({"arith.sitofp", "arith.uitofp"})
_SUMS = frozenset({"arith.addi", "arith.addf"})


def step_of(op: ir.Operation, nodes: Sequence[Tensor], shape: tuple[int, ...]) -> Tensor | None:
    """The result of ``op`` on ``nodes`` where it is part of a step of a network; None for other operations."""
    if op.name == "arith.xori":
        return _exchanged(*nodes)
    if not build.is_cube([n for n in shape if n != 1]):
        return None
    if op.name == "arith.select":
        chosen, = elementwise.apply(nodes, [nodes[1].element], shape, lambda c, x, y: arith.select(c, x, y))
        exchanged = any(_xor_axis(user) is not None for user in _users(op.results[0]))
        return chosen if exchanged else margins.in_memory(chosen)
    inverted = op.name == "arith.cmpi" and nodes[0].element.width == 1
    if not inverted or ir.IntegerAttr(op.attributes["predicate"]).value != arith.CmpIPredicate.ne.value:
        return None
    word = ir.IntegerType.get_signless(32)

    def differ(a: ir.Value, b: ir.Value) -> ir.Value:
        x, y = (arith.extui(word, v) for v in (a, b))
        return arith.cmpi(arith.CmpIPredicate.ne, arith.xori(x, y), ints.value(0, word))

    return elementwise.apply(nodes, [nodes[0].element], shape, differ)[0]


# -- neighbours by xor -----------------------------------------------------------------------------------------------

def with_pairs(t: Translator, op: ir.Operation, result: Tensor) -> Tensor:
    """``result``, the xor of an operand along an axis; its `Pairs` are recorded where the axis has two elements."""
    axis, node = ir.IntegerAttr(op.attributes["axis"]).value, t.tensor(op.operands[0])
    if node.shape[axis] != _PAIR or not node.dims or node.dims != varying(node.shape):
        return result
    step = prod(node.shape[axis + 1:])
    keep(t, op.operands[0], step)
    return replace(result, pairs=Pairs(t.tensor(op.operands[0]), step))


def _exchanged(a: Tensor, b: Tensor) -> Tensor | None:
    """``a`` xor ``b`` where that is the neighbour of each element of one of them; else None."""
    node, pairs = (a, b.pairs) if b.pairs is not None else (b, a.pairs)
    if pairs is None or pairs.node is not node or node.shape != (a if node is b else b).shape:
        return None
    return margins.of_pairs(node, pairs.step, (-1, 1), arith.select)


def _xor_axis(op: ir.Operation) -> int | None:
    """The axis along which ``op`` is the xor of two."""
    if op.name != "tt.reduce":
        return None
    axis = ir.IntegerAttr(op.attributes["axis"]).value
    inside = op.regions[0].blocks[0].operations[0].operation
    return axis if inside.name == "arith.xori" and types.split(op.operands[0].type)[0][axis] == _PAIR else None


# -- halves by products ----------------------------------------------------------------------------------------------

def keep_for_halves(t: Translator, op: ir.Operation) -> None:
    """Give the operand of ``op``, a reshape, a margin where halves of the result are selected."""
    shape = types.split(op.results[0].type)[0]
    products = [user for user in _users(op.results[0]) if user.name in _PRODUCTS]
    sums = [use.owner.operation for product in products for use in product.results[0].uses]
    axes = {ir.IntegerAttr(user.attributes["axis"]).value for user in sums if user.name == "tt.reduce"}
    if len(axes) == 1 and shape[axis := axes.pop()] == _PAIR:
        keep(t, op.operands[0], prod(shape[axis + 1:]))


def known(op: ir.Operation, nodes: Sequence[Tensor], result: Tensor) -> Tensor:
    """``result`` of ``op`` on ``nodes``; records where it is 0 and 1, or the operand of a product with such a
    tensor."""
    if op.name in _TO_FLOAT:
        return replace(result, one=_place_of_one(nodes[0]))
    for node, factor in (nodes, nodes[::-1]) if op.name in _PRODUCTS else ():
        if (place := _place_of_one(factor)) is not None:
            return replace(result, product=Half(node, *place))
    return result


def half(node: Tensor, axis: int, operation: str | None) -> Tensor | None:
    """The sum of ``node`` along ``axis``, where that is one half of another tensor; else None."""
    found = node.product
    if found is None or found.axis != axis or operation not in _SUMS:
        return None
    source, shape = found.node, (*node.shape[:axis], *node.shape[axis + 1:])
    offsets, sizes = [0] * len(shape), list(source.shape)
    offsets.insert(axis, found.place)
    sizes[axis] = 1
    kept = [d for d in range(len(sizes)) if d != axis]
    value = views.slice_of(build.full(source), offsets, sizes, kept) if shape else None
    if value is None:
        return None
    return replace(build.from_full(value, shape), half=found)


def spread(node: Tensor, shape: tuple[int, ...]) -> Tensor | None:
    """``node``, a half with a dimension of one in place of that of two, in both places of ``shape``; else None."""
    found = node.half
    if found is None or shape != found.node.shape or node.shape[found.axis] != 1:
        return None
    step = prod(shape[found.axis + 1:])
    if found.node.padded is None or found.node.padded.margin != step:
        return None
    places = (-1, 0) if found.place == 0 else (0, 1)
    return margins.of_pairs(found.node, step, places, arith.select)


def _place_of_one(node: Tensor) -> tuple[int, int] | None:
    """Axis and index at which ``node`` is 1, if it is 0 at the other index of that axis, whatever the others are."""
    if node.one is not None:
        return node.one
    if node.linear is None or node.linear.lanes or node.linear.pieces:
        return None
    axes = [d for d, stride in enumerate(node.linear.strides) if stride not in (0,)]
    if len(axes) != 1 or node.shape[axes[0]] != _PAIR:
        return None
    ends = (node.linear.offset, node.linear.strides[axes[0]])
    return (axes[0], 1) if ends == (0, 1) else (axes[0], 0) if ends == (1, -1) else None


# -- what a step reads -----------------------------------------------------------------------------------------------

def keep(t: Translator, value: ir.Value, margin: int) -> None:
    """Store ``value``, and the values of which it is a bitcast, in memory with ``margin``."""
    node = t.tensor(value)
    if node.padded is not None and node.padded.margin == margin:
        return
    owner = value.owner
    if isinstance(owner, ir.Operation | ir.OpView) and owner.operation.name == "tt.bitcast":
        source = owner.operation.operands[0]
        if not isinstance(known := t.of(source), Tensor) or _bits(known) != _bits(node):
            return
        keep(t, source, margin)
        node = elementwise.apply([t.tensor(source)], [node.element], node.shape,
                                 lambda x: arith.bitcast(node.element, x))[0]
        t.known[value] = replace(node, padded=t.tensor(source).padded)
    elif _bits(node) > 1 and node.dims == varying(node.shape):
        t.known[value] = margins.in_memory(node, margin)


def _bits(node: Tensor) -> int:
    return node.element.width


def _users(value: ir.Value) -> Iterator[ir.Operation]:
    """The operations that read ``value``, or its bits as numbers of another type."""
    for use in value.uses:
        op = use.owner.operation
        if op.name == "tt.bitcast":
            yield from _users(op.results[0])
        else:
            yield op
