"""Keeps loops after the stores before them.

LLVM 22's software pipelining moves the first iterations of a one-block loop to its preheader and records for each
access the offset of its pointer. Where the offset is too large for the instruction, the pointer is a sum computed in
the loop, and the pipeliner mistakes the constant of that sum for the step of an iteration, with 2^32 added to a
negative one: the access is recorded beyond its object, and moved before stores that it must follow. An empty barrier
ends the block with those stores.
"""

from __future__ import annotations

from collections.abc import Iterable

from hexagon_mlir.codegen.rewrites.store_order import BARRIER
from hexagon_mlir.llvmir import Block, Function, Instruction, Module
from hexagon_mlir.llvmir.names import GLOBAL_NAME

_LOADS, _STORES = "@llvm.masked.load.", "@llvm.masked.store."
_MOVES = frozenset({"getelementptr", "select", "phi", "freeze"})
"""Operations whose result points into the object of an operand."""


def keep_loops_after_stores(module: Module) -> Module:
    """``module`` with a barrier where a block stores to an object that the one-block loop after it accesses."""
    return module.map(_ordered)


def _ordered(function: Function) -> Function:
    if "store" not in function.text:
        return function
    loops = {block.name: block for block in function.blocks if block.is_loop}
    if not loops:
        return function
    blocks = [block.before_terminator(BARRIER) if block.name not in loops and _meet(block, loops, function) else block
              for block in function.blocks]
    return function if all(a is b for a, b in zip(blocks, function.blocks, strict=True)) else \
        function.with_blocks(blocks)


def _meet(block: Block, loops: dict[str, Block], function: Function) -> bool:
    """Whether one of ``loops`` after ``block`` accesses an object that it stores to."""
    entered = [loops[name] for name in block.targets if name in loops]
    stored = [_pointer(i) for i in block.instructions if _stores(i)] if entered else []
    if not stored:
        return False
    accessed = [_pointer(i) for loop in entered for i in loop.instructions if _stores(i) or _loads(i)]
    return bool(_objects(accessed, function) & _objects(stored, function))


def _stores(i: Instruction) -> bool:
    return i.opcode == "store" or (i.opcode == "call" and i.flags.startswith(_STORES))


def _loads(i: Instruction) -> bool:
    return i.opcode == "load" or (i.opcode == "call" and i.flags.startswith(_LOADS))


def _pointer(i: Instruction) -> str:
    """The pointer of an access, or the variable of which it is an offset."""
    pointer = next((o for o, type_ in zip(i.operands, i.types, strict=True) if type_.startswith("ptr")), "")
    variable = GLOBAL_NAME.search(pointer)
    return variable[0] if variable else pointer


def _objects(pointers: Iterable[str], function: Function) -> set[str]:
    """The base objects of ``pointers``."""
    found, left = set(), list(pointers)
    seen: set[str] = set()
    while left:
        name = left.pop()
        if name in seen:
            continue
        seen.add(name)
        made = function.definitions.get(name)
        if made is None or made.opcode not in _MOVES:
            found.add(name)
        else:
            left += [o for o, type_ in zip(made.operands, made.types, strict=True) if type_ == "ptr"]
    return found
