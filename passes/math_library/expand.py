"""Replaces an operation by its expansion from the catalogue."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from enum import Enum
from functools import partial

from hexagon_mlir.ir import erase_op, ir
from hexagon_mlir.passes.math_library import composed, small_float
from hexagon_mlir.passes.math_library.catalogue import BITWISE, Value
from hexagon_mlir.passes.math_library.lanes import Float, Int, Lanes
from hexagon_mlir.passes.math_library.logistic import keep_classes
from hexagon_mlir.passes.math_library.mode import Mode
from hexagon_mlir.passes.math_library.special_values import keep_nan

ORIGIN = "hexagon-math-expansion"
WIDE = "f32"
ELEMENTS = ("f16", "bf16", WIDE)
HALVES = ELEMENTS[:2]
SIGN_16 = 0x8000
SMALL_16 = 0x1000  # bits of the f16 2^-11
SIGN_OF_FIRST = frozenset(
    ["arith.remf", *(f"math.{name}" for name in (
        "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "ceil", "erf", "expm1", "floor", "log1p", "round",
        "roundeven", "sinh", "sqrt", "tanh", "trunc"))])
"""Results have the sign of the first operand."""


NAN_OF_OPERAND = frozenset(f"math.{name}" for name in ("exp", "exp2", "expm1", "tanh", "erf", "erfc"))
"""Results are NaN where the operand is, by a select at the end."""


class Sign(Enum):
    """The source of the result's sign, zero included."""

    OTHER = 0
    FIRST = 1
    PRODUCT = 2
    FIRST_IF_ZERO = 3
    COMPUTED = 4


def element_of(type_: ir.Type) -> str:
    """The element type of a vector, or the type itself, as text."""
    return str(type_.element_type if isinstance(type_, ir.ShapedType) else type_)


def mode_of(op: ir.Operation, fast: bool) -> Mode:
    """The mode of ``op`` by its fastmath flags: ``afn`` and ``fast`` choose the short formula, ``nnan`` excludes
    NaN."""
    text = str(op.attributes["fastmath"]) if "fastmath" in op.attributes else ""
    flags = text[text.find("<") + 1:text.rfind(">")].replace(" ", "").split(",")
    everything = "fast" in flags
    return Mode(element_of(op.operands[0].type), fast or everything or "afn" in flags, everything or "nnan" in flags,
                not _varies(op.operands[-1]), _rounded_to(op))


def _rounded_to(op: ir.Operation) -> str:
    """The 16-bit type to which every user rounds the result of ``op``, or nothing."""
    users = [use.owner.operation for use in op.results[0].uses]
    types = {element_of(user.results[0].type) if user.name == "arith.truncf" else "" for user in users}
    return types.pop() if len(types) == 1 and types <= set(HALVES) else ""


def _varies(value: ir.Value) -> bool:
    """False for a value that is invariant in the last loop of its linalg.generic."""
    waiting, seen = [value], {value}
    while waiting:
        value = waiting.pop()
        if isinstance(value.owner, ir.Block):
            if _argument_varies(ir.BlockArgument(value)):
                return True
            continue
        owner = value.owner.operation
        if not len(owner.operands) and owner.name != "arith.constant":
            return True
        new = [operand for operand in owner.operands if operand not in seen]
        waiting += new
        seen.update(new)
    return False


def _argument_varies(argument: ir.BlockArgument) -> bool:
    generic = argument.owner.owner
    if generic is None or generic.operation.name != "linalg.generic":
        return True
    maps = [ir.AffineMapAttr(a).value for a in generic.operation.attributes["indexing_maps"]]
    last = ir.AffineDimExpr.get(maps[0].n_dims - 1)
    return any(last == result for result in maps[argument.arg_number].results)


def expand(op: ir.Operation, function: Callable[..., Value | tuple[Value, ...] | None], fast: bool,
           qfloat: bool = False) -> bool:
    """Replace ``op`` by ``function`` of its operands; False when that does not cover them. ``qfloat`` as in `Lanes`."""
    mode = mode_of(op, fast)
    # LLVM 22 combines bf16 sign arithmetic to a copysign that cannot be selected.
    native = op.name.split(".")[1] in BITWISE and (op.name, mode.element) != ("math.copysign", "bf16")
    nan_of = op.operands[0] if op.name in NAN_OF_OPERAND else None
    results = _build(op, function, list(op.operands), mode, qfloat, _sign_of(op.name), native, nan_of)
    if results is None:
        return False
    for old, new in zip(op.results, results, strict=True):
        old.replace_all_uses_with(new)
    erase_op(op, ORIGIN)
    return True


def expand_composed(op: ir.Operation, found: composed.Composed, fast: bool, qfloat: bool = False) -> None:
    """Replace ``op``, the last operation of a composed function; the inner ones become dead."""
    mode = mode_of(op, fast)
    results = _build(op, found.build, list(found.operands), mode, qfloat,
                     Sign.FIRST if found.sign_of_first else Sign.OTHER, nan_of=_nan_of(found))
    assert results is not None
    result = results[0]
    if found.with_classes is not None:
        argument = Float(Lanes(found.operands[0].type, qfloat), found.operands[0], mode.rounded)
        _round(op, mode.rounded, result, partial(found.with_classes, argument))
    elif qfloat and mode.half and found.powers is not None:
        result = _with_classes(op, found, mode, result)
    op.results[0].replace_all_uses_with(result)
    for dead in (op, *found.inner):
        erase_op(dead, ORIGIN)


