"""Floats to clamped integers, as quantization writes them: ``fptosi(minimum(maximum(roundeven(x), low), high))``.

Clamping first gives the same result and makes x small: adding 1.5 * 2^23 rounds it to the nearest integer, ties to
even, in the low bits. In legacy qfloat adding a constant does not round: a value for one byte is converted to fixed
point; of others twice the value is converted to an integer, which is halved. The conversion of NaN is undefined, so
clamps that propagate NaN need no check for it. PyTorch's clamps are ``select(v < low, low, v)``.
"""

from __future__ import annotations

from dataclasses import dataclass

from hexagon_mlir.ir import arith, erase_op, ir
from hexagon_mlir.ir.query import input_count
from hexagon_mlir.passes.math_library.lanes import MANTISSA_BITS, ROUND, Float, Int, Lanes, float_bits, splat_of

ORIGIN = "hexagon-math-expansion"
CONVERSIONS = ("arith.fptosi", "arith.fptoui")
KEEP_NAN = ("arith.maximumf", "arith.minimumf")
LOWER, UPPER = ("arith.maximumf", "arith.maxnumf"), ("arith.minimumf", "arith.minnumf")
LARGEST = 2.0**22  # adding numbers up to here does not change the exponent of 1.5 * 2^23
WORD = 32
FREE_BITS = 22  # low bits of 1.5 * 2^23 that are zero
POINT = 24
"""Fraction bits of a fixed-point number that holds f32 numbers from 1/2 on exactly."""
FIXED_RANGE = 1 << WORD - 1 - POINT


SELECTED = {"ult": "arith.maxnumf", "olt": "arith.maximumf", "ugt": "arith.minnumf", "ogt": "arith.minimumf"}
"""Predicate of (v, bound) in ``select(predicate, bound, v)`` -> the operation that this is, for NaN as well."""


@dataclass(frozen=True)
class Clamp:
    """One bound of the chain: the operation's name, the number in every lane, and the operations, last first."""

    name: str
    bound: float
    operations: tuple[ir.Operation, ...]


def expand_quantization(op: ir.Operation, qfloat: bool = False) -> bool:
    """Replace ``op``, one of `CONVERSIONS`, where it converts a rounded and clamped value; False where it does not."""
    found = _find(op)
    if found is None:
        return False
    source, clamps, inner = found
    element = str(getattr(source.type, "element_type", source.type))
    width = ir.IntegerType(getattr(op.results[0].type, "element_type", op.results[0].type)).width
    with ir.InsertionPoint(op), op.location:
        lanes = Lanes(source.type, qfloat)
        value = Float(lanes, source, element)
        if element != "f32":
            value = value.extend()
        number = False  # the bound of a clamp that does not propagate NaN
        for clamp in clamps:
            value = _clamped(value, clamp, number)
            number |= clamp.name not in KEEP_NAN
        if not lanes.qfloat:
            result = _low_bits(value, width)
        elif all(-FIXED_RANGE <= clamp.bound < FIXED_RANGE for clamp in clamps):
            result = _nearest_fixed(value, width)
        else:
            result = _nearest_even(value, width)
    op.results[0].replace_all_uses_with(result.value)
    for dead in (op, *inner):
        erase_op(dead, ORIGIN)
    return True


def _low_bits(value: Float, width: int) -> Int:
    """A small ``value`` rounded by the constant, as an integer of ``width`` bits."""
    bits = (value + ROUND).bits
    return bits.truncate(f"i{width}") if width <= FREE_BITS else bits - float_bits(ROUND)


def _nearest_fixed(value: Float, width: int) -> Int:
    """The same in fixed point, for values of one byte: it holds all bits of values from 1/2 on."""
    fixed = (value.bits + (POINT << MANTISSA_BITS)).as_float().to_int()
    half = ((fixed >> POINT) & 1) + ((1 << POINT - 1) - 1)
    result = (fixed + half) >> POINT
    return result.truncate(f"i{width}") if width < WORD else result


