"""How a domain is divided into tiles. Pure functions of numbers."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import NamedTuple

from hexagon_mlir.bytecode import layout
from hexagon_mlir.bytecode.row_handlers import ROWS


class Tiles(NamedTuple):
    """``rows`` and ``columns`` of a tile, and the ``threads`` that share them."""

    rows: int
    columns: int
    threads: int


_TILES = (2, 3, 4, 6, 8, 12, 16)
"""Of a thread: what is tried."""
_MORE_PIECES = 4


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
    """Cycles of the machine (`hexagon_mlir.bytecode.costs`). The memory interface is occupied by the transfers of a
    vector for ``transfer``, and of a tile for ``descriptors`` more. A thread computes a vector in ``vector``, and takes
    ``tile`` besides."""

    transfer: float
    descriptors: float
    vector: float
    tile: float


def choose(planes: int, rows: int, columns: int, whole_rows: bool, row_shift: int, room: Room, costs: Costs,
           most_threads: int) -> Tiles | None:
    """Tiles of ``planes`` domains of ``rows`` x ``columns`` elements; None if a row of it must fit TCM and does not.

    Tiles are whole rows, or parts of a row, as many as threads share evenly. All threads take part, even in what one
    computes soon: each has an engine for its transfers.
    """
    row, unit = layout.vectors(columns, row_shift), layout.vectors(1, row_shift)
    vectors = planes * rows * row
    left = room.share - room.columns * unit
    most_of_row = int(left / (room.tiles + room.rows)) // unit * unit
    if row > most_of_row and whole_rows:
        return None
    threads = max(1, min(most_threads, vectors))
    best = _tile_vectors(vectors / threads, threads, int(left / (room.tiles + room.columns + room.rows)), costs)
    more = max(costs.tile, threads * costs.descriptors) / max(costs.vector, threads * costs.transfer)
    if not whole_rows and row > min(best, most_of_row):
        shares = -(-threads // (planes * rows or 1))
        units = _piece(row // unit, int(min(best, most_of_row)) // unit, shares, more / unit, 1)
        return Tiles(1, units * unit * layout.LANES, threads)
    taken = room.tiles * row + room.columns / layout.LANES or 1
    most = min(layout.MAX_TILE_ROWS, int((left - room.rows * row) / taken))
    row = row or 1
    shares = -(-threads // (planes or 1))
    tile_rows = _piece(rows, min(int(best / row), most), shares, more / row, ROWS if whole_rows else 1)
    return Tiles(tile_rows, columns or 1, threads)


def _tile_vectors(share: float, threads: int, most: int, costs: Costs) -> float:
    """The vectors of a tile, at most ``most``, with which each of ``threads`` takes least time for its ``share``.

    Transfers run beside the work, but those of a thread's first tile and of its last: with n tiles, it waits for an
    n-th of the shorter of both.
    """
    transfers, work = threads * share * costs.transfer, share * costs.vector
    least = max(1, ceil(share / most))

    def time(tiles: int) -> float:
        busy, computing = transfers + threads * tiles * costs.descriptors, work + tiles * costs.tile
        return max(busy, computing) + min(transfers, work) / tiles

    return share / min([least, *(count for count in _TILES if count > least)], key=time)


def _piece(size: int, most: int, shares: int, more: float, grain: int) -> int:
    """The size of the pieces, each of at most ``most``, that ``shares`` threads divide ``size`` into: that with which
    one takes least time, if it takes as long for ``grain`` as for fewer, and for a piece as for ``more`` besides.
    """
    least = -(-size // (max(most, 1) * shares)) or 1
    even = [-(-size // (count * shares)) or 1 for count in range(least, least + _MORE_PIECES)]
    pieces = [*even, *(rounded for piece in even if (rounded := -(-piece // grain) * grain) <= most)]
    return min(pieces, key=lambda piece: -(-size // (piece * shares)) * (-(-piece // grain) * grain + more))
