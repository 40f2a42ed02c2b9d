"""Writes a product as scales, pieces, a product of pieces, and its sums with the scales taken back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hexagon_mlir.dialects.split_weights import FRACTION, ROUNDED, exponent_beside_weights, top_exponent
from hexagon_mlir.ir import erase_op, ir, tensor
from hexagon_mlir.ir.constants import constant
from hexagon_mlir.ir.make import binary, cast, fill
from hexagon_mlir.ir.query import input_count
from hexagon_mlir.passes.lib import bf16_pieces
from hexagon_mlir.passes.lib.f32_pieces import in_pieces, scales, unscaled
from hexagon_mlir.passes.lib.linalg_generic import generic
from hexagon_mlir.passes.lib.pure_slices import clone
from hexagon_mlir.passes.lib.tcm_tensors import tcm_copy
from hexagon_mlir.passes.lib.vector_loop import indexing_maps
from hexagon_mlir.passes.matrix_engine.read import Matmul, elementwise_user
from hexagon_mlir.passes.split_products.read import Split

LEFT, RIGHT, RESULT = range(3)


@dataclass(frozen=True)
class Pieces:
    """A factor: pieces along the reduction, and the scales of its rows (columns)."""

    matrix: ir.Value
    scales: ir.Value


def write(split: Split, origin: str, right: Pieces | None = None, in_tcm: bool = False) -> None:
    """The product in pieces instead of ``split``; ``right`` is the right factor where that is in pieces already. With
    ``in_tcm``, factors of bf16 are transferred to TCM once, and their pieces stay there."""
    op, epilogue = split.matmul.op, elementwise_user(split.matmul.op)
    exponent = top_exponent if right is None or not split.is_bf16(LEFT) else exponent_beside_weights
    top = exponent(split.matmul.sizes[2], ROUNDED if split.rounds else FRACTION)
    with ir.InsertionPoint(op):
        pieces = [_pieces(split, LEFT, top, in_tcm), right or _pieces(split, RIGHT, top, in_tcm)]
        sums = _product(split, [factor.matrix for factor in pieces])
    last, start = epilogue or op, op.operands[2].owner
    with ir.InsertionPoint(last):
        result = _result(split.matmul, epilogue, sums, [factor.scales for factor in pieces], split.rounds)
        last.results[0].replace_all_uses_with(result)
    for done in dict.fromkeys((last, op)):
        erase_op(done, origin)
    if not any(True for result in start.results for _ in result.uses):
        erase_op(start, origin)


def _pieces(split: Split, side: int, top: int, in_tcm: bool) -> Pieces:
    """Those of one factor, whose magnitudes become less than ``2**top``, at the insertion point."""
    matmul, factor = split.matmul, split.factors[side]
    dim = matmul.reads[side].index(matmul.reduction)
    if split.is_bf16(side):
        factor = tcm_copy(factor) if in_tcm else factor
        powers = bf16_pieces.scales(factor, dim, top)
        return Pieces(bf16_pieces.in_halves(factor, powers, dim), powers)
    powers = scales(factor, dim, top)
    return Pieces(in_pieces(factor, powers, dim, split.orders[side]), powers)


def _product(split: Split, factors: list[ir.Value]) -> ir.Value:
    """The sums of the products of pieces, at the insertion point."""
    matmul, op = split.matmul, split.matmul.op
    maps = [ir.AffineMapAttr(map_).value for map_ in indexing_maps(op) or ()]
    kinds = ["reduction" if loop == matmul.reduction else "parallel" for loop in range(len(matmul.extents))]
    f32 = ir.F32Type.get()
    sums = tensor.empty(ir.RankedTensorType(op.results[0].type).shape, f32)
    zeros = fill(constant(ir.FloatAttr.get(f32, 0.0)), sums).result
    return generic(factors, zeros, maps, kinds, _multiply_and_add)


def _multiply_and_add(given: Sequence[ir.Value]) -> ir.Value:
    left, right = (cast("arith.extf", given[2].type, value) for value in given[:2])
    return binary("arith.addf", given[2], binary("arith.mulf", left, right))


def _result(matmul: Matmul, epilogue: ir.Operation | None, sums: ir.Value, powers: Sequence[ir.Value],
            rounds: bool) -> ir.Value:
    """The result of ``matmul`` from the ``sums``, or of its ``epilogue``, at the insertion point: one op. Where it
    ``rounds``, the sums become f16 first, and then bf16."""
    type_ = ir.RankedTensorType(sums.type)
    place_of = {loop: ir.AffineDimExpr.get(place) for place, loop in enumerate(matmul.reads[RESULT])}
    identity = ir.AffineMap.get_identity(type_.rank)
    maps = [identity, *(
        ir.AffineMap.get(type_.rank, 0, [place_of[loop] for loop in matmul.reads[side] if loop != matmul.reduction])
        for side in (LEFT, RIGHT))]
    inputs, kinds = [sums, *(map(bf16_pieces.exponents, powers) if rounds else powers)], ["parallel"] * type_.rank
    if epilogue is None:
        return generic(inputs, tensor.empty(type_.shape, type_.element_type), [*maps, identity], kinds,
                       lambda given: unscaled(given[0], given[1:3]))
    numbers = [number for number in range(input_count(epilogue)) if epilogue.operands[number] != matmul.op.results[0]]
    read = [ir.AffineMapAttr(map_).value for map_ in indexing_maps(epilogue) or ()]
    old = epilogue.regions[0].blocks[0]
    product = next(number for number, value in enumerate(epilogue.operands) if value == matmul.op.results[0])

    def body(given: Sequence[ir.Value]) -> ir.Value:
        mapping = {} if rounds else {old.arguments[product]: unscaled(given[0], given[1:3])}
        mapping.update((old.arguments[number], value) for number, value in zip(numbers, given[3:-1], strict=True))
        *inner, last = [view.operation for view in old.operations]
        if rounds:
            half = cast("arith.truncf", ir.F16Type.get(), given[0])
            mapping |= dict.fromkeys((op.results[0] for op in inner if op.operands[0] == old.arguments[product]),
                                     bf16_pieces.rounded_back(half, given[1:3]))
        for op in inner:
            if op.results[0] not in mapping:
                clone(op, mapping)
        return mapping.get(last.operands[0], last.operands[0])

    element = ir.RankedTensorType(epilogue.results[0].type).element_type
    return generic([*inputs, *(epilogue.operands[number] for number in numbers)], tensor.empty(type_.shape, element),
                   [*maps, *(read[number] for number in numbers), identity], kinds, body)
