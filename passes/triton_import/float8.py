"""8-bit floats, held as bytes: conversions as integer arithmetic, since no later stage knows the types.

Rounding to nearest follows the usual scheme (as in PyTorch's `c10/util/Float8_*.h`): add the half and the odd bit to
the bits of a normal number, add a power of two to a subnormal one. Overflow gives infinity, or NaN where the format
has none.
"""

from __future__ import annotations

import ml_dtypes
import numpy as np

from hexagon_mlir.ir import arith, ir, math
from hexagon_mlir.passes.triton_import.types import FLOAT8

_MANTISSA, _BIAS, _NAN = 23, 127, 0x7FC00000  # of f32


def widen(byte: ir.Value, kind: str) -> ir.Value:
    """The f32 value of an 8-bit float of type ``kind``; exact."""
    exponent, mantissa = FLOAT8[kind]
    i32, f32 = ir.IntegerType.get_signless(32), ir.F32Type.get()
    bias = (1 << (exponent - 1)) - 1
    bits = arith.extui(i32, byte)
    magnitude = arith.andi(bits, _int(0x7F))
    shifted = arith.shli(magnitude, _int(_MANTISSA - mantissa))
    normal = arith.bitcast(f32, arith.addi(shifted, _int((_BIAS - bias) << _MANTISSA)))
    small = arith.mulf(arith.sitofp(f32, magnitude), _float(2.0 ** (1 - bias - mantissa)))
    value = arith.select(_compare("ult", magnitude, 1 << mantissa), small, normal)
    value = arith.bitcast(i32, value)
    if _has_infinity(kind):
        top = ((1 << exponent) - 1) << mantissa
        special = arith.select(_compare("eq", magnitude, top), _int(0x7F800000), _int(_NAN))
        value = arith.select(_compare("uge", magnitude, top), special, value)
    else:
        value = arith.select(_compare("eq", magnitude, 0x7F), _int(_NAN), value)
    sign = arith.shli(arith.andi(bits, _int(0x80)), _int(24))
    return arith.bitcast(f32, arith.ori(value, sign))


def narrow(value: ir.Value, kind: str) -> ir.Value:
    """An f32 ``value`` as an 8-bit float of type ``kind``, rounded to nearest, ties to even."""
    exponent, mantissa = FLOAT8[kind]
    i32, f32 = ir.IntegerType.get_signless(32), ir.F32Type.get()
    bias, drop = (1 << (exponent - 1)) - 1, _MANTISSA - mantissa
    bits = arith.bitcast(i32, value)
    magnitude = arith.andi(bits, _int(0x7FFFFFFF))
    odd = arith.andi(arith.shrui(magnitude, _int(drop)), _int(1))
    rounded = arith.addi(arith.addi(magnitude, odd), _int(((bias - _BIAS) << _MANTISSA) + (1 << (drop - 1)) - 1))
    result = arith.shrui(rounded, _int(drop))
    unit = (_BIAS - bias + drop + 1) << _MANTISSA  # after adding it the low bits are those of the subnormal
    shifted = arith.addf(arith.bitcast(f32, magnitude), arith.bitcast(f32, _int(unit)))
    small = arith.subi(arith.bitcast(i32, shifted), _int(unit))
    result = arith.select(_compare("ult", magnitude, (_BIAS - bias + 1) << _MANTISSA), small, result)
    if _has_infinity(kind):
        top = ((1 << exponent) - 1) << mantissa
        result = arith.select(_compare("uge", magnitude, (_BIAS + bias + 1) << _MANTISSA), _int(top), result)
        result = arith.select(_compare("ugt", magnitude, 0x7F800000), _int(0x7F), result)
    else:  # the largest mantissa of the largest exponent is NaN
        top = ((_BIAS + bias + 2) << _MANTISSA) - (1 << drop)
        result = arith.select(_compare("uge", magnitude, top), _int(0x7F), result)
    sign = arith.andi(arith.shrui(bits, _int(24)), _int(0x80))
    return arith.trunci(ir.IntegerType.get_signless(8), arith.ori(result, sign))


def encode(number: float, kind: str) -> int:
    """The byte of a constant."""
    type = {"f8E5M2": ml_dtypes.float8_e5m2, "f8E4M3FN": ml_dtypes.float8_e4m3fn}[kind]
    return int(np.array(number, type).view(np.int8))


def truncated(value: ir.Value, nearest: ir.Value, back: ir.Value) -> ir.Value:
    """``nearest`` (``value`` rounded to nearest, as an integer of its bits) rounded towards zero instead.

    ``back`` is ``nearest`` widened to the type of ``value`` again: where that is larger than ``value``, one unit less.
    """
    a, b = math.absf(back), math.absf(value)
    above = arith.andi(arith.cmpf(arith.CmpFPredicate.UGT, a, b), arith.cmpf(arith.CmpFPredicate.ORD, value, value))
    one = arith.constant(nearest.type, 1)
    return arith.select(above, arith.subi(nearest, one), nearest)


def _has_infinity(kind: str) -> bool:
    return not kind.endswith("FN")


def _int(number: int) -> ir.Value:
    signed = number - (1 << 32) if number >= 1 << 31 else number
    return arith.constant(ir.IntegerType.get_signless(32), signed)


def _float(number: float) -> ir.Value:
    return arith.constant(ir.F32Type.get(), number)


def _compare(predicate: str, a: ir.Value, b: int) -> ir.Value:
    return arith.cmpi(arith.CmpIPredicate[predicate], a, _int(b))
