"""Weights in blocks as a matrix of floats, for products that HVX does not compute in blocks."""

from __future__ import annotations

from hexagon_mlir.dialects.block_weights import BYTE_BITS, COLUMNS, WORD
from hexagon_mlir.ir import ir, tensor
from hexagon_mlir.ir.constants import constant
from hexagon_mlir.ir.make import binary, cast, subi
from hexagon_mlir.passes.block_products.read import weights_of
from hexagon_mlir.passes.lib.block_products import as_f32, is_float, middle_of, number_of
from hexagon_mlir.passes.lib.linalg_generic import generic
from hexagon_mlir.passes.lib.static_slices import extract

_LOOPS = "(b, j, h, k, t, c, s)"
_CODES, _OF_COLUMN = "(t, b, j, s, c, k)", "(t, b, s, c)"
_HALF = 2


def as_matrix(op: ir.Operation) -> ir.Value:
    """The result of ``hexagon.block_matrix`` ``op`` as linalg, at the insertion point."""
    weights, result = weights_of(op), ir.RankedTensorType(op.results[0].type)
    tiles, blocks, steps, parities, lanes, _ = ir.RankedTensorType(weights.codes.type).shape
    halves = BYTE_BITS // weights.bits
    shape = [blocks, steps, halves, WORD, tiles, lanes, parities]
    inputs, maps = [weights.codes, weights.scales], [_CODES, _OF_COLUMN]
    if weights.zeros is not None:
        inputs.append(weights.zeros)
        maps.append(_OF_COLUMN)
    maps.append(_LOOPS)
    wide = generic(inputs, tensor.empty(shape, result.element_type),
                   [ir.AffineMapAttr(ir.Attribute.parse(f"affine_map<{_LOOPS} -> {map_}>")).value for map_ in maps],
                   ["parallel"] * len(shape), lambda given: _weight(given, weights.bits, result.element_type))
    depth, columns = result.shape
    sizes = [blocks * steps * halves * WORD, tiles * COLUMNS]
    matrix = tensor.collapse_shape(ir.RankedTensorType.get(sizes, result.element_type), wide,
                                   [[0, 1, 2, 3], [4, 5, 6]])
    return matrix if sizes == [depth, columns] else extract(matrix, (depth, columns), (0, 0))


def _weight(given: list[ir.Value], bits: int, element: ir.Type) -> ir.Value:
    """A weight: its scale times what its code exceeds its zero point, or times its code, and its minimum added."""
    code, scale, *zeros, _ = given
    i32, f32 = ir.IntegerType.get_signless(32), ir.F32Type.get()
    code, has_minimum = number_of(code, _HALF, bits, scale), bool(zeros) and is_float(zeros[0])
    if not has_minimum:
        zero = (cast("arith.extui", i32, zeros[0]) if zeros else
                constant(ir.IntegerAttr.get(i32, middle_of(bits, scale))))
        code = subi(code, zero)
    weight = binary("arith.mulf", cast("arith.sitofp", f32, code), as_f32(scale))
    if has_minimum:
        weight = binary("arith.addf", weight, as_f32(zeros[0]))
    return weight if element == f32 else cast("arith.truncf", element, weight)
