"""Constants of f32 and bf16 as tiles of pieces of f16 (`hexagon_mlir.dialects.split_weights`)."""

from __future__ import annotations

import numpy as np
import torch

from hexagon_mlir.dialects.split_weights import FIRST, FRACTION, ONE_PIECE, ORDER, ROUNDED, split_shape, top_exponent
from hexagon_mlir.frontend.torch.packed_weights import packed

_MAGNITUDE, _BIAS, _LOST = 0x7FFFFFFF, 127, 13
_SPECIAL, _UNUSABLE, _FLOOR, _LEAST = 0xFF, -256, 36, 64
"""As in `hexagon_mlir.passes.lib.f32_pieces`, which computes the same at run time."""
_LAST_PLACE = 24
"""Numbers of f16 are multiples of two to the power of minus so many."""


def scales_of(matrix: np.ndarray, top: int) -> np.ndarray:
    """The power of two that each column of ``matrix``, K x N of f32, is multiplied by, so that magnitudes are less than
    ``2**top``: i32 [N]."""
    exponent = (matrix.view(np.int32) & _MAGNITUDE).max(0) >> FRACTION
    usable = _BIAS - 1 + top - np.maximum(exponent, _FLOOR)
    return np.where(exponent == _SPECIAL, _UNUSABLE, usable).astype(np.int32)


def pieces_of(matrix: np.ndarray, scales: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """First and second pieces, of f16, of ``matrix`` times two to the power of ``scales``."""
    bits, step = matrix.view(np.int32), scales << FRACTION
    small = (bits & _MAGNITUDE) + step < _LEAST << FRACTION
    scaled = np.where(small, 0, bits + step).astype(np.int32)
    first = ((scaled + (1 << _LOST - 1)) & -(1 << _LOST)).astype(np.int32).view(np.float32)
    above = 32 - _LOST
    rest = (scaled << above).astype(np.float32)
    unit = ((scaled - (FRACTION + above << FRACTION)) & -(1 << FRACTION)).astype(np.int32).view(np.float32)
    return first.astype(np.float16), (rest * unit).astype(np.float16)


def piece_of(matrix: np.ndarray, scales: np.ndarray) -> np.ndarray:
    """The only piece, of f16, of ``matrix``, numbers of bf16 as f32, times two to the power of ``scales``: what is no
    multiple of the last place is cut (`hexagon_mlir.passes.lib.bf16_pieces`)."""
    usable = np.where(scales == _UNUSABLE, 0, matrix)
    usable = np.where(np.abs(usable) < np.finfo(np.float32).tiny, 0, usable).astype(np.float64)
    scaled = np.ldexp(usable, np.where(scales == _UNUSABLE, 0, scales))
    return np.ldexp(np.trunc(np.ldexp(scaled, _LAST_PLACE)), -_LAST_PLACE).astype(np.float16)


def split(weight: torch.Tensor) -> torch.Tensor:
    """The tensor of `split_shape` of ``weight``, a matrix of f32 or bf16."""
    order = ONE_PIECE if weight.dtype == torch.bfloat16 else ORDER
    matrix = np.ascontiguousarray(weight.detach().float().numpy())
    scales = scales_of(matrix, top_exponent(len(matrix), ROUNDED if order == ONE_PIECE else FRACTION))
    pieces = {FIRST: piece_of(matrix, scales)} if order == ONE_PIECE else pieces_of(matrix, scales)
    made = packed(torch.from_numpy(np.concatenate([pieces[piece] for piece in order])))
    whole = torch.zeros(split_shape(matrix.shape[1], len(matrix), order), dtype=torch.float16)
    whole[:len(made)] = made
    whole[len(made):].view(-1)[:len(scales)] = torch.from_numpy(scales.astype(np.int16)).view(torch.float16)
    return whole
