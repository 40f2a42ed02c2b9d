"""Floats to clamped integers, as quantization writes them: ``fptosi(minimum(maximum(roundeven(x), low), high))``.

Clamped first, to the same result, x is small: adding 1.5 * 2^23 rounds it to the nearest integer, ties to even, which
then stands in the low bits. NaN that reaches the conversion is undefined, so clamps that keep NaN need not look for it.
"""

from __future__ import annotations

from dataclasses import dataclass

from hexagon_mlir.ir import erase_op, ir
from hexagon_mlir.passes.math_library.lanes import ROUND, Float, Lanes, float_bits

ORIGIN = "hexagon-math-expansion"
CONVERSIONS = ("arith.fptosi", "arith.fptoui")
KEEP_NAN = ("arith.maximumf", "arith.minimumf")
LOWER, UPPER = ("arith.maximumf", "arith.maxnumf"), ("arith.minimumf", "arith.minnumf")
LARGEST = 2.0**22  # numbers up to here leave the exponent of 1.5 * 2^23 alone
FREE_BITS = 22  # low bits of 1.5 * 2^23 that are zero


@dataclass(frozen=True)
class Clamp:
    """One bound of the chain: the operation's name and the number in every lane."""

    name: str
    bound: float


def expand_quantization(op: ir.Operation) -> bool:
    """Replace ``op``, one of `CONVERSIONS`, where it converts a rounded and clamped value; False where it does not."""
    found = _find(op)
    if found is None:
        return False
    source, clamps, inner = found
    element = str(getattr(source.type, "element_type", source.type))
    width = ir.IntegerType(getattr(op.results[0].type, "element_type", op.results[0].type)).width
    with ir.InsertionPoint(op), op.location:
        lanes = Lanes(source.type)
        value = Float(lanes, source, element)
        if element != "f32":
            value = value.extend()
        for clamp in clamps:
            value = _clamped(value, clamp)
        bits = (value + ROUND).bits
        result = bits.truncate(f"i{width}") if width <= FREE_BITS else bits - float_bits(ROUND)
    op.results[0].replace_all_uses_with(result.value)
    for dead in (op, *inner):
        erase_op(dead, ORIGIN)
    return True


def _find(op: ir.Operation) -> tuple[ir.Value, list[Clamp], list[ir.Operation]] | None:
    """What is rounded and clamped, the clamps in order, and the operations between it and ``op``, last first."""
    result = op.results[0].type
    if str(getattr(result, "element_type", result)) not in ("i8", "i16", "i32"):
        return None
    value, rounded = op.operands[0], False
    clamps: list[Clamp] = []
    inner: list[ir.Operation] = []
    while (step := _only_use(value)) is not None:
        if step.name == "math.roundeven" and not rounded:
            rounded = True
        elif (clamp := _clamp(step)) is not None:
            clamps.insert(0, clamp)
        else:
            break
        inner.append(step)
        value = step.operands[0]
    element = str(getattr(value.type, "element_type", value.type))
    low, high = (next((c.bound for c in clamps if c.name in names), None) for names in (LOWER, UPPER))
    if not rounded or len(clamps) != 2 or low is None or high is None or low > high:
        return None
    return (value, clamps, inner) if element in ("f32", "f16", "bf16") else None


def _only_use(value: ir.Value) -> ir.Operation | None:
    """The operation that defines ``value``, when it is used once."""
    return None if isinstance(value.owner, ir.Block) or len(list(value.uses)) != 1 else value.owner.operation


def _clamp(op: ir.Operation) -> Clamp | None:
    """``op`` as a clamp to an integer that is small enough."""
    if op.name not in LOWER + UPPER:
        return None
    bound = Float(Lanes(op.operands[1].type), op.operands[1], "").constant
    small = bound is not None and abs(bound) <= LARGEST and bound == int(bound)
    return Clamp(op.name, bound) if small else None


def _clamped(value: Float, clamp: Clamp) -> Float:
    if clamp.name in KEEP_NAN:
        return value.maximum(clamp.bound) if clamp.name in LOWER else value.minimum(clamp.bound)
    bound = value.lanes.float(clamp.bound)
    return Float(value.lanes, ir.Operation.create(clamp.name, results=[value.value.type],
                                                  operands=[value.value, bound.value]).result)
