"""What the two address registers of an instruction say: positions in a tile, taps of a filter, where results go.

The bits of an address inside a tile are *spatial* or *channel* bits. A mask tells which spatial bits count rows of the
picture (y) and which count its columns (x); either is a counter whose bits need not be neighbours.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np

from hexagon_mlir.sim.matrix_engine.formats import BYTE_ROWS, COLUMNS, ROWS

TILE_BYTES = 2048
TILE_MASK = TILE_BYTES - 1
WORD = 0xFFFFFFFF


@dataclass(frozen=True)
class Layout:
    """Bits of an address inside a tile."""

    spatial: int
    channel_shift: int
    rows: int

    def row(self, offset: int) -> int:
        """The row of the accumulators, or slot of the activations, at the spatial bits of ``offset``."""
        if self.channel_shift:
            packed = (offset >> 5 & 0x3C) | (offset & 3)
            return packed >> 1 if self.rows == ROWS else packed
        return offset >> 5

    def channel(self, register: int) -> int:
        """The channel bits."""
        return register >> self.channel_shift & COLUMNS - 1


HALF = Layout(0x782, 2, ROWS)
SPATIAL_MAJOR = Layout(0x783, 2, BYTE_ROWS)
CHANNEL_MAJOR = Layout(0x7E0, 0, BYTE_ROWS)


class Taps(Enum):
    """Which taps of a filter a packet computes, given the largest one."""

    ALL = "all up to it"
    LAST = "it alone"
    REST = "from it on to the last one of the tile"
    EVEN = "every second one up to it"
    NONE = "the first one"


@functools.cache
def counter(mask: int) -> tuple[int, ...]:
    """What the bits of ``mask`` count through."""
    values = [0]
    for bit in (1 << n for n in range(mask.bit_length()) if mask >> n & 1):
        values += [value | bit for value in values]
    return tuple(sorted(values))


def taps(mask: int, largest: int, which: Taps) -> Sequence[int]:
    """The taps along the counter of ``mask``, in order."""
    steps = counter(mask)
    return {
        Taps.ALL: [step for step in steps if step <= largest],
        Taps.LAST: [largest],
        Taps.REST: [step for step in steps if step >= largest],
        Taps.EVEN: [step for step in steps[::2] if step <= largest],
        Taps.NONE: [0],
    }[which]


def _moved(mask: int, step: int, tap: int) -> tuple[int, bool]:
    """``step`` and ``tap`` added along the counter of ``mask``, and whether that leaves the tile."""
    steps = counter(mask)
    index = steps.index(step) + steps.index(tap)
    return steps[index % len(steps)], index >= len(steps)


@dataclass(frozen=True)
class Rows:
    """A number for each of a tile's rows, i32, and where the array stands."""

    values: np.ndarray
    address: int

    @classmethod
    def of(cls, values: Sequence[int]) -> Rows:
        array = np.array(values, np.int32)
        return cls(array, array.ctypes.data)


@functools.lru_cache(1024)
def sources(layout: Layout, y_mask: int, tap: int) -> Rows:
    """Slot of the activation that each row is multiplied with; those of the tile below follow the tile's own."""
    result = [0] * layout.rows
    for y in counter(y_mask):
        row, below = _moved(y_mask, y, tap)
        for x in counter(layout.spatial & ~y_mask):
            result[layout.row(y | x)] = layout.row(row | x) + below * layout.rows
    return Rows.of(result)


@functools.lru_cache(1024)
def targets(layout: Layout, y_mask: int, tap: int, current: int, drop: bool) -> Rows:
    """Row of both sets that the products of each row go to: right of it by ``tap``, -1 for none.

    What leaves the tile goes to the other set, unless ``drop``.
    """
    x_mask = layout.spatial & ~y_mask
    result = [0] * layout.rows
    for x in counter(x_mask):
        column, beyond = _moved(x_mask, x, tap)
        for y in counter(y_mask):
            set_ = current ^ beyond
            result[layout.row(y | x)] = -1 if beyond and drop else layout.row(y | column) + set_ * layout.rows
    return Rows.of(result)


@dataclass(frozen=True)
class Placement:
    """One piece of a store: which rows of which conversion go where."""

    age: int
    """0 for the newest conversion, 1 for the one before it."""
    below: bool
    """The piece belongs to the tile at dY."""
    rows: np.ndarray
    places: np.ndarray
    """Offsets in the tile, [rows][COLUMNS]."""


@functools.lru_cache(1024)
def placements(layout: Layout, y_mask: int, offset: int) -> tuple[Placement, ...]:
    """Where a tile goes that is moved down and right by ``offset``.

    The columns left of it are the last ones of the conversion before; rows that leave the tile go to the one below.
    """
    x_mask = layout.spatial & ~y_mask
    down, right = offset & y_mask, offset & x_mask
    pieces: dict[tuple[int, bool], list[tuple[int, int]]] = {}
    for y in counter(y_mask):
        row, below = _moved(y_mask, y, down)
        for x in counter(x_mask):
            column, beyond = _moved(x_mask, x, right)
            pieces.setdefault((int(beyond), below), []).append((layout.row(y | x), row | column))
    channels = np.arange(COLUMNS) << layout.channel_shift
    return tuple(
        Placement(age, below, np.array([r for r, _ in found]),
                  np.array([place for _, place in found])[:, None] | channels)
        for (age, below), found in sorted(pieces.items())
    )  # fmt: skip


def borrows(first: int, last: int) -> int:
    """Leading borrows of the difference of two channel numbers: how often the 32 channels are halved into groups."""
    borrow, found = 0, []
    for bit in range(COLUMNS.bit_length() - 1):
        a, b = last >> bit & 1, first >> bit & 1
        borrow = int(a - b - borrow < 0)
        found.append(borrow)
    count = 0
    while count < len(found) and found[-1 - count]:
        count += 1
    return count


def signed(word: int) -> int:
    """A 32-bit register as a signed number."""
    return word - (1 << 32) if word >> 31 else word
