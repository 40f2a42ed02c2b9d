"""Constants of a model as tiles of the matrix engine."""

from __future__ import annotations

import torch
import torch.nn.functional as F

from hexagon_mlir.dialects.engine_tiles import PAIR, TILE, tiles


def packed(weight: torch.Tensor) -> torch.Tensor:
    """The tiles ``[N / 32][K / 32][16][32][2]`` of matrix ``weight``, K x N, filled up with zeros.

    Of a convolution, all dimensions but the last one are K.
    """
    weight = weight.reshape(-1, weight.shape[-1])
    depth, columns = weight.shape
    padded = F.pad(weight.detach(), (0, tiles(columns) * TILE - columns, 0, tiles(depth) * TILE - depth))
    split = padded.reshape(tiles(depth), TILE // PAIR, PAIR, tiles(columns), TILE)
    return split.permute(3, 0, 1, 4, 2).contiguous()
