"""Tiles of the matrix engine (HMX), from `hexagon-matrix-engine` to `lower-engine-tiles`.

A tile of halves is 32 x 32 elements, 2 KiB. Activations and results pair rows, weights pair neighbours along the
reduction: element (m, k) of an activation tile is at ``[m / 2][k][m % 2]``, element (k, n) of a weight tile at
``[k / 2][n][k % 2]``. The tiles of one row of activation tiles follow each other along the reduction, those of one
column of weight tiles too. (The layouts of llama.cpp's ggml-hexagon and of htp-ops-lib, which run on devices.)

=================  =============================================
matrix             tensor of tiles
=================  =============================================
activations M x K  ``[M / 32][K / 32][16][32][2]``
weights K x N      ``[N / 32][K / 32][16][32][2]``
results M x N      ``[M / 32][N / 32][16][32][2]``
=================  =============================================

Tiles of bytes have 64 rows. Words of four bytes are neighbours along the reduction in weights; a result has 32 bits,
each of its bytes in a tile of its own, or is converted to a byte (`hexagon_mlir.dialects.byte_conversions`). Weights
of 4 bits are two in a byte (`hexagon_mlir.dialects.nibble_weights`).

=================  =============================================
matrix             tensor of tiles
=================  =============================================
activations M x K  ``[M / 64][K / 32][64][32]``
weights K x N      ``[N / 32][K / 32][8][32][4]``
the same, 4 bits   ``[N / 32][K / 32][4][32][4]``
results M x N      ``[M / 64][N / 32][4][64][32]``
the same as bytes  ``[M / 64][N / 32][64][32]``
=================  =============================================

A ``hexagon.engine_product`` is a whole product (`EngineProduct`). At the level of tiles, a thread holds the engine in a
``hexagon.engine_scope``: it acquires the engine where the scope begins, with accumulators of 0, and releases it where
the scope ends; all results are in TCM then. In a scope there are three operations, in the order of the packets:

* ``hexagon.engine_multiply`` adds the product of activation tiles and weight tiles, both along the reduction, to the
  accumulators: the packets that load both (``activation.hf = mxmem(..)``, ``weight.hf = mxmem(..)``) multiply them.
  Activations may be several runs of tiles (the first dimension) that stand apart.
* ``hexagon.engine_convert`` takes what is done to each column from a table (``bias = mxmem2``) and converts the sums
  ``to`` f16, rounded, or to i8, their byte before the binary point, with ``saturate`` the nearest of 0 to 255
  (``cvt.hf``, ``cvt.ub``). The accumulators are 0 then, or as before with ``retain``. In the packets the other
  set of accumulators takes the next sums meanwhile.
* ``hexagon.engine_store`` stores the converted tile (``mxmem = cvt``).

The engine may multiply the next column of tiles before it stores a result: what it reads is not what it writes, but for
the first one of two pieces.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from hexagon_mlir.dialects.engine_windows import Windows
from hexagon_mlir.ir import ir
from hexagon_mlir.ir.engine_operations import ENGINE_PRODUCT, ENGINE_WAIT

HALF_BYTES = 2
"""Of an f16 element."""
TILE = 32
"""Rows and columns of a tile of halves."""
PAIR = 2
"""Rows of a result tile, or steps along the reduction of a weight tile, that are neighbours in memory."""
RANK = 5
"""Dimensions of a tensor of tiles."""


def tiles(extent: int) -> int:
    """Tiles that ``extent`` rows or columns take, the last one maybe in part."""
    return -(-extent // TILE)


def tiled_shape(rows: int, columns: int) -> list[int]:
    """Shape of the tiles of a matrix: ``rows`` and ``columns`` of tiles."""
    return [rows, columns, TILE // PAIR, TILE, PAIR]


def pieces_shape(rows: int, columns: int) -> list[int]:
    """Shape of the tiles of a matrix whose elements are pieces: the tile of the first ones, then that of the second."""
    return [rows, columns, PIECES, TILE // PAIR, TILE, PAIR]


BYTE_ROWS = 64
"""Rows of a tile of bytes."""
WORD = 4
"""Steps along the reduction that are neighbours in a tile of weights of bytes."""
PLANES = 4
"""Bytes of a sum of products of bytes, the lowest ones first."""


def byte_tiled_shape(rows: int, columns: int) -> list[int]:
    """Shape of the tiles of a matrix of bytes, or of their sums: ``rows`` and ``columns`` of tiles."""
    return [rows, columns, BYTE_ROWS, TILE]


VECTOR_TILES = 4
"""Tiles whose columns fill a vector of bytes."""


def vector_tiles(extent: int) -> int:
    """Tiles that ``extent`` columns, or steps of the reduction, of bytes are filled up to: a vector of a row or more.
    """
    return max(tiles(extent), VECTOR_TILES)


def byte_weights_shape(columns: int, depth: int) -> list[int]:
    """Shape of the tiles of a constant matrix of bytes of ``columns`` and ``depth``: tiles of columns are whole vectors
    of a row, so that blocks of them are, too.
    """
    return [-(-tiles(columns) // VECTOR_TILES) * VECTOR_TILES, vector_tiles(depth), TILE // WORD, TILE, WORD]


def plane_shape(rows: int, columns: int) -> list[int]:
    """Shape of the bytes of such sums."""
    return [rows, columns, PLANES, BYTE_ROWS, TILE]


PLANE_SCALES = (0x6000, 0x4000, 0x2000, 0)
"""Low words of the tables that give the bytes of a sum: scale 2048 and exponents of 24, 16, 8 and 0, which put the byte
in front of the binary point. The high words are 0."""
COLUMN_TABLE = (2, TILE)
"""Words of the table from which a conversion takes what it does to a tile's columns: low words, then high words."""
IDENTITY_SCALE = 0x3C00
"""The low word of a column whose sums are only rounded: scale 1.0 in f16, no bias. The high word is 0."""

