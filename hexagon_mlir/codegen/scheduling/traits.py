"""Properties of LLVM IR that decide which variant of code generation is best."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from hexagon_mlir.codegen.scheduling.register_pressure import pressure_in_block, values_leaving
from hexagon_mlir.llvmir import Instruction, Module

_LANES = 4
"""Least lanes that a loop broadcasts in each iteration to count as a matrix product."""


class Traits(NamedTuple):
    """``pressure`` is the most live vectors in loops of one block, constants shared with other blocks included, as they
    stay in registers too; ``outside`` the same for other blocks. ``products``: a loop multiplies by lanes of vectors
    that the previous iteration has loaded. ``qfloat`` is the fraction of the vector instructions that take or make
    qfloat values.
    """

    pressure: int = 0
    outside: int = 0
    products: bool = False
    qfloat: float = 0.0


def traits(module: Module) -> Traits:
    """The traits of the functions of ``module`` together, in its order of instructions."""
    pressure = outside = vectors = qfloat = 0
    products = False
    for function in module.functions:
        if "@llvm.hexagon." not in function.text:
            continue
        leaving = values_leaving(function.records)
        for i in function.instructions:
            vectors += i.type.startswith("<")
            qfloat += ".qf" in i.flags
        for block in function.blocks:
            alive = pressure_in_block(block.instructions, leaving)
            if block.is_loop:
                pressure, products = max(pressure, alive), products or _adds_up_products(block.instructions)
            else:
                outside = max(outside, alive)
    return Traits(pressure, outside, products, qfloat / max(vectors, 1))


def _adds_up_products(loop: Sequence[Instruction]) -> bool:
    carried = {i.result for i in loop if i.opcode == "phi" and i.type.startswith("<")}
    spread = sum(i.opcode == "shufflevector" and i.operands[:1] != [] and i.operands[0] in carried for i in loop)
    return spread >= _LANES and any(".vmpy" in i.flags for i in loop)
