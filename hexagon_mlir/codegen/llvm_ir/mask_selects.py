"""Selects between masks as and, or and not, in LLVM IR text.

LLVM's optimiser makes ``select`` of such operations where it sees a choice between vectors of i1; the Hexagon backend
of LLVM 22 has no form for that and aborts with "Cannot select". Where one side is all ones or zeros, it makes logic of
it by itself. What is not chosen may be poison, which must not reach the result: it is frozen.
"""

from __future__ import annotations

import re

from hexagon_mlir.codegen.llvm_ir.names import VALUE, derived

_MASK = r"<\d+ x i1>"
_SIDE = rf"{VALUE}|<i1 [^>]*>"
_SELECT = re.compile(rf"^ *({VALUE}) = select [a-z ]*?({_MASK}) ({VALUE}), \2 ({_SIDE}), \2 ({_SIDE})(.*)$",
                     re.MULTILINE)
_ANY = re.compile(rf" = select [a-z ]*?{_MASK} .*, {_MASK} ")


def mask_selects_as_logic(text: str) -> str:
    """``text`` without selects of two vectors of i1 by a third."""
    return _SELECT.sub(_as_logic, text) if _ANY.search(text) else text


def _as_logic(match: re.Match[str]) -> str:
    name, type_, condition, a, b, rest = match.groups()
    other, first, second, x, y = (derived(f"mask.{what}", name) for what in ("not", "first", "second", "x", "y"))
    return (f"  {other} = xor {type_} {condition}, splat (i1 true)\n"
            f"  {first} = freeze {type_} {a}\n"
            f"  {second} = freeze {type_} {b}\n"
            f"  {x} = and {type_} {condition}, {first}\n"
            f"  {y} = and {type_} {other}, {second}\n"
            f"  {name} = or {type_} {x}, {y}{rest}")
