"""Unaligned rows at known distances become streams of their own, in LLVM IR text.

LLVM joins all vector loads of a block that are a known distance apart: aligned vectors are brought into line with the
first of them, and rows that begin elsewhere within a vector are shifted a second time. That pays where the rows overlap
(a window that slides). Rows that lie behind each other share no vector: with a distance that LLVM does not know each
is brought into line by itself, one shift a vector.
"""

from __future__ import annotations

import re
from collections import defaultdict

from hexagon_mlir.codegen.hvx.split_plan import VECTOR_BITS
from hexagon_mlir.codegen.llvm_ir.names import LABEL, VALUE, derived

_PLACE = re.compile(rf"^ *({VALUE}) = getelementptr (?:inbounds |nuw |nusw )*i8, ptr ({VALUE}), i32 (-?\d+)$")
_LOAD = re.compile(rf" = load <\d+ x \w+>, ptr ({VALUE}), align (\d+)")
_LONG = 8
"""Vectors of a row from which on it pays: a row of its own loads one more, and saves a shift for each."""


def rows_apart(text: str, vector_bytes: int = VECTOR_BITS // 8) -> str:
    """``text`` with an unknown distance between the unaligned rows of each block that share no vectors."""
    if not any(int(found[1]) < vector_bytes for found in _LOAD.findall(text)):
        return text
    return "\n}\n".join(_in_function(body, vector_bytes) for body in text.split("\n}\n"))


def _in_function(text: str, vector_bytes: int) -> str:
    """The function that ends ``text``, with the distances as numbers that its first block makes."""
    lines = text.split("\n")
    begin = next((number for number, line in enumerate(lines) if line.startswith("define ")), len(lines))
    out: list[str] = []
    distances: dict[int, str] = {}
    start = begin + 1
    for number in range(begin + 2, len(lines) + 1):
        if number == len(lines) or LABEL.match(lines[number]):
            out += _in_block(lines[start:number], vector_bytes, distances, f"row{start}")
            start = number
    if not distances:
        return text
    first = 1 if LABEL.match(out[0]) else 0
    made = [f'  {name} = call i32 asm "", "=r,0"(i32 {distance})' for distance, name in distances.items()]
    return "\n".join([*lines[:begin + 1], *out[:first], *made, *out[first:]])


def _in_block(lines: list[str], vector_bytes: int, distances: dict[int, str], prefix: str) -> list[str]:
    """``lines`` of one block, with names of this ``prefix``; ``distances`` gets the names of those that are hidden."""
    loaded = {found[1] for line in lines if (found := _LOAD.search(line)) and int(found[2]) < vector_bytes}
    places = {number: found.groups() for number, line in enumerate(lines) if (found := _PLACE.match(line))
              and found[1] in loaded}
    bases: dict[str, list[int]] = defaultdict(list)
    for _, base, offset in places.values():
        bases[base].append(int(offset))
    for base in loaded & set(bases):
        bases[base].append(0)
    moved = {base: _rows(offsets, vector_bytes) for base, offsets in bases.items()}
    out: list[str] = []
    named: set[str] = set()
    for number, line in enumerate(lines):
        if number in places:
            name, base, offset = places[number]
            row = moved[base].get(int(offset))
            if row is not None:
                begin = derived(f"{prefix}.{row}", base)
                if begin not in named:
                    named.add(begin)
                    distance = distances.setdefault(row, f"%row{row}.distance")
                    out.append(f"  {begin} = getelementptr i8, ptr {base}, i32 {distance}")
                line = f"  {name} = getelementptr i8, ptr {begin}, i32 {int(offset) - row}"
        out.append(line)
    return out


def _rows(offsets: list[int], vector_bytes: int) -> dict[int, int]:
    """Offset -> where its row begins, for the rows that lie apart from that of the lowest offset."""
    rows: dict[int, list[int]] = defaultdict(list)
    for offset in sorted(offsets):
        rows[offset % vector_bytes].append(offset)
    if len(offsets) < _LONG * len(rows):
        return {}
    met = sum(abs(a - b) < vector_bytes for a in offsets for b in offsets if a % vector_bytes != b % vector_bytes)
    if met > 2 * len(rows):  # more than the last vector of a row, which the next one begins in
        return {}
    first = min(offsets)
    return {offset: row[0] for row in rows.values() for offset in row if row[0] != first}
