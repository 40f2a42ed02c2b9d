"""Separates unaligned rows at known distances from each other.

LLVM combines all vector loads of a block at known distances: aligned vectors are realigned relative to the first of
them, and rows of another alignment are shifted a second time. That pays where the rows overlap (a sliding window).
Disjoint rows share no vector: with a distance unknown to LLVM each is realigned by itself, with one shift per vector.
"""

from __future__ import annotations

from collections import defaultdict

from hexagon_mlir.codegen.hvx.split_plan import VECTOR_BITS
from hexagon_mlir.llvmir import Block, Function, Instruction, Module
from hexagon_mlir.llvmir.names import derived

_LONG = 8
"""Least vectors of a row for which it pays: a separate row loads one more, and saves a shift for each."""


def rows_apart(module: Module, vector_bytes: int = VECTOR_BITS // 8) -> Module:
    """``module`` with an unknown distance between the unaligned rows of each block that share no vectors."""
    return module.map(lambda function: _in_function(function, vector_bytes))


def _in_function(function: Function, vector_bytes: int) -> Function:
    """``function`` with the distances as opaque values that its first block defines."""
    if not any(_is_unaligned(i, vector_bytes) for i in function.by_opcode.get("load", ())):
        return function
    distances: dict[int, str] = {}
    blocks = [_in_block(block, vector_bytes, distances, f"row{number}") for number, block in enumerate(function.blocks)]
    if not distances:
        return function
    made = [f'  {name} = call i32 asm "", "=r,0"(i32 {distance})' for distance, name in distances.items()]
    return function.with_blocks([blocks[0].after_phis(*made), *blocks[1:]])


def _is_unaligned(i: Instruction, vector_bytes: int) -> bool:
    return i.opcode == "load" and i.type.startswith("<") and i.alignment < vector_bytes


def _place(i: Instruction) -> tuple[str, int] | None:
    """Base and distance in bytes of an address in that form."""
    if i.opcode != "getelementptr" or i.operands[0] != "i8" or len(i.operands) != 3 or i.operands[2].startswith("%"):
        return None
    return i.operands[1], int(i.operands[2])


def _in_block(block: Block, vector_bytes: int, distances: dict[int, str], prefix: str) -> Block:
    """``block`` with names of this ``prefix``; the names of the hidden distances are added to ``distances``."""
    loaded = {i.operands[0] for i in block.instructions if _is_unaligned(i, vector_bytes)}
    places = {i.result: place for i in block.instructions if i.result in loaded and (place := _place(i))}
    bases: dict[str, list[int]] = defaultdict(list)
    for base, offset in places.values():
        bases[base].append(offset)
    for base in loaded & set(bases):
        bases[base].append(0)
    moved = {base: _rows(offsets, vector_bytes) for base, offsets in bases.items()}
    lines: list[str] = []
    named: set[str] = set()
    for i in block.instructions:
        base, offset = places.get(i.result, ("", 0))
        row = moved[base].get(offset) if base else None
        if row is None:
            lines.append(i.text)
            continue
        begin = derived(f"{prefix}.{row}", base)
        if begin not in named:
            named.add(begin)
            distance = distances.setdefault(row, f"%row{row}.distance")
            lines.append(f"  {begin} = getelementptr i8, ptr {base}, i32 {distance}")
        lines.append(f"  {i.result} = getelementptr i8, ptr {begin}, i32 {offset - row}")
    return block.with_instructions(block.read(lines)) if named else block


def _rows(offsets: list[int], vector_bytes: int) -> dict[int, int]:
    """Offset -> start of its row, for the rows that do not overlap the row of the lowest offset."""
    rows: dict[int, list[int]] = defaultdict(list)
    for offset in sorted(offsets):
        rows[offset % vector_bytes].append(offset)
    if len(offsets) < _LONG * len(rows):
        return {}
    met = sum(abs(a - b) < vector_bytes for a in offsets for b in offsets if a % vector_bytes != b % vector_bytes)
    if met > 2 * len(rows):  # rows share more than the vector in which one ends and the next begins
        return {}
    first = min(offsets)
    return {offset: row[0] for row in rows.values() for offset in row if row[0] != first}