def _nan_of(found: composed.Composed) -> ir.Value | None:
    """The only operand that is not loop-invariant."""
    *constants, last = (Float(Lanes(value.type), value, element_of(value.type)) for value in found.operands)
    return last.value if all(value.constant is not None for value in constants) else None


def _with_classes(op: ir.Operation, found: composed.Composed, mode: Mode, result: ir.Value) -> ir.Value:
    """``result``, rounded to 16 bits here or by its users, with the infinities and NaN that the operands give in that
    type."""
    assert found.powers is not None
    lanes = Lanes(found.operands[0].type, qfloat=True)
    powers = found.powers(*(Float(lanes, value, element_of(value.type)) for value in found.operands))
    if powers is None or powers[0].leaf.element != mode.result:
        return result
    if mode.rounded:
        _round(op, mode.rounded, result, partial(keep_classes, *powers))
        return result
    with ir.InsertionPoint(op), op.location:
        return keep_classes(*powers, Float(lanes, result, mode.element)).value


def _round(op: ir.Operation, element: str, result: ir.Value, finish: Callable[[Float], Float]) -> None:
    """Replace the roundings of ``op`` to ``element`` by ``finish`` of those of ``result``."""
    for rounding in [use.owner.operation for use in op.results[0].uses]:
        with ir.InsertionPoint(rounding), rounding.location:
            rounded = Float(Lanes(result.type, qfloat=True), result).truncate(element)
            rounding.results[0].replace_all_uses_with(finish(rounded).value)
        erase_op(rounding, ORIGIN)


def _build(op: ir.Operation, function: Callable[..., Value | tuple[Value, ...] | None], values: Sequence[ir.Value],
           mode: Mode, qfloat: bool, sign: Sign = Sign.OTHER, native: bool = False,
           nan_of: ir.Value | None = None) -> list[ir.Value] | None:
    """The results of ``function``. NaN is propagated from ``nan_of`` to 16-bit results, because a register holds twice
    as many."""
    with ir.InsertionPoint(op), op.location:
        lanes = Lanes(values[0].type, qfloat)
        through_f32 = mode.element != WIDE and not native
        operands = [_operand(lanes, value, through_f32) for value in values]
        narrow_nan = qfloat and through_f32 and nan_of is not None and not mode.fast and not mode.numbers
        made = function(*operands, replace(mode, numbers=True) if narrow_nan else mode)
        if made is None:
            return None
        listed = list(made) if isinstance(made, tuple) else [made]
        if through_f32:
            originals = [Float(lanes, value, mode.element) for value in values]
            listed = [_rounded(value, originals, sign) if isinstance(value, Float) else value for value in listed]
        if narrow_nan:
            listed = [keep_nan(Float(lanes, nan_of, mode.element), value) for value in listed]
        return [value.value for value in listed]


def _sign_of(name: str) -> Sign:
    if name == "arith.divf":
        return Sign.PRODUCT
    if name in ("math.sin", "math.tan"):  # the result is zero only for zero
        return Sign.FIRST_IF_ZERO
    if name == "math.powf":
        return Sign.COMPUTED
    return Sign.FIRST if name in SIGN_OF_FIRST else Sign.OTHER


def _rounded(value: Float, operands: Sequence[Float], sign: Sign) -> Float:
    """``value`` in the type of ``operands``; f16 keeps the sign of zero, which qfloat's conversion does not."""
    first = operands[0]
    if value.element == first.element:  # done by the function
        return value
    result = value.truncate(first.element)
    if first.element != "f16" or sign is Sign.OTHER:
        return result
    if sign is Sign.FIRST_IF_ZERO:
        # Not a comparison with zero, which the code generator turns into one of bits with +0. sin and tan of the other
        # values in the range are x too.
        return ((first.bits & (SIGN_16 - 1)) > SMALL_16).select(result, first)
    if sign is Sign.COMPUTED:
        bits = value.bits.shift_right_unsigned(16).truncate("i16")
    else:
        bits = first.bits ^ operands[1].bits if sign is Sign.PRODUCT else first.bits
    return (result.bits | (bits & SIGN_16)).as_float(first.element)


def _operand(lanes: Lanes, value: ir.Value, through_f32: bool) -> Float | Int:
    element = element_of(value.type)
    if element.startswith("i"):
        return Int(lanes, value, element)
    operand = Float(lanes, value, element)
    return operand.extend(WIDE) if through_f32 else operand


def expand_small_float(op: ir.Operation, qfloat: bool = False) -> bool:
    """Replace ``arith.extf`` from and ``arith.truncf`` to a format of 8 bits; False for other formats."""
    source, target = element_of(op.operands[0].type), element_of(op.results[0].type)
    with ir.InsertionPoint(op), op.location:
        lanes = Lanes(op.operands[0].type, qfloat)
        operand = Float(lanes, op.operands[0], source)
        if source in small_float.SMALL and target in ELEMENTS:
            wide = small_float.widen(operand.bits_of("i8"), small_float.SMALL[source])
            value = wide if target == WIDE else wide.truncate(target)
        elif target in small_float.SMALL and source in ELEMENTS:
            wide = operand if source == WIDE else operand.extend(WIDE)
            value = small_float.narrow(wide, small_float.SMALL[target]).as_float(target)
        else:
            return False
    op.results[0].replace_all_uses_with(value.value)
    erase_op(op, ORIGIN)
    return True
