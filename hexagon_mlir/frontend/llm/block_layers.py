"""Layers whose weights are codes and scales in memory, as files have them: nothing is unfolded to floats."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate

import torch
from torch import Tensor, nn

from hexagon_mlir.dialects.block_weights import (
    BYTE_BITS,
    COLUMNS,
    LOWER_BITS,
    PARITIES,
    SUPERBLOCK,
    UPPER_BITS,
)
from hexagon_mlir.dialects.engine_tiles import TILE
from hexagon_mlir.frontend.torch.block_weights import BlockWeights, e2m1_numbers, e8m0_scales, named
from hexagon_mlir.frontend.torch.stored_weights import StoredWeights

_AT_ONCE = 1 << 22
"""Weights that are laid out at a time."""
_BYTE = (1 << BYTE_BITS) - 1
_TYPES = {BYTE_BITS: torch.int8, 16: torch.float16, 32: torch.float32}


class BlockTable(nn.Module):
    """``rows`` x ``width`` weights with a scale for each block of a row: ``codes``, ``scales`` and what else there
    is of their transpose, as products with a few rows read them."""

    def __init__(self, weights: StoredWeights) -> None:
        super().__init__()
        self.rows, self.width, self.dtype = weights.columns, weights.depth, weights.dtype
        self.codes: Tensor
        self.scales: Tensor
        self.register_buffer("codes", weights.codes, persistent=False)
        self.register_buffer("scales", weights.scales, persistent=False)
        self.block = weights.block
        self.zeros: Tensor | None
        self.register_buffer("zeros", weights.zeros, persistent=False)
        self.upper: Tensor | None
        self.register_buffer("upper", weights.upper, persistent=False)
        self.shared = [f"shared_{number}" for number in range(len(weights.shared))]
        for name, one in zip(self.shared, weights.shared, strict=True):
            self.register_buffer(name, one, persistent=False)

    @property
    def stored(self) -> StoredWeights:
        """The weights, without a copy."""
        return StoredWeights(self.codes, self.scales, self.rows, self.width, self.dtype, self.block, self.zeros,
                             tuple(getattr(self, name) for name in self.shared), self.upper)


class BlockLinear(BlockTable):
    """A linear layer; a row of the table is a column of its result."""

    def __init__(self, weights: StoredWeights, bias: Tensor | None = None) -> None:
        super().__init__(weights)
        self.bias = None if bias is None else nn.Parameter(bias, requires_grad=False)

    def forward(self, x: Tensor) -> Tensor:
        return self._product(x, slice(None), self.rows, self.bias)

    def _product(self, x: Tensor, tiles: slice, columns: int, bias: Tensor | None) -> Tensor:
        """The ``columns`` of the result whose weights ``tiles`` are."""
        weights = self.stored.of_tiles(tiles, columns).traced()
        y = (x.reshape(-1, self.width) @ weights).reshape(*x.shape[:-1], columns)
        return y if bias is None else y + bias


class JoinedLinear(BlockLinear):
    """Linear layers of ``sizes`` columns that are one product."""

    def __init__(self, weights: StoredWeights, sizes: list[int], bias: Tensor | None) -> None:
        super().__init__(weights, bias)
        self.sizes = sizes

    def forward(self, x: Tensor) -> tuple[Tensor, ...]:  # type: ignore[override]
        if x.numel() == self.width:
            return super().forward(x).split(self.sizes, -1)
        starts = [0, *accumulate(self.sizes)]
        biases = [None] * len(self.sizes) if self.bias is None else self.bias.split(self.sizes)
        return tuple(self._product(x, slice(start // COLUMNS, -(-(start + size) // COLUMNS)), size, bias)
                     for start, size, bias in zip(starts, self.sizes, biases, strict=False))


class BlockMatrices(BlockTable):
    """Several tables, of which products read one."""

    def at(self, place: Tensor) -> Tensor:
        """The transpose of the table with the number in ``place``, i64 (1): (width, rows). What is exported selects it
        from all of them, which the compiler does with codes."""
        if not torch.compiler.is_exporting():
            return self.number(int(place))
        return self.stored.traced().index_select(0, place)[0]

    def number(self, number: int) -> Tensor:
        """The transpose of table ``number``: (width, rows)."""
        return self.stored.number(number).traced()


class BlockEmbedding(BlockTable):
    """Rows of the table, whose codes a product reads too."""

    def forward(self, tokens: Tensor) -> Tensor:
        blocks, lanes, stored = self.codes.shape[1], self.codes.shape[4], self.stored
        tile, column = tokens.reshape(-1, 1) // COLUMNS, tokens.reshape(-1, 1) % COLUMNS
        place = column % PARITIES * lanes + column // PARITIES
        if stored.upper is None:
            numbers = self._numbers(stored.codes, stored.format.bits, tile, place)
        else:
            numbers = self._numbers(stored.codes, LOWER_BITS, tile, place) | self._numbers(
                stored.upper, UPPER_BITS, tile, place) << LOWER_BITS
        others = [_gathered(part.reshape(-1, part.shape[1], COLUMNS, 1), tile, place).reshape(-1, part.shape[1], 1)
                  for part in (stored.scales, stored.zeros, *stored.shared) if part is not None]
        if self.shared:
            of_blocks = len(self.shared)
            others = [own.float() * shared.float().repeat_interleave(SUPERBLOCK // self.block, 1)[:, :blocks]
                      for own, shared in zip(others[:of_blocks], others[of_blocks:], strict=True)]
        rows = self._dequantized(numbers, *others).reshape(*tokens.shape, -1)
        return rows[..., :self.width].to(self.dtype)

    def _numbers(self, packed: Tensor, bits: int, tile: Tensor, place: Tensor) -> Tensor:
        """Codes (count, blocks, block), i32, of so many ``bits``, several of them in a byte of ``packed``."""
        _, blocks, steps, _, _, word = packed.shape
        words = _gathered(packed.reshape(-1, blocks * steps, COLUMNS, word), tile, place)
        words = words.reshape(-1, blocks, steps, 1, word).to(torch.int32)
        parts = [words >> bits * number & (1 << bits) - 1 for number in range(BYTE_BITS // bits)]
        return torch.cat(parts, 3).reshape(-1, blocks, self.block)

    def _dequantized(self, numbers: Tensor, scales: Tensor, zeros: Tensor | None = None) -> Tensor:
        """Weights (count, blocks, block) of f32 of their codes, i32."""
        form = self.stored.format
        if not scales.is_floating_point():
            return e2m1_numbers()[numbers.long()] * e8m0_scales()[scales.long() & _BYTE]
        if zeros is None:
            return (numbers - (1 << form.bits - 1)).float() * scales.float()
        if zeros.is_floating_point():
            return numbers.float() * scales.float() + zeros.float()
        return (numbers - (zeros.to(torch.int32) & _BYTE)).float() * scales.float()


def _gathered(table: Tensor, tile: Tensor, place: Tensor) -> Tensor:
    """The parts (count, N, L) of ``table`` (tiles, N, columns, L) at ``tile`` and ``place`` (count, 1); one part is a
    slice of a slice."""
    if len(tile) == 1:
        return table.index_select(0, tile[:, 0])[0].index_select(1, place[:, 0])[None, :, 0]
    _, steps, columns, length = table.shape
    return table.reshape(-1, length)[(tile * steps + torch.arange(steps)) * columns + place]


def stored(codes: Callable[[slice], Tensor], scales: Tensor, bits: int, dtype: torch.dtype, zeros: Tensor | None = None,
           width: int = 0, block: int = TILE, shared: Sequence[Tensor] = ()) -> StoredWeights:
    """Weights laid out for products: ``codes`` gives uint8 (count, width) of some rows, ``scales``, ``zeros`` and
    ``shared`` are (rows, blocks or superblocks) as those of `BlockWeights`, transposed; ``width`` 0 is that of whole
    blocks. A few rows at a time are in memory in another layout."""
    rows, width = len(scales), width or block * scales.shape[1]
    form = BlockWeights(scales, scales, block, bits, zeros, tuple(shared)).format
    laid_out = tuple(torch.empty(shape, dtype=_TYPES[each]) for each, shape in form.parts(rows, width))
    step = max(_AT_ONCE // (width * COLUMNS), 1)
    for tile in range(0, len(laid_out[0]), step):
        some = slice(tile * COLUMNS, min((tile + step) * COLUMNS, rows))
        own = None if zeros is None else zeros[some].T
        packed = BlockWeights(codes(some).T, scales[some].T, block, bits, own,
                              tuple(one[some].T for one in shared)).packed()
        for whole, part in zip(laid_out, packed, strict=True):
            whole[tile: tile + step] = part
    return StoredWeights(columns=rows, depth=width, dtype=dtype, block=block, **named(laid_out, form))


def beside(parts: list[StoredWeights]) -> StoredWeights | None:
    """The columns of ``parts`` one after the other; None as for `joined`."""
    first = parts[0]
    if any(one.columns % COLUMNS for one in parts[:-1]) or any(
            (one.depth, one.dtype, one.format) != (first.depth, first.dtype, first.format) for one in parts):
        return None
    return _together(parts, torch.cat, sum(one.columns for one in parts))


def stacked(parts: list[StoredWeights]) -> StoredWeights | None:
    """Matrices of one size as several; None where they are stored otherwise."""
    first = parts[0]
    if any((one.columns, one.depth, one.format) != (first.columns, first.depth, first.format) for one in parts):
        return None
    return _together(parts, torch.stack, first.columns)


def _together(parts: list[StoredWeights], join: Callable[[list[Tensor]], Tensor], columns: int) -> StoredWeights:
    return parts[0].made_of([join(list(tensors)) for tensors in zip(*(one.packed() for one in parts), strict=True)],
                            columns)


def joined(layers: list[BlockLinear]) -> JoinedLinear | None:
    """The ``layers`` as one product; None where a layer but the last has rows beside its whole tiles, or where their
    codes have other sizes."""
    whole = beside([one.stored for one in layers])
    if whole is None:
        return None
    biases = [torch.zeros(one.rows, dtype=one.dtype) if one.bias is None else one.bias.data for one in layers]
    bias = None if all(one.bias is None for one in layers) else torch.cat(biases)
    sizes = [one.rows for one in layers]
    return JoinedLinear(whole, sizes, bias)
