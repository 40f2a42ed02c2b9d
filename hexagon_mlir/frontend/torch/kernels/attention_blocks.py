"""How attention of f16 by blocks of queries is cut so that its buffers fit TCM: functions over numbers."""

from __future__ import annotations

from typing import NamedTuple

from hexagon_mlir.frontend.torch.kernels.attention_scores import Shape

TILE = 32
"""Fewer queries or keys do not fill a tile of the matrix engine."""
_ROWS = (128, 64, 32)
"""Queries of a block: the most that fit."""
_PARTS = 4
"""Of the queries of causal attention, where they fit."""
_TOGETHER = 2
"""Blocks at a time, where they fit: the engine multiplies for one while HVX works on the other."""
_BYTES = 3 << 20
"""Of what is there at a time, of the 4 MiB of TCM that a kernel of a model may use on chips that have 8."""


class Part(NamedTuple):
    """Queries from ``first`` to before ``end``, which see at most so many ``keys``."""

    first: int
    end: int
    keys: int


class Plan(NamedTuple):
    """``rows`` of a block of queries, how many blocks are taken ``together``, and the ``parts`` of all queries."""

    rows: int
    together: int
    parts: list[Part]


def plan(shape: Shape) -> Plan | None:
    """The largest blocks; None where the smallest do not fit. Causal attention is cut into parts, since the first
    queries see few keys; measured, that saves as much time as blocks together: 8 heads of 512 x 64 take 1,157,637
    cycles, in one part 1,218,780. With 1,024 keys, parts leave no room for blocks of 128 queries with two buffers: 2
    heads in one part take 718,472 cycles, in two parts 727,300, in four 732,715, in four with blocks of 64 968,791."""
    rows = next((rows for rows in _ROWS if _fits(shape, rows, [shape.keys])), None)
    if rows is None:
        return None
    found = _parts(shape, rows)
    if shape.causal and _fits(shape, rows, [part.keys for part in found]):
        return Plan(min(rows, shape.queries), 1, found)
    together = _TOGETHER if shape.queries > rows and _fits(shape, _TOGETHER * rows, [shape.keys]) else 1
    return Plan(min(rows, shape.queries), together, [Part(0, shape.queries, shape.keys)])


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
