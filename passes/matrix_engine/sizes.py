"""Sizes of a product's blocks in TCM: functions over numbers."""

from __future__ import annotations

from dataclasses import dataclass

from hexagon_mlir.dialects.engine_tiles import HALF_BYTES, PAIR, TILE, tiles
from hexagon_mlir.passes.lib.block_tiles import SIDES

GAPS = 16
"""The part of TCM that is left for tables, tags and gaps between buffers."""


@dataclass(frozen=True)
class Blocks:
    """How many rows and columns of the result are computed at a time; the whole reduction each time."""

    rows: int
    columns: int


def choose_blocks(rows: int, columns: int, reduction: int, budget: int, epilogue_bytes: int = 0,
                  code_bytes: int = 0, loaded: bool = False) -> Blocks | None:
    """The largest blocks, in whole tiles or all, whose data fit ``budget`` bytes; None where one tile does not.

    All rows are taken at a time where that leaves room for a few columns of tiles, so that weights are transferred and
    packed once. Among the columns that fit those are preferred that leave at least four blocks, whose transfers overlap
    with the work on others, and blocks of equal size if they are at least half as large. Nothing is transferred where
    both factors are ``loaded`` as a whole. ``epilogue_bytes``, ``code_bytes``: as for `block_bytes`.
    """
    most = tiles(columns)
    for row_tiles in _halves(tiles(rows)):
        fitting = [count for count in range(1, most + 1)
                   if (not code_bytes or count == most or count % SIDES == 0) and block_bytes(
                       row_tiles, count, tiles(reduction), most > count, epilogue_bytes, code_bytes) <= budget]
        if not fitting or (fitting[-1] < min(_LEAST_COLUMNS, most) and row_tiles > 1):
            continue
        most_wanted = most if loaded else max(-(-most // _BLOCKS), min(_LEAST_COLUMNS, most))
        wanted = [count for count in fitting if count <= most_wanted]
        even = [count for count in wanted if most % count == 0 and 2 * count >= max(wanted)]
        return Blocks(min(TILE * row_tiles, rows), min(TILE * max(even or wanted), columns))
    return None


@dataclass(frozen=True)
class ColumnParts:
    """Rows of the result that are computed at a time, columns of a part, how many parts the body of a loop has, and how
    many buffers these parts share: a divisor, so that the first part of the next iteration gets the first buffer."""

    rows: int
    columns: int
    count: int
    factors: int = 3


def choose_column_parts(rows: int, columns: int, reduction: int, budget: int, code_bytes: int,
                        epilogue_bytes: int = 0) -> ColumnParts | None:
    """Parts of the columns of a product by weights in blocks, whose data fit ``budget`` bytes; None where none fits.

    All rows are taken at a time, or half of them and so on down to `_LEAST_ROWS`. Parts have few columns, but products
    that take the engine longer than it takes to start them, and as many of them as fit are in a loop's body. The first
    part of a block is made beside the last product of the block before, so that of the last block is whole too.
    """
    most, depth = max(tiles(columns), _PART_TILES[0]), tiles(reduction)
    for row_tiles in _halves(tiles(rows)):
        if TILE * row_tiles < min(_LEAST_ROWS, rows):
            return None
        steps = [step for step in _PART_TILES if step <= most]
        long = [step for step in steps if row_tiles * step * depth >= _LEAST_TILES] or steps[-1:]
        for step in reversed([step for step in steps if step <= long[0]]):
            for count in range(_MOST_PARTS, 0, -_FACTORS):
                last = (tiles(columns) - 1) % (step * count) + 1
                if (last >= min(step, tiles(columns))
                        and part_bytes(row_tiles, step, depth, count, code_bytes, epilogue_bytes) <= budget):
                    return ColumnParts(min(TILE * row_tiles, rows), TILE * step, count, _FACTORS)
    return None


def part_bytes(row_tiles: int, column_tiles: int, reduction_tiles: int, count: int, code_bytes: int,
               epilogue_bytes: int) -> int:
    """Bytes in TCM of `ColumnParts`: the left factor and the parts of the right one as tiles, the codes of the parts
    that a loop's body transfers, and for each of them results as tiles and as rows, and what an epilogue reads and
    writes.
    """
    elements = TILE * TILE
    left = HALF_BYTES * elements * row_tiles * reduction_tiles
    staged = HALF_BYTES * elements * min(row_tiles, 2 * staged_tiles(TILE * reduction_tiles)) * reduction_tiles
    part = column_tiles * reduction_tiles
    codes, halves = part * code_bytes, HALF_BYTES * elements * part
    results = elements * row_tiles * column_tiles * (2 * HALF_BYTES + epilogue_bytes)
    return left + max(staged + codes + halves, _FACTORS * halves + (count + 1) * codes + count * results)


def choose_cuts(rows: int, columns: int, reduction: int, budget: int, code_bytes: int,
                epilogue_bytes: int) -> tuple[int, ...]:
    """Tiles of the reduction of each of the products that a product by weights in blocks is cut into, so that
    `choose_column_parts` finds parts for them; no tiles where no cut helps."""
    depth = tiles(reduction)
    for count in range(1, min(_MOST_CUTS, depth) + 1):
        step = -(-depth // count)
        if count > 1 and step > _EVEN_TILES:
            step = -(-step // _EVEN_TILES) * _EVEN_TILES
        sums = _SUMS_BYTES if count > 1 else 0
        if choose_column_parts(rows, columns, TILE * step, budget, code_bytes, epilogue_bytes + sums):
            return tuple(min(step, depth - start) for start in range(0, depth, step))
    return ()


_FACTORS = 3
"""Parts of the right factor in f16: two that products read, and one that is written."""
_PART_TILES = (2, 4, 8)
"""Columns of a part: rows of 128 bytes for the DMA engine and for vectors, or more."""
_MOST_PARTS = 12
"""Products in a loop's body: each is code of its own."""
_LEAST_TILES = 1000
"""Products of tiles of a part: about 8,000 cycles of the engine."""
_LEAST_ROWS = 512
"""Each block of rows makes all weights f16 again, which with fewer rows takes HVX about as long as the products."""
_MOST_CUTS, _EVEN_TILES = 8, 8
"""Threads share the work on numbers of tiles that they divide."""
_SUMS_BYTES = 8
"""Of an element: sums of f32, which are tiles of two pieces and rows, and those of the product before."""


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
                epilogue_bytes: int = 0, code_bytes: int = 0) -> int:
    """Bytes in TCM of one block: both factors as they are and as tiles, the result as tiles and as rows, and what an
    epilogue reads and writes, ``epilogue_bytes`` for each element of the result.

    With ``several`` blocks, what is transferred has two buffers. ``code_bytes``: those of a tile, if weights are codes;
    rows are then transferred and packed `staged_tiles` at a time.
    """
    elements, buffers = TILE * TILE, 2 if several else 1
    factors = HALF_BYTES * (row_tiles * 2 + column_tiles * (1 + buffers)) * reduction_tiles
    of_weights = 0
    if code_bytes:
        staged = min(row_tiles, staged_tiles(TILE * reduction_tiles))
        factors = HALF_BYTES * (row_tiles + staged + column_tiles) * reduction_tiles
        of_weights = column_tiles * reduction_tiles * buffers * code_bytes
    rows = HALF_BYTES * (1 if epilogue_bytes else buffers)
    results = row_tiles * column_tiles * (HALF_BYTES + rows + epilogue_bytes * buffers)
    return elements * (factors + results) + of_weights
