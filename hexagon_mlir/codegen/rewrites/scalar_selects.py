"""Scalar selects between the two operands of a comparison, as selects of bits.

LLVM 22 combines ``x < y ? x : y`` to a minimum (``sfmin``, ``dfmin``), which returns the number where one is NaN, and
ignores that unordered comparisons hold for NaN. It also does so where the comparison is part of the condition, which it
splits: ``x > y or x is NaN ? x : y``. A select of integers is not combined with the comparison.
"""

from __future__ import annotations

from hexagon_mlir.llvmir import Function, Instruction, Module, rewrite
from hexagon_mlir.llvmir.names import derived

_BITS = {"float": "i32", "double": "i64"}
_ORDERS = frozenset({"olt", "ole", "ogt", "oge", "ult", "ule", "ugt", "uge"})


def scalar_selects_as_bits(module: Module) -> Module:
    """``module`` without selects that LLVM would combine to minima and maxima."""
    return module.map(_rewritten)


def _rewritten(function: Function) -> Function:
    if "select" not in function.text or "fcmp" not in function.text:
        return function
    compared = {frozenset(i.operands) for i in function.by_opcode.get("fcmp", ())
                if i.predicate in _ORDERS and i.types[0] in _BITS and not _no_nan(i)}

    def as_bits(i: Instruction) -> list[str] | None:
        if i.type not in _BITS or _no_nan(i) or frozenset(i.operands[1:]) not in compared:
            return None
        bits = _BITS[i.type]
        condition, x, y = i.operands
        first, second, chosen = (derived(f"select.{what}", i.result) for what in ("x", "y", "bits"))
        return [f"  {first} = bitcast {i.type} {x} to {bits}",
                f"  {second} = bitcast {i.type} {y} to {bits}",
                f"  {chosen} = select i1 {condition}, {bits} {first}, {bits} {second}",
                f"  {i.result} = bitcast {bits} {chosen} to {i.type}{i.debug}"]

    return rewrite(function, ("select",), as_bits) if compared else function


def _no_nan(i: Instruction) -> bool:
    return "nnan" in i.flags or "fast" in i.flags
