"""Cycles of a product of f16 matrices on HVX: functions over numbers.

Constants are least-squares fits to 640 random products of up to 400 rows, columns and steps, of those the ones that the
matrix engine computes in a third to three times that time (`bench/engine_choice.py`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import gcd

from hexagon_mlir.passes.lib.chunk_choice import choose_cut, choose_split
from hexagon_mlir.passes.lib.thread_cost import Chunks, ForkCost
from hexagon_mlir.targets import Target

_HALF_BYTES = 2
_START_CYCLES, _BYTE_CYCLES = 1400.0, 0.051
"""Of a product in any case; of each byte of the factors and the result."""
_STEP_CYCLES, _WHOLE_STEP_CYCLES, _LONG_ROW_STEP_CYCLES = 7.0, 6.4, 1.0
"""Of a vector of products; where rows are whole vectors; more where a row is three vectors or more."""
_SHORT, _SHORT_ROWS, _SHORT_STEP_CYCLES, _SHORT_STEP_OF_SEVERAL_CYCLES = 4, 32, 35.0, 18.2
"""Reductions of fewer steps, of at least so many rows: the same, where a row is one vector and where it is several."""
_VECTOR_CYCLES, _WEIGHTS_VECTOR_CYCLES = 6.9, 1.6
"""Of a vector of the result, and of the right factor."""
_FORK, _PART_CYCLES = 0.7, 128.0
"""The part of the threads' cost that does not overlap; of a vector of the result of each part of a reduction."""
_NEST_PACKETS, _FILL_PACKETS, _COMBINE_PACKETS = 4.0, 1.0, 4.0
"""What `form-virtual-threads` takes for a vector of products, of zeros before, and of sums of two parts."""
_NARROW, _NARROW_START_CYCLES, _SUM_CYCLES, _SUM_STEP_CYCLES, _FEW_STEP_CYCLES = 8, 1300.0, 235.0, 1.2, 60.0
"""Rows of fewer columns are not vectorized: a vector goes along the steps, and each result is the sum of its elements.
With no more steps, vectors go along the rows, if these are more.
"""
_SCALAR_CYCLES = 2.3
"""Measured: a multiplication and its sum without vectors, 64 and 200 products of 6 x 6 x 6, 100 of 8 x 8 x 7."""
_ROW_CYCLES, _ROW_BYTE_CYCLES, _RAGGED_ROW_BYTE_CYCLES = 6000.0, 0.030, 0.034
"""Of one row times a matrix, on several threads that wait for DDR: in any case, and of each byte of the factors where
rows are whole vectors and where they are not. Measured: 40 matrices of 16 to 4,096 rows and columns. Rows of up to
1,100 columns that are no whole vectors take up to three times that.
"""
_ALONE_BYTE_CYCLES = 0.12
"""The same on one thread, of a byte."""


@dataclass(frozen=True)
class HvxCost:
    """Bytes of a vector, cycles of a packet of one dense thread, and what threads cost."""

    vector_bytes: int
    packet_cycles: float
    fork: ForkCost

    @staticmethod
    def of(target: Target) -> HvxCost:
        """The numbers of ``target``."""
        return HvxCost(int(target.vector_bytes.value), float(target.hvx_issue_interval_cycles.value),
                       ForkCost.of(target))


