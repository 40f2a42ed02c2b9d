"""Vectors of bytes with two integers of 4 bits each."""

from __future__ import annotations

from hexagon_mlir.dialects.nibble_weights import NIBBLE_BITS
from hexagon_mlir.ir import ir, make
from hexagon_mlir.ir.constants import constant
from hexagon_mlir.passes.byte_interleaving.shuffles import bitcast

_LOW, _HIGH = 0x0F0F, -0x0F10
"""The nibbles of both bytes of 16 bits, which HVX shifts, as it does not shift bytes to the left."""


def regrouped(first: ir.Value, second: ir.Value) -> tuple[ir.Value, ir.Value]:
    """The lower nibbles of two vectors, in one vector those of ``first`` below those of ``second``; the upper ones."""
    x, y = (_halves(value) for value in (first, second))
    low, high, bits = (_splat(x.type, value) for value in (_LOW, _HIGH, NIBBLE_BITS))
    lower = make.binary("arith.ori", make.binary("arith.andi", x, low),
                        make.binary("arith.andi", make.binary("arith.shli", y, bits), high))
    upper = make.binary("arith.ori", make.binary("arith.andi", make.binary("arith.shrui", x, bits), low),
                        make.binary("arith.andi", y, high))
    return bitcast(first.type, lower), bitcast(first.type, upper)


def as_upper_nibbles(vector: ir.Value) -> list[ir.Value]:
    """Two vectors with the nibbles of ``vector`` in the upper halves of their bytes: 16 times their value."""
    halves = _halves(vector)
    high, bits = (_splat(halves.type, value) for value in (_HIGH, NIBBLE_BITS))
    return [bitcast(vector.type, make.binary("arith.andi", each, high)) for each in (
        make.binary("arith.shli", halves, bits), halves)]


def _halves(vector: ir.Value) -> ir.Value:
    length, = ir.VectorType(vector.type).shape
    return bitcast(ir.VectorType.get([length // 2], ir.IntegerType.get_signless(16)), vector)


def _splat(type_: ir.Type, value: int) -> ir.Value:
    element = ir.IntegerAttr.get(ir.VectorType(type_).element_type, value)
    return constant(ir.DenseElementsAttr.get_splat(type_, element))
