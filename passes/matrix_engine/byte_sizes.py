"""Sizes of blocks of products of bytes in TCM, and whether the engine pays: functions over numbers."""

from __future__ import annotations

from dataclasses import dataclass

from hexagon_mlir.dialects.engine_tiles import BYTE_ROWS, PLANES, TILE, VECTOR_TILES, vector_tiles
from hexagon_mlir.passes.lib.thread_cost import ForkCost
from hexagon_mlir.passes.matrix_engine.byte_estimate import ragged_cycles, ragged_hvx_cycles
from hexagon_mlir.passes.matrix_engine.sizes import Blocks
from hexagon_mlir.targets import Target

FIRST_WITH_PLANES = 75
"""The first generation whose engine has bias registers for all bytes of a sum (`codegen.matrix_engine`)."""
SUM_BYTES = 4


def row_tiles(rows: int) -> int:
    """Tiles that ``rows`` take, the last one maybe in part."""
    return -(-rows // BYTE_ROWS)


def choose_byte_blocks(rows: int, columns: int, reduction: int, budget: int, epilogue_bytes: int = 0) -> Blocks | None:
    """The largest blocks, in whole tiles or all, whose data fit ``budget`` bytes; None where no block does.

    All rows are taken at a time where that leaves room for columns of a vector. Of the columns that fit, whole vectors,
    the most are taken that leave at least `_BLOCKS` blocks, whose transfers overlap with the work on others.
    """
    most, count = vector_tiles(columns), row_tiles(rows)
    while True:
        fitting = [n for n in {most, *range(VECTOR_TILES, most, VECTOR_TILES)}
                   if byte_block_bytes(count, n, vector_tiles(reduction), most > n, epilogue_bytes) <= budget]
        if fitting:
            wanted = -(-most // (_BLOCKS * VECTOR_TILES)) * VECTOR_TILES
            chosen = max(n for n in fitting if n <= max(wanted, min(fitting)))
            return Blocks(min(BYTE_ROWS * count, rows), min(TILE * chosen, columns))
        if count == 1:
            return None
        count = -(-count // 2)


_BLOCKS = 4
"""Blocks of columns."""


def choose_byte_parts(columns: int) -> list[int]:
    """Tiles of the parts of a block of ``columns`` of tiles: HVX packs and unpacks one of them while the engine
    multiplies another. At most `_PARTS`, each of a vector or more, of about equal size.
    """
    count = max(min(columns // VECTOR_TILES, _PARTS), 1)
    step = columns // count // VECTOR_TILES * VECTOR_TILES or columns
    return [*([step] * (count - 1)), columns - step * (count - 1)]


_PARTS = 4


def byte_block_bytes(rows: int, columns: int, reduction: int, several: bool, epilogue_bytes: int = 0) -> int:
    """Bytes in TCM of a block of ``rows`` and ``columns`` of tiles: both factors as they are and as tiles, the results
    as planes and as rows, and what an epilogue reads and writes, ``epilogue_bytes`` for each result.

    With ``several`` blocks, what is transferred has two buffers.
    """
    buffers = 2 if several else 1
    activations = 2 * rows * BYTE_ROWS * reduction * TILE
    weights = (1 + buffers) * columns * TILE * reduction * TILE
    sums = SUM_BYTES * (1 if epilogue_bytes else buffers)
    return activations + weights + rows * BYTE_ROWS * columns * TILE * (PLANES + sums + epilogue_bytes * buffers)


@dataclass(frozen=True)
class ByteCost:
    """Cycles: of a product of two tiles, of the conversions and stores of a result tile, and of what each product costs
    in any case. ``fixed_cycles`` are those of transfers and tasks that do not overlap; ``ragged_cycles`` are added
    where something is filled up to whole tiles. ``constant``: for weights that are constants, which HVX reads packed at
    compile time.
    """

    tile_cycles: float
    read_out_cycles: float
    fixed_cycles: float
    fork: ForkCost
    ragged_cycles: float = 8000.0
    bytes_per_cycle: float = 20.0
    """Transferred and packed, or joined and transferred."""
    hvx_fixed_cycles: float = 5000.0
    hvx_products_per_cycle: float = 250.0
    constant: bool = False

    @staticmethod
    def of(target: Target, constant: bool = False) -> ByteCost:
        """The numbers of ``target``, for weights that are constants or not."""
        read_out = PLANES * (float(target.matrix_convert_cycles.value) + float(target.matrix_store_cycles.value))
        return ByteCost(float(target.matrix_byte_tile_cycles.value), read_out,
                        _CONSTANT_CYCLES if constant else _FIXED_CYCLES, ForkCost.of(target), constant=constant)


_FIXED_CYCLES, _CONSTANT_CYCLES = 12000.0, 22000.0
"""Measured, as the other defaults: products of 16 to 1,024 rows, columns and steps with and without the engine."""


def byte_cycles(rows: int, columns: int, reduction: int, cost: ByteCost,
                grid: tuple[int, float] | None = None) -> tuple[float, float]:
    """Estimated cycles on the engine, with packing and joining by HVX, and on HVX alone. ``grid``: products of the grid
    on the engine, and its cycles as estimated; None for loops over blocks."""
    array = row_tiles(rows) * vector_tiles(columns) * max(
        vector_tiles(reduction) * cost.tile_cycles, cost.read_out_cycles)
    moved = (rows * reduction + reduction * columns + SUM_BYTES * rows * columns) / cost.bytes_per_cycle
    ragged = rows % BYTE_ROWS or columns % (TILE * VECTOR_TILES) or reduction % (TILE * VECTOR_TILES)
    count, of_grid = grid or (1, None)
    if ragged and not cost.constant:
        return (ragged_cycles(rows, columns, reduction, of_grid if count > 1 else None),
                ragged_hvx_cycles(rows, columns, reduction, cost.fork))
    engine = cost.fixed_cycles + (cost.ragged_cycles if ragged else 0) + max(array, moved)
    if of_grid is not None and not cost.constant:
        engine = of_grid
    return engine, cost.hvx_fixed_cycles + rows * columns * reduction / cost.hvx_products_per_cycle


def bytes_pay(rows: int, columns: int, reduction: int, cost: ByteCost) -> bool:
    """Whether the engine, with the product in loops over blocks or one block, is estimated to take less time than HVX
    alone."""
    engine, hvx = byte_cycles(rows, columns, reduction, cost)
    return engine < hvx
