"""Shuffles of many lanes, each in a function of its own.

LLVM's x86 code generator tries to combine shuffles of shuffles, which takes minutes where a block of 128 rows is
transposed in registers; calls prevent that.
"""

from __future__ import annotations

from hexagon_mlir.llvmir import Instruction, Module, rewrite
from hexagon_mlir.llvmir.types import vector_type

_LANES = 64
"""Least lanes of the results or the operands: LLVM is fast with shorter ones. To take every fourth lane of 128 words
takes it 10 ms, and a module of bytes has a hundred such shuffles of four kinds.
"""


def apart(text: str) -> str:
    """LLVM IR with a function for each kind of wide shuffle in it, which is called."""
    names: dict[tuple[str, str, str], str] = {}

    def lanes(type_: str) -> int:
        vector = vector_type(type_)
        return vector[0] if vector else 0

    def as_call(i: Instruction) -> list[str] | None:
        (operand, _, mask_type), (a, b, mask) = i.types, i.operands
        if max(lanes(i.type), lanes(operand)) < _LANES:
            return None
        name = names.setdefault((i.type, operand, f"{mask_type} {mask}"), f"@hexmlir.shuffle.{len(names)}")
        return [f"  {i.result} = call {i.type} {name}({operand} {a}, {operand} {b}){i.debug}"]

    module = Module.parse(text).map(lambda function: rewrite(function, ("shufflevector",), as_call)
                                    if "shufflevector" in function.text else function)
    return module.text + "".join(f"define internal {result} {name}({operand} %a, {operand} %b) noinline {{\n"
                                 f"  %r = shufflevector {operand} %a, {operand} %b, {mask}\n  ret {result} %r\n}}\n"
                                 for (result, operand, mask), name in names.items())
