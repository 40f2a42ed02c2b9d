"""How a convolution of bytes is cut, and how long it takes: functions over numbers.

As in `hexagon_mlir.passes.engine_convolution.schedule`, with tiles of 64 pixels whose sums are read out as planes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from hexagon_mlir.dialects.engine_tiles import (
    BYTE_ROWS,
    HALF_BYTES,
    PAIR,
    TILE,
    VECTOR_TILES,
    tiles,
    vector_tiles,
)
from hexagon_mlir.dialects.nibble_weights import NIBBLES_PER_BYTE
from hexagon_mlir.passes.engine_convolution.read import Geometry, is_narrow
from hexagon_mlir.passes.engine_convolution.schedule import Schedule
from hexagon_mlir.passes.engine_convolution.sizes import (
    Plan,
    SharedTiles,
    image_size,
    steps,
    tile_shapes,
    tiles_of_places,
)
from hexagon_mlir.passes.lib.byte_product_cost import LEAST_LANES
from hexagon_mlir.passes.lib.thread_cost import ForkCost
from hexagon_mlir.passes.matrix_engine.byte_estimate import ragged_hvx_cycles
from hexagon_mlir.passes.matrix_engine.byte_schedule import ByteRates
from hexagon_mlir.passes.matrix_engine.byte_sizes import SUM_BYTES
from hexagon_mlir.passes.matrix_engine.estimate import (
    cuts,
    epilogue_cycles,
    halved_steps,
    pack_cycles,
    schedule_cycles,
    unpack_cycles,
)
from hexagon_mlir.passes.matrix_engine.schedule import AHEAD, LEFT, RIGHT, Fetch, Grid

UNFINISHED = 1
"""Products that start before the results of the one before them are joined. The threads take longer than the engine:
results are transferred as soon as they can be."""
_VECTOR_BYTES = 128
_MOST_PRODUCTS = 16
"""Each is code of its own."""
_LEAST_CYCLES = 1000.0
"""Of the engine for each of several products."""
_SLACK = 1.2
"""How many times more tiles than the fewest a shape of tiles may take."""
_WEIGHTS_TILE = TILE * TILE
_IMAGE_TILE = BYTE_ROWS * TILE
_SLOWER, _RESULT_CYCLES = 1.05, 0.2
"""Fitted to twelve layers of networks: what a schedule takes beside its estimate, and for each result."""
_HVX_CYCLES, _HVX_PRODUCTS, _HVX_RESULT_CYCLES = 12000.0, 260.0, 0.25
"""The same on HVX: cycles in any case, products that it sums per cycle, and cycles for each result."""


def byte_places(geometry: Geometry, tile_rows: int, columns: int) -> SharedTiles:
    """A tile for each place that a tap of so many rows and columns of result tiles may have, and for places between
    them: tiles side by side are `TILE` channels apart, and at least as many as a vector packs. Of a narrow window they
    are as far apart as pixels of the result, and have what follows the window besides.
    """
    found = tiles_of_places(geometry, tile_rows, columns)
    if is_narrow(geometry):
        return found
    across = (found.columns - 1) * found.column_unit // TILE + 1
    return replace(found, columns=max(across, VECTOR_TILES), column_unit=TILE)


def packs_narrow(geometry: Geometry, width: int) -> bool:
    """Whether neighbouring pixels of a tile of ``width`` are a row of it apart, or more, in an image of few channels:
    four of them are loaded to their places in a vector, none of it before the image."""
    return width % VECTOR_TILES == 0 and -(-geometry.columns // width) * geometry.column_step >= TILE


def byte_image_size(geometry: Geometry, plan: Plan) -> tuple[int, int]:
    """Rows, and elements of a row, of the image that the tiles of a block read; rows are whole vectors."""
    columns = -(-geometry.columns // plan.width)
    rows, _ = image_size(geometry, plan)
    length = (plan.width - 1) * columns * geometry.column_step
    places = byte_places(geometry, plan.tile_rows, columns)
    length += (places.columns - 1) * places.column_unit + (_VECTOR_BYTES if is_narrow(geometry) else TILE)
    return rows, -(-length // _VECTOR_BYTES) * _VECTOR_BYTES


@dataclass(frozen=True)
class ByteWork:
    """A convolution by ``schedule``. ``epilogue_bytes``: of what the epilogue reads and writes for each element of the
    result; 0 where there is none. ``ready``: the weights are tiles already, with ``nibbles`` two of them in a byte.
    ``converted``: the engine converts sums to bytes, instead of giving their four bytes."""

    geometry: Geometry
    schedule: Schedule
    epilogue_bytes: int
    ready: bool
    rates: ByteRates
    converted: bool = False
    nibbles: bool = False

    @property
    def result_bytes(self) -> int:
        """Of what the engine gives, in all planes."""
        return 1 if self.converted else SUM_BYTES

    @property
    def across(self) -> int:
        """Result tiles side by side."""
        return -(-self.geometry.columns // self.schedule.width)

    def _tiles_of(self, fetch: Fetch) -> int:
        """Tiles that a block is packed to."""
        if fetch.operand == LEFT:
            found = byte_places(self.geometry, self.schedule.grid.rows[fetch.number], self.across)
            return found.rows * found.columns
        columns = self.schedule.grid.columns[fetch.number]
        return (tiles(columns) if self.ready else vector_tiles(columns)) * steps(self.geometry)

    def _bytes_of(self, fetch: Fetch) -> int:
        """Of a block's tiles."""
        return self._tiles_of(fetch) * (_IMAGE_TILE if fetch.operand == LEFT else self._weights_tile)

    @property
    def _weights_tile(self) -> int:
        return _WEIGHTS_TILE // NIBBLES_PER_BYTE if self.nibbles else _WEIGHTS_TILE

    def transferred(self, fetch: Fetch) -> int:
        """Bytes of a block of a factor in DDR."""
        if fetch.operand == RIGHT:
            return self._weights_tile * self._tiles_of(fetch)
        rows, length = byte_image_size(self.geometry, self.schedule.plan(fetch.number))
        return rows * length

    def packed(self, fetch: Fetch) -> float:
        """Cycles of the threads to make tiles of a block."""
        if fetch.operand == RIGHT and self.ready:
            return 0
        return pack_cycles(self._bytes_of(fetch), self.rates.others)  # twice as long as of f16

    def _result_tiles(self, factors: tuple[Fetch, Fetch]) -> int:
        rows, columns = (blocks[fetch.number] for blocks, fetch in zip(self.schedule.grid.blocks, factors, strict=True))
        return rows * self.across * tiles(columns)

    def multiplied(self, factors: tuple[Fetch, Fetch]) -> float:
        """Cycles of the engine."""
        return self._result_tiles(factors) * self.rates.result_tile(steps(self.geometry), self.converted)

    def unpacked(self, factors: tuple[Fetch, Fetch], pieces: int = 1) -> float:
        """Cycles of the threads to join sums of one of so many pieces, and of the epilogue."""
        elements = self._result_tiles(factors) * _IMAGE_TILE // pieces
        own = self.result_bytes
        return unpack_cycles(elements * own // HALF_BYTES, self.rates.others) + epilogue_cycles(
            elements * (self.epilogue_bytes + own if self.epilogue_bytes else 0), self.rates.others)

    def stored(self, factors: tuple[Fetch, Fetch]) -> int:
        """Bytes that are transferred for its result."""
        return self._result_tiles(factors) * _IMAGE_TILE * (self.epilogue_bytes or self.result_bytes)

    def bytes(self) -> int:
        """Of TCM that it takes at most: tiles of the factor that stays, blocks of the other one, blocks as they were
        transferred, results as planes and as rows."""
        grid = self.schedule.grid
        moves = 1 - grid.stays
        of_blocks = grid.fetches
        packed = [list(map(self._bytes_of, fetches)) for fetches in of_blocks]
        staged = (AHEAD + 2) * max(self.transferred(fetch) for fetches in of_blocks for fetch in fetches
                                   if fetch.operand == LEFT or not self.ready)
        live = AHEAD + 2 if self.ready and moves == RIGHT else 2
        most = max(grid.rows) * self.across * tiles(max(grid.columns)) * _IMAGE_TILE
        own = self.result_bytes
        results = most * (own * (UNFINISHED + 2) + (UNFINISHED + 1) * (own + self.epilogue_bytes))
        return sum(packed[grid.stays]) + live * max(packed[moves]) + staged + results


