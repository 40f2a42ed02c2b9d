"""Replaces vectors of bf16 that are only moved by vectors of i16.

HVX has no bf16 lanes: arithmetic on them has been lowered to integer code (`hexagon-arith-legalization`). LLVM 22 still
makes element-by-element code of masked bf16 accesses, and that code writes twice as many elements as the mask has.
"""

from __future__ import annotations

from hexagon_mlir.llvmir import Instruction, Module, rewrite
from hexagon_mlir.llvmir.literals import bfloat_literals_as_bits
from hexagon_mlir.llvmir.names import derived
from hexagon_mlir.llvmir.types import has_vector_of, with_vectors_of

_MOVES = frozenset({"load", "store", "bitcast", "select", "shufflevector", "phi", "freeze", "insertelement",
                    "extractelement"})
_MASKED = ("@llvm.masked.load.", "@llvm.masked.store.")


def bfloat_vectors_as_bits(module: Module) -> Module:
    """``module`` with i16 for every bf16 vector; unchanged if an operation other than a move takes or makes one."""
    if not has_vector_of("bfloat", module.text):
        return module
    outside = [line for line in module.around if has_vector_of("bfloat", line)]
    declared = {name for name in module.declared if name.startswith(_MASKED) and _overloaded(name) != name}
    declarations = {name: line for line in outside for name in declared if f" {name}(" in line}
    moves = all(_is_move(i) for function in module.functions if has_vector_of("bfloat", function.text)
                for i in function.records if has_vector_of("bfloat", i.text))
    if not moves or len(declarations) < len(outside):
        return module
    module = module.map(lambda function: rewrite(function, (*_MOVES, "call"), _as_bits)
                        if has_vector_of("bfloat", function.text) else function)
    return module.without_declarations(declarations).declaring({
        _overloaded(name): _with_bits(line).replace(name, _overloaded(name)) for name, line in declarations.items()})


def _is_move(i: Instruction) -> bool:
    return i.opcode in _MOVES or (i.opcode == "call" and i.flags.startswith(_MASKED))


def _as_bits(i: Instruction) -> list[str] | None:
    """``i`` with integers; the bf16 scalar that goes into a vector, or comes out of one, is converted."""
    if not has_vector_of("bfloat", i.text):
        return None
    line = _with_bits(i.text)
    bits = derived("bits", i.result)
    if i.opcode == "call":
        return [line.replace(i.flags, _overloaded(i.flags))]
    if i.opcode == "insertelement" and (scalar := i.operands[1]).startswith("%"):
        return [f"  {bits} = bitcast bfloat {scalar} to i16", line.replace(f"bfloat {scalar},", f"i16 {bits},")]
    if i.opcode == "extractelement":
        return [line.replace(f"{i.result} = ", f"{bits} = ", 1), f"  {i.result} = bitcast i16 {bits} to bfloat"]
    return [line]


def _with_bits(line: str) -> str:
    return bfloat_literals_as_bits(with_vectors_of("i16", "bfloat", line))


def _overloaded(name: str) -> str:
    """Intrinsic ``name`` for vectors of i16 in place of bf16."""
    return name.replace("bf16", "i16")
