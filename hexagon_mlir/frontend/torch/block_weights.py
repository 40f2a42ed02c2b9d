"""Weights of 4, 6 or 8 bits that share scales in blocks, laid out as HVX multiplies them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import torch
import torch.nn.functional as F

from hexagon_mlir.dialects.block_weights import (
    BYTE_BITS,
    E2M1,
    LANES,
    LOWER_BITS,
    PARITIES,
    SPLIT_BITS,
    SUPERBLOCK,
    UPPER_BITS,
    WORD,
    Format,
    codes_shape,
    scales_shape,
)

_T = TypeVar("_T")
_BIAS = 127
"""Of E8M0."""


def e2m1_numbers() -> torch.Tensor:
    """f32 (16): what codes of MXFP4 stand for."""
    return torch.tensor([sign * size / 2 for sign in (1, -1) for size in E2M1])


def e8m0_scales() -> torch.Tensor:
    """f32 (256): what bytes stand for as scales of MXFP4; the last one is no scale."""
    return torch.exp2(torch.arange(1 << BYTE_BITS, dtype=torch.float64) - _BIAS).float()


def named(given: Sequence[_T], form: Format) -> dict[str, Any]:
    """``given``, of weights of ``form``, by the names of fields of `StoredWeights`."""
    of = dict(zip(form.names, given, strict=True))
    shared = tuple(of.pop(name) for name in form.names if name.startswith("shared"))
    return {"zeros": None, "upper": None, **of, "shared": shared}


@dataclass(frozen=True)
class BlockWeights:
    """A matrix K x N of weights: ``codes`` uint8 [K][N] of 4, 6 or 8 ``bits``, ``scales`` f16 or f32 [K / block][N],
    the last block maybe shorter, and ``zeros`` like them: uint8 zero points, f16 or f32 minima, or None for 8, 32 or
    128. Where scales are uint8, they are E8M0, and codes are E2M1 (MXFP4); where scales, and minima, are int8, each is
    multiplied by a factor of its superblock, f16 [K / 256][N], in ``shared``."""

    codes: torch.Tensor
    scales: torch.Tensor
    block: int
    bits: int
    zeros: torch.Tensor | None = None
    shared: tuple[torch.Tensor, ...] = ()

    @property
    def format(self) -> Format:
        """What the compiler knows of them."""
        zero_bits = 0 if self.zeros is None else BYTE_BITS * self.zeros.element_size()
        return Format(self.block, self.bits, BYTE_BITS * self.scales.element_size(), zero_bits,
                      SUPERBLOCK if self.shared else 0)

    @property
    def middle(self) -> int:
        """The zero point of weights that have none of their own."""
        return 1 << self.bits - 1

    def matrix(self) -> torch.Tensor:
        """The weights, f64 K x N."""
        if self.shared:
            scales, *minima = (self._of_rows(own.double()) * self._of_rows(shared.double(), SUPERBLOCK)
                               for own, shared in zip(self._of_blocks(), self.shared, strict=True))
            return self.codes.double() * scales + minima[0] if minima else (self.codes.int() - self.middle) * scales
        if self.format.scale_bits == BYTE_BITS:
            return e2m1_numbers().double()[self.codes.int()] * self._of_rows(e8m0_scales().double()[self.scales.int()])
        scales = self._of_rows(self.scales.double())
        if self.zeros is not None and self.zeros.is_floating_point():
            return self.codes.double() * scales + self._of_rows(self.zeros.double())
        zeros = self.middle if self.zeros is None else self._of_rows(self.zeros.int())
        return (self.codes.int() - zeros).double() * scales

    def _of_rows(self, values: torch.Tensor, block: int = 0) -> torch.Tensor:
        """``values`` of blocks, or of other ones, for each of their rows."""
        return values.repeat_interleave(block or self.block, 0)[:len(self.codes)]

    def _of_blocks(self) -> list[torch.Tensor]:
        """Scales, and zero points or minima if there are some."""
        return [self.scales] if self.zeros is None else [self.scales, self.zeros]

    def packed(self) -> tuple[torch.Tensor, ...]:
        """What `Format.names` says, in the layout of `hexagon_mlir.dialects.block_weights`, bytes as int8; what fills
        up blocks and tiles of columns has the scale zero."""
        depth, columns = self.codes.shape
        tiles, blocks, *_ = codes_shape(columns, depth, self.block, self.bits)
        codes = F.pad(self.codes, (0, tiles * LANES * PARITIES - columns, 0, blocks * self.block - depth),
                      value=self.middle)
        laid_out = [_joined(codes & (1 << LOWER_BITS) - 1, LOWER_BITS, self.block),
                    _joined(codes >> LOWER_BITS, UPPER_BITS, self.block)] if self.bits == SPLIT_BITS else [
                    _joined(codes, self.bits, self.block)]
        return (*laid_out, *(self._of_columns(each, self.block) for each in self._of_blocks()),
                *(self._of_columns(each, SUPERBLOCK) for each in self.shared))

    def _of_columns(self, values: torch.Tensor, block: int) -> torch.Tensor:
        depth, columns = self.codes.shape
        tiles, blocks, *_ = scales_shape(columns, depth, block)
        padded = F.pad(values, (0, tiles * LANES * PARITIES - columns))
        laid_out = padded.reshape(blocks, tiles, LANES, PARITIES).permute(1, 0, 3, 2).contiguous()
        return laid_out.view(torch.int8) if laid_out.dtype == torch.uint8 else laid_out


def _joined(codes: torch.Tensor, bits: int, block: int) -> torch.Tensor:
    """int8 [N / 64][K / block][words][2][32][4] of ``codes`` of ``bits``, uint8 [K][N] of whole blocks and tiles of
    columns: rows of four words share the bytes of one, as many as their bits leave room for."""
    in_byte = BYTE_BITS // bits
    depth, columns = codes.shape
    parts = codes.reshape(depth // block, -1, in_byte, WORD, columns // (LANES * PARITIES), LANES, PARITIES)
    joined = parts[:, :, 0].clone()
    for place in range(1, in_byte):
        joined |= parts[:, :, place] << bits * place
    return joined.permute(3, 0, 1, 5, 4, 2).view(torch.int8).contiguous()
