"""Conversions out of qfloat stay in front of the calls behind them, in LLVM IR text.

LLVM orders a block by what it stores and calls: a conversion that only counts in a later block lands behind a call, and
its operand, alive across that, in qfloat on the stack. Assembly without code that takes the result has its place in
front of the call, and so has the conversion.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from hexagon_mlir.codegen.llvm_ir.llvm_text import functions
from hexagon_mlir.codegen.llvm_ir.names import LABEL, NAME, VALUE

_CONVERSION = re.compile(rf"  {VALUE} = (?:tail )?call <32 x i32> @llvm\.hexagon\.V6\.vconv\.\w+\.qf(?:16|32)\.")
_CALL = re.compile(rf"  (?:{VALUE} = )?(?:tail |musttail |notail )?call [^@]*@(?!llvm\.)")


def conversions_before_calls(text: str) -> str:
    """``text`` with a use behind every conversion that something behind a later call of its block needs."""
    runs = (_pinned(lines) if is_function else lines for is_function, lines in functions(text))
    return "\n".join(line for run in runs for line in run)


def _pinned(lines: list[str]) -> list[str]:
    pins: dict[int, str] = {}
    start: int | None = None
    for place, line in enumerate(lines):
        if LABEL.match(line):
            start = None
        elif start is not None and _CALL.match(line):
            pins |= _alive(lines, start, place)
            start = None
        elif start is None and _CONVERSION.match(line):
            start = place
    return [text for place, line in enumerate(lines) for text in ((line, pins[place]) if place in pins else (line,))]


def _alive(lines: list[str], start: int, call: int) -> dict[int, str]:
    """Uses of the conversions from ``start`` to ``call`` that count behind it, by the line they stand behind."""
    needed = _names([*lines[:start], *lines[call:]])
    pins = {}
    for place in range(call - 1, start - 1, -1):
        result, *operands = NAME.findall(lines[place]) or [""]
        if " = " not in lines[place] or result not in needed:
            continue
        needed.update(operands)
        if _CONVERSION.match(lines[place]):
            pins[place] = f'  call void asm sideeffect "", "v"(<32 x i32> {result})'
    return pins


def _names(lines: Iterable[str]) -> set[str]:
    return {name for line in lines for name in NAME.findall(line)}
