"""Properties of LLVM IR that decide which variant of code generation is best."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from hexagon_mlir.codegen.hvx.split_plan import VECTOR_BITS
from hexagon_mlir.codegen.rewrites.copy_loops import MOVING, REARRANGING
from hexagon_mlir.codegen.scheduling.register_pressure import pressure_in_block, values_leaving
from hexagon_mlir.llvmir import Instruction, Module

_LANES = 4
"""Least lanes that a loop broadcasts in each iteration to count as a matrix product."""

_NO_WORK = REARRANGING | {"phi", "bitcast"}


class Traits(NamedTuple):
    """``pressure`` is the most live vectors in loops of one block, constants shared with other blocks included, as they
    stay in registers too; ``outside`` the same for other blocks. ``products``: a loop multiplies by lanes of vectors
    that the previous iteration has loaded. ``qfloat`` is the fraction of the vector instructions that take or make
    qfloat values. ``moves``: all that is done with vectors is to load, permute and store them. ``longest`` is the most
    instructions in a loop of one block. ``unaligned`` is the fraction of the vector loads at addresses that are not
    known to be aligned.
    """

    pressure: int = 0
    outside: int = 0
    products: bool = False
    qfloat: float = 0.0
    moves: bool = False
    longest: int = 0
    unaligned: float = 0.0


def traits(module: Module) -> Traits:
    """The traits of the functions of ``module`` together, in its order of instructions."""
    pressure = outside = vectors = qfloat = permutes = others = longest = loads = unaligned = 0
    products = False
    for function in module.functions:
        is_native = "@llvm.hexagon." in function.text
        if not is_native and " = shufflevector " not in function.text:
            continue
        of_vectors = [i for i in function.instructions if i.type.startswith("<")]
        permutes += sum(i.opcode == "shufflevector" or i.intrinsic in MOVING for i in of_vectors)
        others += sum(i.opcode not in _NO_WORK and i.intrinsic not in MOVING for i in of_vectors)
        if not is_native:
            continue
        leaving = values_leaving(function.records)
        vectors += len(of_vectors)
        qfloat += sum(".qf" in i.flags for i in function.instructions)
        alignments = [i.alignment for i in of_vectors if i.opcode == "load"]
        loads += len(alignments)
        unaligned += sum(alignment < VECTOR_BITS // 8 for alignment in alignments)
        for block in function.blocks:
            alive = pressure_in_block(block.instructions, leaving)
            if block.is_loop:
                longest = max(longest, len(block.instructions))
                pressure, products = max(pressure, alive), products or _adds_up_products(block.instructions)
            else:
                outside = max(outside, alive)
    return Traits(pressure, outside, products, qfloat / max(vectors, 1), permutes > 0 == others, longest,
                  unaligned / max(loads, 1))


def _adds_up_products(loop: Sequence[Instruction]) -> bool:
    carried = {i.result for i in loop if i.opcode == "phi" and i.type.startswith("<")}
    spread = sum(i.opcode == "shufflevector" and i.operands[:1] != [] and i.operands[0] in carried for i in loop)
    return spread >= _LANES and any(".vmpy" in i.flags for i in loop)
