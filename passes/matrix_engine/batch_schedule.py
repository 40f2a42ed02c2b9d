"""Batches of products in groups, each transferred, packed, multiplied and unpacked at once: functions over numbers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from math import prod

from hexagon_mlir.dialects.engine_tiles import HALF_BYTES, TILE, tiles
from hexagon_mlir.passes.matrix_engine.estimate import (
    Rates,
    Sizes,
    cuts,
    epilogue_cycles,
    pack_cycles,
    schedule_cycles,
    unpack_cycles,
)
from hexagon_mlir.passes.matrix_engine.schedule import AHEAD, LEFT, RIGHT, UNFINISHED, Fetch, Step

_MOST_GROUPS = 32
"""Each is code of its own."""
_LIVE = 2
"""Groups whose factors are in TCM as rows: one that is packed and one that is transferred."""
_SHORT_ROW_CYCLES, _TILE_ROW_CYCLES = 18.0, 4.5
"""Measured: more for each row of less than a tile, which is moved by itself, and of one tile, half a vector."""


@dataclass(frozen=True)
class Groups:
    """How many products each group has; ``outer`` times all of them, one after the other."""

    counts: tuple[int, ...]
    outer: int = 1

    @property
    def places(self) -> list[tuple[int, int, int]]:
        """For each group the iteration of the outer batches, its first product and their number."""
        starts = list(accumulate(self.counts, initial=0))
        return [(number, start, count) for number in range(self.outer)
                for start, count in zip(starts, self.counts, strict=False)]

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """A product for each group; the next group is transferred before it is packed."""
        order = [Fetch(operand, number) for number in range(len(self.places)) for operand in (LEFT, RIGHT)]
        steps, fetched = [], 0
        for packed in range(0, len(order), 2):
            left, right = order[packed:packed + 2]
            ahead = min(packed + 2 + AHEAD, len(order))
            steps.append(Step(tuple(order[fetched:ahead]), (left, right), (left, right)))
            fetched = ahead
        return tuple(steps)


@dataclass(frozen=True)
class _BatchWork:
    """Products of ``sizes`` in ``groups``."""

    groups: Groups
    sizes: Sizes
    rates: Rates

    def _count(self, fetch: Fetch) -> int:
        return self.groups.places[fetch.number][2]

    def _shape(self, operand: int) -> tuple[int, int]:
        rows, columns, steps = self.sizes.rows, self.sizes.columns, self.sizes.reduction
        return (rows, steps) if operand == LEFT else (steps, columns)

    @property
    def _result_shape(self) -> tuple[int, int]:
        return self.sizes.rows, self.sizes.columns

    def _results(self, factors: tuple[Fetch, Fetch]) -> int:
        return self._count(factors[0]) * prod(self._result_shape)

    def transferred(self, fetch: Fetch) -> int:
        return HALF_BYTES * self._count(fetch) * prod(self._shape(fetch.operand))

    def packed(self, fetch: Fetch) -> float:
        shape, count = self._shape(fetch.operand), self._count(fetch)
        return pack_cycles(count * _padded(*shape), self.rates) + count * _row_cycles(*shape)

    def multiplied(self, factors: tuple[Fetch, Fetch]) -> float:
        return self._count(factors[0]) * _tiles_of(self.sizes) * self.rates.tile_cycles

    def unpacked(self, factors: tuple[Fetch, Fetch], pieces: int = 1) -> float:
        results, shape, count = self._results(factors) // pieces, self._result_shape, self._count(factors[0]) // pieces
        moved = unpack_cycles(count * _padded(*shape), self.rates) + count * _row_cycles(*shape)
        return moved + epilogue_cycles(results * self.sizes.epilogue_bytes, self.rates)

    def stored(self, factors: tuple[Fetch, Fetch]) -> int:
        return self._results(factors) * (self.sizes.epilogue_bytes or HALF_BYTES)


def _padded(rows: int, columns: int) -> int:
    """Elements of the tiles of a matrix."""
    return tiles(rows) * tiles(columns) * TILE**2


def _row_cycles(rows: int, columns: int) -> float:
    """What a matrix of so short rows takes more."""
    if columns > TILE:
        return 0.0
    return rows * (_TILE_ROW_CYCLES if columns == TILE else _SHORT_ROW_CYCLES)


def _tiles_of(sizes: Sizes) -> int:
    return tiles(sizes.rows) * tiles(sizes.columns) * tiles(sizes.reduction)


def group_bytes(groups: Groups, sizes: Sizes) -> int:
    """Bytes of TCM that ``groups`` take at most: factors as rows and as tiles, results as tiles and as rows."""
    rows, columns, depth = (TILE * tiles(size) for size in (sizes.rows, sizes.columns, sizes.reduction))
    factors, results = (rows + columns) * depth, rows * columns
    halves = factors * (_LIVE + UNFINISHED + 1) + results * (UNFINISHED + 3)
    return max(groups.counts) * (HALF_BYTES * halves + (UNFINISHED + 2) * results * sizes.epilogue_bytes)


def choose_groups(outer: int, count: int, sizes: Sizes, budget: int, rates: Rates) -> tuple[Groups, float] | None:
    """The groups of ``outer`` times ``count`` products of ``sizes`` that are estimated to take least time of those that
    fit ``budget`` bytes, and their cycles; None where none fits."""
    found = [(groups, schedule_cycles(groups, _BatchWork(groups, sizes, rates), rates))
             for groups in _groups(outer, count) if group_bytes(groups, sizes) <= budget]
    return min(found, key=lambda one: one[1], default=None)


def _groups(outer: int, count: int) -> Iterator[Groups]:
    for counts in cuts(count):
        if outer * len(counts) <= _MOST_GROUPS:
            yield Groups(counts, outer)
