"""The upper 32 bits of products of words, by two multiplications of words with halfwords.

LLVM has the same instructions for ``mulsi_extended``, unless what reads the upper half hides it from the pattern: then
it multiplies lane by lane. Constants and squares, by which the math library multiplies, are left to LLVM, which
schedules its own form better: the exponential of f32 takes 31,280 cycles for 32,768, with this form 32,302.
"""

from __future__ import annotations

from hexagon_mlir.ir import ir
from hexagon_mlir.passes.lib.intrinsics import WORD_BITS, Registers


def has_high_product(op: ir.Operation, vector_bytes: int) -> bool:
    """True for ``arith.mulsi_extended`` of different whole registers of words, no constants, of which only the upper
    half is read."""
    type_ = op.operands[0].type
    if not isinstance(type_, ir.VectorType) or list(op.results[0].uses):
        return False
    if op.operands[0] == op.operands[1] or any(map(_is_constant, op.operands)):
        return False
    vector = ir.VectorType(type_)
    lanes = vector_bytes * 8 // WORD_BITS
    count = vector.shape[0] // lanes if vector.rank == 1 and vector.shape[0] % lanes == 0 else 0
    return vector.element_type == ir.IntegerType.get_signless(WORD_BITS) and count > 0 and count & (count - 1) == 0


def _is_constant(value: ir.Value) -> bool:
    return not isinstance(value.owner, ir.Block) and value.owner.operation.name == "arith.constant"


def high_product(x: ir.Value, y: ir.Value, vector_bytes: int) -> ir.Value:
    """``x * y >> 32`` of vectors for which `has_high_product` holds (HVX V73 PRM: vmpye, vmpyo into 64 bits)."""
    registers = Registers(vector_bytes)
    found = []
    for left, right in zip(registers.parts(x), registers.parts(y), strict=True):
        pair = registers.call("vmpyewuh.64", registers.pair, left, right)
        pair = registers.call("vmpyowh.64.acc", registers.pair, pair, left, right)
        found.append(registers.call("hi", registers.vector, pair))
    return registers.concatenated(found, ir.IntegerType.get_signless(WORD_BITS))
