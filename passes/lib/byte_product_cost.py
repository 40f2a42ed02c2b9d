"""What products of bytes with sums in words cost on HVX, which multiplies and adds four in each lane (vrmpy)."""

from __future__ import annotations

WORD_BYTES = 4
LEAST_LANES = 8
"""Columns: fewer are not vectorized (`passes.contraction.plan`)."""
_ROW_PACKETS, _BLOCK_PACKETS, _COPY_PACKETS = 2.0, 4.0, 16.0
"""Measured, 170 random products of up to 400 rows, columns and steps: to spread a word of a row over the lanes; to
start and store a vector of sums; estimated: to make words of four rows of a vector.
"""


def product_packets(rows: int, columns: int, words: int, lanes: int, copied: bool = True) -> float:
    """Packets on one thread of ``rows`` times a factor of ``words`` words of each of the ``columns``, in vectors of
    ``lanes`` words: one for each product, and the copy's, if the factor is ``copied`` to words."""
    vectors = -(-columns // lanes)
    copy = words * -(-columns // (lanes * WORD_BYTES)) * _COPY_PACKETS if copied else 0.0
    return rows * (words * (vectors + _ROW_PACKETS) + vectors * _BLOCK_PACKETS) + copy
