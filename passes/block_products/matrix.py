"""Weights in blocks as a matrix of floats, for products that HVX does not compute in blocks."""

from __future__ import annotations

from hexagon_mlir.dialects.block_weights import BYTE_BITS, COLUMNS, WORD
from hexagon_mlir.ir import arith, ir, tensor
from hexagon_mlir.ir.constants import constant
from hexagon_mlir.ir.make import binary, cast, muli, subi
from hexagon_mlir.passes.block_products.read import weights_of
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
    """A weight: its scale times what its code exceeds its zero point."""
    code, scale, *zeros, _ = given
    i32, f32 = ir.IntegerType.get_signless(32), ir.F32Type.get()
    code = cast("arith.extui", i32, code)
    if bits < BYTE_BITS:
        half = ir.Operation.create("linalg.index", results=[ir.IndexType.get()], attributes={
            "dim": ir.IntegerAttr.get(ir.IntegerType.get_signless(64), _HALF)}).result
        places = muli(arith.index_cast(i32, half), _number(bits))
        code = binary("arith.andi", binary("arith.shrui", code, places), _number((1 << bits) - 1))
    zero = cast("arith.extui", i32, zeros[0]) if zeros else _number(1 << bits - 1)
    number = cast("arith.sitofp", f32, subi(code, zero))
    product = binary("arith.mulf", number, scale if scale.type == f32 else cast("arith.extf", f32, scale))
    return product if element == f32 else cast("arith.truncf", element, product)


def _number(value: int) -> ir.Value:
    return constant(ir.IntegerAttr.get(ir.IntegerType.get_signless(32), value))
