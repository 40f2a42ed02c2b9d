"""Vectors of integers truncated to their lowest bits as comparisons, in LLVM IR text.

LLVM's optimiser turns ``(x & 1) != 0`` into ``trunc x to i1``, which the Hexagon backend of LLVM 22 selects as a test
of the lowest bit of every byte (``q = vand(v, 0x01010101)``): a predicate that holds for the first byte of a lane of 16
or 32 bits at most, so that a select mixes the bytes of its operands. For lanes of 8 bits that is right.
"""

from __future__ import annotations

import re

from hexagon_mlir.codegen.llvm_ir.names import VALUE, derived

_TRUNCATION = re.compile(rf"^ *({VALUE}) = trunc (?:nuw |nsw )*(<\d+ x i(?:16|32|64)>) ({VALUE}) to <\d+ x i1>(.*)$",
                         re.MULTILINE)

_ANY = re.compile(r" = trunc (?:nuw |nsw )*<")


def lowest_bits_as_tests(text: str) -> str:
    """``text`` with every truncation of a vector of i16, i32 or i64 to i1 as ``(x & 1) > 0``.

    LLVM makes a test for zero of an equality with 1, and inverts it behind.
    """
    return _TRUNCATION.sub(_as_test, text) if _ANY.search(text) else text


def _as_test(match: re.Match[str]) -> str:
    name, type_, operand, rest = match.groups()
    lowest = derived("lowest", name)
    one = f"splat ({type_.split()[-1][:-1]} 1)"
    return (f"  {lowest} = and {type_} {operand}, {one}\n"
            f"  {name} = icmp sgt {type_} {lowest}, zeroinitializer{rest}")
