"""Sums of four neighbouring products of bytes by vrmpy.

The pattern, for all products of one vector at once: ``acc + ((p[0::4] + p[1::4]) + (p[2::4] + p[3::4]))`` where p is
the product of two vectors of bytes, widened to words. LLVM 22 has no pattern for it: it widens, multiplies words and
extracts the summands with general shuffles.
"""

from __future__ import annotations

from hexagon_mlir.codegen.hvx.fixed_point import splat_number
from hexagon_mlir.codegen.hvx.native_parts import PartBuilder, Value
from hexagon_mlir.codegen.hvx.split_plan import SplitPlan
from hexagon_mlir.llvmir import Instruction
from hexagon_mlir.llvmir.types import mask_numbers

_BYTES, _WORDS, _LENGTH = 128, 32, 4
_NAMES = {("sext", "sext"): "vrmpybv.acc", ("zext", "zext"): "vrmpyubv.acc", ("zext", "sext"): "vrmpybusv.acc"}
"""Casts of the first and second operand -> the intrinsic."""


def make_dot_product(builder: PartBuilder, plan: SplitPlan, i: Instruction, value: Value) -> bool:
    """Fill ``value`` with the sum ``i`` if it accumulates such products."""
    if i.opcode != "add" or i.type != f"<{_WORDS} x i32>" or value.lane_stride != 1:
        return False
    for old, total in (i.operands, i.operands[::-1]):
        product = _product(plan, total)
        if product is None:
            continue
        if (parts := _by_one_number(builder, plan, i.type, old, product)) is not None:
            value.parts = parts
            return True
        casts = _casts(plan, product)
        if casts is None:
            continue
        for left, right in (casts, casts[::-1]):
            name = _NAMES.get((left.opcode, right.opcode))
            factors = [builder.value(c.operands[0], c.types[0]) for c in (left, right)]
            if name is None or any(f.lane_stride != 1 for f in factors):
                continue
            words = [builder.words(f.parts[0], f.native) for f in factors]
            acc = builder.with_stride(old, builder.value(old, i.type), 1)[0]
            value.parts = [builder.intrinsic(name, i.type, *((i.type, v) for v in (acc, *words)))]
            return True
    return False


def _by_one_number(builder: PartBuilder, plan: SplitPlan, type_: str, old: str, product: Instruction,
                   ) -> list[str] | None:
    """``old`` and the sums of ``product``, whose second factor is the same signed byte everywhere."""
    for operand, other in (product.operands, product.operands[::-1]):
        cast, number = plan.definitions.get(operand), splat_number(other, product.type)
        if number is None or not -128 <= number < 128 or cast is None or not _widens_bytes(cast):
            continue
        byte, name = builder.value(cast.operands[0], cast.types[0]), _NAMES[cast.opcode, "sext"]
        if byte.lane_stride == 1:
            acc = builder.with_stride(old, builder.value(old, type_), 1)[0]
            words = builder.words(byte.parts[0], byte.native), f"splat (i32 {(number & 0xFF) * 0x01010101})"
            return [builder.intrinsic(name, type_, *((type_, v) for v in (acc, *words)))]
    return None


def _product(plan: SplitPlan, total: str) -> Instruction | None:
    """The product that ``total`` sums, four adjacent elements at a time."""
    pairs = [plan.definitions.get(o) for o in _sum_of(plan, total)]
    shuffles = [plan.definitions.get(o) for pair in pairs if pair is not None for o in _sum_of(plan, pair.result)]
    if len(shuffles) != _LENGTH or any(s is None or s.opcode != "shufflevector" for s in shuffles):
        return None
    found = [s for s in shuffles if s is not None]
    masks = [mask_numbers(s.operands[2], _WORDS) for s in found]
    wanted = [[*range(first, _BYTES, _LENGTH)] for first in range(_LENGTH)]
    if len({s.operands[0] for s in found}) != 1 or masks != wanted:
        return None
    product = plan.definitions.get(found[0].operands[0])
    return product if product is not None and product.opcode == "mul" else None


def _casts(plan: SplitPlan, product: Instruction) -> tuple[Instruction, Instruction] | None:
    """The two casts of bytes that ``product`` multiplies."""
    casts = [plan.definitions.get(o) for o in product.operands]
    if any(c is None or not _widens_bytes(c) for c in casts):
        return None
    left, right = (c for c in casts if c is not None)
    return left, right


def _widens_bytes(cast: Instruction) -> bool:
    return cast.opcode in ("sext", "zext") and cast.types[0] == f"<{_BYTES} x i8>"


def _sum_of(plan: SplitPlan, name: str) -> list[str]:
    """The two operands of the addition ``name``; nothing when it is none."""
    i = plan.definitions.get(name)
    return i.operands if i is not None and i.opcode == "add" else []
