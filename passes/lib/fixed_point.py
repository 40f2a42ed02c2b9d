"""Rows of floats as numbers in fixed point, in linalg, by integer operations: they are exact on every chip.

The unit of a block of a row is a power of two: its largest number takes 30 bits in four bytes, 14 in two. Others are
rounded to the unit, to nearest, ties away from zero. Numbers below 2^-126 are zeros. Rows with an infinity or a NaN
have no such numbers: `specials_of` finds them.
"""

from __future__ import annotations

from collections.abc import Sequence

from hexagon_mlir.dialects.block_weights import BYTE_BITS
from hexagon_mlir.ir import arith, ir, tensor
from hexagon_mlir.ir.constants import constant
from hexagon_mlir.ir.make import addi, binary, cast, fill, muli, subi
from hexagon_mlir.passes.lib.linalg_generic import generic

_FRACTION, _MAGNITUDE, _NAN, _SPECIAL = 23, 0x7FFFFFFF, 0x7FC00000, 0xFF
"""Of f32: bits of the fraction, bits of a magnitude, a NaN, and the biased exponent of infinities and NaN."""
_WORD_BITS = 32
_SPARE = _WORD_BITS - 1 - _FRACTION - 1
"""Bits by which a significand can be shifted to the left in a word with sign."""
_FLIP = 0x80
"""What a byte differs by from a digit of -128 to 127 that is stored without sign."""


def units_of(rows: ir.Value, planes: int) -> tuple[ir.Value, ir.Value]:
    """Of ``rows``, floats [M][blocks][B]: the biased exponents of the largest magnitudes, and the units in f32 of
    numbers of so many ``planes``: two tensors [M][blocks]."""
    shape = list(ir.RankedTensorType(rows.type).shape[:2])
    start = fill(_number(0), tensor.empty(shape, _i32())).result
    largest = generic([rows], start, _maps("(r, b, k)", "(r, b)"), ["parallel", "parallel", "reduction"],
                      lambda given: arith.maxsi(binary("arith.andi", _bits(given[0]), _number(_MAGNITUDE)), given[1]))
    top = _top(planes)
    exponents = generic([largest], tensor.empty(shape, _i32()), _maps("(r, b)", "(r, b)", loops="(r, b)"),
                        ["parallel"] * 2,
                        lambda given: arith.maxsi(binary("arith.shrui", given[0], _number(_FRACTION)), _number(top)))

    def unit(given: Sequence[ir.Value]) -> ir.Value:
        bits = binary("arith.shli", subi(given[0], _number(top - 1)), _number(_FRACTION))
        return cast("arith.bitcast", ir.F32Type.get(), bits)

    units = generic([exponents], tensor.empty(shape, ir.F32Type.get()), _maps("(r, b)", "(r, b)", loops="(r, b)"),
                    ["parallel"] * 2, unit)
    return exponents, units


def specials_of(exponents: ir.Value) -> ir.Value:
    """The largest of the ``exponents`` of each row: i32 [M]."""
    rows = ir.RankedTensorType(exponents.type).shape[0]
    start = fill(_number(0), tensor.empty([rows], _i32())).result
    return generic([exponents], start, _maps("(r, b)", "(r)", loops="(r, b)"), ["parallel", "reduction"],
                   lambda given: arith.maxsi(*given))


def or_nan(value: ir.Value, special: ir.Value) -> ir.Value:
    """``value``, an f32 of a row for which `specials_of` gives ``special``; NaN if a number of the row is infinite or
    NaN. Sums cannot tell: in legacy qfloat NaN minus NaN is 0."""
    found = arith.cmpi(arith.CmpIPredicate.eq, special, _number(_SPECIAL))
    return arith.select(found, cast("arith.bitcast", ir.F32Type.get(), _number(_NAN)), value)


