"""How long a schedule of blocks takes, and which one is best: functions over numbers."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from itertools import accumulate, pairwise
from math import prod
from typing import Protocol

from hexagon_mlir.dialects.engine_tiles import HALF_BYTES, TILE, tiles
from hexagon_mlir.passes.matrix_engine.schedule import AHEAD, LEFT, RIGHT, UNFINISHED, Fetch, Grid, Step
from hexagon_mlir.targets import Target
from hexagon_mlir.targets.dma import Engine

_MOST_PRODUCTS = 32
"""Of a grid: each is code of its own."""
_LEAST_CYCLES = 1000.0
"""Of the engine for each product of a grid of several: about what it takes to start one."""
_MOST_BLOCKS = 8
"""Of one factor, where blocks of that size fit: more are not worth the time to compare them."""
_COLUMN_TILES = 2
"""Blocks of columns are multiples of so many tiles: rows of 128 bytes for the DMA engine and for vectors."""
_PACK_CYCLES, _UNPACK_CYCLES, _EPILOGUE_CYCLES, _ROUND_CYCLES = 4.0, 5.6, 8.0, 12.0
"""Measured: of one vector, on one HVX context; of results as f32; of a vector of f16, from f32."""
_START_CYCLES = 500.0
"""Measured: to start a product or a transfer, and the loops that pack or unpack a block."""
_PRODUCT_CYCLES = 700.0
"""Measured: from the last tile of a block being packed to the engine's first product of it."""
_SPREAD_CYCLES, _SPREAD_VECTORS = 800.0, 768
"""Measured: to spread work over the HVX contexts and to collect it; the least work for which that is done."""


@dataclass(frozen=True)
class Rates:
    """Cycles of a product of two tiles, and from an event to the thread that polls for it; the DMA engine; bytes of a
    vector; HVX contexts."""

    tile_cycles: float
    poll_cycles: float
    dma: Engine
    vector_bytes: int
    contexts: int

    @staticmethod
    def of(target: Target) -> Rates:
        """The numbers of ``target``."""
        return Rates(float(target.matrix_half_tile_cycles.value), float(target.poll_cycles.value),
                     Engine.of(target), int(target.vector_bytes.value), int(target.hvx_contexts.value))


@dataclass(frozen=True)
class Sizes:
    """Rows, columns and steps of the reduction of a product. ``epilogue_bytes``: of what an epilogue reads and writes
    for each element of the result. ``packed``: the right factor is tiles already, or, where ``code_bytes``
    are those of a tile's codes, these; ``code_cycles`` of one HVX context make a
    vector of f16 of them."""

    rows: int
    columns: int
    reduction: int
    epilogue_bytes: int = 0
    packed: bool = False
    code_bytes: int = 0
    code_cycles: float = 0

    def element_bytes(self, operand: int) -> float:
        """Of an element of a factor in DDR."""
        return self.code_bytes / TILE**2 if self.code_bytes and operand == RIGHT else HALF_BYTES


class Schedule(Protocol):
    """Products of blocks, one after the other."""

    @property
    def steps(self) -> tuple[Step, ...]:
        """The products in order."""
        ...


class Work(Protocol):
    """What the steps of a grid are."""

    def transferred(self, fetch: Fetch) -> int:
        """Bytes of a block of a factor in DDR."""
        ...

    def packed(self, fetch: Fetch) -> float:
        """Cycles of the threads to make tiles of a block."""
        ...

    def multiplied(self, factors: tuple[Fetch, Fetch]) -> float:
        """Cycles of the engine for a product of two blocks."""
        ...

    def unpacked(self, factors: tuple[Fetch, Fetch], pieces: int = 1) -> float:
        """Cycles of the threads to make rows of one of so many pieces of its result."""
        ...

    def stored(self, factors: tuple[Fetch, Fetch]) -> int:
        """Bytes that are transferred for its result."""
        ...


