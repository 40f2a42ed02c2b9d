"""Sizes of a product's blocks in TCM: functions over numbers."""

from __future__ import annotations

from dataclasses import dataclass

from hexagon_mlir.dialects.engine_tiles import HALF_BYTES, PAIR, TILE, tiles
from hexagon_mlir.dialects.narrow_weights import NARROW_BYTES

GAPS = 16
"""The part of TCM that is left for tables, tags and gaps between buffers."""


@dataclass(frozen=True)
class Blocks:
    """How many rows and columns of the result are computed at a time; the whole reduction each time."""

    rows: int
    columns: int


def choose_blocks(rows: int, columns: int, reduction: int, budget: int, epilogue_bytes: int = 0,
                  narrow: bool = False) -> Blocks | None:
    """The largest blocks, in whole tiles or all, whose data fit ``budget`` bytes; None where one tile does not.

    All rows are taken at a time where that leaves room for a few columns of tiles, so that weights are transferred and
    packed once. Among the columns that fit those are preferred that leave at least four blocks, whose transfers overlap
    with the work on others, and blocks of equal size if they are at least half as large. ``epilogue_bytes``,
    ``narrow``: as for `block_bytes`.
    """
    most = tiles(columns)
    for row_tiles in _halves(tiles(rows)):
        fitting = [count for count in range(1, most + 1)
                   if block_bytes(row_tiles, count, tiles(reduction), most > count, epilogue_bytes, narrow) <= budget]
        if not fitting or (fitting[-1] < min(_LEAST_COLUMNS, most) and row_tiles > 1):
            continue
        wanted = [count for count in fitting if count <= max(-(-most // _BLOCKS), min(_LEAST_COLUMNS, most))]
        even = [count for count in wanted if most % count == 0 and 2 * count >= max(wanted)]
        return Blocks(min(TILE * row_tiles, rows), min(TILE * max(even or wanted), columns))
    return None


def choose_parts(columns: int) -> list[int]:
    """Columns of the parts of a block of ``columns``: HVX packs and unpacks one of them while the engine multiplies
    another. At most `_PARTS`, whole pairs of tiles but for the last one, of about equal size.
    """
    pairs = -(-tiles(columns) // PAIR)
    step = -(-pairs // min(_PARTS, pairs)) * PAIR * TILE
    return [min(step, columns - start) for start in range(0, columns, step)]


_PARTS = 4
"""The first part is packed, and the last one unpacked, while the engine has nothing to do."""
_BLOCKS = 4
"""Blocks of columns that make transfers overlap."""
_LEAST_COLUMNS = 2
"""Tiles: rows of 128 bytes for the DMA engine and for vectors."""


def _halves(count: int) -> list[int]:
    """``count``, half of it, and so on down to 1."""
    found = [count]
    while found[-1] > 1:
        found.append(-(-found[-1] // 2))
    return found


def staged_tiles(reduction: int) -> int:
    """Rows of tiles, of a factor with so many steps of the ``reduction``, that are transferred and packed at a time
    where all rows of a block would take much TCM."""
    return max(1, _STAGED_BYTES // (HALF_BYTES * TILE * TILE * tiles(reduction)))


_STAGED_BYTES = 640 << 10


def block_bytes(row_tiles: int, column_tiles: int, reduction_tiles: int, several: bool,
                epilogue_bytes: int = 0, narrow: bool = False) -> int:
    """Bytes in TCM of one block: both factors as they are and as tiles, the result as tiles and as rows, and what an
    epilogue reads and writes, ``epilogue_bytes`` for each element of the result.

    With ``several`` blocks, what is transferred has two buffers. ``narrow``: weights have 4 bits, and rows are
    transferred and packed `staged_tiles` at a time.
    """
    elements, buffers = TILE * TILE, 2 if several else 1
    factors = HALF_BYTES * (row_tiles * 2 + column_tiles * (1 + buffers)) * reduction_tiles
    of_weights = 0
    if narrow:
        staged = min(row_tiles, staged_tiles(TILE * reduction_tiles))
        factors = HALF_BYTES * (row_tiles + staged + column_tiles) * reduction_tiles
        of_weights = column_tiles * reduction_tiles * buffers * NARROW_BYTES
    rows = HALF_BYTES * (1 if epilogue_bytes else buffers)
    results = row_tiles * column_tiles * (HALF_BYTES + rows + epilogue_bytes * buffers)
    return elements * (factors + results) + of_weights
