"""Constants of a model as tiles of the matrix engine, or words of four bytes."""

from __future__ import annotations

import torch
import torch.nn.functional as F

from hexagon_mlir.dialects.engine_tiles import TILE, byte_weights_shape, tiled_shape, tiles

WORD_BYTES = 4


def words(weight: torch.Tensor) -> torch.Tensor:
    """The words ``[K / 4][N][4]`` of matrix ``weight``, K x N of bytes."""
    depth, columns = weight.shape
    return weight.detach().reshape(depth // WORD_BYTES, WORD_BYTES, columns).permute(0, 2, 1).contiguous()


def packed(weight: torch.Tensor) -> torch.Tensor:
    """The tiles ``[N / 32][K / 32][16][32][2]`` of matrix ``weight``, K x N of f16, filled up with zeros; of bytes
    ``[N / 32][K / 32][8][32][4]``, whole vectors of columns (`byte_weights_shape`).

    Of a convolution, all dimensions but the last one are K.
    """
    weight = weight.reshape(-1, weight.shape[-1])
    depth, columns = weight.shape
    shape = (byte_weights_shape(columns, depth) if weight.dtype == torch.int8
             else tiled_shape(tiles(columns), tiles(depth)))
    wide, long, words, _, unit = shape
    padded = F.pad(weight.detach(), (0, wide * TILE - columns, 0, long * TILE - depth))
    split = padded.reshape(long, words, unit, wide, TILE)
    return split.permute(3, 0, 1, 4, 2).contiguous()
