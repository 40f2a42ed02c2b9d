"""Register pressure: how many vectors are live in a block of LLVM IR before register allocation."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from hexagon_mlir.codegen.scheduling.constant_tables import vectors_of
from hexagon_mlir.llvmir import Instruction
from hexagon_mlir.llvmir.types import KEPT


def values_leaving(instructions: Sequence[Instruction]) -> set[str]:
    """Names of the values that are read in other blocks than their own."""
    home = {i.result: i.block for i in instructions if i.result}
    return {name for i in instructions for name in i.mentioned if home.get(name, i.block) != i.block}


def pressure_in_block(block: Sequence[Instruction], leaving: set[str]) -> int:
    """Most live vectors in one block; ``leaving`` names values that other blocks read."""
    if not any("<" in i.text for i in block):
        return 0
    made = {i.result for i in block if i.result}
    last = {name: number for number, i in enumerate(block) for name in i.mentioned}
    last |= {name: len(block) for i in block if i.opcode == "phi" for name in i.operands}  # of the next iteration
    shared = set().union(*map(_vectors_read, block)) - made
    ends = [0] * (len(block) + 1)
    live = most = 0
    for number, i in enumerate(block):
        stays = i.result in leaving
        if i.type[:1] == "<" and (stays or i.result in last) and (vectors := vectors_of(i.type)):
            live += vectors
            ends[len(block) if stays else last[i.result]] += vectors
            if live > most:
                most = live
        live -= ends[number]
    return most + len(shared)


@lru_cache(KEPT)
def _vectors_read(i: Instruction) -> frozenset[str]:
    """The operands of ``i`` that are in vector registers: values and constants."""
    return frozenset(o for o, t in zip(i.operands, i.types, strict=False)
                     if t.startswith("<") and not t.endswith("i1>") and o.startswith(("splat", "%")))
