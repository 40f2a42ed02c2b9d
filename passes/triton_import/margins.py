"""Tensors in memory with a margin, so that elements at a fixed distance are plain loads, too."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import prod

from hexagon_mlir.ir import arith, bufferization, ir, make, memref
from hexagon_mlir.passes.triton_import import build, ints, views
from hexagon_mlir.passes.triton_import.values import IndexOf, Padded, Tensor, varying

Choose = Callable[[ir.Value, ir.Value, ir.Value], ir.Value]
"""(whether the element is the second of its pair, two other elements) -> one of the two."""


def in_memory(node: Tensor, margin: int = 0) -> Tensor:
    """``node`` as a buffer, so that the steps that read it do not recompute it.

    ``margin`` elements before and after are zeros, which are read and never chosen.
    """
    if not node.dims or (node.data is None and not margin):
        return node
    count, shape = prod(node.shape), [n for n in node.shape if n != 1]
    whole = ir.MemRefType.get([count + 2 * margin], node.element)
    buffer = memref.alloc(whole, [], [])
    if margin:
        zero = ints.value(0, node.element) if isinstance(node.element, ir.IntegerType) else arith.constant(
            node.element, 0.0)
        make.fill(zero, _view(buffer, 0, [2, margin], [count + margin, 1]))
    _write(build.reshape(build.compact(node), [count]), _view(buffer, margin, [count], [1]))
    tensor = ir.RankedTensorType.get(whole.shape, node.element)
    value = bufferization.ToTensorOp(tensor, buffer, restrict=True, writable=not margin).result
    own = build.reshape(views.slice_of(value, [margin], [count], [0]), shape)
    padded = Padded(value, margin) if margin else None
    return replace(node, dims=varying(node.shape), data=own, expression=None, padded=padded)


def _view(buffer: ir.Value, offset: int, sizes: list[int], strides: list[int]) -> ir.Value:
    """Some of a flat ``buffer``; itself, if that is all of it."""
    if sizes == ir.MemRefType(buffer.type).shape:
        return buffer
    layout = ir.StridedLayoutAttr.get(offset, strides)
    type = ir.MemRefType.get(sizes, ir.MemRefType(buffer.type).element_type, layout=layout)
    return memref.ReinterpretCastOp(type, buffer, [], [], [], [offset], sizes, strides).result


def _write(value: ir.Value, buffer: ir.Value) -> None:
    bufferization.MaterializeInDestinationOp(None, value, buffer, restrict=True, writable=True)


def of_pairs(node: Tensor, step: int, places: tuple[int, int], choose: Choose) -> Tensor:
    """``choose`` applied to the two elements ``places`` times ``step`` away from each element of ``node``.

    Elements ``step`` apart form pairs; the margin of ``node`` is ``step``.
    """
    assert node.padded is not None and node.padded.margin == step
    padded, size = node.padded.value, prod(node.shape)
    slices = [views.slice_of(padded, [step + place * step], [size], [0]) for place in places]
    i32 = ir.IntegerType.get_signless(32)

    def body(values: Sequence[ir.Value], index: IndexOf) -> list[ir.Value]:
        bit = arith.andi(arith.index_cast(i32, index(0)), ints.value(step, i32))
        second = arith.cmpi(arith.CmpIPredicate.ne, bit, ints.value(0, i32))
        chosen = choose(second, *values)
        return [chosen if chosen.type == node.element else arith.bitcast(node.element, chosen)]

    value, = build.generic([(part, (0,)) for part in slices], (0,), [size], [node.element], body)
    return build.from_compact(build.reshape(value, [n for n in node.shape if n != 1]), node.element, node.shape)