def _nearest_even(value: Float, width: int) -> Int:
    """The same by conversions and integers, for values up to 2^22: twice the number is truncated, ties are resolved by
    parity."""
    doubled = (value.bits + (1 << MANTISSA_BITS)).as_float()
    halves = doubled.to_int()  # truncation is symmetric for both signs
    sign = halves >> 31
    size = (halves ^ sign) - sign
    up = (size + 1) >> 1
    tie = halves.to_float().bits.equals(doubled.bits)
    rounded = up - tie.select(size & up & 1, value.lanes.int(0))
    result = (rounded ^ sign) - sign
    return result.truncate(f"i{width}") if width < WORD else result


def _find(op: ir.Operation) -> tuple[ir.Value, list[Clamp], list[ir.Operation]] | None:
    """The value that is rounded and clamped, the clamps in order, and the operations between it and ``op``, last
    first."""
    result = op.results[0].type
    if str(getattr(result, "element_type", result)) not in ("i8", "i16", "i32"):
        return None
    value, uses, rounded = op.operands[0], 1, False
    clamps: list[Clamp] = []
    inner: list[ir.Operation] = []
    while (step := _made_for(value, uses)) is not None:
        clamp = _clamp(step)
        if clamp is not None:
            clamps.insert(0, clamp)
        elif step.name != "math.roundeven" or rounded:
            break
        found = clamp.operations if clamp is not None else (step,)
        rounded |= clamp is None
        inner += found
        value, uses = found[-1].operands[0], len(found)
    element = str(getattr(value.type, "element_type", value.type))
    low, high = (next((c.bound for c in clamps if c.name in names), None) for names in (LOWER, UPPER))
    if not rounded or len(clamps) != 2 or low is None or high is None or low > high:
        return None
    return (value, clamps, inner) if element in ("f32", "f16", "bf16") else None


def _made_for(value: ir.Value, uses: int) -> ir.Operation | None:
    """The operation that defines ``value``, if that has exactly ``uses`` uses."""
    return None if isinstance(value.owner, ir.Block) or len(list(value.uses)) != uses else value.owner.operation


def _clamp(op: ir.Operation) -> Clamp | None:
    """``op`` as a clamp to an integer that is small enough."""
    if op.name in LOWER + UPPER:
        return _bounded(op.name, op.operands[1], (op,))
    if op.name != "arith.select" or (compare := _made_for(op.operands[0], 1)) is None or compare.name != "arith.cmpf":
        return None
    predicate = str(arith.CmpFPredicate(ir.IntegerAttr(compare.attributes["predicate"]).value)).lower()
    value, bound = compare.operands
    if predicate not in SELECTED or op.operands[2] != value or _number(op.operands[1]) != _number(bound):
        return None
    return _bounded(SELECTED[predicate], bound, (op, compare))


def _number(value: ir.Value) -> float | None:
    """The uniform constant that ``value`` is, directly or as an element of an input of the linalg op."""
    if isinstance(value.owner, ir.Block):
        generic, position = value.owner.owner, ir.BlockArgument(value).arg_number
        if generic.operation.name != "linalg.generic" or position >= input_count(generic.operation):
            return None
        value = generic.operation.operands[position]
    attribute = splat_of(value)
    return attribute.value if isinstance(attribute, ir.FloatAttr) else None


def _bounded(name: str, value: ir.Value, operations: tuple[ir.Operation, ...]) -> Clamp | None:
    bound = _number(value)
    if bound is None or not abs(bound) <= LARGEST or bound != int(bound):
        return None
    return Clamp(name, bound, operations)


def _clamped(value: Float, clamp: Clamp, number: bool) -> Float:
    if number or clamp.name in KEEP_NAN:
        return value.maximum(clamp.bound) if clamp.name in LOWER else value.minimum(clamp.bound)
    bound = value.lanes.float(clamp.bound)
    return Float(value.lanes, ir.Operation.create(clamp.name, results=[value.value.type],
                                                  operands=[value.value, bound.value]).result)
