"""Which bytes of numbers in fixed point are summed in one word of 32 bits."""

from __future__ import annotations

from hexagon_mlir.dialects.block_weights import BYTE_BITS

_PAIR = 2
"""Planes that always fit: 128 products of 16 bits and a code of 8 bits."""
_WORD_BITS = 32


def planes_of_words(planes: int, block: int, largest: int | None) -> list[range]:
    """The planes that each word joins, the least significant first.

    A block has ``block`` products of a number of so many ``planes``, at most 2^(8 planes - 2), rounded, and a code.
    Less a zero point that all blocks share, a code is at most ``largest`` in magnitude; None where blocks have their
    own.
    Where such a sum fits a word, all planes are one; otherwise two are.
    """
    if largest is not None and block * ((1 << BYTE_BITS * planes - 2) + 1) * largest < 1 << _WORD_BITS - 1:
        return [range(planes)]
    return [range(first, min(first + _PAIR, planes)) for first in range(0, planes, _PAIR)]
