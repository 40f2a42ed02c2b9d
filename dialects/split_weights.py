"""Weights of f32 and bf16 as pieces of f16, scaled column by column, as the matrix engine's tiles.

Three matrices of pieces (`ORDER`) of f32 follow each other along the reduction, which so is 3 K; those of bf16 are one
piece (`ONE_PIECE`). Their tiles, as `engine_tiles` describes them, are ``[N / 32][3 K / 32][16][32][2]``. More columns
of tiles follow in the same tensor: their first N numbers are the bits of the scales, one of 16 bits with sign for each
column (`hexagon_mlir.passes.lib.f32_pieces`).
"""

from __future__ import annotations

from hexagon_mlir.dialects.engine_tiles import TILE, tiled_shape, tiles

FIRST, SECOND = range(2)
"""Pieces of a number."""
ORDER = (FIRST, SECOND, FIRST)
"""Pieces of a right factor along the reduction, beside second, first and first ones of the left factor."""
ONE_PIECE = (FIRST,)
"""The same of a factor of bf16 beside another one."""
FRACTION = 23
"""Of f32: bits of the fraction. Sums that are read in two pieces stay below two to the power of it, half of what the
engine makes pieces of (`PIECE_EXPONENTS`)."""
ROUNDED = 15
"""The same of sums that are rounded to f16."""


def top_exponent(reduction: int, sums: int = FRACTION) -> int:
    """Scaled magnitudes are below two to the power of it: sums of ``reduction`` products stay below 2**``sums``."""
    return (sums - (reduction - 1).bit_length()) // 2


def exponent_beside_weights(reduction: int, sums: int) -> int:
    """`top_exponent` of the left factor beside constants of bf16, which are scaled as if their sums were rounded."""
    return top_exponent(reduction, ROUNDED) + sums - ROUNDED


def split_shape(columns: int, reduction: int, order: tuple[int, ...] = ORDER) -> list[int]:
    """Shape of the tensor, for a matrix of so many rows (``reduction``) and ``columns`` in the pieces of ``order``."""
    depth = tiles(len(order) * reduction)
    return tiled_shape(tiles(columns) + -(-columns // (depth * TILE * TILE)), depth)
