"""Weights of 4 bits among a model's constants, found by their values.

Whatever a model computes its weights from (nibbles in bytes, ``dequantize`` operations, scales of rows or groups, a
GGUF file that was read as floats), constant folding gives a matrix of floats. Where every 32 weights of a column that
follow each other are multiples -8 to 7 of one number, nibbles and these numbers replace it.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np
import torch

from hexagon_mlir.dialects.engine_tiles import TILE, tiles
from hexagon_mlir.frontend.torch.block_weights import BlockWeights
from hexagon_mlir.frontend.torch.integer_multiples import may_be_multiples

_LARGEST = (-8, 7, 6, 5, 4, 3, 2, 1)
"""What the weight of largest magnitude may be, in units of the scale: others have the scale's sign changed."""
_LOW, _HIGH = -8, 7
_BITS = 4
_TOLERANCES = {np.dtype(np.float16): (0.0, 2.0**-10), np.dtype(np.float32): (0.0,)}
"""Of a weight of f16, in the order in which they are tried: its own rounding, and that of the scale."""
_SMALLEST = 2.0**-14
"""A scale below it has fewer bits."""
_PART = 1 << 18
"""Weights that are looked at together: their intermediate results stay in the caches of a host."""
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

    def blocks(self) -> BlockWeights:
        """As products read them."""
        codes = (self.multiples - _LOW).to(torch.uint8).reshape(-1, self.multiples.shape[-1])[:self.depth]
        return BlockWeights(codes, self.scales, TILE, _BITS)


def narrowed(weight: torch.Tensor) -> NarrowWeights | None:
    """What ``weight``, K x N of f16 or f32, is made of; None where its weights do not have 4 bits and a scale for 32 of
    a column: of f16 to 2^-10 of each, of f32 exactly.
    """
    if weight.dtype not in (torch.float16, torch.float32) or weight.ndim != 2 or not weight.numel():
        return None
    with np.errstate(all="ignore"):  # what overflows does not fit
        return _narrowed(weight)


def _narrowed(weight: torch.Tensor) -> NarrowWeights | None:
    if not may_be_multiples(weight, TILE) or _groups(weight[:TILE, :_SAMPLE]) is None:
        return None
    found = _groups(weight)
    return None if found is None else NarrowWeights(*found, weight.dtype, weight.shape[0])


def _groups(weight: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor] | None:
    """Multiples [K / 32][32][N] and their f16 scales [K / 32][N] of ``weight``."""
    given = weight.detach().numpy()
    depth, columns = given.shape
    multiples = np.empty((tiles(depth), TILE, columns), np.int8)
    scales = np.empty((tiles(depth), columns), np.float16)
    step = max(_PART // depth, 1)
    for first in range(0, columns, step):
        part = slice(first, first + step)
        if not _fill(given[:, part], multiples[..., part], scales[:, part]):
            return None
    return torch.from_numpy(multiples), torch.from_numpy(scales)


def _fill(weight: np.ndarray, multiples: np.ndarray, scales: np.ndarray) -> bool:
    """Write what some columns of ``weight`` are made of; False where they do not fit.

    Most groups have a weight of -8 scales, as Q4_0 chooses them: the others alone are searched for.
    """
    exact = np.zeros((multiples.shape[0] * TILE, weight.shape[1]), weight.dtype)
    exact[:len(weight)] = weight
    exact = exact.reshape(multiples.shape)
    if not np.isfinite(exact).all():
        return False
    wide = exact.astype(np.float32)
    low, high = wide.min(1), wide.max(1)
    largest = np.where(-low > high, low, high)
    scale = np.where(largest == 0, 0, largest / _LOW).astype(np.float16)
    unit = np.where(scale == 0, 1, scale).astype(np.float32)[:, None]
    numbers = np.rint(wide / unit)
    fits = ((numbers * unit).astype(weight.dtype) == exact).all(1) & (numbers.max(1) <= _HIGH)
    fits &= (np.abs(scale) >= _SMALLEST) | (largest == 0)
    multiples[:] = np.clip(numbers, _LOW, _HIGH)
    scales[:] = scale
    if fits.all():
        return True
    found = _searched(wide.transpose(0, 2, 1)[~fits], weight.dtype)
    if found is None:
        return False
    multiples.transpose(0, 2, 1)[~fits], scales[~fits] = found
    return True


def _searched(rows: np.ndarray, dtype: np.dtype) -> tuple[np.ndarray, np.ndarray] | None:
    """Multiples [G][32] and f16 scales [G] of ``rows``, none of which is all zeros."""
    largest = np.take_along_axis(rows, np.abs(rows).argmax(1)[:, None], 1)
    multiples, scales = np.zeros(rows.shape, np.int8), np.zeros(len(rows), np.float16)
    left = np.arange(len(rows))
    for tolerance, multiple in product(_TOLERANCES[dtype], _LARGEST):
        numbers, scale, fits = _fitted(rows[left], largest[left] / multiple, tolerance, dtype)
        multiples[left[fits]], scales[left[fits]] = numbers[fits], scale[fits, 0]
        left = left[~fits]
        if not len(left):
            return multiples, scales
    return None


def _fitted(wide: np.ndarray, scale: np.ndarray, tolerance: float, dtype: np.dtype,
            ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The multiples of about ``scale`` that the rows of ``wide`` are; the f16 scale of each row, whose multiples they
    are when rounded, or that is closest; whether they fit, to ``tolerance``."""
    numbers = np.rint(wide / scale)
    fits = ((numbers >= _LOW) & (numbers <= _HIGH)).all(1)
    mean = (wide * numbers).sum(1, keepdims=True) / (numbers * numbers).sum(1, keepdims=True)
    near = mean.astype(np.float16)
    best, error = near, np.full_like(mean, np.inf)
    for step in (0, -1, 1):
        tried = (near.view(np.int16) + np.int16(step)).view(np.float16)
        weights = numbers * tried.astype(np.float32)
        off = (np.abs(weights - wide) / np.maximum(np.abs(wide), _SMALLEST)).max(1, keepdims=True)
        off = np.where((weights.astype(dtype) == wide).all(1, keepdims=True), 0, off)
        best, error = np.where(off < error, tried, best), np.minimum(off, error)
    fits &= (error[:, 0] <= tolerance) & (np.abs(best[:, 0].astype(np.float32)) >= _SMALLEST)
    return np.clip(numbers, _LOW, _HIGH).astype(np.int8), best, fits
