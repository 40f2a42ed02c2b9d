"""Products of bytes summed in words, four at a time: the dot product that HVX computes (vrmpy).

The input that is read as vectors is packed so that four consecutive elements of the reduction are adjacent:
``packed[k / 4][n][k % 4]``. A row's elements are read four to a word, and the word is broadcast. Sums of four adjacent
products are emitted as vector operations; `codegen` selects vrmpy for them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil

from hexagon_mlir.ir import arith, ir, make, memref, scf, vector
from hexagon_mlir.ir.constants import index
from hexagon_mlir.ir.query import TCM_SPACE, memory_space
from hexagon_mlir.passes.contraction.emit import Column, ContractionEmitter, Ivs, each, rotated
from hexagon_mlir.passes.contraction.plan import WORD_BYTES
from hexagon_mlir.passes.lib.segments import for_loop
from hexagon_mlir.passes.lib.tail import Tail

_LEAST_WORDS = 2
"""Of the last part of a row: LLVM leaves no loop of one step, and pulls the products of straight-line code apart."""


def words_of(steps: int, vector_bytes: int) -> int:
    """Words of ``steps`` of a reduction that are multiplied, those of zeros included."""
    whole, rest = divmod(steps, vector_bytes)
    return whole * vector_bytes // WORD_BYTES + (max(ceil(rest / WORD_BYTES), _LEAST_WORDS) if rest else 0)


class DotProductEmitter(ContractionEmitter):
    """`ContractionEmitter` for a plan with ``dot_products``: the innermost reduction advances four steps at a time."""

    def _tail(self, valid: ir.Value, static: int | None) -> Tail:
        return Tail(valid, static, self.plan.lanes, self.contraction.output.bits)

    # -- packing -------------------------------------------------------------------------------------------------

    def _packed_input(self) -> int | None:
        return self._columns_input()

    def _columns_input(self) -> int:
        return next(i for i in self.contraction.inputs if self.contraction.accesses[i].uses(self.plan.loop))

    def _pack(self, operand: int, ivs: Ivs) -> ir.Value:
        """A copy of what ``operand`` holds at ``ivs``, four elements of the reduction to a word."""
        source, access = self.values[operand], self.contraction.accesses[operand]
        inner, length = self.plan.reductions[-1], self.contraction.extents[self.plan.loop]
        most = self.contraction.most(self.plan.loop)
        others = [place.plain for place in access.indices if place.plain not in (*ivs, inner, self.plan.loop)]
        steps = self.contraction.extents[inner]
        assert steps is not None and most is not None
        element = ir.MemRefType(source.type).element_type
        shape = [*(self.contraction.extents[o] for o in others), words_of(steps, self.vector_bytes) + 1,
                 ceil(most / self.vector_bytes) * self.vector_bytes * WORD_BYTES]  # the last step loads a word ahead
        buffer = memref.alloc(ir.MemRefType.get(shape, element, memory_space=memory_space(TCM_SPACE)), [], [])
        packing = _WordPacking(self, operand, ivs, buffer, steps, length)
        self._nest([other for other in others if other is not None], {}, packing.pack)
        return buffer

    def _nest(self, loops: Sequence[int], outer: Ivs, inside: Callable[[Ivs], None]) -> None:
        """``inside`` in a loop over each of ``loops``."""
        if not loops:
            inside(outer)
            return
        each(index(self.contraction.extents[loops[0]]),
             lambda iv: self._nest(loops[1:], {**outer, loops[0]: iv}, inside))

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
        steps = self.contraction.extents[loops[0]]
        assert steps is not None
        whole, rest = divmod(steps, self.vector_bytes)
        block = _Block(loops[0], inner, rows, columns)
        if whole:
            carried = for_loop(index(0), index(whole), 1, carried,
                               lambda number, old: self._chunk(block, number, old, self.vector_bytes))
        return self._chunk(block, index(whole), carried, rest) if rest else carried

    def _chunk(self, block: _Block, number: ir.Value, accumulators: list[ir.Value], valid: int) -> list[ir.Value]:
        """The dot products of a vector of each row's elements, of which ``valid`` count."""
        first = make.muli(number, index(self.vector_bytes))
        operand = next(i for i in self.contraction.inputs if i != self.packed)
        words, rotation = words_of(valid, self.vector_bytes), self.plan.rotation_steps
        sources = [self._words(self._elements(operand, {**row, **block.inner, block.loop: first}, index(valid),
                                              block.loop, self.vector_bytes)) for row in block.rows]
        count = len(accumulators)
        if rotation > 1 and words % rotation == 0 and words > rotation:  # in straight-line code LLVM spoils vrmpy
            return for_loop(index(0), index(words // rotation), 1, [*accumulators, *sources],
                            lambda iv, old: self._steps(block, number, iv, old[:count], old[count:]))[:count]
        start = self._loaded({**block.inner, block.loop: self._word(number)}, block.columns)
        spread = [self._spread_word(v) for v in sources]
        sources = [rotated(v) for v in sources]
        return for_loop(index(0), index(words), 1, [*accumulators, *start, *spread, *sources],
                        lambda iv, old: self._step_ahead(block, number, iv, old))[:count]

    def _step_ahead(self, block: _Block, number: ir.Value, iv: ir.Value, old: list[ir.Value]) -> list[ir.Value]:
        """One word of each row, software-pipelined: it is multiplied by the values that the previous step has loaded
        and broadcast, which takes longer than the products."""
        rows, width = len(block.rows), len(block.columns)
        count = len(old) - width - 2 * rows
        ready, turning = old[count:-rows], old[-rows:]
        new = self._products(old[:count], ready[:width], ready[width:])
        following = make.addi(make.addi(self._word(number), iv), index(1))
        loaded = self._loaded({**block.inner, block.loop: following}, block.columns)
        return [*new, *loaded, *(self._spread_word(v) for v in turning), *(rotated(v) for v in turning)]

    def _steps(self, block: _Block, number: ir.Value, iv: ir.Value, sums: list[ir.Value],
               turning: list[ir.Value]) -> list[ir.Value]:
        """Several words, before the vectors of the rows are rotated."""
        rotation = self.plan.rotation_steps
        at = make.addi(self._word(number), make.muli(iv, index(rotation)))
        for lane in range(rotation):
            loaded = self._loaded({**block.inner, block.loop: make.addi(at, index(lane))}, block.columns)
            sums = self._products(sums, loaded, [self._spread_word(v, lane) for v in turning])
        return [*sums, *(rotated(v, rotation) for v in turning)]

    def _word(self, number: ir.Value) -> ir.Value:
        """The first word of chunk ``number``."""
        return make.muli(number, index(self.vector_bytes // WORD_BYTES))

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
        totals = [dot_product(widened(of_rows, self._bytes(element)), widened(of_columns, column))
                  for element in spread for column in loaded]
        return [make.addi(old, total) for old, total in zip(carried, totals, strict=True)]

    def _spread_word(self, value: ir.Value, lane: int = 0) -> ir.Value:
        return make.shuffle(value, value, [lane] * ir.VectorType(value.type).shape[0])

    def _words(self, value: ir.Value) -> ir.Value:
        word = ir.IntegerType.get_signless(8 * WORD_BYTES)
        return vector.bitcast(ir.VectorType.get([self.vector_bytes // WORD_BYTES], word), value)

    def _bytes(self, value: ir.Value) -> ir.Value:
        return vector.bitcast(ir.VectorType.get([self.vector_bytes], ir.IntegerType.get_signless(8)), value)


@dataclass(frozen=True)
class _WordPacking:
    """The copy of ``operand`` at ``ivs`` into ``buffer``: ``steps`` of the reduction, rows of ``length`` elements, None
    where that is known at run time only."""

    emitter: DotProductEmitter
    operand: int
    ivs: Ivs
    buffer: ir.Value
    steps: int
    length: int | None

    def pack(self, outer: Ivs) -> None:
        """All words at ``outer``, and those that are multiplied by zeros or by nothing."""
        whole, rest = divmod(self.steps, WORD_BYTES)
        if whole:
            each(index(whole), lambda iv: self._row(outer, iv, WORD_BYTES))
        if rest:
            self._row(outer, index(whole), rest)
        for word in range(ceil(self.steps / WORD_BYTES), words_of(self.steps, self.emitter.vector_bytes) + 1):
            self._row(outer, index(word), 0)

    def _row(self, outer: Ivs, word: ir.Value, steps: int) -> None:
        """One word of all elements of a row: ``steps`` of the reduction, what follows is multiplied by zeros."""
        lanes = self.emitter.vector_bytes
        if self.length is None:
            self._dynamic_row(outer, word, steps)
            return
        count, left = divmod(self.length, lanes)
        if count:
            each(index(count), lambda iv: self._vector(outer, word, steps, make.muli(iv, index(lanes)), None))
        if left:
            tail = Tail(index(left), left, lanes, self.emitter.contraction.accesses[self.operand].bits)
            self._vector(outer, word, steps, index(self.length - left), tail)

    def _dynamic_row(self, outer: Ivs, word: ir.Value, steps: int) -> None:
        lanes, length = self.emitter.vector_bytes, self.emitter.extents[self.emitter.plan.loop]
        count = arith.divui(length, index(lanes))
        each(count, lambda iv: self._vector(outer, word, steps, make.muli(iv, index(lanes)), None))
        start = make.muli(count, index(lanes))
        left = make.subi(length, start)
        some = scf.IfOp(arith.cmpi(arith.CmpIPredicate.ne, left, index(0)))
        with ir.InsertionPoint(some.then_block):
            bits = self.emitter.contraction.accesses[self.operand].bits
            self._vector(outer, word, steps, start, Tail(left, None, lanes, bits))
            scf.yield_([])

    def _vector(self, outer: Ivs, word: ir.Value, steps: int, start: ir.Value, tail: Tail | None) -> None:
        """A vector of elements of four steps each, interleaved."""
        emitter, source = self.emitter, self.emitter.values[self.operand]
        access, lanes = emitter.contraction.accesses[self.operand], emitter.vector_bytes
        inner = emitter.plan.reductions[-1]
        type_ = ir.VectorType.get([lanes], ir.MemRefType(source.type).element_type)
        loaded = []
        for row in range(WORD_BYTES):
            step = make.addi(make.muli(word, index(WORD_BYTES)), index(row)) if row < steps else index(row)
            at = emitter.indices(access, {**self.ivs, **outer, inner: step, emitter.plan.loop: start})
            loaded.append(make.load(type_, source, at, alignment=1) if tail is None else
                          tail.load(type_, source, at, access.bits, 1))
        to = make.muli(start, index(WORD_BYTES))
        for number, value in enumerate(interleaved(loaded)):
            place = make.addi(to, index(number * lanes))
            make.store(value, self.buffer, [*outer.values(), word, place], alignment=lanes)


@dataclass(frozen=True)
class _Block:
    """A block of accumulators: ``rows`` by ``columns``, at ``inner`` in the reductions around ``loop``."""

    loop: int
    inner: Ivs
    rows: list[Ivs]
    columns: list[Column]


def widened(cast: ir.Operation, value: ir.Value) -> ir.Value:
    type_ = ir.VectorType.get(ir.VectorType(value.type).shape, cast.results[0].type)
    return ir.Operation.create(cast.name, results=[type_], operands=[value]).results[0]


def dot_product(left: ir.Value, right: ir.Value) -> ir.Value:
    """Sums of four neighbouring products."""
    product = make.muli(left, right)
    lanes = ir.VectorType(product.type).shape[0]
    parts = [make.shuffle(product, product, list(range(first, lanes, WORD_BYTES))) for first in range(WORD_BYTES)]
    return make.addi(make.addi(parts[0], parts[1]), make.addi(parts[2], parts[3]))


def interleaved(rows: list[ir.Value]) -> list[ir.Value]:
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
    """The lanes of two vectors interleaved: the two halves of the result."""
    count = ir.VectorType(first.type).shape[0]
    both = make.shuffle(first, second, [lane + count * which for lane in range(count) for which in (0, 1)])
    return (make.shuffle(both, both, list(range(count))), make.shuffle(both, both, list(range(count, 2 * count))))
