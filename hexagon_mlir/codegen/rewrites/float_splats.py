"""Floats that all lanes of a vector hold, where words are made of them.

LLVM's optimiser puts the float into a vector, makes words of that and gives every lane the first: LLVM 22's Hexagon
backend no longer sees a splat there, and permutes what is one already. Lanes are given the float's word instead.
"""

from __future__ import annotations

from hexagon_mlir.llvmir import Function, Instruction, Module, rewrite
from hexagon_mlir.llvmir.names import derived
from hexagon_mlir.llvmir.types import vector_type


def float_splats_as_words(module: Module) -> Module:
    """``module`` with words put into vectors where floats were put and taken for words."""
    return module.map(_rewritten)


def _rewritten(function: Function) -> Function:
    if " x float> poison, float " not in function.text:
        return function

    def as_word(i: Instruction) -> list[str] | None:
        made, source, result = function.definitions.get(i.operands[0]), vector_type(i.types[0]), vector_type(i.type)
        if made is None or source is None or source[1] != "float" or result != (source[0], "i32"):
            return None
        if made.opcode != "insertelement" or (made.operands[0], made.operands[2]) != ("poison", "0"):
            return None
        word = derived("word", i.result)
        return [f"  {word} = bitcast float {made.operands[1]} to i32",
                f"  {i.result} = insertelement <{source[0]} x i32> poison, i32 {word}, i64 0"]

    return rewrite(function, ("bitcast",), as_word)
