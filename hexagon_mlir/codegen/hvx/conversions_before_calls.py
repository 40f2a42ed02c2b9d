"""Keeps conversions from qfloat before the calls that follow them.

LLVM's scheduler orders a block by stores and calls: a conversion whose result is used only in a later block is moved
after a call, and its operand, live across the call, is spilled in qfloat. Empty inline assembly that uses the result
before the call keeps the conversion before the call.
"""

from __future__ import annotations

from collections.abc import Sequence

from hexagon_mlir.llvmir import Block, Function, Instruction, Module

_CONVERSION = "V6.vconv."
_QFLOAT = (".qf32", ".qf16")


def conversions_before_calls(module: Module) -> Module:
    """``module`` with such a use after every conversion whose result is live after a later call of its block."""
    return module.map(_with_uses)


def _with_uses(function: Function) -> Function:
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
    """The conversions from ``start`` to ``call`` whose results are live after it, by index."""
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
    """Whether the instruction calls a function that is no intrinsic."""
    return i.opcode == "call" and i.flags.startswith("@") and not i.flags.startswith("@llvm.")
