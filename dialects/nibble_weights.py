"""Weights of 4 bits, two in a byte, as tiles of the matrix engine for products with bytes (``weight.n``).

A tile of 32 x 32 weights has 512 bytes, ``[N / 32][K / 32][4][32][4]`` in all: byte (k, c, l) has the weight of column
c and row 8 k + l of the tile in its low nibble, that of row 8 k + 4 + l in its high one. Nibbles have signs: -8 to 7.
"""

from __future__ import annotations

from hexagon_mlir.dialects.engine_tiles import RANK, TILE, WORD, byte_weights_shape
from hexagon_mlir.ir import ir
from hexagon_mlir.ir.engine_operations import NIBBLE_WEIGHTS

NIBBLES_PER_BYTE = 2
NIBBLE_BITS = 4
LOW, HIGH = -8, 7
"""The least and the largest nibble."""
OFFSET_BITS = -0x78
"""What subtracts 8 from both halves of a byte, from 0 to 15: the first bit of each is flipped, and has a sign then."""
NIBBLES = "hexagon.nibble_weights"
"""On the function of a model: the numbers of constants, bytes, whose elements are nibbles, from `LOW` to `HIGH`."""


def nibble_weights_shape(columns: int, depth: int) -> list[int]:
    """Shape of the tiles of a matrix of ``columns`` and ``depth``, filled up as tiles of bytes are."""
    wide, deep, *_ = byte_weights_shape(columns, depth)
    return [wide, deep, TILE // (NIBBLES_PER_BYTE * WORD), TILE, WORD]


def has_nibbles(type_: ir.Type) -> bool:
    """True for a tensor or a buffer of such tiles."""
    shaped = ir.ShapedType(type_)
    element = shaped.element_type
    return (shaped.rank == RANK and tuple(shaped.shape[2:]) == NIBBLE_WEIGHTS
            and isinstance(element, ir.IntegerType) and element.width == NIBBLES_PER_BYTE * NIBBLE_BITS)
