"""Slices of tensors whose sizes and places are known."""

from __future__ import annotations

from collections.abc import Sequence

from hexagon_mlir.ir import ir


def extract(value: ir.Value, sizes: Sequence[int | None], offsets: Sequence[int]) -> ir.Value:
    """The part of ``value`` of ``sizes``, None for all of a dimension, that begins at ``offsets``."""
    type_ = ir.RankedTensorType(value.type)
    shape = [whole if size is None else size for size, whole in zip(sizes, type_.shape, strict=True)]
    if shape == list(type_.shape):
        return value
    return ir.Operation.create("tensor.extract_slice", results=[ir.RankedTensorType.get(shape, type_.element_type)],
                               operands=[value], attributes=_attributes(1, shape, offsets)).result


def insert(part: ir.Value, value: ir.Value, offsets: Sequence[int]) -> ir.Value:
    """``value`` with ``part`` at ``offsets``."""
    if part.type == value.type:
        return part
    shape = ir.RankedTensorType(part.type).shape
    return ir.Operation.create("tensor.insert_slice", results=[value.type], operands=[part, value],
                               attributes=_attributes(2, shape, offsets)).result


def _attributes(tensors: int, sizes: Sequence[int], offsets: Sequence[int]) -> dict[str, ir.Attribute]:
    return {"operandSegmentSizes": ir.DenseI32ArrayAttr.get([*([1] * tensors), 0, 0, 0]),
            "static_offsets": ir.DenseI64ArrayAttr.get(offsets), "static_sizes": ir.DenseI64ArrayAttr.get(sizes),
            "static_strides": ir.DenseI64ArrayAttr.get([1] * len(sizes))}
