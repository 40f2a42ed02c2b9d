"""Transposes of pairs: rows of pairs become the matrix engine's tiles of weights that are given as rows of columns.

Each pair is a number of 32 bits, so 32 vectors are a square that is transposed in registers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from hexagon_mlir.ir import ir, make, vector
from hexagon_mlir.ir.constants import index
from hexagon_mlir.ir.query import element_bytes
from hexagon_mlir.passes.lib.loop_nests import LoopNest
from hexagon_mlir.passes.lib.pair_transposes import PairTranspose, read_pair_transpose
from hexagon_mlir.passes.lib.pair_vectors import alignment, end_of, joined
from hexagon_mlir.passes.lib.segments import for_loop
from hexagon_mlir.passes.lib.transposes import Butterfly, reading_order
from hexagon_mlir.passes.pair_interleaving.windows import PAIR

_WORD_BITS = 32


def make_transpose_plan(nest: LoopNest, vector_bytes: int) -> PairTranspose | None:
    """How ``nest`` transposes pairs; None for any other nest."""
    if len(nest.operands) != 2 or nest.op_loops or nest.indexed or nest.tables or any(nest.reduction):
        return None
    source, target = nest.operands
    if not (source.unit_stride and target.unit_stride):
        return None
    if not all(target.collapsible[-1:]):
        return None
    plan = read_pair_transpose(source.dims, target.dims, nest.extents, source.bits // 8, vector_bytes)
    if plan is not None and nest.extents[plan.piece] is None:
        return None
    follow = 2 if plan is None or nest.extents[plan.piece] != 1 else 3
    return plan if all(source.collapsible[-follow:]) else None


def emit_transposes(op: ir.Operation, nest: LoopNest, plan: PairTranspose, vector_bytes: int) -> None:
    """The loops and vectors of ``op``, at the insertion point."""
    inner = (plan.row, plan.piece, plan.column, plan.pair)
    _Emitter(op, nest, plan, vector_bytes).around([loop for loop in range(len(nest.extents)) if loop not in inner], {})


class _Emitter:
    def __init__(self, op: ir.Operation, nest: LoopNest, plan: PairTranspose, vector_bytes: int) -> None:
        self._op, self._nest, self._plan = op, nest, plan
        self._source, self._target = joined(joined(op.operands[0])), joined(op.operands[1])
        if nest.extents[plan.piece] == 1:
            self._source = joined(self._source)
        element = ir.MemRefType(op.operands[0].type).element_type
        self._element_bytes = element_bytes(element)
        self._vector = ir.VectorType.get([vector_bytes // self._element_bytes], element)
        self._words = ir.VectorType.get([vector_bytes * 8 // _WORD_BITS], ir.IntegerType.get_signless(_WORD_BITS))

    def around(self, loops: Sequence[int], ivs: dict[int, ir.Value]) -> None:
        """The loops ``loops`` inside those of ``ivs``, then all pieces; an odd last one is done with the one before."""
        if loops:
            self._loop(loops[0], 1, lambda iv: self.around(loops[1:], {**ivs, loops[0]: iv}))
            return
        count = self._nest.extents[self._plan.piece]
        assert count is not None
        if count == 1:
            self._half_square(ivs)
            return
        self._loop(self._plan.piece, PAIR, lambda piece: self._square(ivs, piece, count % PAIR == 0))
        if count % PAIR:
            self._square(ivs, index(count - PAIR), False)

    def _loop(self, loop: int, step: int, body: Callable[[ir.Value], None]) -> None:
        """``body`` for every iteration of ``loop``, or for every ``step`` of those whose number is known."""
        extent = self._nest.extents[loop]
        assert extent is not None or step == 1

        def inside(iv: ir.Value, _: list[ir.Value]) -> list[ir.Value]:
            body(iv)
            return []

        end = end_of(self._op, self._nest, loop) if extent is None else index(extent - extent % step)
        for_loop(index(0), end, step, [], inside)

    def _square(self, ivs: dict[int, ir.Value], piece: ir.Value, aligned: bool) -> None:
        """Two pieces of all rows."""
        plan, source = self._plan, self._nest.operands[0]
        rows, columns = (self._nest.extents[loop] or 0 for loop in (plan.row, plan.column))
        start = make.muli(piece, index(PAIR * columns))
        given = alignment(self._source, self._vector) if aligned else self._element_bytes
        words = []
        for row in range(rows):
            at = {**ivs, plan.row: index(row)}
            where = [*(at[loop] for loop in source.dims[:-3] if loop is not None), start]
            words.append(self._load(where, given))
        square = Butterfly(words, range(rows.bit_length() - 1))
        for number in reading_order(rows):
            which, column = divmod(number, columns)
            self._store(square[number], {**ivs, plan.piece: make.addi(piece, index(which)) if which else piece,
                                         plan.column: index(column)})

    def _half_square(self, ivs: dict[int, ir.Value]) -> None:
        """The only piece of all rows, two rows in each vector: the columns' words come in the order of these vectors,
        first those of even rows."""
        plan, source = self._plan, self._nest.operands[0]
        rows, columns = (self._nest.extents[loop] or 0 for loop in (plan.row, plan.column))
        words = []
        for number in range(rows // PAIR):
            where = [*(ivs[loop] for loop in source.dims[:-4] if loop is not None),
                     index(number * self._vector.shape[0])]
            words.append(self._load(where, alignment(self._source, self._vector)))
        square = Butterfly(words, range(columns.bit_length() - 1))
        order = [row % PAIR * (rows // PAIR) + row // PAIR for row in range(rows)]
        for column in reading_order(columns):
            self._store(make.shuffle(square[column], square[column], order),
                        {**ivs, plan.piece: index(0), plan.column: index(column)})

    def _load(self, where: list[ir.Value], given: int) -> ir.Value:
        return vector.bitcast(self._words, make.load(self._vector, self._source, where, given))

    def _store(self, words: ir.Value, at: dict[int, ir.Value]) -> None:
        """One row of a tile."""
        where = [*(at[loop] for loop in self._nest.operands[1].dims[:-2] if loop is not None), index(0)]
        make.store(vector.bitcast(self._vector, words), self._target, where, alignment(self._target, self._vector))
