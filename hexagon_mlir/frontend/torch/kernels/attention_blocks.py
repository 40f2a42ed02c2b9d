"""How attention of f16 by blocks of queries is cut so that its buffers fit TCM: functions over numbers."""

from __future__ import annotations

from typing import NamedTuple

from hexagon_mlir import targets
from hexagon_mlir.dialects.engine_tiles import tiles
from hexagon_mlir.frontend.torch.kernels.attention_scores import Shape

TILE = 32
"""Rows and columns of a tile of the matrix engine."""
_ROWS = (128, 64, 32)
"""Queries of a block: the most that fit."""
_PARTS = 4
"""Of the queries of causal attention, where they fit."""
_TOGETHER = 2
"""Blocks at a time, where they fit: the engine multiplies for one while HVX works on the other."""
_LEAST_HEADS, _LEAST_OCCUPIED = 3, 0.6
"""At a time, and the least share of the threads' time in which they compute."""
_WHOLE_ROWS = 256
"""Queries that are one block where several heads are computed at a time: then keys are packed for one block."""
_HEADS_BYTES = 4200000
"""Of `_bytes_of_head`, of all heads at a time."""
_BYTES = 3 << 20
"""Of what is there at a time, of the 4 MiB of TCM that a kernel of a model may use on chips that have 8."""


class Part(NamedTuple):
    """Queries from ``first`` to before ``end``, which see at most so many ``keys``."""

    first: int
    end: int
    keys: int


class Plan(NamedTuple):
    """``rows`` of a block of queries, how many blocks are taken ``together``, the ``parts`` of all queries, and how
    many ``heads`` threads compute at a time."""

    rows: int
    together: int
    parts: list[Part]
    heads: int = 1


def plan(shape: Shape) -> Plan | None:
    """The largest blocks; None where the smallest do not fit. Causal attention is cut into parts, since the first
    queries see few keys; measured, that saves as much time as blocks together: 8 heads of 512 x 64 take 1,157,637
    cycles, in one part 1,218,780. With 1,024 keys, parts leave no room for blocks of 128 queries with two buffers: 2
    heads in one part take 718,472 cycles, in two parts 727,300, in four 732,715, in four with blocks of 64 968,791.
    Several heads at a time come first: 4 of these heads take 289,212 cycles instead of 580,194."""
    several = _several_heads(shape)
    if several is not None:
        return several
    rows = next((rows for rows in _ROWS if _fits(shape, rows, [shape.keys])), None)
    if rows is None:
        return None
    found = _parts(shape, rows)
    if shape.causal and _fits(shape, rows, [part.keys for part in found]):
        return Plan(min(rows, shape.queries), 1, found)
    together = _TOGETHER if shape.queries > rows and _fits(shape, _TOGETHER * rows, [shape.keys]) else 1
    return Plan(min(rows, shape.queries), together, [Part(0, shape.queries, shape.keys)])


def _several_heads(shape: Shape) -> Plan | None:
    """Blocks of as many heads at a time as occupy the threads best; None where too few fit for that. Each thread then
    has the work of a head, of which HVX's is too little to share."""
    whole = [shape.queries] if TILE * tiles(shape.queries) <= _WHOLE_ROWS and not shape.causal else []
    choices = [(min(rows, shape.queries), heads_at_once(shape.heads, _HEADS_BYTES // _bytes_of_head(shape, rows)))
               for rows in (*whole, *_ROWS)]
    rows, heads = max(choices, key=lambda choice: occupied(choice[1]))  # the first of equal ones
    if heads < _LEAST_HEADS or occupied(heads) < _LEAST_OCCUPIED:
        return None
    return Plan(rows, 1, _parts(shape, rows) if shape.causal else [Part(0, shape.queries, shape.keys)], heads)


def heads_at_once(heads: int, most: int) -> int:
    """The divisor of ``heads``, up to ``most``, that occupies the threads best; of several the largest; 0 for none."""
    return max((number for number in range(1, min(heads, most) + 1) if heads % number == 0),
               key=lambda number: (occupied(number), number), default=0)


def occupied(heads: int) -> float:
    """The share of their time in which threads with HVX compute so many heads, one each."""
    threads = int(targets.get().hvx_contexts.value)
    return heads / (threads * -(-heads // threads)) if heads else 0.0


def _bytes_of_head(shape: Shape, rows: int) -> int:
    """Bytes that a head takes at a time, of a block of ``rows``: scores and weights, more of them with a mask, keys and
    values as tiles, queries and results. The keys and values of one row of tiles are there as they are, too. Measured:
    of 141 attentions those fit 4 MiB together of which the sum is at most `_HEADS_BYTES`; masks of 1,024 x 1,024 stay
    in DDR."""
    matrices = 8.0 if shape.mask or shape.hidden else 4.5 if shape.causal else 3.0 if shape.cap else 2.0
    rows, keys = (TILE * tiles(count) for count in (min(rows, shape.queries), shape.keys))
    of_row = shape.depth + shape.width
    factors = keys * (of_row + TILE) + (keys * of_row if rows == TILE else 0)
    return int(2 * (matrices * rows * keys + factors + 5 * rows * of_row)) + 20000


def _parts(shape: Shape, rows: int) -> list[Part]:
    """Parts of whole blocks, which see whole tiles of keys."""
    step = -(-shape.queries // (rows * _PARTS)) * rows
    ends = [min(first + step, shape.queries) for first in range(0, shape.queries, step)]
    return [Part(number * step, end, min(-(-end // TILE) * TILE, shape.keys)) for number, end in enumerate(ends)]


def _fits(shape: Shape, rows: int, keys: list[int]) -> bool:
    """Whether scores before and after masks, weights and masks of so many ``rows``, and keys, values and sums as they
    are, transposed and as tiles, fit, for each number of ``keys``: none share memory."""
    matrices = 2 + bool(shape.mask) + bool(shape.hidden) + (shape.causal or bool(shape.mask) or bool(shape.hidden))
    factors = 3 * (shape.keys * shape.depth + sum(keys) * (shape.width + TILE))
    return 2 * (matrices * rows * sum(keys) + factors) <= _BYTES
