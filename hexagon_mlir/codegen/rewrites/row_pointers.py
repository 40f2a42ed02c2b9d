"""Scalar loads in loops with pointers of their own, where a vector is loaded from the same place.

LLVM 22 gives both one register, which the scalar load increments. The software pipeliner moves the first iterations in
front of the loop, and there the vector load of the second one keeps the address of the first.
"""

from __future__ import annotations

from hexagon_mlir.llvmir import Block, Function, Instruction, Module
from hexagon_mlir.llvmir.names import derived

_MASKED_LOAD = "@llvm.masked.load."


def scalar_loads_apart(module: Module) -> Module:
    """``module`` with a pointer that LLVM cannot follow for each such scalar load of a one-block loop."""
    return module.map(_in_function)


def _in_function(function: Function) -> Function:
    blocks = [_in_loop(block) if block.is_loop else block for block in function.blocks]
    return function if all(a is b for a, b in zip(blocks, function.blocks, strict=True)) else \
        function.with_blocks(blocks)


def _in_loop(block: Block) -> Block:
    rows = {_pointer(i) for i in block.instructions if _loads_vector(i)}
    scalars = [i for i in block.instructions
               if i.opcode == "load" and not i.type.startswith("<") and _pointer(i) in rows and _is_plain(i)]
    if not scalars:
        return block
    lines = []
    for i in block.instructions:
        if i not in scalars:
            lines.append(i.text)
            continue
        pointer = derived("element", i.result)
        lines.append(f'  {pointer} = call ptr asm "", "=r,0"(ptr {_pointer(i)})')
        lines.append(f"  {i.result} = load {i.type}, ptr {pointer}, align {i.alignment}{i.debug}")
    return block.with_instructions(block.read(lines))


def _is_plain(i: Instruction) -> bool:
    return "volatile" not in i.text and "atomic" not in i.text


def _loads_vector(i: Instruction) -> bool:
    return (i.opcode == "load" and i.type.startswith("<")) or (i.opcode == "call" and i.flags.startswith(_MASKED_LOAD))


def _pointer(i: Instruction) -> str:
    return next((o for o, type_ in zip(i.operands, i.types, strict=True) if type_.startswith("ptr")), "")
