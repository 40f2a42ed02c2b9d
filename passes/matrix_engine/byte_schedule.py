"""The grid of a product of bytes, and how long it takes: functions over numbers.

As in `hexagon_mlir.passes.matrix_engine.estimate`, with tiles of 64 rows whose sums are read out as planes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from math import prod

from hexagon_mlir.dialects.engine_tiles import BYTE_ROWS, HALF_BYTES, PLANES, TILE, VECTOR_TILES, tiles, vector_tiles
from hexagon_mlir.dialects.nibble_weights import NIBBLES_PER_BYTE
from hexagon_mlir.passes.matrix_engine.byte_sizes import SUM_BYTES, row_tiles
from hexagon_mlir.passes.matrix_engine.estimate import (
    Rates,
    cuts,
    epilogue_cycles,
    pack_cycles,
    schedule_cycles,
    unpack_cycles,
)
from hexagon_mlir.passes.matrix_engine.schedule import AHEAD, LEFT, RIGHT, UNFINISHED, Fetch, Grid
from hexagon_mlir.targets import Target

_MOST_PRODUCTS, _MOST_PRODUCTS_IN_PARTS = 32, 64
"""Each is code of its own."""
_LEAST_CYCLES = 1000.0
"""Of the engine for each of several products."""


@dataclass(frozen=True)
class ByteRates:
    """Cycles of a product of two tiles, and of the conversions and stores of a result tile; the others as for f16."""

    tile_cycles: float
    read_out_cycles: float
    others: Rates

    @staticmethod
    def of(target: Target) -> ByteRates:
        """The numbers of ``target``."""
        read_out = PLANES * (float(target.matrix_convert_cycles.value) + float(target.matrix_store_cycles.value))
        return ByteRates(float(target.matrix_byte_tile_cycles.value), read_out, Rates.of(target))

    def result_tile(self, depth: int, converted: bool = False) -> float:
        """Cycles of the engine for a result tile, a sum of ``depth`` products of tiles: the sums of a tile are read out
        beside the products of the next one; ``converted`` to bytes they are one plane."""
        return max(depth * self.tile_cycles, self.read_out_cycles / (PLANES if converted else 1))


@dataclass(frozen=True)
class ByteSizes:
    """Rows, columns and steps of the reduction of a product. ``epilogue_bytes``: of what an epilogue reads and writes
    for each element of the result, 0 where there is none. ``packed``: the right factor is tiles already.
    ``converted``: the engine converts sums to bytes, instead of giving their four bytes. ``nibbles``: its tiles have
    two weights in a byte."""

    rows: int
    columns: int
    reduction: int
    epilogue_bytes: int = 0
    packed: bool = False
    converted: bool = False
    nibbles: bool = False

    @property
    def result_bytes(self) -> int:
        """Of what the engine gives, in all planes."""
        return 1 if self.converted else SUM_BYTES

    def bytes_of(self, operand: int, elements: int) -> int:
        """Of so many elements of a factor."""
        return elements // NIBBLES_PER_BYTE if self.nibbles and operand == RIGHT else elements


@dataclass(frozen=True)
class _ByteProductWork:
    """A product of matrices of bytes in the blocks of ``grid``."""

    grid: Grid
    sizes: ByteSizes
    rates: ByteRates

    def filled(self, fetch: Fetch) -> int:
        """Bytes of a block that is filled up to whole tiles."""
        count = self.grid.blocks[fetch.operand][fetch.number]
        whole = BYTE_ROWS * row_tiles(count) if fetch.operand == LEFT else TILE * vector_tiles(count)
        return self.sizes.bytes_of(fetch.operand, whole * TILE * vector_tiles(self.sizes.reduction))

    def transferred(self, fetch: Fetch) -> int:
        return self.sizes.bytes_of(fetch.operand, self.grid.blocks[fetch.operand][fetch.number] * self.sizes.reduction)

    def packed(self, fetch: Fetch) -> float:
        if fetch.operand == RIGHT and self.sizes.packed:
            return 0
        return pack_cycles(self.filled(fetch) // HALF_BYTES, self.rates.others)

    def result_tiles(self, factors: tuple[Fetch, Fetch]) -> int:
        """Of the product of two blocks."""
        rows, columns = (blocks[fetch.number] for blocks, fetch in zip(self.grid.blocks, factors, strict=True))
        return row_tiles(rows) * tiles(columns)

    def multiplied(self, factors: tuple[Fetch, Fetch]) -> float:
        return self.result_tiles(factors) * self.rates.result_tile(vector_tiles(self.sizes.reduction),
                                                                   self.sizes.converted)

    def unpacked(self, factors: tuple[Fetch, Fetch], pieces: int = 1) -> float:
        elements, beside = self.result_tiles(factors) * BYTE_ROWS * TILE // pieces, self.sizes.epilogue_bytes
        own = self.sizes.result_bytes
        return unpack_cycles(elements * own // HALF_BYTES, self.rates.others) + epilogue_cycles(
            elements * (beside + own) if beside else 0, self.rates.others)

    def stored(self, factors: tuple[Fetch, Fetch]) -> int:
        counts = [self.grid.blocks[fetch.operand][fetch.number] for fetch in factors]
        return prod(counts) * (self.sizes.epilogue_bytes or self.sizes.result_bytes)


def bytes_of(grid: Grid, sizes: ByteSizes) -> int:
    """Bytes of TCM that ``grid`` takes at most: tiles of the factor that stays, blocks of the other one, blocks as they
    were transferred, results as planes and as rows."""
    columns = [TILE * vector_tiles(count) for count in grid.columns]
    blocks = [[BYTE_ROWS * row_tiles(count) for count in grid.rows], columns]
    depth, moves = TILE * vector_tiles(sizes.reduction), 1 - grid.stays
    staged = (AHEAD + 2) * max(max(counts) for operand, counts in enumerate(blocks)
                               if operand == LEFT or not sizes.packed)
    live = AHEAD + 2 if sizes.packed and moves == RIGHT else 2
    kept = max(sum(blocks[grid.stays][number] for number in group) for group in grid.groups)
    if len(grid.groups) > 1:
        kept += max(blocks[grid.stays])
    tiled = sizes.bytes_of(grid.stays, depth * kept) + sizes.bytes_of(moves, depth * live * max(blocks[moves]))
    factors = tiled + depth * staged
    results = max(blocks[LEFT]) * max(TILE * tiles(count) for count in grid.columns)
    own = sizes.result_bytes
    return factors + results * (own * (UNFINISHED + 2) + (UNFINISHED + 1) * (own + sizes.epilogue_bytes))


def choose_byte_grid(sizes: ByteSizes, budget: int, rates: ByteRates) -> tuple[Grid, float] | None:
    """The grid of ``sizes`` that is estimated to take least time of those that fit ``budget`` bytes, and its cycles;
    None where none fits. Where no factor fits, a part of one stays at a time."""
    return _best(_grids(sizes, rates), sizes, budget, rates) or _best(
        _grids_in_parts(sizes, rates), sizes, budget, rates)


def _best(grids: Iterable[Grid], sizes: ByteSizes, budget: int, rates: ByteRates) -> tuple[Grid, float] | None:
    best: tuple[Grid, float] | None = None
    for grid in grids:
        if bytes_of(grid, sizes) <= budget:
            cycles = schedule_cycles(grid, _ByteProductWork(grid, sizes, rates), rates.others)
            if best is None or cycles < best[1]:
                best = grid, cycles
    return best


def _grids(sizes: ByteSizes, rates: ByteRates, most: int = _MOST_PRODUCTS) -> Iterator[Grid]:
    each = rates.result_tile(vector_tiles(sizes.reduction), sizes.converted)
    array = row_tiles(sizes.rows) * tiles(sizes.columns) * each
    for rows in _cuts(sizes.rows, BYTE_ROWS):
        for columns in _cuts(sizes.columns, TILE * VECTOR_TILES):
            products = len(rows) * len(columns)
            if products == 1 or (products <= most and products * _LEAST_CYCLES <= array):
                for stays in (RIGHT, LEFT):
                    yield Grid(rows, columns, stays)


def _grids_in_parts(sizes: ByteSizes, rates: ByteRates) -> Iterator[Grid]:
    """Grids of which at most half of the blocks of one factor stay at a time."""
    for grid in _grids(sizes, rates, _MOST_PRODUCTS_IN_PARTS):
        count, others = (len(grid.blocks[operand]) for operand in (grid.stays, 1 - grid.stays))
        if others > 1:
            yield from (replace(grid, at_a_time=-(-count // parts)) for parts in range(2, count + 1))


def _cuts(extent: int, unit: int) -> list[tuple[int, ...]]:
    """Ways to cut ``extent`` into blocks of multiples of ``unit``, the last one of what is left."""
    return [tuple(min(unit * end, extent) - unit * start for start, end in pairwise(accumulate(cut, initial=0)))
            for cut in cuts(-(-extent // unit))]
