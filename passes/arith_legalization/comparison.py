"""Floating-point comparison, minimum and maximum with the right answer for NaN.

The machine compares with one instruction, greater-than, whose result for NaN is not specified, and the code generator's
equality compares bits (NaN == NaN, -0 != +0). So NaN is detected by integer comparisons and masked.
"""

from __future__ import annotations

from hexagon_mlir.passes.math_library.lanes import Float, Int, Mask

FORMATS = {"f32": (0x7FFFFFFF, 0x7F800000, 0x7FC00000), "f16": (0x7FFF, 0x7C00, 0x7E00)}
"""Magnitude mask, infinity, quiet NaN."""


def magnitude(x: Float) -> Int:
    """The bits without the sign: they order numbers by size, infinity next, NaN above."""
    return x.bits & FORMATS[x.element][0]


def is_nan(x: Float) -> Mask:
    """Lanes that are NaN; 2 operations."""
    return magnitude(x) > FORMATS[x.element][1]


def any_nan(a: Float, b: Float) -> Mask:
    """Lanes where one operand is NaN; 4 operations, 2 when one is the other or a constant number."""
    if a.value == b.value or b.is_number:
        return is_nan(a)
    if a.is_number:
        return is_nan(b)
    return magnitude(a).maximum(magnitude(b)) > FORMATS[a.element][1]


def equal(a: Float, b: Float) -> Mask:
    """a == b for numbers: equal bits, or both zero."""
    both_zero = ((a.bits | b.bits) << 1).equals(0)
    return a.bits.equals(b.bits) | both_zero


def compare(predicate: str, a: Float, b: Float, nan: bool = True) -> Mask | bool:
    """``arith.cmpf predicate`` in forms that select well; ``nan``: the operands may be NaN.

    A Python bool where the predicate is decided without a comparison.
    """
    if predicate in ("false", "true"):
        return predicate == "true"
    if predicate in ("ord", "uno"):
        return _order(predicate, a, b) if nan else predicate == "ord"
    relation, unordered = predicate[1:], predicate[0] == "u"
    if relation in ("eq", "ne"):
        same = equal(a, b)
        if nan and predicate in ("oeq", "une"):
            same = same & ~is_nan(a)  # b has the same bits
            return same if predicate == "oeq" else ~same
        return _with_nan(same if relation == "eq" else ~same, a, b, unordered, nan)
    if relation in ("gt", "lt"):
        result = a.compare(f"o{relation}", b, nan=nan)
    else:
        result = ~a.compare("olt" if relation == "ge" else "ogt", b, nan=nan)
    return _with_nan(result, a, b, unordered, nan)


def _with_nan(result: Mask, a: Float, b: Float, unordered: bool, nan: bool) -> Mask:
    if not nan:
        return result
    return result | any_nan(a, b) if unordered else result & ~any_nan(a, b)


def _order(predicate: str, a: Float, b: Float) -> Mask:
    return any_nan(a, b) if predicate == "uno" else ~any_nan(a, b)


def extreme(name: str, a: Float, b: Float, nan: bool = True) -> Float:
    """maximumf and minimumf (NaN wins), maxnumf and minnumf (the number wins).

    -0 and +0 count as equal: either may be the result.
    """
    result = a.compare("ogt" if name.startswith("max") else "olt", b, nan=nan).select(a, b)
    if not nan:
        return result
    if name.endswith("numf"):
        if not a.is_number:
            result = is_nan(a).select(b, result)
        return result if b.is_number else is_nan(b).select(a, result)
    quiet = a.lanes.int(FORMATS[a.element][2], a.bits.element).as_float()
    return any_nan(a, b).select(quiet, result)
