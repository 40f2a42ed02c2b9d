"""Right factors that are tiles already: parts of them in TCM, and the matrix for products that stay on HVX."""

from __future__ import annotations

from hexagon_mlir.dialects.engine_tiles import RANK, TILE, tiles
from hexagon_mlir.dialects.nibble_weights import has_nibbles
from hexagon_mlir.dialects.packed_weights import tiles_of
from hexagon_mlir.ir import arith, ir, linalg, tensor
from hexagon_mlir.ir.constants import index
from hexagon_mlir.passes.lib.engine_nibbles import bytes_of_nibbles
from hexagon_mlir.passes.lib.narrow_weights import as_halves
from hexagon_mlir.passes.lib.tcm_tensors import tcm_copy


def packed_columns(weights: ir.Value, start: ir.Value, offset: int, count: int) -> ir.Value:
    """The tiles of ``count`` columns of ``weights``, whole tensors of tiles, in TCM: from column ``start`` + ``offset``
    on, both multiples of a tile.
    """
    type_ = ir.RankedTensorType(weights.type)
    shape = [tiles(count), *type_.shape[1:]]
    if shape == list(type_.shape):
        return tcm_copy(weights)
    first = arith.addi(arith.divui(start, index(TILE)), index(offset // TILE))
    dynamic = ir.ShapedType.get_dynamic_size()
    part = ir.Operation.create(
        "tensor.extract_slice", results=[ir.RankedTensorType.get(shape, type_.element_type)],
        operands=[weights, first],
        attributes={"operandSegmentSizes": ir.DenseI32ArrayAttr.get([1, 1, 0, 0]),
                    "static_offsets": ir.DenseI64ArrayAttr.get([dynamic, *[0] * (RANK - 1)]),
                    "static_sizes": ir.DenseI64ArrayAttr.get(shape),
                    "static_strides": ir.DenseI64ArrayAttr.get([1] * RANK)}).result
    return tcm_copy(part)


def unpack_matrix(op: ir.Operation) -> ir.Value:
    """The result of ``hexagon.weight_matrix`` ``op`` as linalg, at the insertion point."""
    weights = tiles_of(op.results[0])
    assert weights is not None
    if has_nibbles(weights.type):
        return _top_left(bytes_of_nibbles(weights), op.results[0].type)
    weights = as_halves(weights, in_tcm=False)
    type_ = ir.RankedTensorType(weights.type)
    columns, depth = type_.shape[0], type_.shape[1]
    into = tensor.empty([depth, type_.shape[2], type_.shape[4], columns, TILE], type_.element_type)
    rows = linalg.transpose(weights, outs=[into], permutation=[1, 2, 4, 0, 3]).results[0]
    padded = tensor.collapse_shape(ir.RankedTensorType.get([depth * TILE, columns * TILE], type_.element_type), rows,
                                   [[0, 1, 2], [3, 4]])
    return _top_left(padded, op.results[0].type)


def _top_left(padded: ir.Value, result: ir.Type) -> ir.Value:
    """The part of matrix ``padded`` of type ``result`` that starts where it does."""
    if padded.type == result:
        return padded
    return ir.Operation.create(
        "tensor.extract_slice", results=[result], operands=[padded],
        attributes={"operandSegmentSizes": ir.DenseI32ArrayAttr.get([1, 0, 0, 0]),
                    "static_offsets": ir.DenseI64ArrayAttr.get([0, 0]),
                    "static_sizes": ir.DenseI64ArrayAttr.get(list(ir.RankedTensorType(result).shape)),
                    "static_strides": ir.DenseI64ArrayAttr.get([1, 1])}).result