def hvx_cycles(rows: int, columns: int, reduction: int, cost: HvxCost) -> float:
    """Estimated cycles of a product on HVX, with threads as `form-virtual-threads` chooses them."""
    lanes, fork = cost.vector_bytes // _HALF_BYTES, cost.fork
    if columns < _NARROW:
        if reduction > _NARROW:
            return _NARROW_START_CYCLES + rows * columns * (_SUM_CYCLES + _SUM_STEP_CYCLES * reduction)
        step = _FEW_STEP_CYCLES if rows > _NARROW else _STEP_CYCLES
        return _START_CYCLES + fork.spread(-(-rows // lanes) * columns * reduction * step)
    of_row = -(-columns // lanes)
    chunks, parts = _chunks(rows, columns, reduction, cost)
    tasks = min(chunks.count, fork.tasks)
    share = chunks.load(tasks)[0] * fork.slowdown(tasks)
    if reduction < _SHORT and rows >= _SHORT_ROWS:
        step = _SHORT_STEP_CYCLES if of_row == 1 else _SHORT_STEP_OF_SEVERAL_CYCLES
    elif columns % lanes:
        step = _STEP_CYCLES + (_LONG_ROW_STEP_CYCLES if of_row > 2 else 0.0)
    else:
        step = _WHOLE_STEP_CYCLES
    moved = _HALF_BYTES * (rows * reduction + reduction * columns + rows * columns)
    return (_START_CYCLES + moved * _BYTE_CYCLES + share * rows * of_row * (reduction * step + _VECTOR_CYCLES)
            + _WEIGHTS_VECTOR_CYCLES * reduction * of_row + _FORK * fork.fork_join(tasks)
            + _PART_CYCLES * parts * rows * of_row)


def window_cycles(pixels: int, outputs: int, reduction: int, moved: int, cost: HvxCost) -> float:
    """The same of a convolution by windows of ``reduction`` elements: vectors go along the outputs, however few. So
    many elements of image and weights are ``moved`` from DDR."""
    columns = max(outputs, _NARROW)
    others = _HALF_BYTES * (pixels * reduction + reduction * columns - moved)
    return hvx_cycles(pixels, columns, reduction, cost) - others * _BYTE_CYCLES


def row_cycles(columns: int, reduction: int, cost: HvxCost) -> float:
    """The same of one row, whose loop is none: a vector times a matrix."""
    moved = _HALF_BYTES * (columns + 1) * reduction
    ragged = columns % (cost.vector_bytes // _HALF_BYTES)
    each = _RAGGED_ROW_BYTE_CYCLES if ragged else _ROW_BYTE_CYCLES
    return min(_START_CYCLES + _ALONE_BYTE_CYCLES * moved, _ROW_CYCLES + each * moved)


def batch_cycles(count: int, rows: int, columns: int, reduction: int, cost: HvxCost) -> float:
    """The same of ``count`` products of as many rows each, one after the other."""
    if max(rows, columns + 1, reduction) <= _NARROW:  # no vector fits one of them
        return _START_CYCLES + count * rows * columns * reduction * _SCALAR_CYCLES
    begins_vector = cost.vector_bytes // gcd(cost.vector_bytes, _HALF_BYTES * rows * columns)
    tasks = min(cost.fork.tasks, -(-count // begins_vector))  # each writes whole vectors
    return hvx_cycles(count * rows, columns, reduction, replace(cost, fork=replace(cost.fork, tasks=tasks)))


def _chunks(rows: int, columns: int, reduction: int, cost: HvxCost) -> tuple[Chunks, int]:
    """How `form-virtual-threads` cuts the loops, and in how many parts that are added up afterwards, if any."""
    lanes, fork = cost.vector_bytes // _HALF_BYTES, cost.fork
    vectors = rows * -(-columns // lanes)
    cycles = vectors * (reduction * _NEST_PACKETS + _FILL_PACKETS) * cost.packet_cycles
    best, gain = Chunks((1,), (1,)), 0.0
    unit = cost.vector_bytes // gcd(cost.vector_bytes, _HALF_BYTES * columns)
    ways = [(rows, unit, 1)] + [(columns, lanes, lanes)] * (columns % lanes == 0)
    for extent, along, least in [] if fork.exceeds(cycles) else ways:
        cut = choose_cut((extent,), [(along,)], cycles, fork, 0, [least])
        if cut is not None and cycles - fork.time(cycles, cut.chunks) > gain:
            best, gain = cut.chunks, cycles - fork.time(cycles, cut.chunks)
    if best.count >= fork.tasks:
        return best, 0
    combine = _COMBINE_PACKETS * cost.packet_cycles * -(-rows * columns // lanes)
    split = choose_split(-(-reduction // lanes), cycles, combine, fork)
    if split is not None and cycles - fork.time(cycles, split) - split.count * combine > gain:
        return split, split.count
    return best, 0
