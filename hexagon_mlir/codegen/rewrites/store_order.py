"""Keeps scalar stores after the vector stores that precede them.

LLVM 22 puts a vector store and a later scalar store into one packet even where they overlap. That is right for two
scalar stores, the first of which takes slot 1; a vector store can only take slot 0, and slot 1 is stored first. An
empty barrier ends the packet. Blocks end with a barrier, since software pipelining moves the first stores of a loop to
its preheader; one-block vector loops have none, but their exits begin with one.
"""

from __future__ import annotations

from hexagon_mlir.llvmir import Block, Function, Instruction, Module

BARRIER = '  call void asm sideeffect "", "~{memory}"()'
_MASKED = "@llvm.masked.store."
_BLOCK_STORES = ("@llvm.memset.", "@llvm.memcpy.", "@llvm.memmove.")


def keep_stores_in_order(module: Module) -> Module:
    """``module`` with a barrier wherever a scalar store could join the packet of an earlier vector store."""
    return module.map(_ordered)


def _ordered(function: Function) -> Function:
    if "store" not in function.text:
        return function
    stores = [*function.by_opcode.get("store", ()), *function.by_opcode.get("call", ())]
    if not any(map(_is_scalar, stores)) or not any(map(_is_vector, stores)):
        return function
    blocks: list[Block] = []
    begun: set[str] = set()
    for block in function.blocks:
        ordered, pending = _barriers(block)
        if pending and block.is_loop:
            begun |= {*block.targets} - {block.name}
        elif pending and block.targets:
            ordered = ordered.before_terminator(BARRIER)
        blocks.append(ordered)
    return function.with_blocks(block.after_phis(BARRIER) if block.name in begun else block for block in blocks)


def _barriers(block: Block) -> tuple[Block, bool]:
    """``block`` with barriers between vector and scalar stores, and whether the last store is a vector's."""
    instructions: list[Instruction] = []
    pending = False
    for i in block.instructions:
        if scalar := _is_scalar(i):
            instructions += [*block.read([BARRIER])] * pending
        pending = not scalar and (pending or _is_vector(i))
        instructions.append(i)
    return block.with_instructions(instructions), pending


def _is_vector(i: Instruction) -> bool:
    return (i.opcode == "store" and i.is_vector) or (i.opcode == "call" and i.flags.startswith(_MASKED))


def _is_scalar(i: Instruction) -> bool:
    return (i.opcode == "store" and not i.is_vector) or (i.opcode == "call" and i.flags.startswith(_BLOCK_STORES))
