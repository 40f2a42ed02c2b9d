"""Replaces calls that gather a vector from TCM by the instruction.

They are calls during optimisation because LLVM assumes that the instruction accesses its target only, and -O3 would
remove the stores that fill the table.
"""

from __future__ import annotations

from hexagon_mlir.llvmir import Declarations, Function, Instruction, Module, rewrite
from hexagon_mlir.llvmir.types import vector_type

_FORMS = {"@hexmlir_gather_words": ("vgathermw", 4), "@hexmlir_gather_halfwords": ("vgathermh", 2)}
_DONE = "@hexmlir_gather_done"
_WORDS = "<32 x i32>"
_MASK = "<128 x i1>"


def gathers_as_instructions(module: Module) -> Module:
    """``module`` with each call of ``hexmlir_gather_*`` as a vgather, masked where not all of its lanes are valid.

    A vector load waits for gathers to its address: a load replaces ``hexmlir_gather_done``.
    """
    declared: Declarations = {}
    return module.map(lambda function: _rewritten(function, declared)).declaring(declared)


def _rewritten(function: Function, declared: Declarations) -> Function:
    if "@hexmlir_gather_" not in function.text:
        return function
    count = 0

    def as_instruction(i: Instruction) -> list[str] | None:
        nonlocal count
        if i.flags != _DONE and i.flags not in _FORMS:
            return None
        count += 1
        name = f"%gather{count}"
        place = f"  {name}.to = inttoptr i32 {i.operands[0]} to ptr"
        if i.flags == _DONE:
            return [place, f"  {name}.seen = load volatile {_WORDS}, ptr {name}.to, align 128{i.debug}"]
        return [place, *_gather(i, name, declared)]

    return rewrite(function, ("call",), as_instruction)


def _gather(i: Instruction, name: str, declared: Declarations) -> list[str]:
    """The lines of the gather to ``name``.to."""
    form, width = _FORMS[i.flags]
    _, table, last, offsets, valid = i.operands
    vector = vector_type(i.types[3])
    lines = [f"  {name}.offsets = bitcast {i.types[3]} {offsets} to {_WORDS}"]
    arguments = [("i32", table), ("i32", last), (_WORDS, f"{name}.offsets")]
    if vector is None or valid != str(vector[0]):
        form += "q"
        lines += [f"  {name}.bytes = mul i32 {valid}, {width}",
                  f"  {name}.mask = {_call('pred.scalar2', _MASK, [('i32', f'{name}.bytes')], declared)}"]
        arguments.insert(0, (_MASK, f"{name}.mask"))
    return [*lines, f"  {_call(form, 'void', [('ptr', f'{name}.to'), *arguments], declared)}{i.debug}"]


def _call(name: str, result: str, arguments: list[tuple[str, str]], declared: Declarations) -> str:
    full = f"@llvm.hexagon.V6.{name}.128B"
    declared[full] = f"declare {result} {full}({', '.join(type_ for type_, _ in arguments)})"
    return f"call {result} {full}({', '.join(f'{type_} {value}' for type_, value in arguments)})"
