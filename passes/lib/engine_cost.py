"""Whether the matrix engine pays for a product of f16 matrices: functions over numbers."""

from __future__ import annotations

from dataclasses import dataclass

from hexagon_mlir.dialects.engine_tiles import HALF_BYTES, TILE, tiles
from hexagon_mlir.targets import Target
from hexagon_mlir.targets.dma import Engine


@dataclass(frozen=True)
class EngineCost:
    """Cycles: of a product of two tiles, to pack or unpack one vector, of what each product costs in any case; what a
    product in a kernel of a model costs more; bytes that the core reads per cycle and that the DMA engine transfers,
    and lanes of a vector of halves.
    """

    tile_cycles: float
    move_cycles: float
    fixed_cycles: float
    model_cycles: float
    core_rate: float
    dma_rate: float
    lanes: int

    @staticmethod
    def of(target: Target, in_model: bool) -> EngineCost:
        """The numbers of ``target``, for a kernel of a model or one by itself."""
        return EngineCost(float(target.matrix_half_tile_cycles.value), _MOVE_CYCLES, _FIXED_CYCLES,
                          _IN_MODEL_CYCLES if in_model else 0.0, float(target.ddr_bytes_per_cycle.value),
                          Engine.of(target).rate, target.lanes(16))


_MOVE_CYCLES = 3.0
"""Measured: rows of 512 halves to tiles on one thread."""
_FIXED_CYCLES, _IN_MODEL_CYCLES = 4000.0, 10000.0
"""Of transfers that do not overlap, and tasks. Kernels of models lose more: weights that an earlier kernel prefetches,
and tiles that they share with other operations. Without these cycles, small BERT, GPT-2 and Whisper are 11 to 16 %
slower than on HVX alone; with them they are not, and ViT is 12 % faster.
"""
_ONE_BLOCK_CYCLES, _OF_SEVERAL_TILES, _OF_LONG_ROWS = 2800.0, 1000.0, 2000.0
_PASSES, _SHORT_ROW_CYCLES = 3.0, 19.0
"""Measured, 200 products whose factors are one block each: what such a product takes in any case; more where an operand
is several tiles, and where a size exceeds a vector of halves. Nothing overlaps: operands and result are transferred,
and packed or unpacked in twice that time. Each row of a result of less than a tile.
"""
_HVX_PRODUCTS, _HVX_START_CYCLES = 34.0, 1500.0
"""Measured: products that HVX sums per cycle, 512 x 512 x 512; what a product takes in any case."""
_RAGGED, _RAGGED_ON_ONE_THREAD = 2.0, 3.0
_SPREAD_ROWS, _SPREAD_VECTORS = 90, 8000
"""Measured, as what follows: how much longer HVX takes for rows that are no whole vectors; the least rows or products
of vectors that are spread over threads.
"""
_SHORT, _SHORT_ROWS, _SHORT_CYCLES, _SHORT_CYCLES_ON_ONE_THREAD = 4, 32, 25.0, 80.0
"""Reductions of fewer steps take so many cycles for each vector of at least so many rows."""
_NARROW, _NARROW_CYCLES = 8, 3.5
"""Rows of fewer elements are not vectorized, and each product takes so many cycles; with no more steps of the
reduction, vectors go along the rows.
"""


def loop_cycles(rows: int, columns: int, reduction: int, cost: EngineCost) -> float:
    """Estimated cycles of a product in loops over blocks, with packing and unpacking by HVX."""
    vectors = (rows * reduction + reduction * columns + rows * columns) / cost.lanes
    return (cost.fixed_cycles + tiles(rows) * tiles(columns) * tiles(reduction) * cost.tile_cycles
            + vectors * cost.move_cycles)


def block_cycles(rows: int, columns: int, reduction: int, cost: EngineCost) -> float:
    """Estimated cycles of a product whose factors are one block each."""
    cycles = _ONE_BLOCK_CYCLES + _PASSES * _moved(rows, columns, reduction) / cost.dma_rate
    if max(map(tiles, (rows, columns, reduction))) > 1:
        cycles += _OF_SEVERAL_TILES
    if max(rows, columns, reduction) > cost.lanes:
        cycles += _OF_LONG_ROWS
    return cycles + (_SHORT_ROW_CYCLES * rows if columns < TILE else 0)


def _moved(rows: int, columns: int, reduction: int) -> int:
    """Bytes of both factors and the result."""
    return HALF_BYTES * (rows * reduction + reduction * columns + rows * columns)


def hvx_cycles(rows: int, columns: int, reduction: int, cost: EngineCost) -> float:
    """Estimated cycles of a product on HVX, which sums whole vectors."""
    cycles = _HVX_START_CYCLES + _moved(rows, columns, reduction) / cost.core_rate
    if columns < _NARROW < reduction:
        cycles += rows * reduction * columns * _NARROW_CYCLES
    along, others = (rows, columns) if columns < _NARROW and reduction <= _NARROW else (columns, rows)
    vectors = -(-along // cost.lanes) * others
    spread = others >= _SPREAD_ROWS or vectors * reduction >= _SPREAD_VECTORS
    slower = 1.0 if along % cost.lanes == 0 else _RAGGED if spread else _RAGGED_ON_ONE_THREAD
    least = 0.0
    if reduction < _SHORT and others >= _SHORT_ROWS:
        least = _SHORT_CYCLES if spread else _SHORT_CYCLES_ON_ONE_THREAD
    return cycles + vectors * max(reduction * cost.lanes / _HVX_PRODUCTS * slower, least)


def pays(rows: int, columns: int, reduction: int, cost: EngineCost) -> bool:
    """Whether the engine, with the product in loops over blocks, is estimated to take less time than HVX."""
    return cost.model_cycles + loop_cycles(rows, columns, reduction, cost) < hvx_cycles(rows, columns, reduction, cost)
