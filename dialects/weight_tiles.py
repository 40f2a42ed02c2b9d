"""Arrays of weights in the layouts of the matrix engine's tiles."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hexagon_mlir.dialects.engine_tiles import TILE, byte_weights_shape, tiled_shape, tiles
from hexagon_mlir.dialects.nibble_weights import HIGH, LOW, NIBBLE_BITS, NIBBLES_PER_BYTE
from hexagon_mlir.dialects.packed_weights import SIGN


def weight_tiles(weight: NDArray[np.generic]) -> NDArray[np.generic]:
    """The tiles ``[N / 32][K / 32][16][32][2]`` of matrix ``weight``, K x N of f16, filled up with zeros; of bytes
    ``[N / 32][K / 32][8][32][4]``, whole vectors of columns (`byte_weights_shape`).

    Of a convolution, all dimensions but the last one are K.
    """
    weight = weight.reshape(-1, weight.shape[-1])
    depth, columns = weight.shape
    shape = (byte_weights_shape(columns, depth) if weight.dtype == np.int8
             else tiled_shape(tiles(columns), tiles(depth)))
    wide, long, words, _, unit = shape
    padded = np.pad(weight, ((0, long * TILE - depth), (0, wide * TILE - columns)))
    return np.ascontiguousarray(padded.reshape(long, words, unit, wide, TILE).transpose(3, 0, 1, 4, 2))


def are_nibbles(weight: NDArray[np.generic]) -> bool:
    """Whether ``weight`` is bytes with sign of 4 bits each."""
    return weight.dtype == np.int8 and weight.size > 0 and bool(weight.min() >= LOW and weight.max() <= HIGH)


def nibble_tiles(weight: NDArray[np.generic]) -> NDArray[np.int8]:
    """The tiles ``[N / 32][K / 32][4][32][4]`` of matrix ``weight``, K x N of bytes from -8 to 7, as `weight_tiles`:
    two words of four in one, the first of them in the lower halves of bytes."""
    found = weight_tiles(weight).view(np.int8)
    low, high = found[:, :, ::NIBBLES_PER_BYTE], found[:, :, 1::NIBBLES_PER_BYTE]
    return low & np.int8((1 << NIBBLE_BITS) - 1) | high << np.int8(NIBBLE_BITS)


def signed_column_sums(weight: NDArray[np.generic]) -> NDArray[np.int32]:
    """i32 [N]: the sums of the columns of ``weight``, K x N of bytes, as `weight_tiles`, times `SIGN`."""
    return (weight.reshape(-1, weight.shape[-1]).sum(0, dtype=np.int64) * SIGN).astype(np.int32)
