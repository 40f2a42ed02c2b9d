"""Narrowing conversions of vectors that are poison in one half.

The Hexagon backend of LLVM 22 converts both halves of a wide vector to qfloat, even one that is poison: it reads a
register that holds another value by then. Those lanes are unused, but a qfloat value is read as IEEE, which the
simulator reports. Converting the other half twice has no cost: it is the same instruction.
"""

from __future__ import annotations

from collections.abc import Sequence

from hexagon_mlir.llvmir import Function, Instruction, Module, rewrite
from hexagon_mlir.llvmir.types import lanes_of, vector_type


def poison_halves_as_others(module: Module) -> Module:
    """``module`` in which a narrowed f32 vector that was extended with poison has a copy of its half instead."""
    return module.map(_rewritten)


def _rewritten(function: Function) -> Function:
    if "fptrunc" not in function.text:
        return function
    narrowed = {i.operands[0] for i in function.by_opcode.get("fptrunc", ()) if i.types[0].endswith(" x float>")}

    def filled(i: Instruction) -> list[str] | None:
        parts, whole = vector_type(i.types[0]), vector_type(i.type)
        if i.result not in narrowed or parts is None or whole != (2 * parts[0], "float") or i.operands[1] != "poison":
            return None
        numbers = lanes_of(i.operands[2], whole[0])
        if numbers is None:
            return None
        low, high = numbers[:parts[0]], numbers[parts[0]:]
        mask = ", ".join(f"i32 {lane}" for lane in (*_given(low, high), *_given(high, low)))
        line = (f"  {i.result} = shufflevector {i.types[0]} {i.operands[0]}, {i.types[0]} poison, "
                f"{i.types[2]} <{mask}>{i.debug}")
        return None if line == i.text else [line]

    return rewrite(function, ("shufflevector",), filled) if narrowed else function


def _given(half: Sequence[str], other: Sequence[str]) -> Sequence[str]:
    return other if all(lane == "poison" for lane in half) else half
