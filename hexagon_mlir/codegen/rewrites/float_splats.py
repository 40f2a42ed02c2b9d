"""Splats of floats that are bitcast to words, as splats of words.

LLVM's optimiser inserts the float into a vector, bitcasts that to words and shuffles the first to every lane: LLVM 22's
Hexagon backend does not recognise a splat there, and adds a permutation. The word of the float is splatted instead.
"""

from __future__ import annotations

from hexagon_mlir.llvmir import Function, Instruction, Module, rewrite
from hexagon_mlir.llvmir.names import derived
from hexagon_mlir.llvmir.types import vector_type


def float_splats_as_words(module: Module) -> Module:
    """``module`` with words inserted into vectors where floats were inserted and bitcast to words."""
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
