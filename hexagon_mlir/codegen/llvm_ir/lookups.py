"""Calls that look up a table of up to 256 elements as vlut32 and vlut16, in LLVM IR text.

LLVM 22 selects these instructions from intrinsics only. vlut32 finds bytes, 32 at a time: of a vector it takes those in
the even or odd bytes of its first or second half, so the table's halves are interleaved first. vlut16 does the same
with 16 halfwords, and its two results are the elements for even and for odd indices: with the indices' halves
interleaved too, they are in memory order. Words are found in two halves. (HVX V73 PRM 80-N2040-54, chapter 5.)
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from hexagon_mlir.codegen.hvx.split_plan import VECTOR_BITS
from hexagon_mlir.llvmir import parse_line
from hexagon_mlir.llvmir.types import vector_type

_BITS = {"bytes": 8, "halfwords": 16, "words": 32}
_NAME = re.compile(r"@hexmlir_look_up_(\w+)_(\d+)_(\d+)$")
_DECLARATION = re.compile(r"^declare .*@hexmlir_look_up_.*\n", re.MULTILINE)
_PIECES = {8: 32, 16: 16}
"""Bits of an element -> elements that one instruction looks through."""
_IMMEDIATES = 8  # a piece's number is an immediate up to here
_WORDS, _PAIR = "<32 x i32>", "<64 x i32>"


def lookups_as_instructions(text: str) -> str:
    """``text`` with each call of ``hexmlir_look_up_*`` as instructions."""
    if "@hexmlir_look_up_" not in text:
        return text
    declared: dict[str, str] = {}
    out: list[str] = []
    for number, line in enumerate(_DECLARATION.sub("", text).split("\n")):
        call = parse_line(line) if "@hexmlir_look_up_" in line else None
        name = _NAME.match(call.flags) if call is not None and call.opcode == "call" else None
        vector = vector_type(call.types[0]) if call is not None and name else None
        if call is None or name is None or vector is None:
            out.append(line)
            continue
        emitter = _Emitter(f"%lookup{number}", declared)
        emitter.look_up(call.result, _BITS[name[1]], int(name[2]), int(name[3]), vector[0], *call.operands)
        out += emitter.lines
    return "\n".join([*out, *declared.values(), ""])


class _Emitter:
    """The lines that one call becomes; names of values start with ``prefix``."""

    def __init__(self, prefix: str, declared: dict[str, str]):
        self.prefix, self.declared = prefix, declared
        self.lines: list[str] = []

    def look_up(self, result: str, bits: int, count: int, lanes: int, entries: int, table: str, indices: str) -> None:
        """Define ``result``: element of ``table`` for each of ``lanes`` ``indices``."""
        tables = self._parts(table, entries, bits)
        found: list[str] = []
        for index in self._parts(indices, lanes, 8):
            if bits == 8:
                found.append(self._search("vlutvvb", [self._shuffled(t, 8) for t in tables], count, 8, index))
                continue
            index = self._shuffled(index, 8)
            if bits == 16:
                pair = self._search("vlutvwh", [self._shuffled(t, 16) for t in tables], count, 16, index)
                found += self._halves(pair)
                continue
            pairs = [(t, tables[i + 1] if i + 1 < len(tables) else t) for i, t in enumerate(tables) if i % 2 == 0]
            low, high = (self._halves(self._search("vlutvwh", [
                self._call(name, _WORDS, (_WORDS, b), (_WORDS, a)) for a, b in pairs], count, 16, index))
                for name in ("vshufeh", "vshufoh"))
            for odd, even in zip(high, low, strict=True):
                found += self._halves(self._call("vshuffvdd", _PAIR, (_WORDS, odd), (_WORDS, even), ("i32", "-2")))
        self._join(result, found, bits)

    def _search(self, name: str, tables: Sequence[str], count: int, bits: int, index: str) -> str:
        """The elements for ``index``: one instruction for each piece of the tables, the results or-ed together."""
        type_ = _PAIR if name == "vlutvwh" else _WORDS
        found = ""
        for piece in range(-(-count // _PIECES[bits])):
            arguments = [(_WORDS, index), (_WORDS, tables[piece * _PIECES[bits] * bits // VECTOR_BITS]),
                         ("i32", str(piece))]
            suffix = "i" if piece < _IMMEDIATES else ""
            if not found:
                found = self._call(f"{name}{suffix}", type_, *arguments)
            else:
                found = self._call(f"{name}.oracc{suffix}", type_, (type_, found), *arguments)
        return found

    def _shuffled(self, words: str, bits: int) -> str:
        """The elements of both halves of a vector in turn."""
        return self._call({8: "vshuffb", 16: "vshuffh"}[bits], _WORDS, (_WORDS, words))

    def _halves(self, pair: str) -> list[str]:
        return [self._call(name, _WORDS, (_PAIR, pair)) for name in ("lo", "hi")]

    def _parts(self, value: str, lanes: int, bits: int) -> list[str]:
        """``value`` as HVX vectors of words."""
        native = VECTOR_BITS // bits
        type_ = f"<{lanes} x i{bits}>"
        parts = []
        for start in range(0, lanes, native):
            part = value if lanes == native else self._new(
                f"shufflevector {type_} {value}, {type_} poison, <{native} x i32> "
                f"<{', '.join(f'i32 {k}' for k in range(start, start + native))}>")
            parts.append(part if bits == 32 else self._new(f"bitcast <{native} x i{bits}> {part} to {_WORDS}"))
        return parts

    def _join(self, result: str, words: list[str], bits: int) -> None:
        """Define ``result`` as the elements of all ``words``, a power of two of them."""
        native = VECTOR_BITS // bits
        parts = [w if bits == 32 else self._new(f"bitcast {_WORDS} {w} to <{native} x i{bits}>") for w in words]
        while len(parts) > 1:
            type_, native = f"<{native} x i{bits}>", 2 * native
            mask = ", ".join(f"i32 {k}" for k in range(native))
            parts = [self._new(f"shufflevector {type_} {a}, {type_} {b}, <{native} x i32> <{mask}>")
                     for a, b in zip(parts[::2], parts[1::2], strict=True)]
        type_ = f"<{native} x i{bits}>"
        self.lines.append(f"  {result} = bitcast {type_} {parts[0]} to {type_}")

    def _call(self, name: str, type_: str, *arguments: tuple[str, str]) -> str:
        full = f"@llvm.hexagon.V6.{name}.128B"
        self.declared[full] = f"declare {type_} {full}({', '.join(t for t, _ in arguments)})"
        return self._new(f"call {type_} {full}({', '.join(f'{t} {v}' for t, v in arguments)})")

    def _new(self, right: str) -> str:
        name = f"{self.prefix}.{len(self.lines)}"
        self.lines.append(f"  {name} = {right}")
        return name
