"""Cycles of a product of bytes whose sizes are no whole tiles, on the matrix engine and on HVX: functions over numbers.

All constants are least-squares fits to random products of up to 400 rows, columns and steps, measured both ways
(`bench/engine_choice.py --kind bytes`); those of HVX to 400 of them.
"""

from __future__ import annotations

from math import gcd

from hexagon_mlir.passes.lib.byte_product_cost import LEAST_LANES, WORD_BYTES, product_packets
from hexagon_mlir.passes.lib.chunk_choice import choose_cut
from hexagon_mlir.passes.lib.thread_cost import ForkCost

_VECTOR_BYTES, _WORDS = 128, 32
_BYTES_PER_CYCLE = 17.3
_BLOCK_CYCLES, _ROW_CYCLES = 5180.0, 9.7
"""Of a product whose factors are one block each in any case, and of each row. These and what follows to the next text
are a fit to 121 products of up to 400 rows, columns and steps, off by 8 %."""
_WEIGHTS_VECTOR_CYCLES, _SUMS_VECTOR_CYCLES = 9.8, 4.7
_SECOND_ROW_TILE, _SECOND_COLUMN_TILE, _SECOND_VECTOR = 1810.0, 1900.0, 2570.0
"""More where there is a second tile of rows, of columns, or a second vector of columns."""
_TRANSFERRED_WEIGHTS, _TRANSFERRED_SUMS, _TRANSFERRED_BYTES = 330.0, 960.0, 2595
"""More where the DMA engine moves the weights or the sums, not HVX."""
_RAGGED_GRID_CYCLES = 3000.0
"""What a grid of several products takes more than estimated, where blocks are filled up to tiles."""
_NEST_PACKETS = 19.0
"""What `form-virtual-threads` takes for a vector of bytes that are multiplied one by one."""
_THREAD_ROWS = 4
"""Products of fewer rows stay on one thread."""
_LEAST_WORDS = 2
"""One word of the reduction is multiplied as two, the other one of zeros."""
_FEW_STEPS, _FEW_PRODUCTS, _ROWS_STEP_CYCLES = 8, 400, 190.0
"""Steps and products of few columns that are multiplied one by one; cycles of a step where vectors go along the rows.
"""


def ragged_cycles(rows: int, columns: int, reduction: int, of_grid: float | None = None) -> float:
    """Estimated cycles on the engine, with packing and joining by HVX: of a product of one block, or of a grid of
    several, which is estimated to take ``of_grid`` without filling them up."""
    if of_grid is not None:
        return of_grid + _RAGGED_GRID_CYCLES
    tiles = (_SECOND_ROW_TILE * (rows > 2 * _WORDS) + _SECOND_COLUMN_TILE * (columns > _WORDS)
             + _SECOND_VECTOR * (columns > _VECTOR_BYTES))
    transfers = (_TRANSFERRED_WEIGHTS * (reduction * columns >= _TRANSFERRED_BYTES)
                 + _TRANSFERRED_SUMS * (WORD_BYTES * rows * columns >= _TRANSFERRED_BYTES))
    vectors = (_WEIGHTS_VECTOR_CYCLES * reduction * _vectors(columns, _VECTOR_BYTES)
               + _SUMS_VECTOR_CYCLES * rows * _vectors(columns, _WORDS))
    return _BLOCK_CYCLES + _ROW_CYCLES * rows + tiles + vectors + transfers


def ragged_hvx_cycles(rows: int, columns: int, reduction: int, fork: ForkCost) -> float:
    """Estimated cycles on HVX, with threads as `form-virtual-threads` chooses them."""
    vectors, words = _vectors(columns, _WORDS), max(_vectors(reduction, WORD_BYTES), _LEAST_WORDS)
    of_bytes = _vectors(columns, _VECTOR_BYTES)
    by_word = columns >= LEAST_LANES and reduction >= WORD_BYTES
    packets = rows * reduction * of_bytes * _NEST_PACKETS
    if by_word:
        packets = product_packets(rows, columns, words, _WORDS) + rows * vectors if rows >= _THREAD_ROWS else 0.0
    share, spread = _share(rows, columns, packets / fork.packets, fork)
    moved = (rows * reduction + reduction * columns + WORD_BYTES * rows * columns) / _BYTES_PER_CYCLE
    if columns < LEAST_LANES:  # sums one by one, or of few steps
        if reduction <= _FEW_STEPS and rows * columns * reduction > _FEW_PRODUCTS:
            return 1340 + _ROWS_STEP_CYCLES * columns * reduction
        each = 103 + 0.45 * reduction if reduction > _FEW_STEPS else 0.95 * reduction
        return 1340 + 1.1 * spread + share * rows * columns * each
    if not by_word:
        return 1070 + 0.15 * moved + 2.1 * spread + share * rows * (43 * of_bytes + vectors * (5.4 + 2 * reduction))
    of_row = words * (1.24 * vectors + 0.74 + 1.28 * (words % WORD_BYTES > 0)) + 12.3
    in_parts = 2.4 * vectors * (reduction > _VECTOR_BYTES and reduction % _VECTOR_BYTES > 0)
    return 2020 + 0.75 * moved + share * rows * (of_row + in_parts) + 43 * words * of_bytes + 1.08 * spread


def _share(rows: int, columns: int, cycles: float, fork: ForkCost) -> tuple[float, float]:
    """The part of ``cycles`` that the slowest thread takes, and what the threads cost."""
    unit = _VECTOR_BYTES // gcd(_VECTOR_BYTES, WORD_BYTES * columns)
    cut = None if fork.exceeds(cycles) else choose_cut((rows,), [(unit,)], cycles, fork, 0, [1])
    if cut is None:
        return 1.0, 0.0
    tasks = min(cut.chunks.count, fork.tasks)
    return cut.chunks.load(tasks)[0] * fork.slowdown(tasks), fork.fork_join(tasks)


def _vectors(extent: int, lanes: int) -> int:
    return -(-extent // lanes)
