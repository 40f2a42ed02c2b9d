"""Absolute values of f16 vectors as a bit operation, in LLVM IR text.

LLVM's optimiser turns "clear the sign bit" into ``llvm.fabs``, for which the Hexagon backend of LLVM 22 has no f16
vector form: next to masked accesses it aborts with "Unexpected illegal type".
"""

from __future__ import annotations

import re

from hexagon_mlir.codegen.llvm_ir.names import VALUE, derived

_CALL = re.compile(rf"^ *({VALUE}) = (?:tail )?call (?:[a-z]+ )*<(\d+) x half> @llvm\.fabs\.v\d+f16"
                   rf"\(<\d+ x half> ({VALUE})\).*$", re.MULTILINE)


def half_fabs_as_bits(text: str) -> str:
    """``text`` with each ``llvm.fabs`` of an f16 vector as an ``and`` of its bits."""
    if "@llvm.fabs.v" not in text:
        return text
    return _CALL.sub(_as_bits, text)


def _as_bits(match: re.Match[str]) -> str:
    name, lanes, operand = match.groups()
    bits, clear = derived("fabs.bits", name), derived("fabs.clear", name)
    return (f"  {bits} = bitcast <{lanes} x half> {operand} to <{lanes} x i16>\n"
            f"  {clear} = and <{lanes} x i16> {bits}, splat (i16 32767)\n"
            f"  {name} = bitcast <{lanes} x i16> {clear} to <{lanes} x half>")
