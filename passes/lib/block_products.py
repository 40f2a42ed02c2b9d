"""Products of rows in fixed point with weights in blocks, as linalg on tensors.

`hexagon_mlir.dialects.block_weights` has the layouts.
"""

from __future__ import annotations

from dataclasses import dataclass

from hexagon_mlir.dialects.block_weights import BYTE_BITS, PRODUCT
from hexagon_mlir.ir import arith, ir
from hexagon_mlir.ir.make import addi, binary, cast, muli, subi
from hexagon_mlir.passes.lib.block_weights import (
    BlockWeights,
    block_weights,
    blocks_of_superblock,
    loop,
    maps_of,
    minimum_of,
    number,
    number_of,
    scale_of,
    zero_point,
)

_LOOPS = "(r, t, c, s, b, p, j, h, k)"
_ROWS, _UNITS, _SUMS = "(r, b, p, j, h, k)", "(r, b)", "(r, b, p)"
_CODES, _OF_COLUMN, _RESULT = "(t, b, j, s, c, k)", "(t, b, s, c)", "(r, t, c, s)"
_PARALLEL, _REDUCTIONS = 4, 5
_PLANE, _FIRST = 5, (6, 7, 8)
"""Loops: the plane; those that are all 0 once for a plane of a block."""
_HALF = 7
_ONE_EXPONENT, _SIGNIFICAND_BITS = 127, 23


@dataclass(frozen=True)
class FixedPointRows:
    """Planes of bytes, units (f32 for each row and block), and sums: i32 for each row, block and plane, or, for
    weights with minima, f32 for each row and block."""

    planes: ir.Value
    units: ir.Value
    sums: ir.Value


def block_product(rows: FixedPointRows, weights: BlockWeights, into: ir.Value) -> ir.Operation:
    """The product, added to ``into``, f32 [M][N / 64][32][2]."""
    inputs = [rows.planes, rows.units, rows.sums, *weights.operands]
    of_superblock = f"(t, b floordiv {blocks_of_superblock(weights.block)}, s, c)"
    maps = [_ROWS, _UNITS, _UNITS if weights.has_minima else _SUMS,
            *maps_of(weights, _CODES, _OF_COLUMN, of_superblock), _RESULT]
    kinds = ["parallel"] * _PARALLEL + ["reduction"] * _REDUCTIONS
    op = ir.Operation.create("linalg.generic", results=[into.type], operands=[*inputs, into], regions=1, attributes={
        "indexing_maps": ir.ArrayAttr.get([ir.Attribute.parse(f"affine_map<{_LOOPS} -> {map_}>") for map_ in maps]),
        "iterator_types": ir.ArrayAttr.parse("[" + ", ".join(f"#linalg.iterator_type<{kind}>" for kind in kinds) + "]"),
        "operandSegmentSizes": ir.DenseI32ArrayAttr.get([len(inputs), 1]),
        PRODUCT: ir.IntegerAttr.get(ir.IntegerType.get_signless(64), weights.bits)})
    elements = [ir.RankedTensorType(value.type).element_type for value in (*inputs, into)]
    body = op.regions[0].blocks.append(*elements, arg_locs=[op.location] * len(elements))
    with ir.InsertionPoint(body):
        ir.Operation.create("linalg.yield", operands=[_sum(body.arguments, weights.bits)])
    return op


def _sum(arguments: ir.BlockArgumentList, bits: int) -> ir.Value:
    """The next partial sum of an element: with the first product of a block comes what its zero point or its minimum
    makes of all."""
    byte, unit, total, *given, old = arguments
    one, f32 = block_weights(given, bits), ir.F32Type.get()
    product = muli(cast("arith.extsi", ir.IntegerType.get_signless(32), byte), number_of(one, _HALF))
    if not one.has_minima:
        product = subi(product, arith.select(_are_zero(*_FIRST), muli(zero_point(one), total), number(0)))
    exponent = addi(muli(loop(_PLANE), number(BYTE_BITS)), number(_ONE_EXPONENT))
    plane = cast("arith.bitcast", f32, binary("arith.shli", exponent, number(_SIGNIFICAND_BITS)))
    exact = cast("arith.sitofp", f32, product)
    new = binary("arith.addf", old, binary(
        "arith.mulf", binary("arith.mulf", exact, plane), binary("arith.mulf", unit, scale_of(one))))
    if not one.has_minima:
        return new
    least = binary("arith.mulf", total, minimum_of(one))
    return arith.select(_are_zero(_PLANE, *_FIRST), binary("arith.addf", new, least), new)


def _are_zero(*loops: int) -> ir.Value:
    """Whether an iteration is the first one of all ``loops``."""
    together = loop(loops[0])
    for other in loops[1:]:
        together = binary("arith.ori", together, loop(other))
    return arith.cmpi(arith.CmpIPredicate.eq, together, number(0))
