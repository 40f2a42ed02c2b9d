"""Products of rows in fixed point with weights in blocks, as linalg on tensors.

`hexagon_mlir.dialects.block_weights` has the layouts.
"""

from __future__ import annotations

from dataclasses import dataclass

from hexagon_mlir.dialects.block_weights import BYTE_BITS, E2M1_MIDDLE, PRODUCT, WORD
from hexagon_mlir.ir import arith, ir
from hexagon_mlir.ir.constants import constant
from hexagon_mlir.ir.make import addi, binary, cast, muli, subi

_LOOPS = "(r, t, c, s, b, p, j, h, k)"
_ROWS, _UNITS, _SUMS = "(r, b, p, j, h, k)", "(r, b)", "(r, b, p)"
_CODES, _OF_COLUMN, _RESULT = "(t, b, j, s, c, k)", "(t, b, s, c)", "(r, t, c, s)"
_PARALLEL, _REDUCTIONS = 4, 5
_PLANE, _FIRST = 5, (6, 7, 8)
"""Loops: the plane; those that are all 0 once for a plane of a block."""
_HALF = 7
_ONE_EXPONENT, _SIGNIFICAND_BITS = 127, 23
_SIGN, _TWO = 8, 2
"""Of a code of MXFP4."""


@dataclass(frozen=True)
class BlockWeights:
    """Codes of ``bits``, scales, and zero points or minima of columns and blocks, if they have some of their own."""

    codes: ir.Value
    scales: ir.Value
    zeros: ir.Value | None
    bits: int

    @property
    def block(self) -> int:
        """Rows of weights that share a scale."""
        return ir.RankedTensorType(self.codes.type).shape[2] * WORD * BYTE_BITS // self.bits

    @property
    def has_minima(self) -> bool:
        """Whether `zeros` are minima."""
        return self.zeros is not None and is_float(self.zeros)


@dataclass(frozen=True)
class FixedPointRows:
    """Planes of bytes, units (f32 for each row and block), and sums: i32 for each row, block and plane, or, for
    weights with minima, f32 for each row and block."""

    planes: ir.Value
    units: ir.Value
    sums: ir.Value


def block_product(rows: FixedPointRows, weights: BlockWeights, into: ir.Value) -> ir.Operation:
    """The product, added to ``into``, f32 [M][N / 64][32][2]."""
    inputs = [rows.planes, rows.units, rows.sums, weights.codes, weights.scales]
    maps = [_ROWS, _UNITS, _UNITS if weights.has_minima else _SUMS, _CODES, _OF_COLUMN]
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
    """The next partial sum of an element: with the first product of a block comes what its zero point or its minimum
    makes of all."""
    byte, unit, total, code, scale, *zeros, old = arguments
    i32, f32 = ir.IntegerType.get_signless(32), ir.F32Type.get()
    product = muli(cast("arith.extsi", i32, byte), number_of(code, _HALF, bits, scale))
    minimum = zeros[0] if zeros and is_float(zeros[0]) else None
    if minimum is None:
        zero = cast("arith.extui", i32, zeros[0]) if zeros else _number(middle_of(bits, scale))
        product = subi(product, arith.select(_are_zero(*_FIRST), muli(zero, total), _number(0)))
    exponent = addi(muli(_loop(_PLANE), _number(BYTE_BITS)), _number(_ONE_EXPONENT))
    plane = cast("arith.bitcast", f32, binary("arith.shli", exponent, _number(_SIGNIFICAND_BITS)))
    exact = cast("arith.sitofp", f32, product)
    new = binary("arith.addf", old, binary(
        "arith.mulf", binary("arith.mulf", exact, plane), binary("arith.mulf", unit, as_f32(scale))))
    if minimum is None:
        return new
    least = binary("arith.mulf", total, as_f32(minimum))
    return arith.select(_are_zero(_PLANE, *_FIRST), binary("arith.addf", new, least), new)


def is_float(value: ir.Value) -> bool:
    """Whether ``value``, or its elements, are floats."""
    type_ = value.type
    element = type_.element_type if isinstance(type_, ir.ShapedType) else type_
    return isinstance(element, ir.F16Type | ir.F32Type)


def middle_of(bits: int, scale: ir.Value) -> int:
    """The zero point of codes without one of their own."""
    return 1 << bits - 1 if is_float(scale) else E2M1_MIDDLE


def number_of(byte: ir.Value, half: int, bits: int, scale: ir.Value) -> ir.Value:
    """The code in ``byte`` as a number without sign, i32; loop ``half`` says which half of the byte it is. Codes of
    MXFP4, whose ``scale`` is a byte, count halves from `E2M1_MIDDLE`."""
    code = cast("arith.extui", ir.IntegerType.get_signless(32), byte)
    if bits < BYTE_BITS:
        code = binary("arith.andi", binary("arith.shrui", code, muli(_loop(half), _number(bits))),
                      _number((1 << bits) - 1))
    if is_float(scale):
        return code
    size, one = binary("arith.andi", code, _number(_SIGN - 1)), _number(1)
    significand = binary("arith.ori", binary("arith.andi", size, one), _number(_TWO))
    places = arith.maxsi(subi(binary("arith.shrui", size, one), one), _number(0))
    subnormal = arith.cmpi(arith.CmpIPredicate.ult, size, _number(_TWO))
    size = arith.select(subnormal, size, binary("arith.shli", significand, places))
    positive = arith.cmpi(arith.CmpIPredicate.ult, code, _number(_SIGN))
    return addi(arith.select(positive, size, subi(_number(0), size)), _number(E2M1_MIDDLE))


def as_f32(scale: ir.Value) -> ir.Value:
    """``scale`` in f32: of a byte, which is E8M0, half of it."""
    f32 = ir.F32Type.get()
    if is_float(scale):
        return scale if scale.type == f32 else cast("arith.extf", f32, scale)
    exponent = subi(arith.maxsi(cast("arith.extui", ir.IntegerType.get_signless(32), scale), _number(1)), _number(1))
    return cast("arith.bitcast", f32, binary("arith.shli", exponent, _number(_SIGNIFICAND_BITS)))


def _are_zero(*loops: int) -> ir.Value:
    """Whether an iteration is the first one of all ``loops``."""
    together = _loop(loops[0])
    for loop in loops[1:]:
        together = binary("arith.ori", together, _loop(loop))
    return arith.cmpi(arith.CmpIPredicate.eq, together, _number(0))


def _loop(number: int) -> ir.Value:
    found = ir.Operation.create("linalg.index", results=[ir.IndexType.get()], attributes={
        "dim": ir.IntegerAttr.get(ir.IntegerType.get_signless(64), number)}).result
    return arith.index_cast(ir.IntegerType.get_signless(32), found)


def _number(value: int) -> ir.Value:
    return constant(ir.IntegerAttr.get(ir.IntegerType.get_signless(32), value))
