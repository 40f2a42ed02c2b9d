"""Pointers in the frames of forks, in LLVM IR.

MLIR has no operation that makes a buffer of an address. ``hexmlir_frame_pointer(address)`` does; here it becomes
``inttoptr``.
"""

from __future__ import annotations

from hexagon_mlir.llvmir import Function, Instruction, Module, rewrite

_POINTER = "@hexmlir_frame_pointer"


def frame_pointers(module: Module) -> Module:
    """``module`` with a conversion for each call of ``hexmlir_frame_pointer``."""
    if _POINTER not in module.declared:
        return module
    return module.map(_in_function).without_declarations({_POINTER})


def _in_function(function: Function) -> Function:
    return rewrite(function, ("call",), _as_conversion) if _POINTER in function.globals else function


def _as_conversion(i: Instruction) -> list[str] | None:
    if i.flags != _POINTER:
        return None
    return [f"  {i.result} = inttoptr {i.types[0]} {i.operands[0]} to ptr{i.debug}"]
