"""Weights of 4 bits among a model's constants, found by their values.

Whatever a model computes its weights from (nibbles in bytes, ``dequantize`` operations, scales of rows or groups, a
GGUF file that was read as floats), constant folding gives a matrix of floats. Where every 32 weights of a column that
follow each other are multiples -8 to 7 of one number, nibbles and these numbers replace it.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import torch
import torch.nn.functional as F

from hexagon_mlir.dialects.engine_tiles import PAIR, TILE, tiles
from hexagon_mlir.dialects.narrow_weights import NIBBLE_BITS, NIBBLES, OFFSET, SCALES
from hexagon_mlir.frontend.torch.block_weights import BlockWeights

_LARGEST = (-8, 7, 6, 5, 4, 3, 2, 1)
"""What the weight of largest magnitude may be, in units of the scale: others have the scale's sign changed."""
_LOW, _HIGH = -8, 7
_TOLERANCES = {torch.float16: (0.0, 2.0**-10), torch.float32: (0.0,)}
"""Of a weight of f16, in the order in which they are tried: its own rounding, and that of the scale."""
_SMALLEST = 2.0**-14
"""A scale below it has fewer bits."""
_SAMPLE = 64
"""Columns that are looked at first: most matrices are no such weights."""


@dataclass(frozen=True)
class NarrowWeights:
    """A matrix K x N: ``multiples``, int8 [K / 32][32][N], -8 to 7, of ``scales``, f16 [K / 32][N]; ``dtype`` and
    ``depth`` K are those of the matrix."""

    multiples: torch.Tensor
    scales: torch.Tensor
    dtype: torch.dtype
    depth: int

    def tiles(self) -> torch.Tensor:
        """For the matrix engine: int16 ``[N / 32][K / 32][5][32][2]`` (`hexagon_mlir.dialects.narrow_weights`), filled
        up with zeros."""
        return _packed(self.multiples, self.scales)

    def blocks(self) -> BlockWeights:
        """For products of a few rows."""
        codes = (self.multiples + OFFSET).to(torch.uint8).reshape(-1, self.multiples.shape[-1])[:self.depth]
        return BlockWeights(codes, self.scales, TILE, NIBBLE_BITS)


def narrowed(weight: torch.Tensor) -> NarrowWeights | None:
    """What ``weight``, K x N of f16 or f32, is made of; None where its weights do not have 4 bits and a scale for 32 of
    a column: of f16 to 2^-10 of each, of f32 exactly.
    """
    if weight.dtype not in _TOLERANCES or weight.ndim != 2 or not weight.numel():
        return None
    if _groups(weight[:TILE, :_SAMPLE]) is None:
        return None
    found = _groups(weight)
    return None if found is None else NarrowWeights(*found, weight.dtype, weight.shape[0])


def _groups(weight: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor] | None:
    """Multiples [K / 32][32][N] and their f16 scales [K / 32][N] of ``weight``."""
    depth, columns = weight.shape
    wide = F.pad(weight.detach().float(), (0, 0, 0, tiles(depth) * TILE - depth))
    if not bool(wide.isfinite().all()):
        return None
    wide = wide.reshape(tiles(depth), TILE, columns).permute(0, 2, 1).reshape(-1, TILE)
    largest = wide.gather(1, wide.abs().argmax(1, keepdim=True))
    multiples, scales = torch.zeros(wide.shape, dtype=torch.int8), torch.zeros(largest.shape, dtype=torch.float16)
    left = largest[:, 0].nonzero()[:, 0]
    for tolerance, multiple in product(_TOLERANCES[weight.dtype], _LARGEST):
        numbers, scale, fits = _fitted(wide[left], largest[left] / multiple, tolerance, weight.dtype)
        multiples[left[fits]], scales[left[fits]] = numbers[fits], scale[fits]
        left = left[~fits]
        if not len(left):
            break
    if len(left):
        return None
    return (multiples.reshape(-1, columns, TILE).permute(0, 2, 1),
            scales.reshape(-1, columns))


def _fitted(wide: torch.Tensor, scale: torch.Tensor, tolerance: float, dtype: torch.dtype,
            ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """The multiples of about ``scale`` that the rows of ``wide`` are; the f16 scale of each row, whose multiples they
    are when rounded, or that is closest; whether they fit, to ``tolerance``."""
    numbers = torch.round(wide / scale)
    fits = ((numbers >= _LOW) & (numbers <= _HIGH)).all(1)
    mean = (wide * numbers).sum(1, keepdim=True) / (numbers * numbers).sum(1, keepdim=True)
    best, error = mean.half(), torch.full_like(mean, torch.inf)
    for step in (0, -1, 1):
        tried = (mean.half().view(torch.int16) + step).view(torch.float16)
        weights = numbers * tried.float()
        off = ((weights - wide).abs() / wide.abs().clamp(min=_SMALLEST)).amax(1, keepdim=True)
        off = torch.where((weights.to(dtype) == wide).all(1, keepdim=True), 0, off)
        best, error = torch.where(off < error, tried, best), torch.minimum(off, error)
    fits &= (error[:, 0] <= tolerance) & (best[:, 0].float().abs() >= _SMALLEST)
    return numbers.clamp(_LOW, _HIGH).to(torch.int8), best, fits


def _packed(multiples: torch.Tensor, scales: torch.Tensor) -> torch.Tensor:
    """The tiles of ``multiples`` of ``scales``."""
    depth, _, columns = multiples.shape
    padding = tiles(columns) * TILE - columns
    numbers = F.pad(multiples, (0, padding)).to(torch.int32) + OFFSET
    split = numbers.reshape(depth, SCALES, NIBBLES, PAIR, tiles(columns), TILE)
    words = sum(split[:, :, place] << NIBBLE_BITS * place for place in range(NIBBLES))
    assert isinstance(words, torch.Tensor)
    rows = words.to(torch.int16).permute(3, 0, 1, 4, 2)
    of_columns = F.pad(scales, (0, padding)).view(torch.int16).reshape(depth, 1, tiles(columns), TILE, 1)
    return torch.cat([rows, of_columns.permute(2, 0, 1, 3, 4).expand(-1, -1, -1, -1, PAIR)], 2).contiguous()
