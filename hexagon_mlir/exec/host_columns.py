"""What the table of a column says about its sums, on this machine: as operations on buffers, and on arrays.

A bias a maximum with zero and a scale, see `hexagon_mlir.passes.lib.engine_conversions`.
"""

from __future__ import annotations

import numpy as np

from hexagon_mlir.dialects.engine_tiles import RANK
from hexagon_mlir.ir import ir
from hexagon_mlir.ir.constants import constant
from hexagon_mlir.ir.make import binary, cast

_SIGN, _EXPONENT, _FRACTION = -1 << 31, 31, (1 << 15) - 1
"""Of a bias: its sign bit, and what is kept of exponent and fraction when they are moved to the low end."""
_EXPONENT_BIT, _FRACTION_BIT, _POSITIVE_BIT = 26, 11, 9
_REBIAS, _F32_EXPONENT_BIT, _F32_FRACTION_SHIFT = 112, 23, 8
_SMALLEST_UNIT = 2.0**-29


def convert(sums: ir.Value, columns: ir.Value, results: ir.Value) -> None:
    """Write the f32 tiles ``sums`` to ``results``, f16, as the table ``columns`` says."""
    _, column_tile, _, column, _ = (ir.AffineDimExpr.get(loop) for loop in range(RANK))
    same = ir.AffineMap.get_identity(RANK)
    low, high = (ir.AffineMap.get(RANK, 0, [column_tile, ir.AffineConstantExpr.get(half), column]) for half in (0, 1))
    f16, f32, i32 = ir.F16Type.get(), ir.F32Type.get(), ir.IntegerType.get_signless(32)
    op = ir.Operation.create(
        "linalg.generic", operands=[sums, columns, columns, results], regions=1,
        attributes={"indexing_maps": ir.ArrayAttr.get([ir.AffineMapAttr.get(map_) for map_ in (same, low, high, same)]),
                    "iterator_types": ir.Attribute.parse(f"[{', '.join(['#linalg.iterator_type<parallel>'] * RANK)}]"),
                    "operandSegmentSizes": ir.DenseI32ArrayAttr.get([3, 1])})
    body = op.regions[0].blocks.append(f32, i32, i32, f16, arg_locs=[op.location] * 4)

    def number(value: int) -> ir.Value:
        return constant(ir.IntegerAttr.get(i32, value))

    with ir.InsertionPoint(body):
        value, low_word, word, _ = body.arguments
        exponent = binary("arith.andi", binary("arith.shrui", word, number(_EXPONENT_BIT)), number(_EXPONENT))
        fraction = binary("arith.andi", binary("arith.shrui", word, number(_FRACTION_BIT)), number(_FRACTION))
        sign = binary("arith.andi", word, number(_SIGN))
        bits = binary("arith.ori", binary("arith.shli", binary("arith.addi", exponent, number(_REBIAS)),
                                          number(_F32_EXPONENT_BIT)),
                      binary("arith.shli", fraction, number(_F32_FRACTION_SHIFT)))
        small = binary("arith.mulf", cast("arith.uitofp", f32, fraction),
                       constant(ir.FloatAttr.get(f32, _SMALLEST_UNIT)))
        size = _select(_equal(exponent, number(0)), cast("arith.bitcast", i32, small), bits)
        bias = cast("arith.bitcast", f32, binary("arith.ori", sign, size))
        total = binary("arith.addf", value, bias)
        flag = binary("arith.andi", word, number(1 << _POSITIVE_BIT))
        largest = binary("arith.maximumf", total, constant(ir.FloatAttr.get(f32, 0.0)))
        total = _select(_equal(flag, number(0)), total, largest)
        scale = cast("arith.bitcast", f16, cast("arith.trunci", ir.IntegerType.get_signless(16), low_word))
        total = binary("arith.mulf", total, cast("arith.extf", f32, scale))
        ir.Operation.create("linalg.yield", operands=[cast("arith.truncf", f16, total)])


def _equal(left: ir.Value, right: ir.Value) -> ir.Value:
    return ir.Operation.create(
        "arith.cmpi", results=[ir.IntegerType.get_signless(1)], operands=[left, right],
        attributes={"predicate": ir.IntegerAttr.get(ir.IntegerType.get_signless(64), 0)}).result


def _select(condition: ir.Value, one: ir.Value, other: ir.Value) -> ir.Value:
    return ir.Operation.create("arith.select", results=[one.type], operands=[condition, one, other]).result


def converted(sums: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """f16 of the f32 ``sums``, whose last dimension are columns, with the ``low`` and ``high`` words, u32, of these
    columns."""
    exponent, fraction = high >> _EXPONENT_BIT & _EXPONENT, high >> _FRACTION_BIT & _FRACTION
    size = np.where(exponent == 0, fraction * _SMALLEST_UNIT,
                    (1 + fraction / (_FRACTION + 1)) * 2.0 ** (exponent.astype(np.float64) - 15))
    total = sums + np.where(high >> 31, -size, size).astype(np.float32)
    total = np.where(high >> _POSITIVE_BIT & 1, np.maximum(total, 0), total)
    return (total * low.astype(np.uint16).view(np.float16).astype(np.float32)).astype(np.float16)
