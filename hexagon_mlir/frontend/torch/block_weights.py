"""Weights of 4 or 8 bits that share scales in blocks, laid out as HVX multiplies them."""

from __future__ import annotations

from dataclasses import dataclass

import torch
import torch.nn.functional as F

from hexagon_mlir.dialects.block_weights import BYTE_BITS, LANES, PARITIES, WORD, Format, codes_shape, scales_shape


@dataclass(frozen=True)
class BlockWeights:
    """A matrix K x N of weights: ``codes`` uint8 [K][N] of ``bits`` 4 or 8, ``scales`` f16 or f32 [K / block][N], the
    last block maybe shorter, and ``zeros`` uint8 like them, or None for 8 or 128."""

    codes: torch.Tensor
    scales: torch.Tensor
    block: int
    bits: int
    zeros: torch.Tensor | None = None

    @property
    def format(self) -> Format:
        """What the compiler knows of them."""
        return Format(self.block, self.bits, BYTE_BITS * self.scales.element_size(), self.zeros is not None)

    @property
    def middle(self) -> int:
        """The zero point of weights that have none of their own."""
        return 1 << self.bits - 1

    def matrix(self) -> torch.Tensor:
        """The weights, f64 K x N."""
        depth, _ = self.codes.shape
        scales = self.scales.double().repeat_interleave(self.block, 0)[:depth]
        zeros = self.middle if self.zeros is None else self.zeros.int().repeat_interleave(self.block, 0)[:depth]
        return (self.codes.int() - zeros).double() * scales

    def packed(self) -> tuple[torch.Tensor, ...]:
        """Codes, scales, and zero points if there are some, in the layout of `hexagon_mlir.dialects.block_weights`:
        int8, f16 or f32, int8; what fills up blocks and tiles of columns has the scale zero."""
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