def choose_byte_schedule(geometry: Geometry, budget: int, epilogue_bytes: int, ready: bool,
                         rates: ByteRates, converted: bool = False, nibbles: bool = False,
                         ) -> tuple[Schedule, float] | None:
    """The schedule of one image that is estimated to take least time of those that fit ``budget`` bytes of TCM, and its
    cycles; None where none does. ``epilogue_bytes``, ``ready``, ``converted``, ``nibbles``: as for `ByteWork`. An
    epilogue takes results whole, and bytes leave whole.
    """
    best: tuple[Schedule, float] | None = None
    for schedule in _schedules(geometry, PAIR if ready else VECTOR_TILES, rates, converted):
        work = ByteWork(geometry, schedule, epilogue_bytes, ready, rates, converted, nibbles)
        if work.bytes() <= budget:
            cycles = schedule_cycles(schedule.grid, work, rates.others, UNFINISHED)
            if best is None or cycles < best[1]:
                best = schedule, cycles
    if best is None or epilogue_bytes or converted or best[0].height == 1:
        return best
    schedule, cycles = best
    work = ByteWork(geometry, schedule, epilogue_bytes, ready, rates, nibbles=nibbles)
    return replace(schedule, halved=halved_steps(schedule.grid, work, rates.others, UNFINISHED)), cycles


