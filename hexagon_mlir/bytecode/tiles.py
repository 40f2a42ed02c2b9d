"""How a domain is divided into tiles. Pure functions of numbers."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, sqrt
from typing import NamedTuple

from hexagon_mlir.bytecode import layout


class Tiles(NamedTuple):
    """``rows`` and ``columns`` of a tile, and the ``threads`` that share them."""

    rows: int
    columns: int
    threads: int


_MOST_ROWS = (1 << 16) - 1
"""Of a 2-D transfer: a field of 16 bits."""


@dataclass(frozen=True)
class Room:
    """What a thread's TCM of ``share`` vectors must hold: ``tiles``, ``columns`` and ``rows`` of f32, each counted for
    its places; a value of f16 counts half."""

    share: int
    tiles: float
    columns: float
    rows: float


@dataclass(frozen=True)
class Costs:
    """Cycles of the machine, see `hexagon_mlir.bytecode.costs`: of a ``thread`` that is started; of a tile besides its
    elements (``tile``); of a vector on its way to TCM or back (``transfer``), and of one that is computed."""

    thread: float
    tile: float
    transfer: float
    vector: float


def choose(planes: int, rows: int, columns: int, whole_rows: bool, row_shift: int, room: Room, costs: Costs,
           most_threads: int) -> Tiles | None:
    """Tiles of ``planes`` domains of ``rows`` x ``columns`` elements; None if a row of it must fit TCM and does not.

    Transfers of the first tile of a thread and of its last are waited for: n tiles take n times what a tile costs
    besides its elements, and an n-th of the time of all transfers. So tiles have about ``sqrt(all * tile / transfer)``
    vectors: whole rows, or parts of a row, as many as threads share evenly.
    """
    row, unit = layout.vectors(columns, row_shift), layout.vectors(1, row_shift)
    vectors = planes * rows * row
    threads = min(most_threads, max(1, round(sqrt(vectors * (costs.transfer + costs.vector) / costs.thread))))
    best = sqrt(vectors / threads * costs.tile / costs.transfer)
    left = room.share - room.columns * unit
    most_of_row = int(left / (room.tiles + room.rows)) // unit * unit
    if row > most_of_row and whole_rows:
        return None
    if not whole_rows and row > min(best, most_of_row):
        pieces = _pieces(row, min(max(best, unit), most_of_row), planes * rows, threads)
        return Tiles(1, -(-row // (pieces * unit)) * unit * layout.LANES, threads)
    taken = room.tiles * row + room.columns / layout.LANES or 1
    most = min(_MOST_ROWS, int((left - room.rows * row) / taken))
    pieces = _pieces(rows, min(max(best / max(row, 1), 1), most), planes, threads)
    return Tiles(-(-rows // pieces) or 1, columns or 1, threads)


def _pieces(size: int, most: float, others: int, threads: int) -> int:
    """Into how many pieces of at most ``most`` ``size`` is divided, where there are ``others`` such sizes."""
    shares = -(-threads // others) if others else 1
    return ceil(size / (int(most) * shares)) * shares or 1
