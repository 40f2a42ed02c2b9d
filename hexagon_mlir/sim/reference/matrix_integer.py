"""The integer accumulators of the matrix engine: sums of products in two sub-accumulators a cell."""

from __future__ import annotations

import numpy as np

ROWS, COLUMNS = 64, 32
WORD = 0xFFFFFFFF


def signed(value: np.ndarray) -> np.ndarray:
    """The low 32 bits as a signed number."""
    value = value & WORD
    return np.where(value >> 31, value - (1 << 32), value)


class IntegerAccumulators:
    """Two sets of 64 rows and 32 columns; a cell is ``parts[0] + 16 * parts[1]``, all modulo 2**32."""

    def __init__(self) -> None:
        self.parts = np.zeros((2, 2, ROWS, COLUMNS), np.int64)
        """(low or high, set, row, column)."""

    def clear(self, number: int) -> None:
        """Make a set zero."""
        self.parts[:, number] = 0

    def add(self, sets: np.ndarray, rows: np.ndarray, activations: np.ndarray, nibbles: np.ndarray) -> None:
        """Add products to ``rows`` of ``sets``, both (n,).

        ``activations`` are (n, 1 or 32, channels), ``nibbles`` (low or high, 32, channels).
        """
        sums = (activations.astype(np.int64)[None] * nibbles[:, None]).sum(axis=-1)
        self.parts[:, sets, rows] = signed(self.parts[:, sets, rows] + sums)

    def shift(self, number: int, places: int) -> None:
        """Move a set to the left."""
        self.parts[:, number] = signed(self.parts[:, number] << places)

    def cells(self, number: int, part: int | None = None) -> np.ndarray:
        """A set, (rows, columns): the sums, or 16 times one sub-accumulator."""
        low, high = self.parts[:, number]
        return signed(low + 16 * high if part is None else 16 * self.parts[part, number])
