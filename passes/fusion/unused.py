"""Cuts off the elements of an input after its last window: upstream's folding of unit loops makes invalid IR of them.

A 3x3 convolution in strides of 2 over 4x4 elements gives one element and reads three rows. With its loop folded the
index ``2 * d0 + d1`` is ``d1``, whose three iterations do not match a dimension of four: invalid IR (LLVM 24git).
"""

from __future__ import annotations

from collections.abc import Sequence

from hexagon_mlir.ir import ir, tensor
from hexagon_mlir.ir.constants import index
from hexagon_mlir.ir.query import input_count
from hexagon_mlir.ir.windows import terms_of


def cut_unused(op: ir.Operation, extents: Sequence[int | None]) -> None:
    """Let ``op``, a generic on tensors with trip counts ``extents``, read slices that end with their last window."""
    maps = [ir.AffineMapAttr(a).value for a in op.attributes["indexing_maps"]]
    for number in range(input_count(op)):
        value = op.operands[number]
        if not isinstance(value.type, ir.RankedTensorType):
            continue
        type_ = value.type
        reads = [rows_read(expression, extents) for expression in maps[number].results]
        shape = [size if read is None else read if type_.is_dynamic_dim(d) else min(size, read)
                 for d, (size, read) in enumerate(zip(type_.shape, reads, strict=True))]
        if shape != list(type_.shape):
            dynamic = [d for d, size in enumerate(shape) if size == ir.ShapedType.get_dynamic_size()]
            with op.location, ir.InsertionPoint(op):
                sizes = [tensor.dim(value, index(d)) for d in dynamic]
                op.operands[number] = tensor.ExtractSliceOp(
                    ir.RankedTensorType.get(shape, type_.element_type), value, [], sizes, [], [0] * len(shape), shape,
                    [1] * len(shape)).result


def rows_read(expression: ir.AffineExpr, extents: Sequence[int | None]) -> int | None:
    """Elements that a sum of loops reads of its dimension where all but one loop, in steps of one, run once."""
    terms = terms_of(expression)
    if terms is None or len(terms) < 2:
        return None
    moving = [loop for loop in terms if extents[loop] != 1]
    return extents[moving[0]] if len(moving) == 1 and terms[moving[0]] == 1 else None
