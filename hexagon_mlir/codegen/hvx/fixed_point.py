"""Fixed-point idioms in one instruction each: products of 16-bit fractions, multiples of them, shifts that narrow.

``(a b + 2^14) >> 15`` of widened 16-bit factors is ``vmpy(h,h):<<1:rnd:sat``, which takes one multiply pipe where LLVM
22 widens, multiplies, adds, shifts and packs. The two differ only for a = b = -1: the instruction saturates, the
expression wraps. So one factor must be known not to be -1: a constant, a fraction without its sign bit, an odd number
of units, or such a product. 32-bit products with a constant, accumulated or not, take the constant from a scalar
register. A shift before a truncation to half the width is ``vasr`` of two vectors into one.
"""

from __future__ import annotations

from hexagon_mlir.codegen.hvx.native_parts import PartBuilder, Value
from hexagon_mlir.codegen.hvx.split_plan import SplitPlan
from hexagon_mlir.llvmir import Instruction
from hexagon_mlir.llvmir.types import lanes_of, vector_type

_FRACTION_BITS = 15
_ONE = 1 << _FRACTION_BITS
_HALF = _ONE // 2
_WORDS, _PAIR = "<32 x i32>", "<64 x i32>"
_SHIFTS = ("lshr", "ashr")


def make_fixed_point(builder: PartBuilder, plan: SplitPlan, i: Instruction, value: Value) -> bool:
    """Fill ``value`` with the result of ``i`` if ``i`` is the last operation of one of the idioms."""
    if i.opcode in ("mul", "add") and value.bits == 32:
        return _multiple(builder, plan, i, value)
    if i.opcode != "trunc" or value.bits != 16 or vector_type(i.types[0]) != (value.lanes, "i32"):
        return False
    factors = _fractions(plan, i)
    if factors is not None:
        return _product(builder, factors, value)
    shift = plan.definitions.get(i.operands[0])
    if shift is None or shift.opcode not in _SHIFTS or (amount := splat_number(shift.operands[1], shift.type)) is None:
        return False
    return 0 < amount <= 16 and _narrowing_shift(builder, shift, amount, value)


def _multiple(builder: PartBuilder, plan: SplitPlan, i: Instruction, value: Value) -> bool:
    """16-bit integers times a constant, in 32 bits, accumulated or not."""
    if i.opcode == "add":
        for total, other in (i.operands, i.operands[::-1]):
            product = plan.definitions.get(other)
            if product is not None and _factor(plan, product) and splat_number(total, i.type) is None:
                pairs = builder.with_stride(total, builder.value(total, i.type), value.lane_stride)
                return _multiply(builder, plan, product, value, pairs)
        return False
    return _factor(plan, i) is not None and _multiply(builder, plan, i, value, None)


def _multiply(builder: PartBuilder, plan: SplitPlan, product: Instruction, value: Value,
              accumulators: list[str] | None) -> bool:
    found = _factor(plan, product)
    assert found is not None
    cast, number = found
    stride = value.lane_stride // 2
    if not stride:
        return False
    value.parts = [""] * (2 * len(words := _words(builder, cast, stride)))
    for part, word in enumerate(words):
        group, residue = divmod(part, stride)
        low = group * 2 * stride + residue
        arguments = [(_WORDS, word), ("i32", str(twice(number)))]
        if accumulators is None:
            pair = builder.intrinsic("vmpyh", _PAIR, *arguments)
        else:
            total = builder.intrinsic("vcombine", _PAIR, (_WORDS, accumulators[low + stride]),
                                      (_WORDS, accumulators[low]))
            pair = builder.intrinsic("vmpyh.acc", _PAIR, (_PAIR, total), *arguments)
        value.parts[low], value.parts[low + stride] = builder.half("lo", pair), builder.half("hi", pair)
    return True


def _factor(plan: SplitPlan, i: Instruction) -> tuple[Instruction, int] | None:
    """The cast and the constant that ``i`` multiplies."""
    cast = plan.definitions.get(i.operands[0]) if i.opcode == "mul" else None
    number = splat_number(i.operands[1], i.type) if cast is not None else None
    if cast is None or not _is_widened(cast) or number is None or not -_ONE <= number < _ONE:
        return None
    return cast, number