def planes_of(rows: ir.Value, exponents: ir.Value, planes: int) -> ir.Value:
    """``rows`` as bytes [M][blocks][planes][B] with sign: byte p of a number counts 256^p units."""
    shape = list(ir.RankedTensorType(rows.type).shape)
    flips = sum(_FLIP << BYTE_BITS * place for place in range(planes - 1))

    def digits(given: Sequence[ir.Value]) -> ir.Value:
        number = addi(_fixed(_bits(given[0]), given[1], _top(planes)), _number(flips))
        return binary("arith.xori", number, _number(flips))

    words = generic([rows, exponents], tensor.empty(shape, _i32()), _maps("(r, b, k)", "(r, b)", "(r, b, k)"),
                    ["parallel"] * 3, digits)
    into = tensor.empty([*shape[:2], planes, shape[2]], _byte())

    def byte(given: Sequence[ir.Value]) -> ir.Value:
        plane = ir.Operation.create("linalg.index", results=[ir.IndexType.get()], attributes={
            "dim": ir.IntegerAttr.get(ir.IntegerType.get_signless(64), 2)}).result
        places = muli(arith.index_cast(_i32(), plane), _number(BYTE_BITS))
        return cast("arith.trunci", _byte(), binary("arith.shrui", given[0], places))

    return generic([words], into, _maps("(r, b, k)", "(r, b, p, k)", loops="(r, b, p, k)"), ["parallel"] * 4, byte)


def sums_of(planes: ir.Value) -> ir.Value:
    """The sums in i32 of the bytes of each block and plane."""
    shape = list(ir.RankedTensorType(planes.type).shape[:3])
    start = fill(_number(0), tensor.empty(shape, _i32())).result
    return generic([planes], start, _maps("(r, b, p, k)", "(r, b, p)", loops="(r, b, p, k)"),
                   ["parallel"] * 3 + ["reduction"],
                   lambda given: addi(given[1], cast("arith.extsi", _i32(), given[0])))


def totals_of(rows: ir.Value) -> ir.Value:
    """The sums of each block of ``rows``, floats [M][blocks][B], in f32."""
    shape, f32 = list(ir.RankedTensorType(rows.type).shape[:2]), ir.F32Type.get()
    start = fill(constant(ir.FloatAttr.get(f32, 0.0)), tensor.empty(shape, f32)).result
    return generic([rows], start, _maps("(r, b, k)", "(r, b)"), ["parallel", "parallel", "reduction"],
                   lambda given: binary("arith.addf", given[1], _wide(given[0])))


def _top(planes: int) -> int:
    """Bits of the largest magnitude: a rounded number still has digits of -128 to 127."""
    return BYTE_BITS * planes - 2


def _fixed(bits: ir.Value, largest: ir.Value, top: int) -> ir.Value:
    """The number with these ``bits`` in units of a block whose largest exponent is given."""
    magnitude = binary("arith.andi", bits, _number(_MAGNITUDE))
    exponent = binary("arith.shrui", magnitude, _number(_FRACTION))
    one = 1 << _FRACTION
    significand = binary("arith.ori", binary("arith.andi", magnitude, _number(one - 1)), _number(one))
    lost = arith.minsi(addi(subi(largest, exponent), _number(_WORD_BITS - 2 - top)), _number(_WORD_BITS - 1))
    doubled = binary("arith.shrui", binary("arith.shli", significand, _number(_SPARE)), lost)
    rounded = binary("arith.shrui", addi(doubled, _number(1)), _number(1))
    zero = arith.cmpi(arith.CmpIPredicate.eq, exponent, _number(0))
    sign = binary("arith.shrsi", bits, _number(_WORD_BITS - 1))
    return arith.select(zero, _number(0), subi(binary("arith.xori", rounded, sign), sign))


def _bits(value: ir.Value) -> ir.Value:
    return cast("arith.bitcast", _i32(), _wide(value))


def _wide(value: ir.Value) -> ir.Value:
    return value if isinstance(value.type, ir.F32Type) else cast("arith.extf", ir.F32Type.get(), value)


def _maps(*results: str, loops: str = "(r, b, k)") -> list[ir.AffineMap]:
    return [ir.AffineMapAttr(ir.Attribute.parse(f"affine_map<{loops} -> {result}>")).value for result in results]


def _i32() -> ir.Type:
    return ir.IntegerType.get_signless(_WORD_BITS)


def _byte() -> ir.Type:
    return ir.IntegerType.get_signless(BYTE_BITS)


def _number(value: int) -> ir.Value:
    return constant(ir.IntegerAttr.get(_i32(), value))
