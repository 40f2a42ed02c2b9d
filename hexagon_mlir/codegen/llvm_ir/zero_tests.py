"""Comparisons of float vectors with zero as comparisons of bits, in LLVM IR text.

LLVM's optimiser turns "no bit but the sign" into ``fcmp oeq x, 0.0``, which the Hexagon backend of LLVM 22 selects as
an equality of bits: -0.0 is not 0.0 then.
"""

from __future__ import annotations

import re

from hexagon_mlir.codegen.llvm_ir.names import VALUE, derived

_BITS = {"half": 16, "float": 32}
_COMPARE = re.compile(rf"^ *({VALUE}) = fcmp (?:[a-z]+ )*(oeq|une) <(\d+) x (half|float)> ({VALUE}), "
                      r"zeroinitializer(.*)$", re.MULTILINE)

_ANY = re.compile(r" = fcmp (?:[a-z]+ )*(?:oeq|une) <")


def zero_tests_as_bits(text: str) -> str:
    """``text`` with every (in)equality of a vector and zero on the bits without the sign; a NaN is not zero."""
    return _COMPARE.sub(_as_bits, text) if _ANY.search(text) else text


def _as_bits(match: re.Match[str]) -> str:
    name, predicate, lanes, element, operand, rest = match.groups()
    bits = _BITS[element]
    type_ = f"<{lanes} x i{bits}>"
    shown, size = derived("zero.bits", name), derived("zero.size", name)
    relation = "eq" if predicate == "oeq" else "ne"
    return (f"  {shown} = bitcast <{lanes} x {element}> {operand} to {type_}\n"
            f"  {size} = and {type_} {shown}, splat (i{bits} {(1 << (bits - 1)) - 1})\n"
            f"  {name} = icmp {relation} {type_} {size}, zeroinitializer{rest}")
