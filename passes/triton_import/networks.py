"""Sorting networks, as Triton writes them: each step compares an element with its neighbour along a dimension of two.

Triton finds that neighbour as the xor of an element with the xor of both. In memory it is a fixed number of elements
before or behind, and taken from there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import prod

from hexagon_mlir.ir import arith, bufferization, ir, memref
from hexagon_mlir.passes.triton_import import build, elementwise, ints, views
from hexagon_mlir.passes.triton_import.values import IndexOf, Pairs, Tensor

_PAIR = 2


def with_pairs(result: Tensor, node: Tensor, axis: int) -> Tensor:
    """``result``, the xor of ``node`` along ``axis``, which remembers what it is of where that has two elements."""
    if node.shape[axis] != _PAIR or not node.dims:
        return result
    return replace(result, pairs=Pairs(node, prod(node.shape[axis + 1:])))


def step_of(op: ir.Operation, nodes: Sequence[Tensor], shape: tuple[int, ...]) -> Tensor | None:
    """What ``op`` on ``nodes`` gives where it is part of a step of a network; None for other operations."""
    if op.name == "arith.xori":
        return _exchanged(*nodes)
    if not build.is_cube([n for n in shape if n != 1]):
        return None
    if op.name == "arith.select":
        chosen, = elementwise.apply(nodes, [nodes[1].element], shape, lambda c, x, y: arith.select(c, x, y))
        return _in_memory(chosen)
    turned = op.name == "arith.cmpi" and nodes[0].element.width == 1
    if not turned or ir.IntegerAttr(op.attributes["predicate"]).value != arith.CmpIPredicate.ne.value:
        return None
    word = ir.IntegerType.get_signless(32)
    wide = [node if node.expression is None else _in_memory(build.from_compact(build.compact(elementwise.apply(
        [node], [word], shape, lambda x: arith.extui(word, x), cheap=True)[0]), word, shape)) for node in nodes]

    def differ(a: ir.Value, b: ir.Value) -> ir.Value:
        x, y = (v if v.type == word else arith.extui(word, v) for v in (a, b))
        return arith.cmpi(arith.CmpIPredicate.ne, arith.xori(x, y), ints.value(0, word))

    return elementwise.apply(wide, [nodes[0].element], shape, differ)[0]


def _in_memory(node: Tensor) -> Tensor:
    """``node`` as a buffer: the ops that read it do not compute it again, step within step."""
    if node.data is None or not node.dims:
        return node
    shape = [node.shape[d] for d in node.dims]
    buffer = memref.alloc(ir.MemRefType.get(shape, node.element), [], [])
    bufferization.MaterializeInDestinationOp(None, node.data, buffer, restrict=True, writable=True)
    value = bufferization.ToTensorOp(ir.RankedTensorType.get(shape, node.element), buffer, restrict=True,
                                     writable=True).result
    return replace(node, data=value)


def _exchanged(a: Tensor, b: Tensor) -> Tensor | None:
    """``a`` xor ``b`` where that is the neighbour of each element of one of them; else None."""
    node, pairs = (a, b.pairs) if b.pairs is not None else (b, a.pairs)
    if pairs is None or pairs.node is not node or node.shape != (a if node is b else b).shape:
        return None
    step, size, type = pairs.step, prod(node.shape), node.element
    flat = build.reshape(build.compact(node), [size])
    zeros = build.filled(ints.value(0, type), [size + _PAIR * step])
    room = views.placed(flat, zeros, [step], [size])
    before, behind = (views.slice_of(room, [start], [size], [0]) for start in (0, _PAIR * step))
    i32 = ir.IntegerType.get_signless(32)

    def choose(values: Sequence[ir.Value], index: IndexOf) -> list[ir.Value]:
        number = arith.shrui(arith.index_cast(i32, index(0)), ints.value(step.bit_length() - 1, i32))
        bit = ints.cast(arith.andi(number, ints.value(1, i32)), i32, type)
        is_second = arith.cmpi(arith.CmpIPredicate.ne, bit, ints.value(0, type))
        return [arith.select(is_second, *values)]

    value, = build.generic([(before, (0,)), (behind, (0,))], (0,), [size], [type], choose)
    return build.from_compact(build.reshape(value, [n for n in node.shape if n != 1]), type, node.shape)
