"""Vectors of bf16 become vectors of i16 where they are only moved.

HVX has no bf16 lanes: what computes with them is integer code by now (`hexagon-arith-legalization`). LLVM 22 still
makes element-by-element code of masked bf16 accesses, and that code writes twice as many elements as the mask has.
"""

from __future__ import annotations

import re

from hexagon_mlir.llvmir.names import VALUE, derived

_VECTOR = re.compile(r"<(\d+) x bfloat>")
_MOVES = re.compile(
    rf"\s*(?:{VALUE} = )?(?:load|store|bitcast|select|shufflevector|phi|freeze|insertelement|extractelement)\b"
    r"|.*@llvm\.masked\.(?:load|store)\.v\d+bf16\b"
)
_NAME = re.compile(r"(@llvm\.masked\.(?:load|store)\.v\d+)bf16\b")
_LITERAL = re.compile(r"\bbfloat 0xR([0-9A-Fa-f]{4})\b")
_INSERTED = re.compile(rf"(\s*)({VALUE}) = insertelement .*, bfloat ({VALUE}),")
_EXTRACTED = re.compile(rf"(\s*)({VALUE}) = extractelement ")


def bfloat_vectors_as_bits(llvm_ir: str) -> str:
    """``llvm_ir`` with i16 for every bf16 vector; as it was when something else than a move takes or makes one."""
    if _VECTOR.search(llvm_ir) is None:
        return llvm_ir
    lines = llvm_ir.split("\n")
    found = [number for number, line in enumerate(lines) if _VECTOR.search(line)]
    if not all(_MOVES.match(lines[number]) for number in found):
        return llvm_ir
    declared = {line.split("(")[0] for line in lines if line.startswith("declare ") and "i16" in line}
    for number in found:
        line = _VECTOR.sub(r"<\1 x i16>", _NAME.sub(r"\1i16", lines[number]))
        lines[number] = "" if line.split("(")[0] in declared else _scalar_as_bits(_LITERAL.sub(_bits, line))
    return "\n".join(lines)


def _scalar_as_bits(line: str) -> str:
    """``line`` with a conversion of the bf16 scalar that goes into a vector, or comes out of one."""
    if match := _INSERTED.match(line):
        space, result, scalar = match.groups()
        bits = derived("bits", result)
        return (f"{space}{bits} = bitcast bfloat {scalar} to i16\n"
                + line.replace(f", bfloat {scalar},", f", i16 {bits},"))
    if match := _EXTRACTED.match(line):
        space, result = match.groups()
        bits = derived("bits", result)
        return line.replace(f"{result} = ", f"{bits} = ", 1) + f"\n{space}{result} = bitcast i16 {bits} to bfloat"
    return line


def _bits(literal: re.Match[str]) -> str:
    return f"i16 {int(literal[1], 16)}"
