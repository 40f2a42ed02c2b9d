"""f16 numbers as integers of 16 bits in one instruction, ``V.h=V.hf``.

LLVM 22 has no such conversion of f16: the program widens to f32, converts to i32 and truncates. The instruction
saturates where the truncation wraps, so the number must be known to fit: a constant bounds its bits.
"""

from __future__ import annotations

from hexagon_mlir.codegen.hvx.integer_ranges import integer_bounds
from hexagon_mlir.codegen.hvx.native_parts import PartBuilder, Value
from hexagon_mlir.codegen.hvx.split_plan import SplitPlan
from hexagon_mlir.llvmir import Instruction

_WORDS = "<32 x i32>"
_TOO_LARGE = 0x7800
"""The bits of the f16 number 2^15."""


def make_half_integer(builder: PartBuilder, plan: SplitPlan, i: Instruction, value: Value) -> bool:
    """Fill ``value`` with the result of ``i`` if it truncates a conversion of positive f16 numbers that fit."""
    if i.opcode != "trunc" or value.bits != 16:
        return False
    source = _positive_half(plan, i)
    if source is None or source.operands[0] not in plan.names:
        return False
    halves = builder.value(source.operands[0], source.types[0])
    parts = builder.with_stride(source.operands[0], halves, value.lane_stride)
    made = [builder.intrinsic("vconv.h.hf", _WORDS, (_WORDS, builder.words(part, halves.native))) for part in parts]
    value.parts = [builder.as_type(part, value.native) for part in made]
    return True


def _positive_half(plan: SplitPlan, i: Instruction) -> Instruction | None:
    """The extension of the numbers below 2^15 that ``i`` has converted."""
    found = [i]
    for opcode in ("fptosi", "fpext", "bitcast"):
        source = plan.definitions.get(found[-1].operands[0])
        if source is None or source.opcode != opcode:
            return None
        found.append(source)
    _, _, extension, bits = found
    if not bits.types[0].endswith("x i16>"):
        return None
    low, high = integer_bounds(bits.operands[0], plan.definitions)
    return extension if low >= 0 and high < _TOO_LARGE else None
