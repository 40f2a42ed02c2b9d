"""The order of a convolution's parts, and how long it takes: functions over numbers.

As in `hexagon_mlir.passes.matrix_engine.schedule`: the left factor's blocks are rows of tiles of pixels, the right
one's are channels of the result.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from hexagon_mlir.dialects.engine_tiles import HALF_BYTES, PAIR, TILE, tiles
from hexagon_mlir.passes.engine_convolution.read import Geometry
from hexagon_mlir.passes.engine_convolution.sizes import (
    WORD_BYTES,
    Plan,
    image_size,
    packed_tiles,
    steps,
    tile_shapes,
)
from hexagon_mlir.passes.matrix_engine.estimate import (
    Rates,
    cuts,
    epilogue_cycles,
    pack_cycles,
    round_cycles,
    schedule_cycles,
    unpack_cycles,
)
from hexagon_mlir.passes.matrix_engine.schedule import AHEAD, LEFT, RIGHT, UNFINISHED, Fetch, Grid

_MOST_PRODUCTS = 16
"""Each is code of its own."""
_LEAST_CYCLES = 1000.0
"""Of the engine for each of several products: about what it takes to start one."""
_PIXEL_CYCLES = 45.0
"""Measured: the core copies some channels of one pixel. It does so where no single transfer can: a part of the channels
of rows that have gaps between them, for pixels that fill the last tile up."""
_WEIGHTS = 0.75
"""Measured: 0.9 of the products' cycles, 256 channels of 14 x 14, gain 5 %; 0.25, 128 channels of 28 x 28, lose 1 %."""
_SLACK = 1.2
"""How many times more tiles than the fewest a shape of tiles may take."""


@dataclass(frozen=True)
class Schedule:
    """How a convolution of one image is cut: a tile has the pixels of ``height`` rows and ``width`` columns; blocks of
    ``grid`` are rows of such tiles, and channels of the result. The tiles of the last block of rows may have another
    height and width, ``last``. ``wide``: the image is transferred as f32 and rounded in TCM. ``halved``: steps of
    ``grid`` whose results leave in two pieces.
    """

    height: int
    width: int
    grid: Grid
    last: tuple[int, int] | None = None
    wide: bool = False
    halved: tuple[int, ...] = ()

    def plan(self, block: int) -> Plan:
        """Of block ``block`` of the rows alone."""
        shape = self.last if self.last is not None and block == len(self.grid.rows) - 1 else (self.height, self.width)
        return Plan(*shape, self.grid.rows[block], max(self.grid.columns), 1)


@dataclass(frozen=True)
class _Work:
    """A convolution by ``schedule``. ``epilogue_bytes``: of what epilogues read and write for each element of the
    result; ``ready``: the weights are tiles already."""

    geometry: Geometry
    schedule: Schedule
    epilogue_bytes: int
    ready: bool
    rates: Rates

    def _across(self, block: int) -> int:
        """Tiles side by side of block ``block`` of the rows."""
        return self.schedule.plan(block).across(self.geometry)

    def tiles_of(self, fetch: Fetch) -> int:
        """Tiles that a block is packed to."""
        if fetch.operand == LEFT:
            return packed_tiles(self.geometry, self.schedule.grid.rows[fetch.number],
                                self._across(fetch.number))
        return tiles(self.schedule.grid.columns[fetch.number]) * steps(self.geometry)

    def transferred(self, fetch: Fetch) -> int:
        if fetch.operand == RIGHT:
            return _TILE_BYTES * self.tiles_of(fetch)
        return (WORD_BYTES if self.schedule.wide else HALF_BYTES) * self._elements(fetch)

    def _elements(self, fetch: Fetch) -> int:
        """Of the image that a block of rows reads."""
        rows, length = image_size(self.geometry, self.schedule.plan(fetch.number))
        return rows * length

    def packed(self, fetch: Fetch) -> float:
        if fetch.operand == RIGHT and self.ready:
            return 0
        rounded = self._elements(fetch) if fetch.operand == LEFT and self.schedule.wide else 0
        return round_cycles(rounded, self.rates) + pack_cycles(TILE * TILE * self.tiles_of(fetch), self.rates)

    def _result_tiles(self, factors: tuple[Fetch, Fetch]) -> int:
        rows, columns = (blocks[fetch.number] for blocks, fetch in zip(self.schedule.grid.blocks, factors, strict=True))
        return rows * self._across(factors[LEFT].number) * tiles(columns)

    def multiplied(self, factors: tuple[Fetch, Fetch]) -> float:
        return self._result_tiles(factors) * steps(self.geometry) * self.rates.tile_cycles

    def unpacked(self, factors: tuple[Fetch, Fetch], pieces: int = 1) -> float:
        elements = self._result_tiles(factors) * TILE * TILE // pieces
        cycles = unpack_cycles(elements, self.rates) + epilogue_cycles(elements * self.epilogue_bytes, self.rates)
        plan = self.schedule.plan(factors[LEFT].number)
        scattered = len(self.schedule.grid.columns) > 1 and self.geometry.columns % (PAIR * plan.across(self.geometry))
        pixels = plan.tile_rows * plan.height * self.geometry.columns // pieces
        return cycles + (_PIXEL_CYCLES * pixels if scattered else 0)

    def stored(self, factors: tuple[Fetch, Fetch]) -> int:
        return self._result_tiles(factors) * TILE * TILE * (self.epilogue_bytes or HALF_BYTES)

    def bytes(self) -> int:
        """Of TCM that it takes at most: tiles of the factor that stays, blocks of the other one, blocks as they were
        transferred, results as tiles and as rows."""
        grid = self.schedule.grid
        moves = 1 - grid.stays
        of_blocks = grid.fetches
        packed = [[_TILE_BYTES * self.tiles_of(fetch) for fetch in fetches] for fetches in of_blocks]
        staged = (AHEAD + 2) * max(self.transferred(fetch) for fetches in of_blocks for fetch in fetches
                                   if fetch.operand == LEFT or not self.ready)
        if self.schedule.wide:  # in f16, while their tiles are made
            staged += HALF_BYTES * max(map(self._elements, of_blocks[LEFT]))
        live = AHEAD + 2 if self.ready and moves == RIGHT else 2
        most = max(rows * self._across(block) for block, rows in enumerate(grid.rows))
        most *= tiles(max(grid.columns)) * TILE * TILE
        results = most * (HALF_BYTES * (UNFINISHED + 3) + (UNFINISHED + 2) * self.epilogue_bytes)
        return sum(packed[grid.stays]) + live * max(packed[moves]) + staged + results


