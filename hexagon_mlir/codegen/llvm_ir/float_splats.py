"""Floats that all lanes of a vector hold, in LLVM IR text, where words are made of them.

LLVM's optimiser puts the float into a vector, makes words of that and gives every lane the first: LLVM 22's Hexagon
backend no longer sees a splat there, and permutes what is one already. Lanes are given the float's word instead.
"""

from __future__ import annotations

import re

from hexagon_mlir.codegen.llvm_ir.names import OPERAND, VALUE, derived

_LINE = re.compile(
    r"^(?:define .*"
    rf"| *(?P<vector>{VALUE}) = insertelement <\d+ x float> poison, float (?P<float>{OPERAND}), i\d+ 0(?:, !.*)?"
    rf"| *(?P<name>{VALUE}) = bitcast <(?P<lanes>\d+) x float> (?P<source>{VALUE}) to <(?P=lanes) x i32>(?:, !.*)?)$",
    re.MULTILINE)


def float_splats_as_words(text: str) -> str:
    """``text`` with words put into vectors where floats were put and taken for words."""
    if " x float> poison, float " not in text:
        return text
    floats: dict[str, str] = {}

    def replaced(line: re.Match[str]) -> str:
        if line["vector"]:
            floats[line["vector"]] = line["float"]
        elif line["name"] is None:
            floats.clear()  # another function
        elif line["source"] in floats:
            word, lanes = derived("word", line["name"]), line["lanes"]
            return (f"  {word} = bitcast float {floats[line['source']]} to i32\n"
                    f"  {line['name']} = insertelement <{lanes} x i32> poison, i32 {word}, i64 0")
        return line[0]

    return _LINE.sub(replaced, text)
