"""The symbols of ELF object code for this machine: its definitions and its undefined references."""

from __future__ import annotations

import struct
from dataclasses import dataclass

_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
_SECTION = struct.Struct("<IIQQQQIIQQ")
_SYMBOL = struct.Struct("<IBBHQQ")
_RELOCATABLE = 1  # ET_REL
_SYMBOLS = 2  # SHT_SYMTAB
_LINKERS = frozenset({"", "_GLOBAL_OFFSET_TABLE_"})
"""What every linker defines."""


@dataclass(frozen=True)
class Symbols:
    """Names in an object."""

    defined: frozenset[str]
    needed: frozenset[str]


def symbols(code: bytes) -> Symbols:
    """The symbols of a 64-bit ELF object; `ValueError` for what is none."""
    try:
        return _symbols(code)
    except (struct.error, IndexError) as error:
        raise ValueError("no ELF object") from error


def _symbols(code: bytes) -> Symbols:
    ident, type_, _, _, _, _, section_offset, _, _, _, _, section_size, section_count, _ = _HEADER.unpack_from(code)
    if ident[:5] != b"\x7fELF\x02" or type_ != _RELOCATABLE:
        raise ValueError("no ELF object")
    sections = [_SECTION.unpack_from(code, section_offset + number * section_size) for number in range(section_count)]
    defined: set[str] = set()
    needed: set[str] = set()
    for _, kind, _, _, offset, size, names, *_ in sections:
        if kind != _SYMBOLS:
            continue
        texts = sections[names][4]
        for at in range(offset, offset + size, _SYMBOL.size):
            name, _, _, section, _, _ = _SYMBOL.unpack_from(code, at)
            text = code[texts + name:code.index(b"\0", texts + name)].decode()
            (defined if section else needed).add(text)
    return Symbols(frozenset(defined), frozenset(needed - _LINKERS))
