"""Addresses inside a 2 KiB tile of activations or results: which bits count positions and which count channels."""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np

TILE_BYTES = 2048
CHANNELS = 32


def gather(value: int, mask: int) -> int:
    """The bits of ``value`` under ``mask``, packed together."""
    result = count = 0
    while mask:
        bit = mask & -mask
        result |= bool(value & bit) << count
        count += 1
        mask ^= bit
    return result


def spread(value: int, mask: int) -> int:
    """The low bits of ``value`` at the bits of ``mask``."""
    result = 0
    while mask:
        bit = mask & -mask
        result |= bit * (value & 1)
        value >>= 1
        mask ^= bit
    return result


@dataclass(frozen=True)
class Layout:
    """The two masks of a layout."""

    spatial: int
    channels: int
    group: int = 4
    """Channels that are read together: a range of channels begins at a multiple of it."""

    @property
    def positions(self) -> int:
        """How many positions (rows) a tile has."""
        return 1 << self.spatial.bit_count()

    def channel(self, register: int) -> int:
        """The channel that the register's low bits name."""
        return gather(register, self.channels)

    @functools.cache  # noqa: B019
    def offsets(self) -> np.ndarray:
        """Bytes from the tile to each element: (positions, channels)."""
        rows = np.array([spread(row, self.spatial) for row in range(self.positions)])
        columns = np.array([spread(channel, self.channels) for channel in range(CHANNELS)])
        return rows[:, None] + columns


SPATIAL_MAJOR = Layout(0x783, 0x07C)
CHANNEL_MAJOR = Layout(0x7E0, 0x01F)
HALVES = Layout(0x782, 0x07C, 8)
"""Spatial-major, of elements of two bytes."""


@dataclass(frozen=True)
class Shape:
    """How the positions of a tile are divided into y and x, from the spatial bits that are y."""

    layout: Layout
    y_mask: int

    @classmethod
    def of(cls, layout: Layout, register: int) -> Shape:
        """The shape that an operand's second register gives."""
        return cls(layout, layout.spatial & register)

    @property
    def x_mask(self) -> int:
        return self.layout.spatial & ~self.y_mask

    @property
    def height(self) -> int:
        return 1 << self.y_mask.bit_count()

    @property
    def width(self) -> int:
        return 1 << self.x_mask.bit_count()

    def split(self, register: int) -> tuple[int, int]:
        """(y, x) that the spatial bits of a register stand for."""
        return gather(register, self.y_mask), gather(register, self.x_mask)

    @functools.cache  # noqa: B019
    def coordinates(self) -> tuple[np.ndarray, np.ndarray]:
        """y and x of each row."""
        pairs = [self.split(spread(row, self.layout.spatial)) for row in range(self.layout.positions)]
        y, x = np.array(pairs).T
        return y, x

    @functools.cache  # noqa: B019
    def grid(self) -> np.ndarray:
        """The row of each (y, x)."""
        rows = np.empty((self.height, self.width), np.int64)
        rows[self.coordinates()] = np.arange(self.layout.positions)
        return rows
