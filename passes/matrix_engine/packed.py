"""Factors that are tiles or codes already: parts of them in TCM, and the matrix for products that stay on HVX."""

from __future__ import annotations

from typing import TypeAlias

from hexagon_mlir.dialects.block_weights import COLUMNS
from hexagon_mlir.dialects.engine_tiles import TILE
from hexagon_mlir.dialects.nibble_weights import has_nibbles
from hexagon_mlir.dialects.packed_weights import tiles_of
from hexagon_mlir.ir import arith, ir, linalg, tensor
from hexagon_mlir.ir.constants import index
from hexagon_mlir.ir.hexagon_dialect import ACTIVATION_MATRIX
from hexagon_mlir.passes.lib.block_tiles import as_halves
from hexagon_mlir.passes.lib.block_weights import BlockWeights, weights_for_engine
from hexagon_mlir.passes.lib.engine_nibbles import bytes_of_nibbles
from hexagon_mlir.passes.lib.engine_tiles import as_matrix, pack_activations, rows_shape, unpack, zeros
from hexagon_mlir.passes.lib.tcm_tensors import tcm_copy

Weights: TypeAlias = "ir.Value | BlockWeights"
"""Tiles, or codes and what else tiles are made of."""


def packed_weights(matrix: ir.Value) -> Weights | None:
    """What ``matrix`` is made of; None for one that is no more than a matrix."""
    return weights_for_engine(matrix) or tiles_of(matrix)


def packed_columns(weights: Weights, start: ir.Value, offset: int, count: int) -> Weights:
    """The part of ``weights``, whole tensors, for ``count`` columns in TCM: from column ``start`` + ``offset`` on, both
    multiples of a tile; of codes, of two tiles.
    """
    if isinstance(weights, BlockWeights):
        return weights.mapped(lambda part: tile_columns(part, start, offset, count, COLUMNS))
    return tile_columns(weights, start, offset, count)


def packed_tiles(weights: Weights, count: int, into: ir.Value | None = None) -> ir.Value:
    """The tiles of f16 of ``count`` columns that `packed_columns` gave; those of codes are written to ``into``, if
    given."""
    return as_halves(weights, count, into=into) if isinstance(weights, BlockWeights) else weights


def tile_columns(weights: ir.Value, start: ir.Value, offset: int, count: int, width: int = TILE) -> ir.Value:
    """The part of ``weights``, whose first dimension is over tiles of ``width`` columns, in TCM; or of activations and
    rows."""
    type_ = ir.RankedTensorType(weights.type)
    shape = [-(-count // width), *type_.shape[1:]]
    if shape == list(type_.shape):
        return tcm_copy(weights)
    first = arith.addi(arith.divui(start, index(width)), index(offset // width))
    dynamic = ir.ShapedType.get_dynamic_size()
    part = ir.Operation.create(
        "tensor.extract_slice", results=[ir.RankedTensorType.get(shape, type_.element_type)],
        operands=[weights, first],
        attributes={"operandSegmentSizes": ir.DenseI32ArrayAttr.get([1, 1, 0, 0]),
                    "static_offsets": ir.DenseI64ArrayAttr.get([dynamic, *[0] * (type_.rank - 1)]),
                    "static_sizes": ir.DenseI64ArrayAttr.get(shape),
                    "static_strides": ir.DenseI64ArrayAttr.get([1] * type_.rank)}).result
    return tcm_copy(part)


def unpack_matrix(op: ir.Operation) -> ir.Value:
    """The result of ``hexagon.weight_matrix`` or ``hexagon.engine_matrix`` ``op`` as linalg, at the insertion point."""
    weights = packed_weights(op.results[0])
    assert weights is not None
    if isinstance(weights, BlockWeights):
        weights = as_halves(weights, ir.RankedTensorType(op.results[0].type).shape[1], in_tcm=False)
    elif has_nibbles(weights.type):
        return _top_left(bytes_of_nibbles(weights), op.results[0].type)
    type_ = ir.RankedTensorType(weights.type)
    columns, depth = type_.shape[0], type_.shape[1]
    into = tensor.empty([depth, type_.shape[2], type_.shape[4], columns, TILE], type_.element_type)
    rows = linalg.transpose(weights, outs=[into], permutation=[1, 2, 4, 0, 3]).results[0]
    padded = tensor.collapse_shape(ir.RankedTensorType.get([depth * TILE, columns * TILE], type_.element_type), rows,
                                   [[0, 1, 2], [3, 4]])
    return _top_left(padded, op.results[0].type)


def tiles_or_rows(op: ir.Operation) -> ir.Value:
    """The result of ``hexagon.activation_tiles`` or ``hexagon.activation_matrix`` ``op`` as linalg, at the insertion
    point."""
    given, result = op.operands[0], ir.RankedTensorType(op.results[0].type)
    if op.name == ACTIVATION_MATRIX:
        rows, columns, *_ = ir.RankedTensorType(given.type).shape
        into = tensor.empty(rows_shape(rows, columns, False), result.element_type)
        return _top_left(as_matrix(unpack(given, into, False), False), result)
    shape = list(ir.RankedTensorType(given.type).shape)
    whole = [TILE * extent for extent in result.shape[:2]]
    if shape != whole:
        filled = zeros(tensor.empty(whole, result.element_type))
        given = tensor.InsertSliceOp(given, filled, [], [], [], [0, 0], shape, [1, 1]).result
    return pack_activations(given, False, tensor.empty(result.shape, result.element_type))


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
