"""Sizes of a product's blocks in TCM, and whether the engine pays: functions over numbers."""

from __future__ import annotations

from dataclasses import dataclass

from hexagon_mlir.dialects.engine_tiles import PAIR, TILE, tiles
from hexagon_mlir.targets import Target

HALF_BYTES = 2
"""Of an f16 element."""


@dataclass(frozen=True)
class Blocks:
    """How many rows and columns of the result are computed at a time; the whole reduction each time."""

    rows: int
    columns: int


def choose_blocks(rows: int, columns: int, reduction: int, budget: int, epilogue_bytes: int = 0) -> Blocks | None:
    """The largest blocks, in whole tiles or all, whose data fit ``budget`` bytes; None where one tile does not.

    All rows are taken at a time where that leaves room for a few columns of tiles, so that weights are transferred and
    packed once. Among the columns that fit those are preferred that leave at least four blocks, whose transfers overlap
    with the work on others, and blocks of equal size. ``epilogue_bytes``: as for `block_bytes`.
    """
    most = tiles(columns)
    for row_tiles in _halves(tiles(rows)):
        fitting = [count for count in range(1, most + 1)
                   if block_bytes(row_tiles, count, tiles(reduction), most > count, epilogue_bytes) <= budget]
        if not fitting or (fitting[-1] < min(_LEAST_COLUMNS, most) and row_tiles > 1):
            continue
        wanted = [count for count in fitting if count <= max(-(-most // _BLOCKS), min(_LEAST_COLUMNS, most))]
        even = [count for count in wanted if most % count == 0]
        return Blocks(min(TILE * row_tiles, rows), min(TILE * max(even or wanted), columns))
    return None


def choose_parts(columns: int) -> list[int]:
    """Columns of the parts of a block of ``columns``: HVX packs and unpacks one of them while the engine multiplies
    another. At most `_PARTS`, whole pairs of tiles but for the last one, of about equal size.
    """
    pairs = -(-tiles(columns) // PAIR)
    step = -(-pairs // min(_PARTS, pairs)) * PAIR * TILE
    return [min(step, columns - start) for start in range(0, columns, step)]


_PARTS = 4
"""The first part is packed, and the last one unpacked, while the engine has nothing to do."""
_BLOCKS = 4
"""Blocks of columns that make transfers overlap."""
_LEAST_COLUMNS = 2
"""Tiles: rows of 128 bytes for the DMA engine and for vectors."""


def _halves(count: int) -> list[int]:
    """``count``, half of it, and so on down to 1."""
    found = [count]
    while found[-1] > 1:
        found.append(-(-found[-1] // 2))
    return found


def block_bytes(row_tiles: int, column_tiles: int, reduction_tiles: int, several: bool,
                epilogue_bytes: int = 0) -> int:
    """Bytes in TCM of one block: both factors as they are and as tiles, the result as tiles and as rows, and what an
    epilogue reads and writes, ``epilogue_bytes`` for each element of the result.

    With ``several`` blocks, what is transferred has two buffers.
    """
    elements, buffers = TILE * TILE, 2 if several else 1
    factors = HALF_BYTES * (row_tiles * 2 + column_tiles * (1 + buffers)) * reduction_tiles
    rows = HALF_BYTES * (1 if epilogue_bytes else buffers)
    results = row_tiles * column_tiles * (HALF_BYTES + rows + epilogue_bytes * buffers)
    return elements * (factors + results)


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
