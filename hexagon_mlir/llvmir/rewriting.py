"""The pattern driver: replaces instructions of a function by the result of a rule."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from hexagon_mlir.llvmir.function import Function
from hexagon_mlir.llvmir.instruction import Instruction
from hexagon_mlir.llvmir.reader import parse_line

Rule = Callable[[Instruction], Sequence[str] | None]
"""The lines that replace an instruction; None where it is unchanged."""
Declarations = dict[str, str]
"""Name of a function, with ``@`` -> the line that declares it."""


def rewrite(function: Function, opcodes: Iterable[str], rule: Rule) -> Function:
    """``function`` after one application of ``rule`` to each instruction of ``opcodes``; itself where none changes.

    Results of a rule are not rewritten again.
    """
    found: dict[Instruction, Sequence[str]] = {}
    for opcode in opcodes:
        for i in function.by_opcode.get(opcode, ()):
            lines = rule(i)
            if lines is not None:
                found[i] = lines
    if not found:
        return function
    records: list[Instruction] = []
    for i in function.records:
        if i in found:
            records += [parse_line(line, i.block) for line in found[i]]
        else:
            records.append(i)
    return Function(records=records)
