"""Scalar selects between the two operands of a comparison, as selects of bits, in LLVM IR text.

LLVM 22 makes ``x < y ? x : y`` a minimum (``sfmin``, ``dfmin``), which returns the number where one is NaN, and forgets
that the unordered comparisons hold for NaN. So it does where the comparison is a part of the condition, which it takes
apart: ``x > y or x is NaN ? x : y``. A select of integers keeps comparison and choice apart.
"""

from __future__ import annotations

import re

from hexagon_mlir.codegen.llvm_ir.names import OPERAND, VALUE, derived

_BITS = {"float": "i32", "double": "i64"}
_COMPARE = re.compile(rf"^ *{VALUE} = fcmp ([a-z ]*?)[ou](?:lt|le|gt|ge) (?:float|double) ({OPERAND}), ({OPERAND})",
                      re.MULTILINE)
_SELECT = re.compile(rf"^ *({VALUE}) = select ([a-z ]*?)i1 ({VALUE}), (float|double) ({OPERAND}), "
                     rf"(?:float|double) ({OPERAND})(.*)$", re.MULTILINE)

_ANY = re.compile(rf" = select [a-z ]*?i1 {VALUE}, (?:float|double) ")


def scalar_selects_as_bits(text: str) -> str:
    """``text`` without selects that LLVM would take for minima and maxima of numbers."""
    return "\n}\n".join(_rewritten(body) for body in text.split("\n}\n"))  # names are a function's own


def _rewritten(text: str) -> str:
    if _ANY.search(text) is None:
        return text
    compared = {frozenset((x, y)) for flags, x, y in _COMPARE.findall(text) if not _no_nan(flags)}

    def as_bits(match: re.Match[str]) -> str:
        name, flags, condition, type_, x, y, rest = match.groups()
        if frozenset((x, y)) not in compared or _no_nan(flags):
            return match[0]
        bits = _BITS[type_]
        first, second, chosen = (derived(f"select.{what}", name) for what in ("x", "y", "bits"))
        return (f"  {first} = bitcast {type_} {x} to {bits}\n"
                f"  {second} = bitcast {type_} {y} to {bits}\n"
                f"  {chosen} = select i1 {condition}, {bits} {first}, {bits} {second}\n"
                f"  {name} = bitcast {bits} {chosen} to {type_}{rest}")

    return _SELECT.sub(as_bits, text)


def _no_nan(flags: str) -> bool:
    return "nnan" in flags or "fast" in flags
