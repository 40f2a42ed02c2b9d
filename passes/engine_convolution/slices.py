"""Slices of tensors whose offsets are numbers or values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from hexagon_mlir.ir import ir
from hexagon_mlir.ir.constants import index
from hexagon_mlir.ir.make import addi

Offset: TypeAlias = int | ir.Value


def plus(offset: Offset, number: int) -> Offset:
    """``offset`` + ``number``."""
    if isinstance(offset, int):
        return offset + number
    return addi(offset, index(number)) if number else offset


def extract(value: ir.Value, offsets: Sequence[Offset], sizes: Sequence[int], dropped: int = 0) -> ir.Value:
    """The part of ``value`` of ``sizes`` at ``offsets``, without its first ``dropped`` dimensions, of size 1."""
    type_ = ir.RankedTensorType(value.type)
    if list(type_.shape) == list(sizes) and not dropped:
        return value
    dynamic, attributes = _attributes(offsets, sizes, 1)
    return ir.Operation.create(
        "tensor.extract_slice", results=[ir.RankedTensorType.get(list(sizes)[dropped:], type_.element_type)],
        operands=[value, *dynamic], attributes=attributes).result


def insert(part: ir.Value, into: ir.Value, offsets: Sequence[Offset], sizes: Sequence[int]) -> ir.Value:
    """``into`` with ``part``, which may lack leading dimensions of size 1, in the place of ``sizes`` at ``offsets``."""
    if part.type == into.type:
        return part
    dynamic, attributes = _attributes(offsets, sizes, 2)
    return ir.Operation.create("tensor.insert_slice", results=[into.type], operands=[part, into, *dynamic],
                               attributes=attributes).result


def _attributes(offsets: Sequence[Offset], sizes: Sequence[int],
                tensors: int) -> tuple[list[ir.Value], dict[str, ir.Attribute]]:
    """The offsets that are values, and the attributes of a slice op of so many ``tensors``."""
    unknown = ir.ShapedType.get_dynamic_size()
    dynamic = [offset for offset in offsets if not isinstance(offset, int)]
    return dynamic, {
        "operandSegmentSizes": ir.DenseI32ArrayAttr.get([*([1] * tensors), len(dynamic), 0, 0]),
        "static_offsets": ir.DenseI64ArrayAttr.get([o if isinstance(o, int) else unknown for o in offsets]),
        "static_sizes": ir.DenseI64ArrayAttr.get(list(sizes)),
        "static_strides": ir.DenseI64ArrayAttr.get([1] * len(sizes))}
