"""Where the words of a bytecode program are: shared by what writes, checks, prints and executes it (docs/bytecode.md).

A program is words of 32 bits, little-endian: a header, a table of buffers, a table of slots, then instructions: loads,
operations on tiles, stores.
"""

from __future__ import annotations

MAGIC = int.from_bytes(b"HXBC", "little")
VERSION = 1
FIELDS = ("magic", "version", "words", "threads", "outer", "inner", "rows", "columns", "tile_rows", "tile_columns",
          "row_tiles", "column_tiles", "row_shift", "buffers", "slots", "loads", "computed", "stores")
"""The words of the header. ``outer``, ``inner``, ``rows`` and ``columns`` are the domain that tiles divide; a row of a
tile takes a multiple of ``2 ** row_shift`` elements in TCM."""
HEADER_WORDS = len(FIELDS)
BUFFER_WORDS = 2
"""Elements; type, with a bit for buffers that are written."""
SLOT_WORDS = 4
"""Places for even and odd tiles, and size, in vectors; kind, with a bit for f16."""
INSTRUCTION_WORDS = 8
"""Of transfers: number, slot, buffer, first element, strides of the four dimensions of the domain, in elements. Of
operations on tiles: number, kind, slots of the result and of three operands, bits of two f32."""
F32, F16 = 0, 1
"""Types of elements."""
WRITTEN = 1 << 8
"""Bit of a buffer that is written."""
HALF = 1 << 8
"""Bit of a slot of f16."""
VECTOR = 128
"""Bytes of an HVX vector, the unit of places and sizes in TCM."""
LANES = VECTOR // 4
"""Elements of f32 in a vector."""
SCRATCH = LANES
"""Vectors of TCM that a thread has besides those of slots: a row for each lane."""
ROW_SHIFTS = (5, 6)
"""Rows of whole vectors of f32; of f16, too."""
MAX_BUFFERS = 16
MAX_SLOTS = 32
MAX_INSTRUCTIONS = 128
MAX_WORDS = HEADER_WORDS + MAX_BUFFERS * BUFFER_WORDS + MAX_SLOTS * SLOT_WORDS + MAX_INSTRUCTIONS * INSTRUCTION_WORDS
MAX_TILE_ROWS = (1 << 16) - 1
"""Rows of a 2-D transfer: a field of 16 bits (hexagon_mlir/sim/memory_system/descriptors.py)."""
MAX_TILES = 1 << 24
"""Tiles times threads are a number of 32 bits."""


def field(name: str) -> int:
    """Where the word called ``name`` is in the header."""
    return FIELDS.index(name)


def vectors(elements: int, row_shift: int) -> int:
    """Vectors of f32 that so many elements take, in whole units of ``2 ** row_shift`` elements."""
    return -(-elements >> row_shift) << row_shift - ROW_SHIFTS[0]
