"""Matrices of bf16 as matrices of f16 after scaling by powers of two, in linalg, by integers of 16 bits.

A number of bf16 has 8 significant bits, one of f16 has 11: scaled, it is the same number down to 2**-17, and is cut to
a multiple of 2**-24 below. The scales are those of `hexagon_mlir.passes.lib.f32_pieces`.
"""

from __future__ import annotations

from collections.abc import Sequence

from hexagon_mlir.ir import arith, ir, tensor
from hexagon_mlir.ir.constants import constant
from hexagon_mlir.ir.make import addi, binary, cast, subi
from hexagon_mlir.passes.lib.f32_pieces import scales_of, without
from hexagon_mlir.passes.lib.linalg_generic import generic
from hexagon_mlir.passes.lib.tcm_tensors import empty, is_in_tcm

_FRACTION, _MORE = 7, 3
"""Bits of the fraction; how many f16 has more."""
_BIASES = 127 - 15
"""Of the exponents of bf16 and f16."""
_SIGN = -(1 << 15)
_LOWEST = (_SIGN >> _FRACTION) + _BIASES
"""The least scale whose step has 16 bits: also of a row with an infinity or a NaN, whose numbers become finite."""
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
