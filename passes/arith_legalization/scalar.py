"""Scalar float operations that LLVM 22 lowers to library calls, which spill every live vector register, or computes
wrong.
"""

from __future__ import annotations

from hexagon_mlir.ir import arith, ir
from hexagon_mlir.ir.constants import constant

SIGN, MAGNITUDE, INFINITY = 0x8000, 0x7FFF, 0x7C00
MANTISSA_SHIFT, SIGN_SHIFT = 13, 16  # from the position of the mantissa in f16 to that in f32
REBIAS = 2.0**112
"""The difference of the exponent biases of f32 and f16, as a factor; the product is exact and normalizes denormal
numbers."""
INFINITY_F32 = 0x7F800000


def from_f16(value: ir.Value) -> ir.Value:
    """The f16 ``value`` as f32 in eight operations."""
    word = ir.IntegerType.get_signless(32)

    def number(bits: int) -> ir.Value:
        return arith.constant(word, bits)

    bits = arith.extui(word, arith.bitcast(ir.IntegerType.get_signless(16), value))
    magnitude = arith.shli(arith.andi(bits, number(MAGNITUDE)), number(MANTISSA_SHIFT))
    rebias = arith.constant(ir.F32Type.get(), REBIAS)
    finite = arith.bitcast(word, arith.mulf(arith.bitcast(ir.F32Type.get(), magnitude), rebias))
    is_finite = arith.cmpi(arith.CmpIPredicate.ult, magnitude, number(INFINITY << MANTISSA_SHIFT))
    unsigned = arith.select(is_finite, finite, arith.ori(magnitude, number(INFINITY_F32)))
    sign = arith.shli(arith.andi(bits, number(SIGN)), number(SIGN_SHIFT))
    return arith.bitcast(ir.F32Type.get(), arith.ori(unsigned, sign))


def odd_f32(value: ir.Value) -> ir.Value:
    """The f64 ``value``, or a vector of them, as f32, rounded to odd: an inexact one has its last bit set.

    Rounding the result to bf16 gives what rounding ``value`` gives. LLVM 22 takes the upper half of the nearest f32
    instead.
    """
    vector, predicate = isinstance(value.type, ir.VectorType), arith.CmpFPredicate

    def like(element: ir.Type) -> ir.Type:
        return ir.VectorType.get(ir.VectorType(value.type).shape, element) if vector else element

    single, word = like(ir.F32Type.get()), like(ir.IntegerType.get_signless(32))
    none = ir.FloatAttr.get(ir.F64Type.get(), 0.0)
    zero = constant(ir.DenseElementsAttr.get_splat(value.type, none) if vector else none)
    nearest = arith.truncf(single, value)
    back = arith.extf(value.type, nearest)
    inexact = arith.cmpf(predicate.ONE, back, value)
    grown = arith.xori(arith.cmpf(predicate.OGT, back, value), arith.cmpf(predicate.OLT, value, zero))
    cut = arith.subi(arith.bitcast(word, nearest), arith.extui(word, arith.andi(grown, inexact)))
    return arith.bitcast(single, arith.ori(cut, arith.extui(word, inexact)))


def extreme(name: str, a: ir.Value, b: ir.Value) -> ir.Value:
    """``arith.<name>``, a minimum or maximum of two f32, in four operations; of zeros of both signs, either is
    returned."""
    predicate = arith.CmpFPredicate.OGT if name.startswith("max") else arith.CmpFPredicate.OLT
    one = a if name.endswith("imumf") else b  # NaN wins, or loses
    takes_a = arith.ori(arith.cmpf(predicate, a, b), arith.cmpf(arith.CmpFPredicate.UNO, one, one))
    return arith.select(takes_a, a, b)
