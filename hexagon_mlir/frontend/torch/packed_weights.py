"""Constants of a model as tiles of the matrix engine, or words of four bytes."""

from __future__ import annotations

import torch

from hexagon_mlir.dialects import weight_tiles

WORD_BYTES = 4
_MATRIX = 2


def words(weight: torch.Tensor) -> torch.Tensor:
    """The words ``[K / 4][N][4]`` of matrix ``weight``, K x N of bytes."""
    depth, columns = weight.shape
    return weight.detach().reshape(depth // WORD_BYTES, WORD_BYTES, columns).permute(0, 2, 1).contiguous()


def packed(weight: torch.Tensor) -> torch.Tensor:
    """The tiles of matrix ``weight``, K x N of f16 or bytes (`weight_tiles`)."""
    return torch.from_numpy(weight_tiles.weight_tiles(weight.detach().numpy()))


def are_nibbles(weight: torch.Tensor) -> bool:
    """Whether ``weight``, of bytes with sign, has elements of 4 bits only."""
    return (weight.dtype == torch.int8 and weight.ndim >= _MATRIX
            and weight_tiles.are_nibbles(weight.detach().numpy()))


def nibbles(weight: torch.Tensor) -> torch.Tensor:
    """The tiles of matrix ``weight``, K x N of bytes from -8 to 7, two in a byte (`nibble_tiles`)."""
    return torch.from_numpy(weight_tiles.nibble_tiles(weight.detach().numpy()))


def column_sums(weight: torch.Tensor) -> torch.Tensor:
    """i32 [N]: the sums of the columns of ``weight``, K x N of bytes, times -128 (`signed_column_sums`)."""
    return torch.from_numpy(weight_tiles.signed_column_sums(weight.detach().numpy()))
