"""Corrects LLVM 22's expansion of ``sitofp`` of i32 vectors where HVX has no instruction for it (before v73).

Its sequence rounds the 24 leading bits and drops the carry out of 24 ones: 0x7FFFFFC0 becomes 2^30 instead of 2^31.
`test_lost_carries.test_llvm_still_loses_the_carry` fails once LLVM is fixed.
"""

from __future__ import annotations

from hexagon_mlir.ir import ir
from hexagon_mlir.ir.query import ops_named
from hexagon_mlir.passes.math_library.lanes import BIAS, FRACTION, HIDDEN_BIT, MANTISSA_BITS, Float, Int, Lanes

_WORD = 32


def restore_carries(module: ir.Module) -> None:
    """Double the results of ``arith.sitofp`` that have lost their carry; 14 operations each."""
    for op in ops_named(module, "arith.sitofp"):
        source, result = op.operands[0], op.results[0]
        if not isinstance(result.type, ir.VectorType) or str(ir.VectorType(source.type).element_type) != "i32":
            continue
        if str(ir.VectorType(result.type).element_type) != "f32":
            continue
        with op.location, ir.InsertionPoint.after(op):
            lanes = Lanes(source.type)
            bits = Float(lanes, result).bits
            whole = _with_carry(bits, Int(lanes, source))
            result.replace_all_uses_except(whole.value, bits.value.owner.operation)


def _with_carry(bits: Int, source: Int) -> Float:
    """The float of these ``bits``, its carry restored: a power of two below two thirds of its ``source`` has lost
    it."""
    sign = source >> _WORD - 1
    size = (source ^ sign) - sign
    exponent = (bits.shift_right_unsigned(MANTISSA_BITS) - BIAS) & (_WORD - 1)
    power = source.lanes.int(1) << exponent
    lost = (bits & FRACTION).equals(0) & (size > HIDDEN_BIT) & (size - power > power.shift_right_unsigned(1))
    return (bits + lost.select(source.lanes.int(HIDDEN_BIT), source.lanes.int(0))).as_float()
