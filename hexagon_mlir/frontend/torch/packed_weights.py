"""Constants of a model as tiles of the matrix engine, or words of four bytes."""

from __future__ import annotations

import torch
import torch.nn.functional as F

from hexagon_mlir.dialects.engine_tiles import TILE, byte_weights_shape, tiled_shape, tiles
from hexagon_mlir.dialects.nibble_weights import HIGH, LOW, NIBBLE_BITS, NIBBLES_PER_BYTE
from hexagon_mlir.dialects.packed_weights import SIGN

WORD_BYTES = 4
_MATRIX = 2


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


def are_nibbles(weight: torch.Tensor) -> bool:
    """Whether ``weight``, of bytes with sign, has elements of 4 bits only."""
    if weight.dtype != torch.int8 or weight.ndim < _MATRIX or not weight.numel():
        return False
    least, largest = torch.aminmax(weight)
    return int(least) >= LOW and int(largest) <= HIGH


def nibbles(weight: torch.Tensor) -> torch.Tensor:
    """The tiles ``[N / 32][K / 32][4][32][4]`` of matrix ``weight``, K x N of bytes from -8 to 7, as `packed`: two
    words of four in one, the first of them in the lower halves of bytes."""
    tiles = packed(weight)
    low, high = tiles[:, :, ::NIBBLES_PER_BYTE], tiles[:, :, 1::NIBBLES_PER_BYTE]
    return low & (1 << NIBBLE_BITS) - 1 | high << NIBBLE_BITS


def column_sums(weight: torch.Tensor) -> torch.Tensor:
    """i32 [N]: the sums of the columns of ``weight``, K x N of bytes, as `packed`, times `SIGN`."""
    return (weight.detach().reshape(-1, weight.shape[-1]).sum(0, dtype=torch.int64) * SIGN).to(torch.int32)
