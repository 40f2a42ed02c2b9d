"""What the functions that compute and the walk that calls them agree on: sizes, and number formats of the float half.

A float is a two's complement *significand* times 2 to an *exponent*. The exponent of a half-precision operand counts
from 16, one less than IEEE 754's bias, so products have exponents from -50 to 30.
"""

from __future__ import annotations

ROWS, COLUMNS = 32, 32
"""Of a float tile; an integer tile has twice the rows."""
BYTE_ROWS = 64
GROUP, BYTE_GROUP = 8, 4
"""Channels that are summed at a time, of floats and of bytes."""
VECTOR_BYTES = 128
TILE_VECTORS = 16
"""128-byte vectors of a tile of activations."""
WEIGHT_BITS = {"b": 8, "sm": 8, "n": 4, "n2x": 8, "c": 2, "sc": 2, "ubit": 1, "sbit": 1, "hf": 16}
"""Of each type of weights; those of ``n2x`` are two columns' in a byte."""
OPERAND_BIAS = 16
HALF_FRACTION = 10
PRODUCT_SHIFT = 4
"""Zeros below a product in the accumulator's format."""
FRACTION = 22
"""Fraction bits of an accumulator's significand, which has 30 bits."""
NORMALIZED = 3
"""Most places that a sum is normalized by."""
ZERO_EXPONENT = -1024
"""Of a zero among operands: below every exponent, so it never decides how far the others are shifted."""
ABSENT_EXPONENT = -4096
"""Of a weight that is not there: below that of a zero. A column with eight of them takes no part."""
POSITIVE_INFINITY, NEGATIVE_INFINITY, NAN = 1, 2, 3
"""Kinds that are no number; those of addends join by ``or``."""


def exponent_range(bits: int) -> tuple[int, int]:
    """Least and greatest exponent of ``bits``."""
    return -(1 << bits - 1), (1 << bits - 1) - 1