PIECES = 2
"""Numbers of f16 that hold a sum: the nearest one, and what is left of the sum."""
PIECE_EXPONENTS = (8, -3)
"""Numbers of the first piece count 2**8, those of the second one 2**-3: sums up to 65,504 * 2**8 in magnitude have 22
significant bits, those below 2**-6 are multiples of 2**-27. Between the two are the 11 bits of a half."""


class Fill(NamedTuple):
    """``number`` equal words of a table, from word ``first`` on, ``step`` words apart."""

    first: int
    number: int
    step: int
    word: int


def piece_fills() -> list[Fill]:
    """The table of a product whose sums become pieces: a tile of weights that subtracts what the first piece is from a
    sum, followed by a `COLUMN_TABLE` for each piece. Later words replace earlier ones.
    """
    words, (halves, columns) = TILE * TILE // PAIR, COLUMN_TABLE
    subtracted = 0x8000 | _power_of_two(PIECE_EXPONENTS[0])
    fills = [Fill(0, words + PIECES * halves * columns, 1, 0)]
    fills += [Fill(half, TILE // PAIR, TILE + PAIR, subtracted << 16 * half) for half in range(PAIR)]  # the diagonal
    return fills + [Fill(words + piece * halves * columns, columns, 1, _power_of_two(-exponent))
                    for piece, exponent in enumerate(PIECE_EXPONENTS)]


def _power_of_two(exponent: int) -> int:
    """The bits of 2**``exponent`` in f16."""
    return exponent + 15 << 10


@dataclass(frozen=True)
class EngineProduct:
    """``results = activations x weights``, buffers of f16 tiles in TCM: sums in the engine's accumulators, each rounded
    to f16 once, or in two pieces: then each tile of the results is two, ``[M / 32][N / 32][2][16][32][2]``.

    ``columns`` has a `COLUMN_TABLE` of i32 for each column of result tiles, or more of them: what is done to the sums
    of each of its columns. For pieces it has the words of `piece_fills`. Of tiles of bytes the results are planes,
    and ``columns`` has a table for each plane, or bytes, and it has one for each column of tiles. With ``windows``,
    tiles of the activations serve several result tiles: `hexagon_mlir.dialects.engine_windows`. The engine computes
    while the thread goes on; a ``hexagon.engine_wait`` of the block waits for the results.
    """

    activations: ir.Value
    weights: ir.Value
    columns: ir.Value
    results: ir.Value
    windows: Windows | None = None

    @staticmethod
    def of(op: ir.Operation) -> EngineProduct:
        """What the ``hexagon.engine_product`` ``op`` says."""
        activations, weights, columns, results = op.operands
        return EngineProduct(activations, weights, columns, results, Windows.of(op))

    @property
    def in_pieces(self) -> bool:
        """Whether each sum becomes two pieces."""
        return ir.MemRefType(self.results.type).rank > RANK

    @property
    def in_planes(self) -> bool:
        """Whether each sum of bytes becomes four of them."""
        return ir.MemRefType(self.results.type).rank == RANK

    def emit(self) -> ir.Operation:
        """The operation, at the insertion point."""
        operands = [self.activations, self.weights, self.columns, self.results]
        op = ir.Operation.create(ENGINE_PRODUCT, operands=operands)
        if self.windows is not None:
            self.windows.note(op)
        return op


_PENDING = "pending"


def wait_for_products(pending: int = 0) -> ir.Operation:
    """A wait, at the insertion point, until at most the last ``pending`` products of the block are not done."""
    attributes = {_PENDING: ir.IntegerAttr.get(ir.IntegerType.get_signless(64), pending)} if pending else {}
    return ir.Operation.create(ENGINE_WAIT, attributes=attributes)


def pending_products(wait: ir.Operation) -> int:
    """How many of the last products of the block the ``hexagon.engine_wait`` ``wait`` does not wait for."""
    return ir.IntegerAttr(wait.attributes[_PENDING]).value if _PENDING in wait.attributes else 0


def waits(block: ir.Block) -> dict[ir.Operation, ir.Operation]:
    """For each product of ``block`` the first wait after which its results are there, if there is one."""
    found: dict[ir.Operation, ir.Operation] = {}
    unfinished: list[ir.Operation] = []
    for view in block.operations:
        op = view.operation
        if op.name == ENGINE_PRODUCT:
            unfinished.append(op)
        elif op.name == ENGINE_WAIT:
            finished = max(len(unfinished) - pending_products(op), 0)
            found.update(dict.fromkeys(unfinished[:finished], op))
            del unfinished[:finished]
    return found
