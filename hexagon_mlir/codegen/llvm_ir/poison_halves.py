"""Narrowing conversions of vectors that are poison in one half, in LLVM IR text.

The Hexagon backend of LLVM 22 converts both halves of a wide vector to qfloat, also one without any value: it reads a
register that holds something else by then. Nobody uses those lanes, but a qfloat value is read as IEEE, which the
simulator reports. To convert the other half once more costs nothing: it is the same instruction.
"""

from __future__ import annotations

import re

from hexagon_mlir.codegen.llvm_ir.names import OPERAND, VALUE

_NARROWED = re.compile(rf" = fptrunc [a-z ]*<\d+ x float> ({VALUE}) to <")
_WIDENED = re.compile(rf"^( *({VALUE}) = shufflevector <(\d+) x float> {OPERAND}, <\d+ x float> poison, "
                      r"<(\d+) x i32> )<([^>]*)>", re.MULTILINE)


def poison_halves_as_others(text: str) -> str:
    """``text`` in which no half of a vector that is narrowed from f32 is all poison, where it was made of one."""
    return "\n}\n".join(_rewritten(body) for body in text.split("\n}\n")) if _NARROWED.search(text) else text


def _rewritten(text: str) -> str:
    narrowed = set(_NARROWED.findall(text))

    def filled(match: re.Match[str]) -> str:
        start, name, parts, lanes, mask = match.groups()
        numbers = mask.split(", ")
        low, high = numbers[:len(numbers) // 2], numbers[len(numbers) // 2:]
        if name not in narrowed or int(lanes) != 2 * int(parts):
            return match[0]
        low, high = _given(low, high), _given(high, low)
        return f"{start}<{', '.join(low + high)}>"

    return _WIDENED.sub(filled, text) if narrowed else text


def _given(half: list[str], other: list[str]) -> list[str]:
    return other if all(lane.endswith("poison") for lane in half) else half
