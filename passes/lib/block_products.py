"""Products of rows in fixed point with weights in blocks, as linalg on tensors.

`hexagon_mlir.dialects.block_weights` has the layouts.
"""

from __future__ import annotations

from dataclasses import dataclass

from hexagon_mlir.dialects.block_weights import BYTE_BITS, PRODUCT, WORD
from hexagon_mlir.ir import arith, ir
from hexagon_mlir.ir.constants import constant
from hexagon_mlir.ir.make import addi, binary, cast, muli, subi

_LOOPS = "(r, t, c, s, b, p, j, h, k)"
_ROWS, _UNITS, _SUMS = "(r, b, p, j, h, k)", "(r, b)", "(r, b, p)"
_CODES, _OF_COLUMN, _RESULT = "(t, b, j, s, c, k)", "(t, b, s, c)", "(r, t, c, s)"
_PARALLEL, _REDUCTIONS = 4, 5
_PLANE, _FIRST = 5, (6, 7, 8)
"""Loops: the plane; those that are all 0 once for a block."""
_HALF = 7
_ONE_EXPONENT, _SIGNIFICAND_BITS = 127, 23


@dataclass(frozen=True)
class BlockWeights:
    """Codes of ``bits``, scales, and zero points of columns and blocks, if they have some of their own."""

    codes: ir.Value
    scales: ir.Value
    zeros: ir.Value | None
    bits: int

    @property
    def block(self) -> int:
        """Rows of weights that share a scale."""
        return ir.RankedTensorType(self.codes.type).shape[2] * WORD * BYTE_BITS // self.bits


@dataclass(frozen=True)
class FixedPointRows:
    """Planes of bytes, units (f32 for each row and block), and sums (i32 for each row, block and plane)."""

    planes: ir.Value
    units: ir.Value
    sums: ir.Value


def block_product(rows: FixedPointRows, weights: BlockWeights, into: ir.Value) -> ir.Operation:
    """The product, added to ``into``, f32 [M][N / 64][32][2]."""
    inputs = [rows.planes, rows.units, rows.sums, weights.codes, weights.scales]
    maps = [_ROWS, _UNITS, _SUMS, _CODES, _OF_COLUMN]
    if weights.zeros is not None:
        inputs.append(weights.zeros)
        maps.append(_OF_COLUMN)
    maps.append(_RESULT)
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
    """The next partial sum of an element: with the first product of a block comes what its zero point makes of all."""
    byte, unit, total, code, scale, *zeros, old = arguments
    i32, f32 = ir.IntegerType.get_signless(32), ir.F32Type.get()
    code = cast("arith.extui", i32, code)
    if bits < BYTE_BITS:
        code = binary("arith.andi", binary("arith.shrui", code, muli(_loop(_HALF), _number(bits))),
                      _number((1 << bits) - 1))
    zero = cast("arith.extui", i32, zeros[0]) if zeros else _number(1 << bits - 1)
    places = [_loop(loop) for loop in _FIRST]
    first = arith.cmpi(arith.CmpIPredicate.eq, binary("arith.ori", binary("arith.ori", *places[:2]), places[2]),
                       _number(0))
    less = arith.select(first, muli(zero, total), _number(0))
    exact = cast("arith.sitofp", f32, subi(muli(cast("arith.extsi", i32, byte), code), less))
    exponent = addi(muli(_loop(_PLANE), _number(BYTE_BITS)), _number(_ONE_EXPONENT))
    plane = cast("arith.bitcast", f32, binary("arith.shli", exponent, _number(_SIGNIFICAND_BITS)))
    scale = scale if scale.type == f32 else cast("arith.extf", f32, scale)
    return binary("arith.addf", old, binary(
        "arith.mulf", binary("arith.mulf", exact, plane), binary("arith.mulf", unit, scale)))


def _loop(number: int) -> ir.Value:
    found = ir.Operation.create("linalg.index", results=[ir.IndexType.get()], attributes={
        "dim": ir.IntegerAttr.get(ir.IntegerType.get_signless(64), number)}).result
    return arith.index_cast(ir.IntegerType.get_signless(32), found)


def _number(value: int) -> ir.Value:
    return constant(ir.IntegerAttr.get(ir.IntegerType.get_signless(32), value))
