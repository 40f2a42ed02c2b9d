"""The matrix engine's state: accumulators, conversion state, bias registers."""

from __future__ import annotations

import numpy as np

from hexagon_mlir.sim.matrix_engine.formats import BYTE_ROWS, COLUMNS, ROWS

AGES = 3
"""Conversions that are kept: the newest and two before it."""
BIAS_GROUPS = 4


def _host_address(array: np.ndarray) -> int:
    return int(array.ctypes.data)


class IntegerAccumulators:
    """Two sets of cells; a cell is ``low + 16 * high``, i32 [2][BYTE_ROWS][COLUMNS] both."""

    def __init__(self) -> None:
        self.low = np.zeros((2, BYTE_ROWS, COLUMNS), np.int32)
        self.high = np.zeros_like(self.low)
        self.addresses = _host_address(self.low), _host_address(self.high)
        self.current = 0

    def clear(self, which: int | slice = slice(None)) -> None:
        self.low[which] = 0
        self.high[which] = 0

    def shift(self, bits: int) -> None:
        """Shift the current set left."""
        self.low[self.current] <<= bits
        self.high[self.current] <<= bits

    def cells(self) -> np.ndarray:
        """The cells of the current set, i32 [BYTE_ROWS][COLUMNS]."""
        return self.low[self.current] + (self.high[self.current] << 4)

    def part(self, high: bool) -> np.ndarray:
        """One sub-accumulator of the current set alone, worth 16 times as much."""
        return (self.high if high else self.low)[self.current] << 4


class FloatAccumulators:
    """Two sets of significand, exponent and kind (`formats`), i32 [2][ROWS][COLUMNS] each."""

    def __init__(self, least: int) -> None:
        self.least = least
        """Exponent of zero."""
        self.significands = np.zeros((2, ROWS, COLUMNS), np.int32)
        self.exponents = np.full_like(self.significands, least)
        self.kinds = np.zeros_like(self.significands)
        self.addresses = tuple(_host_address(a) for a in (self.significands, self.exponents, self.kinds))
        self.set_bytes = self.significands[0].nbytes
        self.current = 0

    def clear(self, which: int | slice = slice(None)) -> None:
        self.significands[which] = 0
        self.exponents[which] = self.least
        self.kinds[which] = 0


class State:
    """All of it; zero at first."""

    def __init__(self, least_exponent: int) -> None:
        self.integer = IntegerAccumulators()
        self.float = FloatAccumulators(least_exponent)
        self.conversions = [np.zeros((BYTE_ROWS, COLUMNS), np.int16) for _ in range(AGES)]
        """Newest first; 12 bits of each entry count."""
        self.bias = np.zeros((BIAS_GROUPS, 2, COLUMNS), np.uint32)
        """By group: first and second words of the columns."""

    def reset(self) -> None:
        for accumulators in (self.integer, self.float):
            accumulators.clear()
            accumulators.current = 0
        for conversion in self.conversions:
            conversion.fill(0)
        self.bias.fill(0)

    def accumulators(self, floating: bool) -> FloatAccumulators | IntegerAccumulators:
        return self.float if floating else self.integer

    def next_conversion(self) -> np.ndarray:
        """The older conversions age; gives the array of the new one."""
        self.conversions.insert(0, self.conversions.pop())
        return self.conversions[0]
