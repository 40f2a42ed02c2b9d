"""Weights of 4 or 8 bits that share scales in blocks, laid out as HVX multiplies them."""

from __future__ import annotations

from dataclasses import dataclass

import torch
import torch.nn.functional as F

from hexagon_mlir.dialects.block_weights import (
    BYTE_BITS,
    E2M1,
    LANES,
    PARITIES,
    WORD,
    Format,
    codes_shape,
    scales_shape,
)

_BIAS = 127
"""Of E8M0."""


def e2m1_numbers() -> torch.Tensor:
    """f32 (16): what codes of MXFP4 stand for."""
    return torch.tensor([sign * size / 2 for sign in (1, -1) for size in E2M1])


def e8m0_scales() -> torch.Tensor:
    """f32 (256): what bytes stand for as scales of MXFP4; the last one is no scale."""
    return torch.exp2(torch.arange(1 << BYTE_BITS, dtype=torch.float64) - _BIAS).float()


@dataclass(frozen=True)
class BlockWeights:
    """A matrix K x N of weights: ``codes`` uint8 [K][N] of ``bits`` 4 or 8, ``scales`` f16 or f32 [K / block][N], the
    last block maybe shorter, and ``zeros`` like them: uint8 zero points, f16 or f32 minima, or None for 8 or 128.
    Where scales are uint8, they are E8M0, and codes are E2M1 (MXFP4)."""

    codes: torch.Tensor
    scales: torch.Tensor
    block: int
    bits: int
    zeros: torch.Tensor | None = None

    @property
    def format(self) -> Format:
        """What the compiler knows of them."""
        zero_bits = 0 if self.zeros is None else BYTE_BITS * self.zeros.element_size()
        return Format(self.block, self.bits, BYTE_BITS * self.scales.element_size(), zero_bits)

    @property
    def middle(self) -> int:
        """The zero point of weights that have none of their own."""
        return 1 << self.bits - 1

    def matrix(self) -> torch.Tensor:
        """The weights, f64 K x N."""
        if self.format.scale_bits == BYTE_BITS:
            return e2m1_numbers().double()[self.codes.int()] * self._of_rows(e8m0_scales().double()[self.scales.int()])
        scales = self._of_rows(self.scales.double())
        if self.zeros is not None and self.zeros.is_floating_point():
            return self.codes.double() * scales + self._of_rows(self.zeros.double())
        zeros = self.middle if self.zeros is None else self._of_rows(self.zeros.int())
        return (self.codes.int() - zeros).double() * scales

    def _of_rows(self, values: torch.Tensor) -> torch.Tensor:
        """``values`` of blocks for each of their rows."""
        return values.repeat_interleave(self.block, 0)[:len(self.codes)]

    def packed(self) -> tuple[torch.Tensor, ...]:
        """Codes, scales, and zero points or minima if there are some, in the layout of
        `hexagon_mlir.dialects.block_weights`, bytes as int8; what fills up blocks and tiles of columns has the scale
        zero."""
        depth, columns = self.codes.shape
        shape = codes_shape(columns, depth, self.block, self.bits)
        tiles, blocks, steps, *_ = shape
        halves = BYTE_BITS // self.bits
        codes = F.pad(self.codes, (0, tiles * LANES * PARITIES - columns, 0, blocks * self.block - depth),
                      value=self.middle)
        codes = codes.reshape(blocks, steps, halves, WORD, tiles, LANES, PARITIES).int()
        joined = sum(codes[:, :, half] << self.bits * half for half in range(halves))
        assert isinstance(joined, torch.Tensor)
        laid_out = joined.permute(3, 0, 1, 5, 4, 2).to(torch.uint8).view(torch.int8).contiguous()
        others = (self.scales,) if self.zeros is None else (self.scales, self.zeros)
        return laid_out, *(self._of_columns(each) for each in others)

    def _of_columns(self, values: torch.Tensor) -> torch.Tensor:
        depth, columns = self.codes.shape
        tiles, blocks, *_ = scales_shape(columns, depth, self.block)
        padded = F.pad(values, (0, tiles * LANES * PARITIES - columns))
        laid_out = padded.reshape(blocks, tiles, LANES, PARITIES).permute(1, 0, 3, 2).contiguous()
        return laid_out.view(torch.int8) if laid_out.dtype == torch.uint8 else laid_out
