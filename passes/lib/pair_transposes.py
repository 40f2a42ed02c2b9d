"""Copies that transpose pairs of elements: which loops vectors of them go along."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from hexagon_mlir.dialects.engine_tiles import PAIR
from hexagon_mlir.ir import ir
from hexagon_mlir.ir.query import element_bytes

_WORD_BYTES = 4
_INNER = 4


class PairTranspose(NamedTuple):
    """Loops of a copy: ``pair`` has two iterations, neighbours in memory on both sides, 32 bits together. In the source
    ``piece``, ``column`` and ``pair`` follow each other, two pieces are a vector, or two rows if there is one piece; in
    the target ``row`` and ``pair`` do, they are one.
    """

    row: int
    piece: int
    column: int
    pair: int


def read_pair_transpose(source: Sequence[int | None], target: Sequence[int | None], extents: Sequence[int | None],
                        width: int, vector_bytes: int) -> PairTranspose | None:
    """The loops of a copy of which ``source`` and ``target`` name the loop that indexes each dimension, of elements of
    ``width`` bytes; None for any other copy."""
    loops = set(range(len(extents)))
    if len(loops) < _INNER or any(len(dims) != len(loops) or set(dims) != loops for dims in (source, target)):
        return None
    (piece, column, pair), (row, same) = source[-3:], target[-2:]
    if pair != same or row in (piece, column) or None in (piece, column, pair, row):
        return None
    assert row is not None and piece is not None and column is not None and pair is not None
    words, pieces = vector_bytes // _WORD_BYTES, extents[piece] or 0
    fits = (extents[row] == words and PAIR * (extents[column] or 0) == words and extents[pair] == PAIR
            and (pieces >= PAIR or (pieces == 1 and source[-_INNER] == row)) and PAIR * width == _WORD_BYTES)
    return PairTranspose(row, piece, column, pair) if fits else None


def pair_transpose_of(op: ir.Operation, reads: Sequence[Sequence[int | None]], extents: Sequence[int],
                      vector_bytes: int) -> PairTranspose | None:
    """The loops of linalg op ``op`` on tensors, whose operands ``reads`` says; None where it transposes no pairs."""
    if len(reads) != 2 or len(list(op.regions[0].blocks[0].operations)) != 1:
        return None
    width = element_bytes(ir.RankedTensorType(op.results[0].type).element_type)
    return read_pair_transpose(reads[0], reads[1], extents, width, vector_bytes)
