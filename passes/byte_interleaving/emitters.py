"""Writes the loops and vectors of copies between rows and the matrix engine's tiles of bytes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import ClassVar

from hexagon_mlir.dialects.engine_tiles import PLANES, TILE, WORD
from hexagon_mlir.dialects.nibble_weights import NIBBLE_BITS, NIBBLES_PER_BYTE, has_nibbles
from hexagon_mlir.ir import ir, make, memref
from hexagon_mlir.ir.bounds import size_multiple
from hexagon_mlir.ir.constants import constant, index
from hexagon_mlir.passes.byte_interleaving.nibbles import as_upper_nibbles, regrouped
from hexagon_mlir.passes.byte_interleaving.shuffles import Access, dot_product, interleaved
from hexagon_mlir.passes.lib.engine_byte_tiles import SIGN, ByteCopy, flipped_bits, flipped_sign
from hexagon_mlir.passes.lib.move_order import in_turns, iterations_together
from hexagon_mlir.passes.lib.segments import for_loop


class Emitter:
    """Writes the loops and vectors of one copy, `GROUP` tiles or rows at a time."""

    joined: ClassVar[tuple[int, int]] = 2, 2
    """Last dimensions of source and target that one index goes through."""
    counted: ClassVar[tuple[tuple[int, ...], tuple[int, ...]]] = (), ()
    """Dimensions of source and target whose size may be known at run time only: threads share them."""

    def __init__(self, op: ir.Operation, vector_bytes: int) -> None:
        operands = list(op.operands)
        self._op, self._shape = op, ir.MemRefType(operands[0].type).shape
        self._source, self._target = (Access(value, joined, vector_bytes) for value, joined in
                                      zip((operands[0], operands[-1]), self.joined, strict=True))
        self._bytes = ir.VectorType.get([vector_bytes], ir.IntegerType.get_signless(8))

    def fits(self) -> bool:
        """Whether everything is whole vectors."""
        return self._known() and self._source.contiguous and self._target.contiguous and self._whole()

    def _known(self) -> bool:
        """Whether the sizes are known that have to be."""
        *inputs, target = self._op.operands
        return not any(ir.MemRefType(value.type).is_dynamic_dim(dim)
                       for value, counted in ((inputs[0], self.counted[0]), (target, self.counted[1]))
                       for dim in range(ir.MemRefType(value.type).rank) if dim not in counted)

    def _whole(self) -> bool:
        raise NotImplementedError

    def emit(self) -> None:
        """Everything, at the insertion point."""
        self._source.join()
        self._target.join()
        self._loops()

    def _flipped(self, vectors: list[ir.Value], sign: int) -> list[ir.Value]:
        """``vectors`` of bytes with the bits of ``sign`` flipped."""
        if not sign:
            return vectors
        flip = constant(ir.DenseElementsAttr.get_splat(self._bytes, ir.IntegerAttr.get(self._bytes.element_type, sign)))
        return [make.binary("arith.xori", vector, flip) for vector in vectors]

    def _loops(self) -> None:
        raise NotImplementedError

    def _move(self, loaded: Callable[[int], ir.Value], stored: Callable[[int, ir.Value], None], block: int,
              sign: int = 0) -> Iterator[None]:
        """`GROUP` vectors of bytes, loaded by number, ``block`` bytes of each interleaved and stored, step by step."""
        vectors = []
        for number in range(GROUP):
            vectors.append(loaded(number))
            yield
        for number, vector in enumerate(interleaved(self._flipped(vectors, sign), block)):
            stored(number, vector)
            yield

    def _count(self, operand: int, dim: int) -> int | ir.Value:
        """The size of dimension ``dim`` of an operand, which may be known at run time only."""
        value = self._op.operands[operand]
        type_ = ir.MemRefType(value.type)
        return memref.dim(value, index(dim)) if type_.is_dynamic_dim(dim) else type_.shape[dim]

    def _row(self, indices: Sequence[ir.Value], first: ir.Value, tiles: int) -> ir.Value:
        """`GROUP` of the ``tiles`` of a row of the source, from tile ``first`` on."""
        step = TILE * (1 if tiles % GROUP else GROUP)
        return self._source.load(self._bytes, [*indices, make.muli(first, index(TILE))], step)


class _Activations(Emitter):
    """[rows][64][tiles][32] -> [rows][tiles][64][32]; maybe with signs flipped."""

    counted = (0, 1), (0, 2)

    def _whole(self) -> bool:
        _, _, tiles, width = self._shape
        return tiles >= GROUP and size_multiple(self._op.operands[0], 1) % GROUP == 0 and width == TILE

    def _loops(self) -> None:
        """Four rows of four tiles at a time."""
        outer, rows, tiles = self._count(0, 0), self._count(0, 1), self._shape[2]
        sign = flipped_sign(self._op)

        def move(row: ir.Value, first: ir.Value, inner: ir.Value) -> Iterator[None]:
            place = make.muli(inner, index(TILE))
            return self._move(
                lambda number: self._row([row, plus(inner, number)], first, tiles),
                lambda number, vector: self._target.store(vector, [row, plus(first, number), place], GROUP * TILE),
                TILE, sign)

        loop(outer, 1, lambda row: groups(tiles, lambda first: nest(
            [(rows, GROUP)], lambda inner: move(row, first, inner))))


class _Weights(Emitter):
    """[steps][8][4][columns][32] -> [columns][steps][8][32][4]."""

    counted = (0, 1), (1, 2)

    def _whole(self) -> bool:
        return self._shape[3] >= GROUP and (self._shape[2], self._shape[4]) == (WORD, TILE)

    def _loops(self) -> None:
        """Four rows of four tiles at a time."""
        columns, steps, words = self._shape[3], self._count(0, 0), self._count(0, 1)

        def move(step: ir.Value, first: ir.Value, word: ir.Value) -> Iterator[None]:
            return self._move(
                lambda number: self._row([step, word, index(number)], first, columns),
                lambda number, vector: self._target.store(vector, [plus(first, number), step, word, index(0)],
                                                          GROUP * TILE), 1)

        loop(steps, 1, lambda step: groups(columns, lambda first: nest(
            [(words, 1)], lambda word: move(step, first, word))))


class _Nibbles(Emitter):
    """Two in a byte of neighbouring columns, [steps][4][2][4][columns][16] -> [columns][steps][4][16][2][4], two in a
    byte of rows that are four apart."""

    joined = 2, 3
    counted = (0, 1), (1, 2)

    def _whole(self) -> bool:
        _, _, *rows, columns, width = self._shape
        return columns >= _NIBBLE_GROUP and rows == [NIBBLES_PER_BYTE, WORD] and width == TILE // NIBBLES_PER_BYTE

    def _loops(self) -> None:
        """Eight rows of eight tiles at a time."""
        columns, steps, words = self._shape[4], self._count(0, 0), self._count(0, 1)
        width = TILE // NIBBLES_PER_BYTE
        distance = width * (1 if columns % _NIBBLE_GROUP else _NIBBLE_GROUP)

        def move(step: ir.Value, first: ir.Value, word: ir.Value) -> Iterator[None]:
            at = make.muli(first, index(width))
            halves = []
            for row in range(WORD):
                both = regrouped(*(self._source.load(
                    self._bytes, [step, word, index(half), index(row), at], distance) for half in (0, 1)))
                halves.append(self._flipped(list(both), flipped_bits(self._op)))
                yield
            even, odd = (interleaved(vectors, 1) for vectors in zip(*halves, strict=True))
            for pair, both in enumerate(zip(even, odd, strict=True)):
                for number, vector in enumerate(interleaved(both, WORD)):
                    self._target.store(vector, [plus(first, NIBBLES_PER_BYTE * pair + number), step, word, index(0)],
                                       GROUP * TILE)
                yield

        loop(steps, 1, lambda step: groups(columns, lambda first: nest(
            [(words, 1)], lambda word: move(step, first, word)), _NIBBLE_GROUP))


class _NibblesOfRows(Emitter):
    """Two in a byte of neighbouring rows, [steps][4][2][2][columns][32] -> [columns][steps][4][32][2][2], two in a byte
    of rows that are four apart."""

    joined = 2, 3
    counted = (0, 1), (1, 2)

    def _whole(self) -> bool:
        _, _, *rows, columns, width = self._shape
        return columns >= GROUP and rows == [NIBBLES_PER_BYTE, WORD // NIBBLES_PER_BYTE] and width == TILE

    def _loops(self) -> None:
        """Four rows of four tiles at a time."""
        columns, steps, words = self._shape[4], self._count(0, 0), self._count(0, 1)

        def move(step: ir.Value, first: ir.Value, word: ir.Value) -> Iterator[None]:
            vectors: list[ir.Value] = []
            for row in range(WORD // NIBBLES_PER_BYTE):
                vectors += regrouped(*(self._row([step, word, index(half), index(row)], first, columns)
                                       for half in range(NIBBLES_PER_BYTE)))
                yield
            for number, vector in enumerate(interleaved(self._flipped(vectors, flipped_bits(self._op)), 1)):
                self._target.store(vector, [plus(first, number), step, word, index(0)], GROUP * TILE)
                yield

        loop(steps, 1, lambda step: groups(columns, lambda first: nest(
            [(words, 1)], lambda word: move(step, first, word))))


class _WeightsByColumn(Emitter):
    """[columns][32][steps][8][4] -> [columns][steps][8][32][4]."""

    joined = 3, 2
    counted = (0,), (0,)

    def _whole(self) -> bool:
        return self._shape[2] >= GROUP and self._shape[1] == TILE and self._shape[3:] == [TILE // WORD, WORD]

    def _loops(self) -> None:
        """All rows of four tiles at a time."""
        columns, (_, _, steps, words, _) = self._count(0, 0), self._shape

        def move(column: ir.Value, first: ir.Value) -> None:
            loaded = [self._row([column, index(number)], first, steps) for number in range(TILE)]
            for number, vector in enumerate(interleaved(loaded, WORD)):
                place = [column, plus(first, number // words), index(number % words), index(0)]
                self._target.store(vector, place, GROUP * TILE)

        loop(columns, 1, lambda column: groups(steps, lambda first: move(column, first)))


class _Results(Emitter):
    """[rows][tiles][64][32] -> [rows][64][tiles][32]."""

    joined = 2, 2
    counted = (0,), (0,)

    def _whole(self) -> bool:
        _, tiles, rows, width = self._shape
        return tiles >= GROUP and rows % GROUP == 0 and width == TILE

    def _loops(self) -> None:
        """Four rows of four tiles at a time."""
        outer, (_, tiles, rows, _) = self._count(0, 0), self._shape
        step = TILE * (1 if tiles % GROUP else GROUP)

        def move(row: ir.Value, first: ir.Value, inner: ir.Value) -> Iterator[None]:
            place, column = make.muli(inner, index(TILE)), make.muli(first, index(TILE))
            return self._move(
                lambda number: self._source.load(self._bytes, [row, plus(first, number), place], GROUP * TILE),
                lambda number, vector: self._target.store(vector, [row, plus(inner, number), column], step), TILE)

        loop(outer, 1, lambda row: groups(tiles, lambda first: nest(
            [(rows, GROUP)], lambda inner: move(row, first, inner))))


class _Join(Emitter):
    """Planes [rows][columns][4][64][32] -> sums [rows][64][columns][32], plus a number of each column."""

    joined = 2, 1
    counted = (0, 1), (0, 2)

    def _whole(self) -> bool:
        _, _, planes, rows, width = self._shape
        return rows % GROUP == 0 and (planes, width) == (PLANES, TILE) and all(
            added.contiguous for added in self._added())

    def _added(self) -> list[Access]:
        return [Access(value, 1, self._bytes.shape[0]) for value in list(self._op.operands)[PLANES:-1]]

    def _loops(self) -> None:
        """Four rows of a tile at a time."""
        outer, columns, rows = self._count(0, 0), self._count(0, 1), self._shape[3]
        words = ir.VectorType.get([TILE], ir.IntegerType.get_signless(32))
        added = self._added()

        def move(row: ir.Value, column: ir.Value, inner: ir.Value) -> Iterator[None]:
            at = make.muli(inner, index(TILE))

            def stored(number: int, vector: ir.Value) -> None:
                total = ir.Operation.create("vector.bitcast", results=[words], operands=[vector]).result
                for each in added:
                    total = make.addi(total, each.load(words, [column, index(0)], GROUP * TILE))
                self._target.store(total, [row, plus(inner, number), column, index(0)], GROUP * TILE)

            return self._move(lambda plane: self._source.load(
                self._bytes, [row, column, index(plane), at], GROUP * TILE), stored, 1)

        nest([(outer, 1), (columns, 1), (rows, GROUP)], move)


class _Sums(Emitter):
    """Weights [columns][steps][8][32][4], or [4] of nibbles -> 32-bit sums of each column, [columns][32], times -128.
    """

    joined = 2, 1
    counted = (0,), (0,)

    def _whole(self) -> bool:
        return self._shape[3:] == [TILE, WORD]

    def _loops(self) -> None:
        """Dot products of four bytes and -128, each vector of a column of tiles."""
        columns, (_, steps, words, *_) = self._count(0, 0), self._shape
        wide = ir.VectorType.get(self._bytes.shape, ir.IntegerType.get_signless(32))
        sums = ir.VectorType.get([TILE], ir.IntegerType.get_signless(32))
        of_nibbles = has_nibbles(self._op.operands[0].type)
        factor = constant(ir.DenseElementsAttr.get_splat(wide, ir.IntegerAttr.get(
            wide.element_type, SIGN >> NIBBLE_BITS if of_nibbles else SIGN)))

        def column_of(column: ir.Value) -> None:
            def add(step: ir.Value, old: list[ir.Value]) -> list[ir.Value]:
                for word in range(words):
                    vector = self._source.load(self._bytes, [column, step, index(word), index(0)], GROUP * TILE)
                    for part in as_upper_nibbles(vector) if of_nibbles else [vector]:
                        old = [make.addi(old[0], dot_product(make.cast("arith.extsi", wide, part), factor))]
                return old

            total, = for_loop(index(0), index(steps), 1,
                              [self._target.load(sums, [column, index(0)], GROUP * TILE)], add)
            self._target.store(total, [column, index(0)], GROUP * TILE)

        loop(columns, 1, column_of)


GROUP = 4
"""Tiles of a row in a vector, and rows of a tile."""


_NIBBLE_GROUP = NIBBLES_PER_BYTE * GROUP
"""Tiles of nibbles in a vector of rows."""


def groups(count: int, emit: Callable[[ir.Value], None], group: int = GROUP) -> None:
    """``emit`` for the first of each ``group`` of ``count`` tiles; the last group reaches back to the one before."""
    whole = count - count % group
    loop(whole, group, emit)
    if whole < count:
        emit(index(count - group))


def loop(count: int | ir.Value, step: int, emit: Callable[[ir.Value], None]) -> None:
    """``emit`` for 0, ``step`` and so on below ``count``."""
    def body(iv: ir.Value, _: list[ir.Value]) -> list[ir.Value]:
        emit(iv)
        return []

    for_loop(index(0), index(count) if isinstance(count, int) else count, step, [], body)


_TOGETHER = 4
"""Groups of vectors in one iteration: loads and shuffles of one do not wait for those of another."""


def nest(loops: Sequence[tuple[int | ir.Value, int]], move: Callable[..., Iterator[None]]) -> None:
    """``move`` for every iteration of ``loops``, of a count and a step each, the outermost first; the innermost
    iterations, `_TOGETHER` at most, in turns."""
    times, left = [1] * len(loops), _TOGETHER
    for number, (count, step) in reversed(list(enumerate(loops))):
        if not isinstance(count, int):
            break
        times[number] = iterations_together(count // step, left)
        left //= times[number]
        if times[number] * step < count:
            break

    def around(number: int, places: list[list[ir.Value]]) -> None:
        if number == len(loops):
            in_turns([move(*place) for place in places], GROUP)
            return
        count, step = loops[number]
        loop(count, step * times[number], lambda iv: around(
            number + 1, [[*place, plus(iv, step * each)] for place in places for each in range(times[number])]))

    around(0, [[]])


def plus(value: ir.Value, number: int) -> ir.Value:
    """``value`` + ``number``."""
    return make.addi(value, index(number)) if number else value


EMITTERS: dict[ByteCopy, type[Emitter]] = {
    ByteCopy.ACTIVATIONS: _Activations, ByteCopy.WEIGHTS: _Weights, ByteCopy.WEIGHTS_BY_COLUMN: _WeightsByColumn,
    ByteCopy.NIBBLES: _Nibbles, ByteCopy.NIBBLES_OF_ROWS: _NibblesOfRows, ByteCopy.RESULTS: _Results,
    ByteCopy.JOIN: _Join, ByteCopy.SUMS: _Sums,
}  # fmt: skip
"""Kind of copy to what writes it."""
