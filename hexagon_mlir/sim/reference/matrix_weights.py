"""Weights: where the entries of the stream stand in memory and what they stand for."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

COLUMNS = 32
VECTOR_BYTES = 128


@dataclass(frozen=True)
class Kind:
    """A kind of weight: how many entries of the stream (for 32 columns each) a vector of 128 bytes holds."""

    entries: int
    narrow: bool = False
    """Under 8 bits of a column in a byte: products go on to the last channel."""
    floating: bool = False

    @property
    def longest(self) -> int:
        """Entries of the stream that one packet can use."""
        return 1024 if self.floating else 2048


KINDS = {
    "hf": Kind(2, floating=True), "f8": Kind(4, floating=True), "b": Kind(4), "sm": Kind(4),
    "n": Kind(8, narrow=True), "n:2x": Kind(4), "c": Kind(16, narrow=True),
    "sc": Kind(16, narrow=True), "ubit": Kind(32, narrow=True), "sbit": Kind(32, narrow=True),
}  # fmt: skip
SIGNED_CRUMBS = np.array([2, 1, -2, -1])


def stream_length(kind: Kind, extent: int) -> int:
    """Entries that ``extent``, the number of bytes minus 1, lets a packet read; negative: none."""
    if extent >> 31:
        return 0
    return min(((extent >> 7) + 1) * kind.entries, kind.longest)


def halves_of_weights(memory: np.ndarray, base: int, first: int, count: int) -> np.ndarray:
    """Patterns of f16 weights: (count, 32) uint16."""
    entry, column = np.arange(first, first + count)[:, None], np.arange(COLUMNS)
    at = base + (entry >> 1) * VECTOR_BYTES + column * 4 + (entry & 1) * 2
    return memory[at] | memory[at + 1].astype(np.uint16) << 8


def bytes_as_halves(memory: np.ndarray, base: int, first: int, count: int) -> np.ndarray:
    """Patterns of f8 weights, widened to f16: (count, 32) uint16."""
    entry, column = np.arange(first, first + count)[:, None], np.arange(COLUMNS)
    place = np.array([0, 2, 1, 3])[entry & 3]
    return widen(memory[base + (entry >> 2) * VECTOR_BYTES + column * 4 + place])


def widen(bytes_: np.ndarray) -> np.ndarray:
    """f8 as f16: the sign, then 7 bits at 13:7; minus zero is the NaN."""
    wide = bytes_.astype(np.uint16)
    return np.where(wide == 0x80, 0xFFFF, (wide & 0x80) << 8 | (wide & 0x7F) << 7).astype(np.uint16)


def nibbles(name: str, memory: np.ndarray, base: int, first: int, count: int) -> np.ndarray:
    """(2, count, 32): what the low and the high sub-accumulators are multiplied by.

    The weight is low + 16 * high, except of n:2x, where they are the weights of columns 0 to 31 and 32 to 63. The low
    part of 8 bits is their low nibble as a signed number; narrow weights are low as a whole.
    """
    entry, column = np.arange(first, first + count)[:, None], np.arange(COLUMNS)
    kind = KINDS[name]
    raw = memory[base + entry // kind.entries * VECTOR_BYTES + column * 4 + (entry & 3)].astype(np.int64)
    part = entry % kind.entries >> 2
    if name == "n:2x":
        return np.stack([_signed(raw & 15, 4), _signed(raw >> 4, 4)])
    if name == "sm":
        value = np.where(raw & 128, -(raw & 127) - 1, raw)
    elif name == "b":
        value = _signed(raw, 8)
    elif name == "n":
        value = _signed(raw >> 4 * part & 15, 4)
    elif name == "c":
        value = _signed(raw >> 2 * part & 3, 2)
    elif name == "sc":
        value = SIGNED_CRUMBS[raw >> 2 * part & 3]
    else:
        bit = raw >> part & 1
        value = bit if name == "ubit" else 1 - 2 * bit
    low = value if kind.narrow else _signed(value & 15, 4)
    return np.stack([low, value - low >> 4])


def _signed(value: np.ndarray, bits: int) -> np.ndarray:
    return np.where(value >> bits - 1, value - (1 << bits), value)
