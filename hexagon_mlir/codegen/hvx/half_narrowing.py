"""Conversions of wide vectors to f16 on chips with IEEE floats as instructions, in LLVM IR text.

LLVM 22 takes the odd lanes of ``V.hf=vcvt(Vu.sf,Vv.sf)`` from the first operand, other sources the even ones: see
`NarrowingOrder`. What is written as the intrinsic has the order that the target says.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from hexagon_mlir.codegen.llvm_ir.names import VALUE, derived
from hexagon_mlir.targets.disputed import NarrowingOrder

_LEAST = 32
"""Lanes of the shortest vector that LLVM does not convert one by one."""
_LINE = re.compile(rf"^ *({VALUE}) = (fptrunc|sitofp|uitofp) ((?:[a-z]+ )*)<(\d+) x (float|i32)> (.+?) "
                   r"to <\d+ x half>(, !dbg .*)?$", re.MULTILINE)  # fmt: skip
_CONVERT, _DEAL = "@llvm.hexagon.V6.vcvt.hf.sf.128B", "@llvm.hexagon.V6.vdealh.128B"
_DECLARED = (f"declare <32 x i32> {_CONVERT}(<32 x i32>, <32 x i32>)", f"declare <32 x i32> {_DEAL}(<32 x i32>)")
NATIVE = 64
"""f16 lanes of a vector register."""


def operands(even: str, odd: str, order: str) -> tuple[str, str]:
    """The operands of the conversion that takes even lanes from the one, odd lanes from the other."""
    return (even, odd) if order == NarrowingOrder.FIRST_EVEN else (odd, even)


def narrowings_as_instructions(text: str, order: str) -> str:
    """``text`` in which vectors of at least 32 lanes become f16 by the intrinsic."""
    found = _LINE.sub(lambda match: _converted(match, order), text)
    if found == text:
        return text
    missing = [line for line in _DECLARED if line.split("(")[0].split(" ")[-1] + "(" not in text]
    return found + "\n".join(["", *missing, ""])


def _converted(match: re.Match[str], order: str) -> str:
    result, opcode, flags, count, element, value, debug = match.groups()
    lanes = int(count)
    if lanes < _LEAST:
        return match[0]
    lines: list[str] = []

    def put(name: str, right: str) -> str:
        lines.append(f"  {name} = {right}{debug or ''}")
        return name

    floats = f"<{lanes} x float>"
    if element == "i32":
        value = put(derived("half.sf", result), f"{opcode} {flags}<{lanes} x i32> {value} to {floats}")
    elif opcode != "fptrunc":
        return match[0]
    parts = []
    for start in range(0, lanes, NATIVE):
        words = []
        for half in (0, 1):
            name = derived(f"half.{start}.{half}", result)
            first = start + NATIVE // 2 * half
            first = first if first < lanes else start  # the lanes beyond the end have some value
            numbers = [f"i32 {k}" if k < lanes else "i32 poison" for k in range(first, first + NATIVE // 2)]
            part = put(name, f"shufflevector {floats} {value}, {floats} poison, <32 x i32> <{', '.join(numbers)}>")
            words.append(put(derived(f"half.{start}.{half}.w", result), f"bitcast <32 x float> {part} to <32 x i32>"))
        pair = ", ".join(f"<32 x i32> {word}" for word in operands(words[0], words[1], order))
        mixed = put(derived(f"half.{start}.m", result), f"call <32 x i32> {_CONVERT}({pair})")
        dealt = put(derived(f"half.{start}.d", result), f"call <32 x i32> {_DEAL}(<32 x i32> {mixed})")
        parts.append(put(derived(f"half.{start}.h", result), f"bitcast <32 x i32> {dealt} to <{NATIVE} x half>"))
    _joined(parts, lanes, result, put)
    return "\n".join(lines)


def _joined(parts: list[str], lanes: int, result: str, put: Callable[[str, str], str]) -> None:
    """The first ``lanes`` of the parts, one after the other, as ``result``."""
    have, level = NATIVE, 0
    while len(parts) > 1:
        type_ = f"<{have} x half>"
        numbers = ", ".join(f"i32 {k}" for k in range(2 * have))
        parts = parts if len(parts) % 2 == 0 else [*parts, "poison"]
        after = f"<{2 * have} x i32> <{numbers}>"
        parts = [put(derived(f"half.j{level}.{i}", result), f"shufflevector {type_} {a}, {type_} {b}, {after}")
                 for i, (a, b) in enumerate(zip(parts[::2], parts[1::2], strict=True))]
        have, level = 2 * have, level + 1
    numbers = ", ".join(f"i32 {k}" for k in range(lanes))
    put(result, f"shufflevector <{have} x half> {parts[0]}, <{have} x half> poison, <{lanes} x i32> <{numbers}>")
