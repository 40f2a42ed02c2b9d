"""Stores of the conversion state: which byte of which tile each entry goes to."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from hexagon_mlir.sim.reference.matrix_tile import CHANNELS, TILE_BYTES, Layout, Shape

WORD = 0xFFFFFFFF
FRACTION_BITS = 4
"""Low bits of an entry that no store writes."""


@dataclass(frozen=True)
class Destination:
    """``mxmem(Rs,Rt)`` of a store: a tile, results moved by (oy, ox) in it, the shape, the distance of the tile below.
    """

    base: int
    extent: int
    layout: Layout

    @property
    def shape(self) -> Shape:
        return Shape.of(self.layout, self.extent)

    def places(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Of each result row: its address in channel 0, the row it has, whether it left the tile below, and on the
        right (where it goes to column x + ox - width)."""
        shape = self.shape
        oy, ox = shape.split(self.base)
        y, x = shape.coordinates()
        below, right = y + oy >= shape.height, x + ox >= shape.width
        rows = shape.grid()[(y + oy) % shape.height, (x + ox) % shape.width]
        tile = (self.base & -TILE_BYTES) + np.where(below, self.extent & -TILE_BYTES, 0)
        return (tile + self.layout.offsets()[rows, 0]) & WORD, np.arange(len(rows)), below, right


def pieces(
    to: Destination, inside: np.ndarray | None, wrapped: np.ndarray | None, below: bool | None = None
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """(addresses, bytes) to write: of ``inside`` the results that keep to the tile's columns, of ``wrapped`` those that
    left on the right; with ``below`` only those that did, or did not, leave for the tile below."""
    addresses, rows, left_below, left_right = to.places()
    channels = to.layout.offsets()[0, :CHANNELS]
    wanted = np.ones_like(left_below) if below is None else left_below == below
    for entries, chosen in ((inside, wanted & ~left_right), (wrapped, wanted & left_right)):
        if entries is not None:
            values = entries[rows[chosen]] >> FRACTION_BITS & 0xFF
            yield addresses[chosen][:, None] + channels, values.astype(np.uint8)
