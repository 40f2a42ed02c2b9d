"""Whether the matrix engine pays for a product of f16 matrices: functions over numbers."""

from __future__ import annotations

from dataclasses import dataclass

from hexagon_mlir.dialects.engine_tiles import HALF_BYTES, tiles
from hexagon_mlir.targets import Target


@dataclass(frozen=True)
class EngineCost:
    """Cycles: of a product of two tiles, to pack or unpack one vector, of what each product costs in any case; what a
    product in a kernel of a model costs more; bytes that the core reads per cycle, and lanes of a vector of halves.
    """

    tile_cycles: float
    move_cycles: float
    fixed_cycles: float
    model_cycles: float
    core_rate: float
    lanes: int

    @staticmethod
    def of(target: Target, in_model: bool) -> EngineCost:
        """The numbers of ``target``, for a kernel of a model or one by itself."""
        return EngineCost(float(target.matrix_half_tile_cycles.value), _MOVE_CYCLES, _FIXED_CYCLES,
                          _IN_MODEL_CYCLES if in_model else 0.0, float(target.ddr_bytes_per_cycle.value),
                          target.lanes(16))


_MOVE_CYCLES = 3.0
"""Measured: rows of 512 halves to tiles on one thread."""
_FIXED_CYCLES, _IN_MODEL_CYCLES = 4000.0, 10000.0
"""Of transfers that do not overlap, and tasks. Kernels of models lose more: weights that an earlier kernel prefetches,
and tiles that they share with other operations. Without these cycles, small BERT, GPT-2 and Whisper are 11 to 16 %
slower than on HVX alone; with them they are not, and ViT is 12 % faster.
"""
_HVX_PRODUCTS, _HVX_START_CYCLES = 34.0, 1500.0
"""Measured: products that HVX sums per cycle, 512 x 512 x 512; what a product takes in any case."""
_RAGGED = 2.0
"""Measured: how much longer HVX takes for rows that are no whole vectors."""
_NARROW, _NARROW_CYCLES = 8, 6.0
"""Measured: rows of fewer elements are not vectorized, and each product takes so many cycles; with fewer steps of the
reduction too, vectors go along the rows.
"""


def loop_cycles(rows: int, columns: int, reduction: int, cost: EngineCost) -> float:
    """Estimated cycles of a product in loops over blocks, with packing and unpacking by HVX."""
    vectors = (rows * reduction + reduction * columns + rows * columns) / cost.lanes
    return (cost.fixed_cycles + tiles(rows) * tiles(columns) * tiles(reduction) * cost.tile_cycles
            + vectors * cost.move_cycles)


def hvx_cycles(rows: int, columns: int, reduction: int, cost: EngineCost) -> float:
    """Estimated cycles of a product on HVX, which sums whole vectors."""
    moved = HALF_BYTES * (rows * reduction + reduction * columns + rows * columns)
    cycles = _HVX_START_CYCLES + moved / cost.core_rate
    if columns < _NARROW <= reduction:
        cycles += rows * reduction * columns * _NARROW_CYCLES
    along, others = (rows, columns) if columns < _NARROW and reduction < _NARROW else (columns, rows)
    products = -(-along // cost.lanes) * cost.lanes * others * reduction
    return cycles + products / _HVX_PRODUCTS * (_RAGGED if along % cost.lanes else 1)


def pays(rows: int, columns: int, reduction: int, cost: EngineCost) -> bool:
    """Whether the engine, with the product in loops over blocks, is estimated to take less time than HVX."""
    return cost.model_cycles + loop_cycles(rows, columns, reduction, cost) < hvx_cycles(rows, columns, reduction, cost)
