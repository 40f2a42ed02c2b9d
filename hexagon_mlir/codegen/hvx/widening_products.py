"""Products of widened factors as widening multiplications.

LLVM 22 widens both factors and multiplies whole words: for 16-bit integers four instructions and for f16 six, where
HVX has one for a vector of products. The factors' own casts are dead afterwards.

Sums of two products by ``vdmpy`` are not made: of halfwords it saturates where linalg's sums wrap, and of bytes
``vrmpy`` (`dot_products`) sums four.
"""

from __future__ import annotations

from hexagon_mlir.codegen.hvx.native_parts import PartBuilder, Value
from hexagon_mlir.codegen.hvx.split_plan import BITS, VECTOR_BITS, SplitPlan
from hexagon_mlir.llvmir import Instruction
from hexagon_mlir.llvmir.types import vector_type

_WORDS, _PAIR = "<32 x i32>", "<64 x i32>"
_FLOAT = "vmpy.qf32.hf"
_INTEGER = {(8, "sext", "sext"): "vmpybv", (8, "zext", "zext"): "vmpyubv", (8, "zext", "sext"): "vmpybusv",
            (16, "sext", "sext"): "vmpyhv", (16, "zext", "zext"): "vmpyuhv", (16, "sext", "zext"): "vmpyhus"}
"""(bits, casts of the first and second operand) -> the intrinsic."""


def make_widening_product(builder: PartBuilder, plan: SplitPlan, i: Instruction, value: Value) -> bool:
    """Fill ``value`` with ``i`` if it is the product of two factors widened from the same width, or its sum with
    integers."""
    if i.opcode == "add":
        for operand, other in zip(i.operands, reversed(i.operands), strict=True):
            product, total = plan.definitions.get(operand), (other, i.type)
            if product is not None and product.opcode == "mul" and _make(builder, plan, product, value, total):
                return True
        return False
    return i.opcode in ("mul", "fmul") and _make(builder, plan, i, value)


def _make(builder: PartBuilder, plan: SplitPlan, i: Instruction, value: Value,
          total: tuple[str, str] | None = None) -> bool:
    casts = [plan.definitions.get(o) for o in i.operands]
    if any(c is None or c.opcode not in ("sext", "zext", "fpext") or c.result not in plan.names for c in casts):
        return False
    (left, right) = (c for c in casts if c is not None)
    sources = [vector_type(c.types[0]) for c in (left, right)]
    if sources[0] is None or sources[0] != sources[1] or sources[0][1] not in BITS:  # masks
        return False
    bits = BITS[sources[0][1]]
    name = _FLOAT if i.opcode == "fmul" and sources[0][1] == "half" and builder.qfloat else ""
    for first, second in ((left, right), (right, left)):
        if not name and (found := _INTEGER.get((bits, first.opcode, second.opcode))):
            name, left, right = found, first, second
    factors = [builder.value(c.operands[0], c.types[0]) for c in (left, right)]
    lane_strides = {f.lane_stride for f in factors if not f.splat}
    if not name or len(lane_strides) != 1 or value.lane_stride != (stride := lane_strides.pop()) * value.bits // bits:
        return False
    columns = [builder.ieee(c.operands[0], f) for c, f in zip((left, right), factors, strict=True)]
    sums: list[str] = []
    if total is not None:
        if value.bits != 2 * bits:
            return False
        sums = builder.with_stride(total[0], builder.value(*total), value.lane_stride)
    parts = _products(builder, name, columns, [f.native for f in factors], bits, stride, sums)
    if name == _FLOAT:
        value.qfloats = parts
        return True
    opcode = "zext" if left.opcode == right.opcode == "zext" else "sext"
    done, stride = 2 * bits, 2 * stride
    while done < value.bits:
        parts, done, stride = builder.widened(opcode, parts, done, stride), 2 * done, 2 * stride
    value.parts = parts
    return True


def _products(builder: PartBuilder, name: str, columns: list[list[str]], natives: list[str], bits: int,
              stride: int, sums: list[str]) -> list[str]:
    """Each pair of parts as two: products of its even and of its odd lanes, added to the parts of ``sums``, if any."""
    new = [""] * (2 * len(columns[0]))
    type_ = _WORDS if name == _FLOAT else f"<{VECTOR_BITS // bits // 2} x i{2 * bits}>"
    for number, factors in enumerate(zip(*columns, strict=True)):
        words = [(_WORDS, builder.words(f, native)) for f, native in zip(factors, natives, strict=True)]
        group, residue = divmod(number, stride)
        place = group * 2 * stride + residue
        if sums:
            both = [(_WORDS, builder.words(sums[at], type_)) for at in (place + stride, place)]
            total = builder.intrinsic("vcombine", _PAIR, *both)
            pair = builder.intrinsic(f"{name}.acc", _PAIR, (_PAIR, total), *words)
        else:
            pair = builder.intrinsic(name, _PAIR, *words)
        new[place] = builder.as_type(builder.half("lo", pair), type_)
        new[place + stride] = builder.as_type(builder.half("hi", pair), type_)
    return new
