"""Which bytes of numbers in fixed point are summed in one word of 32 bits."""

from __future__ import annotations

from hexagon_mlir.dialects.block_weights import BYTE_BITS

_PAIR = 2
"""Planes that always fit: 128 products of 16 bits and a code of 8 bits."""
_WORD_BITS = 32


def planes_of_words(planes: int, bits: int, block: int, own_zeros: bool) -> list[range]:
    """The planes that each word joins, the least significant first.

    A block has ``block`` products of a number of so many ``planes`` and a code of ``bits``. Less its zero point, half
    of its range unless weights have ``own_zeros``, a code is at most 2^(bits - 1); a number is at most
    2^(8 planes - 2), rounded. Where such a sum fits a word, all planes are one; otherwise two are.
    """
    largest = block * ((1 << BYTE_BITS * planes - 2) + 1) << bits - 1
    if not own_zeros and largest < 1 << _WORD_BITS - 1:
        return [range(planes)]
    return [range(first, min(first + _PAIR, planes)) for first in range(0, planes, _PAIR)]
