"""Shuffles of many lanes, each in a function of its own.

LLVM's x86 code generator looks through shuffles of shuffles for a single instruction that does both, which takes
minutes where a block of 128 rows is turned in registers; through a call it does not look.
"""

from __future__ import annotations

import re

from hexagon_mlir.codegen.llvm_ir.names import VALUE

_LANES = 64
"""Results of fewer are left alone: LLVM is quick with them."""
_OPERAND = rf"(?:{VALUE}|[^,<]+)"
_SHUFFLE = re.compile(rf"shufflevector (<\d+ x (\w+)>) ({_OPERAND}), \1 ({_OPERAND}), (<(\d+) x i32> <[^>]*>)")


def apart(text: str) -> str:
    """LLVM IR with a function for each kind of wide shuffle in it, which is called."""
    names: dict[tuple[str, str, str], str] = {}

    def call(match: re.Match[str]) -> str:
        operand, element, a, b, mask, lanes = match.groups()
        if int(lanes) < _LANES:
            return match[0]
        result = f"<{lanes} x {element}>"
        name = names.setdefault((result, operand, mask), f"@hexmlir.shuffle.{len(names)}")
        return f"call {result} {name}({operand} {a}, {operand} {b})"

    text = _SHUFFLE.sub(call, text)
    return text + "".join(f"define internal {result} {name}({operand} %a, {operand} %b) noinline {{\n"
                          f"  %r = shufflevector {operand} %a, {operand} %b, {mask}\n  ret {result} %r\n}}\n"
                          for (result, operand, mask), name in names.items())
