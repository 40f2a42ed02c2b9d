"""Clamps to the range of a narrower integer followed by truncation to it, as saturating packs.

LLVM 22 clamps, two operations for every wide vector, and packs the low halves; HVX packs with saturation in one. The
clamp is dead afterwards if it has no other use.
"""

from __future__ import annotations

from dataclasses import dataclass

from hexagon_mlir.codegen.hvx.native_parts import PartBuilder
from hexagon_mlir.codegen.hvx.split_plan import BITS, VECTOR_BITS, SplitPlan
from hexagon_mlir.llvmir import Instruction
from hexagon_mlir.llvmir.types import lanes_of, vector_type

_EXTREMES = ("smax", "smin")
_SHIFTED = "vasrhbsat"
_PACKS = {(32, True, True): "vpackwh.sat", (32, False, True): "vsatwh", (16, True, True): "vpackhb.sat",
          (16, True, False): "vpackhub.sat", (16, False, True): _SHIFTED, (16, False, False): "vsathub"}
"""(bits, in memory order, signed result) -> the intrinsic."""


@dataclass(frozen=True)
class Clamp:
    """The operand that is clamped to the range of the result, signed or unsigned, and its type."""

    operand: str
    type: str
    signed: bool


def clamped(plan: SplitPlan, i: Instruction) -> Clamp | None:
    """The clamp whose result ``i`` truncates, when a pack saturates to the same range."""
    source, result = vector_type(i.types[0]), vector_type(i.type)
    if i.opcode != "trunc" or source is None or result is None:
        return None
    operand, bounds = i.operands[0], {}
    for _ in range(2):
        step = plan.definitions.get(operand)
        if step is None or step.generic not in _EXTREMES:
            return None
        bounds[step.generic] = _splat(step.operands[1], result[0])
        operand = step.operands[0]
    bits = BITS[result[1]]
    half = 1 << (bits - 1)
    low, high = bounds.get("smax"), bounds.get("smin")
    signed = (low, high) == (-half, half - 1)
    if not signed and (bits, low, high) != (8, 0, 2 * half - 1):
        return None
    return Clamp(operand, i.types[0], signed)


def _splat(operand: str, lanes: int) -> int | None:
    numbers = set(lanes_of(operand, lanes) or [])
    text = numbers.pop().replace("zeroinitializer", "0") if len(numbers) == 1 else ""
    return int(text) if text.lstrip("-").isdigit() else None


def packed(builder: PartBuilder, parts: list[str], bits: int, stride: int, signed: bool) -> tuple[list[str], int]:
    """Two parts as one of half the width, as by `PartBuilder.narrowed`, but saturated."""
    name = _PACKS[bits, stride == 1, signed]
    shift = [("i32", "0")] if name == _SHIFTED else []
    step = max(stride // 2, 1)
    before, after = f"<{VECTOR_BITS // bits} x i{bits}>", f"<{2 * VECTOR_BITS // bits} x i{bits // 2}>"
    new = []
    for group in range(0, len(parts), 2 * step):
        for low in range(group, group + step):
            two = [("<32 x i32>", builder.words(parts[part], before)) for part in (low + step, low)]
            new.append(builder.as_type(builder.intrinsic(name, "<32 x i32>", *two, *shift), after))
    return new, step if stride > 1 else 1
