"""Single floats: what LLVM 22 calls a function for, and a call costs every vector register its value."""

from __future__ import annotations

from hexagon_mlir.ir import arith, ir

SIGN, MAGNITUDE, INFINITY = 0x8000, 0x7FFF, 0x7C00
MANTISSA_SHIFT, SIGN_SHIFT = 13, 16  # from where f16 has them to where f32 does
REBIAS = 2.0**112
"""What the exponents of f32 and f16 differ by; the product is exact, and makes numbers of denormal ones."""
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


def extreme(name: str, a: ir.Value, b: ir.Value) -> ir.Value:
    """``arith.<name>``, a minimum or maximum of two f32, in four operations; the sign of a zero is either's."""
    predicate = arith.CmpFPredicate.OGT if name.startswith("max") else arith.CmpFPredicate.OLT
    one = a if name.endswith("imumf") else b  # NaN wins, or loses
    takes_a = arith.ori(arith.cmpf(predicate, a, b), arith.cmpf(arith.CmpFPredicate.UNO, one, one))
    return arith.select(takes_a, a, b)
