"""Conversions out of qfloat stay in front of the calls after them.

LLVM orders a block by what it stores and calls: a conversion that only counts in a later block lands after a call, and
its operand, alive across that, in qfloat on the stack. Assembly without code that takes the result has its place in
front of the call, and so has the conversion.
"""

from __future__ import annotations

from collections.abc import Sequence

from hexagon_mlir.llvmir import Block, Function, Instruction, Module

_CONVERSION = "V6.vconv."
_QFLOAT = (".qf32", ".qf16")


def conversions_before_calls(module: Module) -> Module:
    """``module`` with a use after every conversion that something after a later call of its block needs."""
    return module.map(_pinned)


def _pinned(function: Function) -> Function:
    if not any(map(_is_conversion, function.by_opcode.get("call", ()))):
        return function
    blocks = [_in_block(block, function) for block in function.blocks]
    return function if all(a is b for a, b in zip(blocks, function.blocks, strict=True)) else \
        function.with_blocks(blocks)


def _in_block(block: Block, function: Function) -> Block:
    found = [n for n, i in enumerate(block.instructions) if _is_conversion(i) or _leaves(i)]
    pins: set[int] = set()
    start: int | None = None
    for place in found:
        if not _leaves(block.instructions[place]):
            start = place if start is None else start
        elif start is not None:
            pins |= _alive(block.instructions, start, place, function)
            start = None
    lines: list[str] = []
    for place, i in enumerate(block.instructions):
        lines.append(i.text)
        if place in pins:
            lines.append(f'  call void asm sideeffect "", "v"(<32 x i32> {i.result})')
    return block.with_instructions(block.read(lines)) if pins else block


def _alive(block: Sequence[Instruction], start: int, call: int, function: Function) -> set[int]:
    """The conversions from ``start`` to ``call`` whose results count after it, by place."""
    inside = {i for i in block[start:call]}
    needed = {name for name in (i.result for i in inside) if any(u not in inside for u in function.users.get(name, ()))}
    pins = set()
    for place in range(call - 1, start - 1, -1):
        i = block[place]
        if not i.result or i.result not in needed:
            continue
        needed.update(i.mentioned)
        if _is_conversion(i):
            pins.add(place)
    return pins


def _is_conversion(i: Instruction) -> bool:
    return i.intrinsic.startswith(_CONVERSION) and i.intrinsic.endswith(_QFLOAT)


def _leaves(i: Instruction) -> bool:
    """Whether it calls a function that is no intrinsic."""
    return i.opcode == "call" and i.flags.startswith("@") and not i.flags.startswith("@llvm.")