@dataclass(frozen=True)
class _ProductWork:
    """A product of matrices in the blocks of ``grid``."""

    grid: Grid
    sizes: Sizes
    rates: Rates

    def _elements(self, fetch: Fetch) -> int:
        return self.grid.blocks[fetch.operand][fetch.number] * self.sizes.reduction

    def transferred(self, fetch: Fetch) -> int:
        return int(self._elements(fetch) * self.sizes.element_bytes(fetch.operand))

    def packed(self, fetch: Fetch) -> float:
        return _packed(self._elements(fetch), fetch.operand, self.sizes, self.rates)

    def _counts(self, factors: tuple[Fetch, Fetch]) -> list[int]:
        return [self.grid.blocks[fetch.operand][fetch.number] for fetch in factors]

    def multiplied(self, factors: tuple[Fetch, Fetch]) -> float:
        return prod(map(tiles, self._counts(factors))) * tiles(self.sizes.reduction) * self.rates.tile_cycles

    def unpacked(self, factors: tuple[Fetch, Fetch], pieces: int = 1) -> float:
        return unpack_cycles(prod(self._counts(factors)) // pieces, self.rates)

    def stored(self, factors: tuple[Fetch, Fetch]) -> int:
        return prod(self._counts(factors)) * (self.sizes.epilogue_bytes or HALF_BYTES)


def cycles_of(grid: Grid, sizes: Sizes, rates: Rates) -> float:
    """Estimated cycles of a product of matrices in the blocks of ``grid``."""
    return schedule_cycles(grid, _ProductWork(grid, sizes, rates), rates)


def schedule_cycles(grid: Schedule, work: Work, rates: Rates, unfinished: int = UNFINISHED,
                    halved: Collection[int] = ()) -> float:
    """Estimated cycles of ``work`` in the steps of ``grid``: one thread that packs, unpacks and starts transfers and
    products, the DMA engine, and the matrix engine, each in order. Results are unpacked when ``unfinished`` further
    products have started, those of the steps ``halved`` in two pieces: the first one leaves meanwhile.
    """
    thread = dma = engine = 0.0
    arrivals: dict[tuple[int, int], float] = {}
    ends: list[float] = []

    def finish(number: int) -> None:
        nonlocal thread, dma
        factors = grid.steps[number].factors
        thread, pieces = max(thread, ends[number] + rates.poll_cycles), 2 if number in halved else 1
        for _ in range(pieces):
            thread += work.unpacked(factors, pieces)
            dma = max(dma, thread + rates.dma.start) + rates.dma.busy(work.stored(factors) // pieces)

    for step in grid.steps:
        for fetch in step.fetches:
            dma = max(dma, thread + rates.dma.start) + rates.dma.busy(work.transferred(fetch))
            arrivals[fetch] = dma
            thread += _START_CYCLES
        for fetch in step.packs:
            thread = max(thread, arrivals[fetch]) + work.packed(fetch)
        if len(ends) >= UNFINISHED:
            thread = max(thread, ends[-UNFINISHED] + rates.poll_cycles)
        engine = max(engine, thread + _PRODUCT_CYCLES) + work.multiplied(step.factors)
        thread += _START_CYCLES
        ends.append(engine)
        if len(ends) > unfinished:
            finish(len(ends) - 1 - unfinished)
    for number in range(max(len(ends) - unfinished, 0), len(ends)):
        finish(number)
    return max(thread, dma)


def halved_steps(grid: Schedule, work: Work, rates: Rates, unfinished: int) -> tuple[int, ...]:
    """The steps whose results leave in two pieces, as for `schedule_cycles`: from the last one on, those for which the
    estimate is less. A piece whose transfer takes less time than its start is none: of small results nothing would
    leave meanwhile, and the core stores the last one through the cache."""
    found: tuple[int, ...] = ()
    least = schedule_cycles(grid, work, rates, unfinished)
    for number in reversed(range(len(grid.steps))):
        if rates.dma.busy(work.stored(grid.steps[number].factors) // 2) < rates.dma.start:
            continue
        cycles = schedule_cycles(grid, work, rates, unfinished, (number, *found))
        if cycles < least:
            found, least = (number, *found), cycles
    return found


def pack_cycles(elements: int, rates: Rates) -> float:
    """Cycles to make tiles of so many elements of f16."""
    return _moved(elements, _PACK_CYCLES, rates)


def unpack_cycles(elements: int, rates: Rates) -> float:
    """Cycles to make rows of so many elements of results."""
    return _moved(elements, _UNPACK_CYCLES, rates)


def round_cycles(elements: int, rates: Rates) -> float:
    """Cycles to round so many elements of f32 to f16."""
    return _moved(elements, _ROUND_CYCLES, rates) if elements else 0


def epilogue_cycles(nbytes: int, rates: Rates) -> float:
    """Cycles of elementwise ops that read and write so many bytes besides the results."""
    return _moved(nbytes // HALF_BYTES, _EPILOGUE_CYCLES, rates) if nbytes else 0


def _packed(elements: int, operand: int, sizes: Sizes, rates: Rates) -> float:
    """Cycles to make tiles of so many elements of a factor."""
    if operand == LEFT or not sizes.packed:
        return pack_cycles(elements, rates)
    return _moved(elements, sizes.code_cycles, rates) if sizes.code_bytes else 0


def _moved(elements: int, cycles: float, rates: Rates) -> float:
    """Cycles to pack or to unpack so many elements."""
    vectors = elements * HALF_BYTES / rates.vector_bytes
    alone = vectors * cycles
    return _START_CYCLES + (
        alone if vectors < _SPREAD_VECTORS else _SPREAD_CYCLES + alone / rates.contexts)


def bytes_of(grid: Grid, sizes: Sizes) -> int:
    """Bytes of TCM that ``grid`` takes at most: the factor that stays, blocks of the other one, blocks as they were
    transferred, results as tiles and as rows."""
    moves = 1 - grid.stays
    padded = [[TILE * tiles(count) for count in counts] for counts in grid.blocks]
    depth = TILE * tiles(sizes.reduction)
    ready = sizes.packed and not sizes.code_bytes
    staged = (AHEAD + 2) * depth * max(max(counts) * sizes.element_bytes(operand)
                                       for operand, counts in enumerate(padded) if operand == LEFT or not ready)
    live = AHEAD + 2 if ready and moves == RIGHT else 2
    factors = depth * (sum(padded[grid.stays]) + live * max(padded[moves]))
    results = max(padded[LEFT]) * max(padded[RIGHT])
    halves = HALF_BYTES * (factors + (UNFINISHED + 3) * results)
    return halves + int(staged) + (UNFINISHED + 2) * results * sizes.epilogue_bytes


def choose_grid(sizes: Sizes, budget: int, rates: Rates) -> tuple[Grid, float] | None:
    """The grid of ``sizes`` that is estimated to take least time of those that fit ``budget`` bytes, and its cycles;
    None where none fits. Codes are made tiles in loops over columns (`sizes.choose_column_parts`) where few blocks of
    them do not fit."""
    found = _best(_grids(sizes, rates, _MOST_BLOCKS), sizes, budget, rates)
    if found is None and not sizes.code_bytes:
        found = _best(_grids(sizes, rates, _MOST_PRODUCTS), sizes, budget, rates)
    return found


def _best(grids: Iterable[Grid], sizes: Sizes, budget: int, rates: Rates) -> tuple[Grid, float] | None:
    best: tuple[Grid, float] | None = None
    for grid in grids:
        if bytes_of(grid, sizes) <= budget:
            cycles = cycles_of(grid, sizes, rates)
            if best is None or cycles < best[1]:
                best = grid, cycles
    return best


def _grids(sizes: Sizes, rates: Rates, most: int) -> Iterator[Grid]:
    """Grids of at most so many blocks of each factor."""
    array = prod(map(tiles, (sizes.rows, sizes.columns, sizes.reduction))) * rates.tile_cycles
    for rows in _cuts(sizes.rows, 1, most):
        for columns in _cuts(sizes.columns, _COLUMN_TILES, most):
            products = len(rows) * len(columns)
            if products == 1 or (products <= _MOST_PRODUCTS and products * _LEAST_CYCLES <= array):
                for stays in (RIGHT, LEFT):
                    yield Grid(rows, columns, stays)


def _cuts(extent: int, unit: int, most: int) -> list[tuple[int, ...]]:
    """Ways to cut ``extent`` into at most so many blocks of multiples of ``unit`` tiles."""
    return [tuple(min(TILE * unit * end, extent) - TILE * unit * start
                  for start, end in pairwise(accumulate(cut, initial=0)))
            for cut in cuts(-(-tiles(extent) // unit), most)]


def cuts(units: int, most: int = _MOST_BLOCKS) -> list[tuple[int, ...]]:
    """Ways to cut ``units`` into at most so many blocks: equal ones, and a short one first."""
    found = []
    for count in range(1, min(most, units) + 1):
        block = -(-units // count)
        for first in dict.fromkeys((block, -(-block // 2))) if count > 1 else (block,):
            sizes = [first]
            while sum(sizes) < units:
                sizes.append(min(block, units - sum(sizes)))
            found.append(tuple(sizes))
    return list(dict.fromkeys(found))
