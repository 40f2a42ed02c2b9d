"""Pointers to parts of the TCM arena that share no byte, in LLVM IR.

The pipeline plans all buffers in one allocation, so LLVM would see one object and schedule every load after every
store. ``hexmlir_tcm_slot(address)`` gives a pointer that aliases nothing; here it becomes empty inline assembly with a
``noalias`` result, which has no cost.

This is a rewrite of LLVM IR because MLIR's ``llvm.inline_asm`` has no result attributes.
"""

from __future__ import annotations

from hexagon_mlir.llvmir import Function, Instruction, Module, rewrite

_SLOT = "@hexmlir_tcm_slot"


def separate_slots(module: Module) -> Module:
    """``module`` with each call of ``hexmlir_tcm_slot`` as inline assembly that returns its operand."""
    if _SLOT not in module.declared:
        return module
    return module.map(_in_function).without_declarations({_SLOT})


def _in_function(function: Function) -> Function:
    return rewrite(function, ("call",), _as_assembly) if _SLOT in function.globals else function


def _as_assembly(i: Instruction) -> list[str] | None:
    if i.flags != _SLOT:
        return None
    return [f'  {i.result} = call noalias ptr asm "", "=r,0"({i.types[0]} {i.operands[0]}){i.debug}']
