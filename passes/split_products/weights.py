"""Right factors that are in pieces when a model is compiled (`hexagon_mlir.dialects.split_weights`)."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from hexagon_mlir.dialects.engine_tiles import tiles
from hexagon_mlir.dialects.packed_weights import weight_matrix
from hexagon_mlir.dialects.split_weights import ONE_PIECE, ORDER
from hexagon_mlir.ir import ir, tensor
from hexagon_mlir.ir.make import cast
from hexagon_mlir.passes.lib.linalg_generic import generic
from hexagon_mlir.passes.split_products.build import RIGHT, Pieces
from hexagon_mlir.passes.split_products.read import Split

_MATRIX = 2


def can_be_given(split: Split) -> bool:
    """Whether the right factor is a matrix, its rows first, that may be given in pieces: of f32, or both are of bf16.
    """
    type_ = ir.RankedTensorType(split.factors[RIGHT].type)
    order = {ir.F32Type: ORDER, ir.BF16Type: ONE_PIECE}.get(type(type_.element_type))
    return (type_.rank == _MATRIX and split.orders[RIGHT] == order
            and (order != ONE_PIECE or split.all_bf16)
            and not split.matmul.batches and not split.matmul.transposed(RIGHT))


def given_pieces(weights: ir.Value, columns: int, reduction: int, order: Sequence[int]) -> Pieces:
    """The factor of so many rows (``reduction``) and ``columns`` that ``weights``, a tensor of `split_shape` in the
    pieces of ``order``, are, at the insertion point."""
    type_ = ir.RankedTensorType(weights.type)
    count, *shape = type_.shape
    of_tiles, i16, i32 = tiles(columns), ir.IntegerType.get_signless(16), ir.IntegerType.get_signless(32)
    matrix = ir.RankedTensorType.get([len(order) * reduction, columns], type_.element_type)
    made = weight_matrix(_part(weights, [0] * type_.rank, [of_tiles, *shape]), matrix).results[0]
    rest = _part(weights, [of_tiles, *[0] * len(shape)], [count - of_tiles, *shape])
    flat = ir.RankedTensorType.get([(count - of_tiles) * prod(shape)], type_.element_type)
    rest = tensor.collapse_shape(flat, rest, [list(range(type_.rank))])
    bits = _part(rest, [0], [columns])
    same = [ir.AffineMap.get_identity(1)] * 2
    scales = generic([bits], tensor.empty([columns], i32), same, ["parallel"],
                     lambda given: cast("arith.extsi", i32, cast("arith.bitcast", i16, given[0])))
    return Pieces(made, scales)


def _part(value: ir.Value, offsets: Sequence[int], sizes: Sequence[int]) -> ir.Value:
    type_ = ir.RankedTensorType.get(sizes, ir.RankedTensorType(value.type).element_type)
    return ir.Operation.create(
        "tensor.extract_slice", results=[type_], operands=[value],
        attributes={"operandSegmentSizes": ir.DenseI32ArrayAttr.get([1, 0, 0, 0]),
                    "static_offsets": ir.DenseI64ArrayAttr.get(offsets),
                    "static_sizes": ir.DenseI64ArrayAttr.get(sizes),
                    "static_strides": ir.DenseI64ArrayAttr.get([1] * len(sizes))}).result
