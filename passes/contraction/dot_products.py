"""Products of bytes summed in words, four at a time: the form HVX multiplies (vrmpy).

The vectors' input is copied so that the four elements that follow each other along the reduction are neighbours:
``packed[k / 4][n][k % 4]``. A row's elements come four to a word, and the word is spread. Sums of four neighbouring
products are written out in vector operations; `codegen` knows them.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

from hexagon_mlir.ir import ir, make, memref, vector
from hexagon_mlir.ir.constants import index
from hexagon_mlir.ir.query import TCM_SPACE, memory_space
from hexagon_mlir.passes.contraction.emit import Column, ContractionEmitter, Ivs, each, rotated
from hexagon_mlir.passes.contraction.plan import WORD_BYTES
from hexagon_mlir.passes.lib.segments import for_loop
from hexagon_mlir.passes.lib.tail import Tail


class DotProductEmitter(ContractionEmitter):
    """`ContractionEmitter` for a plan with ``dot_products``: the innermost reduction goes four steps at a time."""

    def _tail(self, valid: ir.Value, static: int | None) -> Tail:
        return Tail(valid, static, self.plan.lanes, self.contraction.output.bits)

    # -- packing -------------------------------------------------------------------------------------------------

    def _packed_input(self) -> int | None:
        return self._columns_input()

    def _columns_input(self) -> int:
        return next(i for i in self.contraction.inputs if self.contraction.accesses[i].uses(self.plan.loop))

    def _pack(self, operand: int, ivs: Ivs) -> ir.Value:
        source, access = self.values[operand], self.contraction.accesses[operand]
        inner = self.plan.reductions[-1]
        others = [place.plain for place in access.indices if place.plain not in (*ivs, inner, self.plan.loop)]
        steps, length = self.contraction.extents[inner], self.contraction.extents[self.plan.loop]
        assert steps is not None and length is not None
        lanes = self.vector_bytes
        byte = ir.MemRefType(source.type).element_type
        shape = [*(self.contraction.extents[o] for o in others), ceil(steps / WORD_BYTES) + 1,
                 ceil(length / lanes) * lanes * WORD_BYTES]  # one word more: the last step loads one ahead
        buffer = memref.alloc(ir.MemRefType.get(shape, byte, memory_space=memory_space(TCM_SPACE)), [], [])

        def copy(outer: Ivs, word: ir.Value, rows: int, start: ir.Value, tail: Tail | None) -> None:
            """``rows`` rows, and any others up to four, interleaved from ``start`` on.

            What follows the last row is multiplied by zeros.
            """
            loaded = []
            for row in range(WORD_BYTES):
                step = make.addi(make.muli(word, index(WORD_BYTES)), index(row)) if row < rows else index(row)
                at = self._indices(access, {**ivs, **outer, inner: step, self.plan.loop: start})
                type_ = ir.VectorType.get([lanes], byte)
                loaded.append(make.load(type_, source, at, alignment=1) if tail is None else
                              tail.load(type_, source, at, access.bits, 1))
            to = make.muli(start, index(WORD_BYTES))
            for number, value in enumerate(_interleaved(loaded)):
                place = make.addi(to, index(number * lanes))
                make.store(value, buffer, [*outer.values(), word, place], alignment=self.vector_bytes)

        def words(outer: Ivs, word: ir.Value, rows: int) -> None:
            whole = length - length % lanes
            if whole:
                each(index(whole // lanes), lambda iv: copy(outer, word, rows, make.muli(iv, index(lanes)), None))
            if length > whole:
                left = length - whole
                copy(outer, word, rows, index(whole), Tail(index(left), left, lanes, access.bits))

        def nest(left: Sequence[int], outer: Ivs) -> None:
            if left:
                each(index(self.contraction.extents[left[0]]), lambda iv: nest(left[1:], {**outer, left[0]: iv}))
                return
            if steps >= WORD_BYTES:
                each(index(steps // WORD_BYTES), lambda iv: words(outer, iv, WORD_BYTES))
            if steps % WORD_BYTES:
                words(outer, index(steps // WORD_BYTES), steps % WORD_BYTES)
            words(outer, index(ceil(steps / WORD_BYTES)), 0)

        nest([o for o in others if o is not None], {})
        return buffer

    def _read_packed(self, operand: int, buffer: ir.Value, ivs: Ivs) -> None:
        known = (*ivs, self.plan.reductions[-1], self.plan.loop)
        loops = [place.plain for place in self.contraction.accesses[operand].indices]
        self.packed, self.packed_loops = operand, [o for o in loops if o is not None and o not in known]
        self.values[operand] = buffer

    # -- the innermost loop --------------------------------------------------------------------------------------

    def _reduce(self, loops: list[int], inner: Ivs, carried: list[ir.Value], rows: list[Ivs],
                columns: list[Column]) -> list[ir.Value]:
        if len(loops) > 1:
            return super()._reduce(loops, inner, carried, rows, columns)
        loop, words = loops[0], self.vector_bytes // WORD_BYTES
        steps = self.contraction.extents[loop]
        assert steps is not None
        operand = next(i for i in self.contraction.inputs if i != self.packed)

        def chunk(number: ir.Value, accumulators: list[ir.Value], valid: int) -> list[ir.Value]:
            """``valid`` of a row's elements: a vector of them, or less."""
            first = make.muli(number, index(self.vector_bytes))
            used, turn = ceil(valid / WORD_BYTES), self.plan.turn
            sources = [self._words(self._elements(operand, {**row, **inner, loop: first}, index(valid), loop,
                                                  self.vector_bytes))
                       for row in rows]
            count, width = len(accumulators), len(columns)

            def step(iv: ir.Value, old: list[ir.Value]) -> list[ir.Value]:
                """Multiplies what the step before has loaded and spread, which takes longer than the products do."""
                ready, turning = old[count:-len(rows)], old[-len(rows):]
                new = self._products(old[:count], ready[:width], ready[width:])
                following = make.addi(make.addi(make.muli(number, index(words)), iv), index(1))
                loaded = self._loaded({**inner, loop: following}, columns)
                return [*new, *loaded, *(self._spread_word(v) for v in turning), *(rotated(v) for v in turning)]

            def steps(iv: ir.Value, old: list[ir.Value]) -> list[ir.Value]:
                """Several steps before the rows are turned."""
                sums, turning = old[:count], old[count:]
                at = make.addi(make.muli(number, index(words)), make.muli(iv, index(turn)))
                for lane in range(turn):
                    loaded = self._loaded({**inner, loop: make.addi(at, index(lane))}, columns)
                    sums = self._products(sums, loaded, [self._spread_word(v, lane) for v in turning])
                return [*sums, *(rotated(v, turn) for v in turning)]

            if turn > 1 and used % turn == 0:
                return for_loop(index(0), index(used // turn), 1, [*accumulators, *sources], steps)[:count]
            start = self._loaded({**inner, loop: make.muli(number, index(words))}, columns)
            spread = [self._spread_word(v) for v in sources]
            sources = [rotated(v) for v in sources]
            return for_loop(index(0), index(used), 1, [*accumulators, *start, *spread, *sources], step)[:count]

        whole, rest = divmod(steps, self.vector_bytes)
        if whole:
            carried = for_loop(index(0), index(whole), 1, carried,
                               lambda number, old: chunk(number, old, self.vector_bytes))
        return chunk(index(whole), carried, rest) if rest else carried

    def _loaded(self, inner: Ivs, columns: list[Column]) -> list[ir.Value]:
        """The block's vectors of the packed input."""
        buffer = self.values[self.packed]
        type_ = ir.VectorType.get([self.vector_bytes], ir.MemRefType(buffer.type).element_type)
        place = [inner[loop] for loop in (*self.packed_loops, self.plan.reductions[-1])]
        return [make.load(type_, buffer, [*place, make.muli(column.start, index(WORD_BYTES))],
                            alignment=self.vector_bytes) for column in columns]

    def _products(self, carried: list[ir.Value], loaded: list[ir.Value], spread: list[ir.Value]) -> list[ir.Value]:
        """``carried`` and the dot products of every row and column."""
        casts = dict(zip(self.contraction.inputs, self.body.widen, strict=True))
        of_columns = casts.pop(self.packed)
        (of_rows,) = casts.values()
        assert of_rows is not None and of_columns is not None
        totals = [_dot_product(_widened(of_rows, self._bytes(element)), _widened(of_columns, column))
                  for element in spread for column in loaded]
        return [make.addi(old, total) for old, total in zip(carried, totals, strict=True)]

    def _spread_word(self, value: ir.Value, lane: int = 0) -> ir.Value:
        return make.shuffle(value, value, [lane] * ir.VectorType(value.type).shape[0])

    def _words(self, value: ir.Value) -> ir.Value:
        word = ir.IntegerType.get_signless(8 * WORD_BYTES)
        return vector.bitcast(ir.VectorType.get([self.vector_bytes // WORD_BYTES], word), value)

    def _bytes(self, value: ir.Value) -> ir.Value:
        return vector.bitcast(ir.VectorType.get([self.vector_bytes], ir.IntegerType.get_signless(8)), value)


def _widened(cast: ir.Operation, value: ir.Value) -> ir.Value:
    type_ = ir.VectorType.get(ir.VectorType(value.type).shape, cast.results[0].type)
    return ir.Operation.create(cast.name, results=[type_], operands=[value]).results[0]


def _dot_product(left: ir.Value, right: ir.Value) -> ir.Value:
    """Sums of four neighbouring products."""
    product = make.muli(left, right)
    lanes = ir.VectorType(product.type).shape[0]
    parts = [make.shuffle(product, product, list(range(first, lanes, WORD_BYTES))) for first in range(WORD_BYTES)]
    return make.addi(make.addi(parts[0], parts[1]), make.addi(parts[2], parts[3]))


def _interleaved(rows: list[ir.Value]) -> list[ir.Value]:
    """Four vectors of bytes as four vectors in which the first, second, ... bytes of all are neighbours."""
    even, odd = _zip(rows[0], rows[1]), _zip(rows[2], rows[3])
    count = ir.VectorType(rows[0].type).shape[0]
    halves = ir.VectorType.get([count // 2], ir.IntegerType.get_signless(16))
    found = []
    for low, high in zip(even, odd, strict=True):
        found += [vector.bitcast(rows[0].type, v)
                  for v in _zip(vector.bitcast(halves, low), vector.bitcast(halves, high))]
    return found


def _zip(first: ir.Value, second: ir.Value) -> tuple[ir.Value, ir.Value]:
    """The lanes of two vectors in turn: the two halves of the result."""
    count = ir.VectorType(first.type).shape[0]
    both = make.shuffle(first, second, [lane + count * which for lane in range(count) for which in (0, 1)])
    return (make.shuffle(both, both, list(range(count))), make.shuffle(both, both, list(range(count, 2 * count))))
