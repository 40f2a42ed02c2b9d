"""Shuffles, masked accesses and fused products of many lanes, each kind in a function of its own.

LLVM's x86 code generator tries to combine shuffles of shuffles, which takes minutes where a block of 128 rows is
transposed in registers; calls prevent that. Without AVX-512 it makes a branch for each lane of a masked access, and a
call for each lane of a fused product of halves: it takes 20 to 50 ms for one of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from hexagon_mlir.llvmir import Instruction, Module, rewrite
from hexagon_mlir.llvmir.types import vector_type

_LANES = 32
"""Least lanes of the results or the operands: LLVM is fast with shorter ones. To take every fourth lane of 128 words
takes it 10 ms, and a module of bytes has a hundred such shuffles of four kinds.
"""
_SLOW = ("masked.load", "masked.store", "fma")
_ALIGNMENT = re.compile(r"^align \d+ ")
_MAY_HAVE = ("shufflevector", "@llvm.masked.", "@llvm.fma.")
_PREFIX = "@hexmlir.wide."


def apart(text: str) -> str:
    """LLVM IR with a function for each kind of such wide operations in it, which is called."""
    names: dict[tuple[str, str, str], str] = {}
    masks = (f"%hexmlir.mask.{number}" for number in range(1 << 32))

    def as_call(i: Instruction) -> list[str] | None:
        before: list[str] = []
        if max(map(_lanes, (i.type, *i.types))) < _LANES:
            return None
        if i.opcode == "shufflevector":
            (operand, _, mask_type), (a, b, mask) = i.types, i.operands
            body = f"%r = shufflevector {operand} %a0, {operand} %a1, {mask_type} {mask}\n  ret {i.type} %r"
            given = [(operand, a), (operand, b)]
        elif i.generic in _SLOW and not any("bfloat" in type_ for type_ in i.types):  # LLVM aborts at such arguments
            before, given, body = _intrinsic(i, masks)
        else:
            return None
        types = ", ".join(f"{type_} %a{place}" for place, (type_, _) in enumerate(given))
        name = names.setdefault((i.type, types, body), f"{_PREFIX}{len(names)}")
        result = f"{i.result} = " if i.result else ""
        return [*before, f"  {result}call {i.type} {name}({', '.join(f'{t} {value}' for t, value in given)}){i.debug}"]

    module = Module.parse(text).map(lambda function: rewrite(function, ("shufflevector", "call"), as_call)
                                    if any(word in function.text for word in _MAY_HAVE) else function)
    return module.text + "".join(f"define internal {result} {name}({types}) noinline {{\n  {body}\n}}\n"
                                 for (result, types, body), name in names.items())


def _intrinsic(i: Instruction, masks: Iterator[str]) -> tuple[list[str], list[tuple[str, str]], str]:
    """Lines before the call, what it is given, and the function's body: a constant mask is part of it, another one is
    given as an integer."""
    before: list[str] = []
    given: list[tuple[str, str]] = []
    first: list[str] = []
    inside: list[str] = []
    for type_, operand in zip(i.types, i.operands, strict=True):
        own = f"%a{len(given)}"
        if type_.endswith(" x i1>"):
            if not operand.startswith("%"):
                inside.append(f"{type_} {operand}")
                continue
            bits, mask = f"i{_lanes(type_)}", next(masks)
            before.append(f"  {mask} = bitcast {type_} {operand} to {bits}")
            first.append(f"%mask = bitcast {bits} {own} to {type_}\n  ")
            inside.append(f"{type_} %mask")
            given.append((bits, mask))
            continue
        inside.append(f"{type_} {own}")
        given.append((type_, _ALIGNMENT.sub("", operand)))
    call = f"call {i.type} {i.flags}({', '.join(inside)})"
    body = f"%r = {call}\n  ret {i.type} %r" if i.result else f"{call}\n  ret void"
    return before, given, "".join(first) + body


def _lanes(type_: str) -> int:
    vector = vector_type(type_)
    return vector[0] if vector else 0