_TILE_BYTES = HALF_BYTES * TILE * TILE


def choose_schedule(geometry: Geometry, budget: int, epilogue_bytes: int, ready: bool, wide: bool,
                    rates: Rates) -> Schedule | None:
    """The schedule that is estimated to take least time of those that fit ``budget`` bytes of TCM; None where none
    does, or for several images. ``epilogue_bytes``, ``ready``: as for `_Work`, ``wide``: as for `Schedule`.
    """
    best: tuple[float, Schedule] | None = None
    for found in _schedules(geometry, rates) if geometry.batches == 1 else ():
        schedule = replace(found, wide=wide)
        work = _Work(geometry, schedule, epilogue_bytes, ready, rates)
        if work.bytes() <= budget:
            cycles = schedule_cycles(schedule.grid, work, rates)
            if best is None or cycles < best[0]:
                best = cycles, schedule
    return best[1] if best is not None else None


def _schedules(geometry: Geometry, rates: Rates) -> Iterator[Schedule]:
    shapes = tile_shapes(geometry.rows, geometry.columns)
    fewest = min(count for _, count in shapes)
    for (height, width), count in shapes:
        if count > _SLACK * fewest:
            continue
        array = count * tiles(geometry.outputs) * steps(geometry) * rates.tile_cycles
        for rows in cuts(-(-geometry.rows // height)):
            for columns in _channels(geometry, array, rates):
                products = len(rows) * len(columns)
                if products > 1 and (products > _MOST_PRODUCTS or products * _LEAST_CYCLES > array):
                    continue
                for stays in (RIGHT, LEFT):
                    schedule = Schedule(height, width, Grid(rows, columns, stays))
                    yield schedule
                    other = _other_rest(schedule, geometry)
                    if other is not None:
                        yield other


def _other_rest(schedule: Schedule, geometry: Geometry) -> Schedule | None:
    """``schedule`` with tiles of another shape in the last block of rows, of those of which fewest cover it the one for
    which least is packed; None where that are no fewer tiles."""
    *before, last = schedule.grid.rows
    rest = geometry.rows - sum(before) * schedule.height
    count, _, (height, width) = min(
        (count, packed_tiles(geometry, -(-rest // height), -(-geometry.columns // width)), (height, width))
        for (height, width), count in tile_shapes(rest, geometry.columns))
    if not before or count >= last * -(-geometry.columns // schedule.width):
        return None
    return replace(schedule, grid=replace(schedule.grid, rows=(*before, -(-rest // height))), last=(height, width))


def _channels(geometry: Geometry, array: float, rates: Rates) -> list[tuple[int, ...]]:
    """Ways to cut the channels of the result into blocks of pairs of tiles; and of tiles, where the transfer of weights
    takes about as long as the products, which take ``array`` cycles: the first ones come sooner. The core would copy
    few weights itself, and do nothing else meanwhile."""
    if geometry.groups > 1:
        return [(geometry.outputs,)]
    count, units = tiles(geometry.outputs), [PAIR]
    column = steps(geometry) * _TILE_BYTES
    if column >= rates.dma.break_even_bytes and rates.dma.busy(column * count) >= _WEIGHTS * array:
        units.append(1)
    found = [tuple(size * unit * TILE for size in sizes)[:-1] for unit in units for sizes in cuts(-(-count // unit))]
    return [(*sizes, geometry.outputs - sum(sizes)) for sizes in dict.fromkeys(found)]