def _schedules(geometry: Geometry, unit: int, rates: ByteRates, converted: bool) -> Iterator[Schedule]:
    """``unit``: tiles of channels that blocks are multiples of."""
    shapes = [shape for shape in tile_shapes(geometry.rows, geometry.columns, BYTE_ROWS)
              if not is_narrow(geometry) or packs_narrow(geometry, shape[0][1])]
    fewest = min(count for _, count in shapes)
    units = -(-tiles(geometry.outputs) // unit)
    for (height, width), count in shapes:
        if count > _SLACK * fewest:
            continue
        array = count * tiles(geometry.outputs) * rates.result_tile(steps(geometry), converted)
        for rows in cuts(-(-geometry.rows // height)):
            for columns in cuts(units):
                products = len(rows) * len(columns)
                if products > 1 and (products > _MOST_PRODUCTS or products * _LEAST_CYCLES > array):
                    continue
                sizes = [unit * TILE * number for number in columns]
                channels = (*sizes[:-1], geometry.outputs - sum(sizes[:-1]))
                for stays in (RIGHT, LEFT):
                    yield Schedule(height, width, Grid(rows, channels, stays))


def byte_estimates(geometry: Geometry, cycles: float, fork: ForkCost) -> tuple[float, float]:
    """Estimated cycles on the engine, ``cycles`` for each image as `choose_byte_schedule` estimates them, and on HVX
    alone: vectors go along the outputs, however few. No weights are constants."""
    pixels = geometry.batches * geometry.rows * geometry.columns
    hvx = ragged_hvx_cycles(pixels, max(geometry.outputs, LEAST_LANES),
                            geometry.taps_y * geometry.taps_x * geometry.run, fork)
    return geometry.batches * cycles, hvx


def bytes_pay(geometry: Geometry, cycles: float) -> bool:
    """The same for constant weights, tiles on the engine and words on HVX: whether the engine takes less time."""
    results = geometry.batches * geometry.rows * geometry.columns * geometry.outputs
    engine = _SLOWER * geometry.batches * cycles + _RESULT_CYCLES * results
    return engine < _HVX_CYCLES + geometry.products / _HVX_PRODUCTS + _HVX_RESULT_CYCLES * results
