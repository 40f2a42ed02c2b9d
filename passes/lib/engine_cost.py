"""Whether the matrix engine pays for a product of f16 matrices: functions over numbers."""

from __future__ import annotations

from dataclasses import dataclass

from hexagon_mlir.dialects.engine_tiles import HALF_BYTES, TILE, tiles
from hexagon_mlir.passes.lib.half_product_cost import HvxCost, hvx_cycles
from hexagon_mlir.targets import Target
from hexagon_mlir.targets.dma import Engine


@dataclass(frozen=True)
class EngineCost:
    """Cycles: of a product of two tiles, to pack or unpack one vector, of what each product costs in any case; the
    least bytes that the DMA engine moves beside the core, lanes of a vector of halves, and what products on HVX cost.
    """

    tile_cycles: float
    move_cycles: float
    fixed_cycles: float
    transferred_bytes: int
    lanes: int
    hvx: HvxCost

    @staticmethod
    def of(target: Target) -> EngineCost:
        """The numbers of ``target``."""
        return EngineCost(float(target.matrix_half_tile_cycles.value), _MOVE_CYCLES, _FIXED_CYCLES,
                          Engine.of(target).least_overlapped_bytes(), target.lanes(16), HvxCost.of(target))


_MOVE_CYCLES = 3.0
"""Measured: rows of 512 halves to tiles on one thread."""
_FIXED_CYCLES = 4000.0
"""Of transfers that do not overlap, and tasks. Kernels of models cost no more: with 10,000 cycles more there, small
BERT, GPT-2, Whisper and a block of Llama take 18 to 43 % more.
"""
_ONE_BLOCK_CYCLES, _VECTOR_CYCLES = 2700.0, 7.0
"""Measured, as what follows to the next text: 400 products whose factors are one block each, of 1 to 400 rows, columns
and steps. Such a product in any case; each vector of both factors, packed, and of the result, unpacked. Nothing
overlaps.
"""
_ROWS_OF_TILES, _COLUMNS_OF_TILES, _STEPS_OF_TILES, _TILES_BOTH_WAYS = 700.0, 350.0, 1300.0, 1450.0
"""More where there are several tiles of rows, of columns alone, of steps alone, of both."""
_LONG_COLUMN, _LONG_ROW, _LONGER_ROW = 950.0, 1250.0, 700.0
"""More where rows, or columns, exceed a vector, and where columns exceed two."""
_TRANSFERRED_RESULT, _TRANSFERRED_WEIGHTS = 1350.0, 450.0
"""More where the DMA engine, not HVX, moves the result or the right factor."""
_SHORT_ROW_CYCLES, _SHORT_WEIGHTS_CYCLES, _NARROW = 7.4, 12.0, 8
"""Each row of a result of less than a tile; each of a right factor that is not vectorized, of fewer columns."""

def loop_cycles(rows: int, columns: int, reduction: int, cost: EngineCost) -> float:
    """Estimated cycles of a product in loops over blocks, with packing and unpacking by HVX."""
    vectors = (rows * reduction + reduction * columns + rows * columns) / cost.lanes
    return (cost.fixed_cycles + tiles(rows) * tiles(columns) * tiles(reduction) * cost.tile_cycles
            + vectors * cost.move_cycles)


def block_cycles(rows: int, columns: int, reduction: int, cost: EngineCost) -> float:
    """Estimated cycles of a product whose factors are one block each."""
    lanes, least = cost.lanes, cost.transferred_bytes
    vectors = (rows + reduction) * -(-columns // lanes) + rows * -(-reduction // lanes)
    several_columns, several_steps = columns > TILE, reduction > TILE
    return (_ONE_BLOCK_CYCLES + _VECTOR_CYCLES * vectors + _ROWS_OF_TILES * (rows > TILE)
            + _COLUMNS_OF_TILES * (several_columns and not several_steps)
            + _STEPS_OF_TILES * (several_steps and not several_columns)
            + _TILES_BOTH_WAYS * (several_columns and several_steps)
            + _LONG_COLUMN * (rows > lanes) + _LONG_ROW * (columns > lanes) + _LONGER_ROW * (columns > 2 * lanes)
            + _TRANSFERRED_RESULT * (HALF_BYTES * rows * columns >= least)
            + _TRANSFERRED_WEIGHTS * (HALF_BYTES * reduction * columns >= least)
            + _SHORT_ROW_CYCLES * rows * (columns < TILE) + _SHORT_WEIGHTS_CYCLES * reduction * (columns < _NARROW))


def pays(rows: int, columns: int, reduction: int, cost: EngineCost) -> bool:
    """Whether the engine, with the product in loops over blocks, is estimated to take less time than HVX."""
    return loop_cycles(rows, columns, reduction, cost) < hvx_cycles(rows, columns, reduction, cost.hvx)