def _product(builder: PartBuilder, factors: tuple[Instruction, Instruction | int], value: Value) -> bool:
    left = _words(builder, factors[0], value.lane_stride)
    if isinstance(factors[1], int):
        number = ("i32", str(twice(factors[1])))
        made = [builder.intrinsic("vmpyhsrs", _WORDS, (_WORDS, w), number) for w in left]
    else:
        right = _words(builder, factors[1], value.lane_stride)
        made = [builder.intrinsic("vmpyhvsrs", _WORDS, (_WORDS, a), (_WORDS, b))
                for a, b in zip(left, right, strict=True)]
    value.parts = [builder.as_type(words, value.native) for words in made]
    return True


def _words(builder: PartBuilder, cast: Instruction, stride: int) -> list[str]:
    source = builder.value(cast.operands[0], cast.types[0])
    return [builder.words(p, source.native) for p in builder.with_stride(cast.operands[0], source, stride)]


def twice(number: int) -> int:
    """A 16-bit integer in both halves of a scalar register."""
    half = number & 0xFFFF
    both = half << 16 | half
    return both - (1 << 32) if both >> 31 else both


def _narrowing_shift(builder: PartBuilder, shift: Instruction, amount: int, value: Value) -> bool:
    source = builder.value(shift.operands[0], shift.types[0])
    stride = value.lane_stride
    if source.lane_stride != 2 * stride:
        return False
    parts = builder.with_stride(shift.operands[0], source, source.lane_stride)
    name, *rest = ("vshufoh",) if amount == 16 else ("vasrwh", ("i32", str(amount)))
    for low in (group + r for group in range(0, len(parts), 2 * stride) for r in range(stride)):
        words = builder.intrinsic(name, _WORDS, (_WORDS, parts[low + stride]), (_WORDS, parts[low]), *rest)
        value.parts.append(builder.as_type(words, value.native))
    return True


def _fractions(plan: SplitPlan, i: Instruction) -> tuple[Instruction, Instruction | int] | None:
    """The factors that ``i`` is the rounded product of: casts from 16 bits, the second one perhaps a constant."""
    shift = plan.definitions.get(i.operands[0])
    if shift is None or shift.opcode not in _SHIFTS or splat_number(shift.operands[1], shift.type) != _FRACTION_BITS:
        return None
    total = plan.definitions.get(shift.operands[0])
    if total is None or total.opcode != "add" or splat_number(total.operands[1], total.type) != _HALF:
        return None
    product = plan.definitions.get(total.operands[0])
    if product is None or product.opcode != "mul":
        return None
    multiple = _factor(plan, product)
    if multiple is not None:
        return multiple if multiple[1] != -_ONE else None
    left, right = (plan.definitions.get(o) for o in product.operands)
    if left is None or right is None or not _is_widened(left) or not _is_widened(right):
        return None
    return (left, right) if any(_is_above_minus_one(plan, cast.operands[0]) for cast in (left, right)) else None


def _is_widened(factor: Instruction) -> bool:
    return factor.opcode == "sext" and factor.types[0].endswith("x i16>")


def _is_above_minus_one(plan: SplitPlan, name: str) -> bool:
    source = plan.definitions.get(name)
    if source is None:
        return False
    if source.opcode == "and":
        mask = splat_number(source.operands[1], source.type)
        return mask is not None and mask >= 0
    if source.opcode in ("add", "sub"):  # an odd number
        offset = splat_number(source.operands[1], source.type)
        return offset is not None and offset % 2 == 1 and _is_even(plan, source.operands[0])
    return source.opcode == "trunc" and _fractions(plan, source) is not None


def _is_even(plan: SplitPlan, name: str) -> bool:
    source = plan.definitions.get(name)
    if source is None or source.opcode not in ("shl", "add"):
        return False
    if source.opcode == "add":
        return source.operands[0] == source.operands[1]
    amount = splat_number(source.operands[1], source.type)
    return amount is not None and amount > 0


def splat_number(operand: str, type_: str) -> int | None:
    """The integer in every lane of a constant."""
    vector = vector_type(type_)
    lanes = lanes_of(operand, vector[0]) if vector is not None else None
    if lanes is None or len(set(lanes)) != 1:
        return None
    return int(lanes[0]) if lanes[0].lstrip("-").isdigit() else None
