"""Weights of 4 bits with a scale for each group of 32 in a column, as the matrix engine's tiles.

A tile of 32 x 32 weights is five rows of 64 numbers of 16 bits, ``[N / 32][K / 32][5][32][2]`` in all. Number (c, p) of
row r < 4 holds four nibbles: the j-th one is 8 more than the weight in pair 4 r + j, row p of the pair, column c, of
the tile of f16 that `engine_tiles` describes. The last row has the bits of the scales, an f16 for each column, twice.
So HVX makes four vectors of f16 of one vector, without any shuffle.
"""

from __future__ import annotations

from collections.abc import Sequence

from hexagon_mlir.dialects.engine_tiles import PAIR, RANK, TILE
from hexagon_mlir.ir import ir

NIBBLES = 4
"""In a number of 16 bits."""
NIBBLE_BITS = 4
NUMBER_BITS = 16
OFFSET = 8
"""What nibbles are more than the weights: to subtract it takes no shift, of which HVX has one in a packet."""
SCALES = TILE // PAIR // NIBBLES
"""The row that holds the scales, after the rows of nibbles."""
ROWS = SCALES + 1
NARROW_BYTES = ROWS * TILE * PAIR * 2
"""Of a tile of 32 x 32 weights."""

NARROW = "hexagon.narrow_weights"
"""On the function of a model: the numbers of constants, matrices of f16, that are such weights."""


def narrow_shape(columns: int, depth: int) -> list[int]:
    """Shape of so many ``columns`` of tiles and tiles of the reduction."""
    return [columns, depth, ROWS, TILE, PAIR]


def is_narrow(type_: ir.Type) -> bool:
    """True for a tensor of such tiles."""
    shaped = ir.RankedTensorType(type_)
    shape: Sequence[int] = shaped.shape
    return (shaped.rank == RANK and list(shape[2:]) == [ROWS, TILE, PAIR]
            and str(shaped.element_type) == f"i{NUMBER_BITS}")
