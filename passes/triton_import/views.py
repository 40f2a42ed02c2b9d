"""Memory views: strided windows on a bare pointer, and sub-windows of buffers and tensors."""

from __future__ import annotations

from collections.abc import Sequence

from hexagon_mlir.ir import ir, memref, tensor
from hexagon_mlir.passes.triton_import import ints
from hexagon_mlir.passes.triton_import.build import DYNAMIC
from hexagon_mlir.passes.triton_import.ints import Int


def window(base: ir.Value, offset: Int, sizes: Sequence[int], strides: Sequence[Int]) -> ir.Value:
    """A view of ``sizes`` elements with ``strides``, starting ``offset`` elements after the pointer ``base``."""
    if ints.known(offset) and offset < 0:  # no static attribute holds it
        offset = ints.value(offset, ints.index_type())
    layout = ir.StridedLayoutAttr.get(_static(offset), [_static(s) for s in strides])
    type = ir.MemRefType.get(list(sizes), base.type.element_type, layout=layout)
    return memref.ReinterpretCastOp(
        type, base, _values([offset]), [], _values(strides),
        [_static(offset)], list(sizes), [_static(s) for s in strides]).result


def element(base: ir.Value, offset: Int) -> ir.Value:
    """A view of the one element at ``offset`` from ``base``."""
    return window(base, offset, [1], [1])


def part(buffer: ir.Value, offsets: Sequence[Int], sizes: Sequence[Int], kept: Sequence[int]) -> ir.Value:
    """The sub-window of ``buffer`` at ``offsets``; only the axes ``kept`` remain (the others have size one)."""
    type = ir.MemRefType(buffer.type)
    strides, start = type.get_strides_and_offset()
    if list(kept) == list(range(type.rank)) and _covers(type.shape, offsets, sizes):
        return buffer
    position = start
    for stride, offset in zip(strides, offsets, strict=True):
        known = ints.known(offset) and (offset == 0 or stride != DYNAMIC) and position != DYNAMIC
        position = position + (stride * offset if offset else 0) if known else DYNAMIC
    layout = ir.StridedLayoutAttr.get(position, [strides[d] for d in kept])
    result = ir.MemRefType.get([_static(sizes[d]) for d in kept], type.element_type, layout=layout)
    return memref.SubViewOp(result, buffer, _values(offsets), _values(sizes), [],
                            [_static(o) for o in offsets], [_static(s) for s in sizes],
                            [1] * len(offsets)).result


def slice_of(value: ir.Value, offsets: Sequence[Int], sizes: Sequence[Int], kept: Sequence[int]) -> ir.Value:
    """The slice of tensor ``value`` at ``offsets``; only the axes ``kept`` remain (the others have size one)."""
    type = ir.RankedTensorType(value.type)
    if list(kept) == list(range(type.rank)) and _covers(type.shape, offsets, sizes):
        return value
    result = ir.RankedTensorType.get([_static(sizes[d]) for d in kept], type.element_type)
    return tensor.ExtractSliceOp(result, value, _values(offsets), _values(sizes), [],
                                 [_static(o) for o in offsets], [_static(s) for s in sizes],
                                 [1] * len(offsets)).result


def placed(value: ir.Value, into: ir.Value, offsets: Sequence[int], sizes: Sequence[int]) -> ir.Value:
    """``into`` with the elements of ``value`` at ``offsets``, all static."""
    return tensor.InsertSliceOp(value, into, [], [], [], list(offsets), list(sizes), [1] * len(offsets)).result


def _covers(shape: Sequence[int], offsets: Sequence[Int], sizes: Sequence[Int]) -> bool:
    return all(ints.same(o, 0) and ints.same(s, n) for n, o, s in zip(shape, offsets, sizes, strict=True))


def _static(x: Int) -> int:
    return x if ints.known(x) else DYNAMIC


def _values(numbers: Sequence[Int]) -> list[ir.Value]:
    return [x for x in numbers if not ints.known(x)]
