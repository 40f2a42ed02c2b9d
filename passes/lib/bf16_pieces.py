"""Matrices of bf16 as matrices of f16 after scaling by powers of two, in linalg, by integers of 16 bits.

A number of bf16 has 8 significant bits, one of f16 has 11: scaled, it is the same number down to 2**-17, and is cut to
a multiple of 2**-24 below. The scales are those of `hexagon_mlir.passes.lib.f32_pieces`.
"""

from __future__ import annotations

from collections.abc import Sequence

from hexagon_mlir.ir import arith, ir, tensor
from hexagon_mlir.ir.constants import constant
from hexagon_mlir.ir.make import addi, binary, cast, subi
from hexagon_mlir.passes.lib.f32_pieces import UNUSABLE, scales_of, without
from hexagon_mlir.passes.lib.linalg_generic import generic
from hexagon_mlir.passes.lib.tcm_tensors import empty, is_in_tcm

_FRACTION, _MORE = 7, 3
"""Bits of the fraction; how many f16 has more."""
_BIASES = 127 - 15
"""Of the exponents of bf16 and f16."""
_SIGN = -(1 << 15)
_LOWEST = (_SIGN >> _FRACTION) + _BIASES
"""The least scale whose step has 16 bits: also of a row with an infinity or a NaN, whose numbers become finite."""
_EXPONENT_BITS, _MOST_EXPONENT, _NAN = 5, 254, 0x7FC0
"""Of f16, with the sign in front of a number; of bf16, of a finite number; of bf16."""
_FAR = 1 << 13
"""An exponent far from any."""
_MOST_PLACES = 15
"""A shift by so many places leaves nothing of 11 bits."""


def scales(matrix: ir.Value, dim: int, top: int) -> ir.Value:
    """`f32_pieces.scales` of a ``matrix`` of bf16."""
    return scales_of(matrix, dim, top, _i16(), _FRACTION, lambda element: cast("arith.bitcast", _i16(), element))


def in_halves(matrix: ir.Value, scale: ir.Value, dim: int) -> ir.Value:
    """``matrix`` times two to the power of ``scale`` (`scales` along ``dim``), as f16; in TCM if ``matrix`` is."""
    type_, of_rows = ir.RankedTensorType(matrix.type), ir.RankedTensorType(scale.type)
    rank, identity = type_.rank, ir.AffineMap.get_identity(type_.rank)
    same = ir.AffineMap.get_identity(rank - 1)
    steps = generic([scale], tensor.empty(of_rows.shape, _i16()), [same, same], ["parallel"] * (rank - 1), _step)
    return generic([matrix, steps], empty(type_.shape, ir.F16Type.get(), is_in_tcm(matrix)),
                   [identity, without(rank, dim), identity], ["parallel"] * rank, _scaled)


def exponents(scale: ir.Value) -> ir.Value:
    """`scales` in 16 bits for `rounded_back`."""
    type_ = ir.RankedTensorType(scale.type)
    same = ir.AffineMap.get_identity(type_.rank)

    def exponent(given: Sequence[ir.Value]) -> ir.Value:
        narrow = cast("arith.trunci", _i16(), given[0])
        special = arith.cmpi(arith.CmpIPredicate.sle, narrow, _number(UNUSABLE))
        return arith.select(special, _number(-_FAR), narrow)

    return generic([scale], tensor.empty(type_.shape, _i16()), [same, same], ["parallel"] * type_.rank, exponent)


def rounded_back(total: ir.Value, scale: Sequence[ir.Value]) -> ir.Value:
    """The element of bf16 nearest to ``total`` of f16, whose row and column have been multiplied by two to the power of
    each ``scale`` (`exponents`): NaN where one of them holds an infinity or a NaN, or where the result is beyond bf16;
    zero below its least normal number."""
    bits = cast("arith.bitcast", _i16(), total)
    magnitude = _magnitude(bits)
    lacking = arith.maxsi(subi(cast("math.ctlz", _i16(), magnitude), _number(_EXPONENT_BITS)), _number(0))
    number = subi(arith.shli(magnitude, lacking), arith.shli(lacking, _number(_FRACTION + _MORE)))  # of least exponents
    odd = arith.andi(binary("arith.shrsi", number, _number(_MORE)), _number(1))
    half = addi(odd, _number((1 << _MORE - 1) - 1))
    narrow = binary("arith.shrsi", addi(number, half), _number(_MORE))
    more = subi(_number(_BIASES), addi(*scale))
    is_zero = arith.cmpi(arith.CmpIPredicate.eq, magnitude, _number(0))
    exponent = addi(arith.select(is_zero, _number(-_FAR // 2), binary("arith.shrsi", narrow, _number(_FRACTION))), more)
    found = arith.ori(addi(narrow, arith.shli(more, _number(_FRACTION))), arith.andi(bits, _number(_SIGN)))
    small = arith.cmpi(arith.CmpIPredicate.slt, exponent, _number(1))
    beyond = arith.cmpi(arith.CmpIPredicate.sgt, exponent, _number(_MOST_EXPONENT))
    found = arith.select(beyond, _number(_NAN), arith.select(small, _number(0), found))
    return cast("arith.bitcast", ir.BF16Type.get(), found)


def _step(given: Sequence[ir.Value]) -> ir.Value:
    """What is added to the bits of a magnitude, so that its exponent becomes that of f16."""
    i32 = ir.IntegerType.get_signless(32)
    scale = arith.maxsi(given[0], constant(ir.IntegerAttr.get(i32, _LOWEST)))
    power = subi(scale, constant(ir.IntegerAttr.get(i32, _BIASES)))
    return arith.shli(cast("arith.trunci", _i16(), power), _number(_FRACTION))


def _scaled(given: Sequence[ir.Value]) -> ir.Value:
    """The bits of f16: those of a normal number, or the significand moved right by what the exponent lacks."""
    bits = cast("arith.bitcast", _i16(), given[0])
    magnitude = _magnitude(bits)
    moved = addi(magnitude, given[1])
    normal = arith.shli(moved, _number(_MORE))
    whole = arith.ori(arith.andi(magnitude, _number((1 << _FRACTION) - 1)), _number(1 << _FRACTION))
    lacking = subi(_number(1), binary("arith.shrsi", moved, _number(_FRACTION)))
    places = arith.minsi(lacking, _number(_MOST_PLACES))
    small = arith.shrui(arith.shli(whole, _number(_MORE)), places)
    is_normal = arith.cmpi(arith.CmpIPredicate.sge, moved, _number(1 << _FRACTION))
    found = arith.select(is_normal, normal, small)
    return cast("arith.bitcast", ir.F16Type.get(), arith.ori(found, arith.andi(bits, _number(_SIGN))))


def _magnitude(bits: ir.Value) -> ir.Value:
    return arith.andi(bits, _number(~_SIGN))


def _i16() -> ir.Type:
    return ir.IntegerType.get_signless(16)


def _number(value: int) -> ir.Value:
    return constant(ir.IntegerAttr.get(_i16(), value))
