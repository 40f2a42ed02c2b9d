"""Weights in blocks as a matrix of floats, for products that HVX does not compute in blocks."""

from __future__ import annotations

from hexagon_mlir.dialects.block_weights import COLUMNS, WORD, codes_in_byte
from hexagon_mlir.ir import ir, tensor
from hexagon_mlir.passes.lib.block_weights import blocks_of_superblock, maps_of, weight, weights_of
from hexagon_mlir.passes.lib.engine_byte_generics import elementwise
from hexagon_mlir.passes.lib.static_slices import extract

_LOOPS = "(b, j, h, k, t, c, s)"
_CODES, _OF_COLUMN = "(t, b, j, s, c, k)", "(t, b, s, c)"
_HALF = 2


def as_matrix(op: ir.Operation) -> ir.Value:
    """The result of ``hexagon.block_matrix`` ``op`` as linalg, at the insertion point."""
    weights, result = weights_of(op), ir.RankedTensorType(op.results[0].type)
    tiles, blocks, steps, parities, lanes, _ = ir.RankedTensorType(weights.codes.type).shape
    halves = codes_in_byte(weights.bits)
    shape = [blocks, steps, halves, WORD, tiles, lanes, parities]
    inputs = weights.operands
    of_superblock = f"(t, b floordiv {blocks_of_superblock(weights.block)}, s, c)"
    maps = [*maps_of(weights, _CODES, _OF_COLUMN, of_superblock), _LOOPS]
    wide = elementwise(inputs, tensor.empty(shape, result.element_type), _LOOPS, maps,
                       lambda *given: weight(given, _HALF, weights.bits, result.element_type)).result
    depth, columns = result.shape
    sizes = [blocks * steps * halves * WORD, tiles * COLUMNS]
    matrix = tensor.collapse_shape(ir.RankedTensorType.get(sizes, result.element_type), wide,
                                   [[0, 1, 2, 3], [4, 5, 6]])
    return matrix if sizes == [depth, columns] else extract(matrix, (depth, columns), (0, 0))
