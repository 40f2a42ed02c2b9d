"""Code of a function in a Hexagon object file: 32-bit little-endian ELF (System V ABI, chapter 4)."""

import struct

SYMBOLS, FUNCTION, WEAK = 2, 2, 2
"""Type of a section; type and binding of a symbol."""


def function(data, name):
    """(words, whether the symbol is weak) of function ``name`` in the object ``data``; `KeyError` if it has none."""
    assert data[:6] == b"\x7fELF\x01\x01"
    start, = struct.unpack_from("<I", data, 32)
    size, count = struct.unpack_from("<HH", data, 46)
    sections = [struct.unpack_from("<10I", data, start + size * index) for index in range(count)]
    for section in sections:
        if section[1] != SYMBOLS:
            continue
        names = sections[section[6]][4]
        for at in range(section[4], section[4] + section[5], 16):
            text, value, nbytes, info, _, index = struct.unpack_from("<IIIBBH", data, at)
            end = data.index(b"\0", names + text)
            if data[names + text:end].decode() == name and info & 15 == FUNCTION:
                code = sections[index][4] + value
                return list(struct.unpack_from(f"<{nbytes // 4}I", data, code)), info >> 4 == WEAK
    raise KeyError(name)
