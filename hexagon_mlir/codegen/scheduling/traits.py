"""What LLVM IR text tells about its code: what decides which way to generate it is best."""

from __future__ import annotations

from typing import NamedTuple

from hexagon_mlir.codegen.llvm_ir.llvm_text import Instruction, functions, read
from hexagon_mlir.codegen.llvm_ir.names import TARGET
from hexagon_mlir.codegen.scheduling.register_pressure import pressure_in_block, values_leaving

_LANES = 4
"""Lanes of vectors that a loop spreads in each pass, from which on it is one of a matrix product."""


class Traits(NamedTuple):
    """``pressure`` is the most vectors alive at once in loops of one block, the constants that a block and others share
    included: those wait in registers too; ``outside`` the same of other blocks. ``products``: a loop multiplies by
    lanes of vectors that the pass before loaded. ``qfloat`` is the part of the vector instructions that take or make
    qfloat values.
    """

    pressure: int = 0
    outside: int = 0
    products: bool = False
    qfloat: float = 0.0


def traits(text: str) -> Traits:
    """The traits of the functions in ``text`` together, in its order of instructions."""
    pressure = outside = vectors = qfloat = 0
    products = False
    for is_function, lines in functions(text):
        if not is_function or not any("@llvm.hexagon." in line for line in lines):
            continue
        instructions = read(lines)
        leaving = values_leaving(instructions)
        blocks: dict[str, list[Instruction]] = {}
        for i in instructions:
            blocks.setdefault(i.block, []).append(i)
            vectors += i.type.startswith("<")
            qfloat += ".qf" in i.flags
        for name, block in blocks.items():
            alive = pressure_in_block(block, leaving)
            if any(i.opcode == "br" and name in TARGET.findall(i.text) for i in block):
                pressure, products = max(pressure, alive), products or _adds_up_products(block)
            else:
                outside = max(outside, alive)
    return Traits(pressure, outside, products, qfloat / max(vectors, 1))


def _adds_up_products(loop: list[Instruction]) -> bool:
    carried = {i.result for i in loop if i.opcode == "phi" and i.type.startswith("<")}
    spread = sum(i.opcode == "shufflevector" and i.operands[:1] != [] and i.operands[0] in carried for i in loop)
    return spread >= _LANES and any(".vmpy" in i.flags for i in loop)
