"""Products of rows in fixed point with weights in blocks, on buffers, as HVX computes them (vrmpy).

Two vectors of words are 64 columns of four codes each. They are loaded once for a few rows. For each row and plane a
word of its bytes, a scalar, is multiplied by both vectors; sums of a block are exact in words. Planes are joined in
words as far as they fit, converted, scaled by the block's unit and scales, and added in f32.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from hexagon_mlir.dialects.block_weights import BYTE_BITS, COLUMNS, LANES, PARITIES, WORD
from hexagon_mlir.ir import arith, ir, make, memref
from hexagon_mlir.ir.constants import constant, index
from hexagon_mlir.passes.block_products.operands import Operands, halves
from hexagon_mlir.passes.block_products.words import planes_of_words
from hexagon_mlir.passes.lib.intrinsics import Registers
from hexagon_mlir.passes.lib.segments import for_loop

MOST_ROWS = 2
"""That share loaded codes: their sums of f32 and the codes of a block stay in registers."""
_UNROLLED_ROWS = 8
MOST_WORDS = 8
"""Of a column's codes in registers at a time: those of the shortest block."""


class BlockProductEmitter:
    """Emits the loops of linalg op ``op`` at the insertion point."""

    def __init__(self, op: ir.Operation, vector_bytes: int, cached_bytes: int):
        self.cached_bytes = cached_bytes
        self.hvx = Registers(vector_bytes)
        self.operands = Operands(op, self.hvx)
        planes = ir.MemRefType(self.operands.planes.type).shape
        self.rows, self.blocks, self.planes, self.steps, self.halves, _ = planes
        self.parts = max(self.steps * self.halves // MOST_WORDS, 1)
        block = self.steps * self.halves * WORD
        self.words_of_planes = planes_of_words(self.planes, block, self.operands.largest)
        self.tiles, self.words = self.operands.tiles, self.operands.words
        self.floats = ir.VectorType.get([LANES], ir.F32Type.get())

    def emit(self) -> None:
        """All tiles of columns, a few rows at a time: each has code of its own, or, of many, all but the last ones are
        a loop."""
        most = MOST_ROWS if self.parts == 1 else 1
        whole = self.rows - self.rows % most if self.rows > _UNROLLED_ROWS else 0

        def some(first: ir.Value, _: list[ir.Value]) -> list[ir.Value]:
            self._rows([make.addi(first, index(row)) if row else first for row in range(most)])
            return []

        if whole:
            for_loop(index(0), index(whole), most, [], some)
        for first in range(whole, self.rows, most):
            self._rows([index(row) for row in range(first, min(first + most, self.rows))])

    def _rows(self, rows: Sequence[ir.Value]) -> None:
        """The results of ``rows``: as many blocks at a time as leave their bytes in the cache, for all tiles."""
        of_block = len(rows) * self.planes * self.steps * self.halves * WORD
        count = -(-self.blocks * of_block // self.cached_bytes)
        step = -(-self.blocks // count)
        if count == 1:
            for_loop(index(0), self.tiles, 1, [],
                     lambda tile, _: self._tile(tile, index(0), index(self.blocks), rows))
            return

        def part(number: ir.Value, _: list[ir.Value]) -> list[ir.Value]:
            start = make.muli(number, index(step))
            end = arith.minsi(make.addi(start, index(step)), index(self.blocks))
            for_loop(index(0), self.tiles, 1, [], lambda tile, _: self._tile(tile, start, end, rows))
            return []

        for_loop(index(0), index(count), 1, [], part)

    def _tile(self, tile: ir.Value, start: ir.Value, end: ir.Value, rows: Sequence[ir.Value]) -> list[ir.Value]:
        """Add to the results of ``rows`` in a tile of columns what the blocks from ``start`` to ``end`` give."""
        pair = ir.VectorType.get([COLUMNS], ir.F32Type.get())
        result, order = self.operands.result, [lane for c in range(LANES) for lane in (c, LANES + c)]
        olds = []
        for row in rows:
            old = make.load(pair, result, [row, tile, index(0)], alignment=4)
            olds += [make.shuffle(old, old, range(parity, COLUMNS, PARITIES)) for parity in range(PARITIES)]
        add = self._overlapped if len(rows) == 1 and self.parts == 1 else self._in_turn
        sums = add(tile, start, end, rows, olds)
        for number, row in enumerate(rows):
            even, odd = sums[PARITIES * number:PARITIES * (number + 1)]
            make.store(make.shuffle(even, odd, order), result, [row, tile, index(0)], alignment=4)
        return []

    def _in_turn(self, tile: ir.Value, start: ir.Value, end: ir.Value, rows: Sequence[ir.Value],
                 olds: list[ir.Value]) -> list[ir.Value]:
        """``olds``, sums of ``rows``, and what the blocks give, one after the other."""
        def block(number: ir.Value, old: list[ir.Value]) -> list[ir.Value]:
            old = self._with_minima(tile, number, rows, old)
            return [new for place, of_row in enumerate(self._block(tile, number, rows))
                    for new in self._added(old[PARITIES * place:PARITIES * (place + 1)], *of_row)]

        return for_loop(start, end, 1, olds, block)

    def _overlapped(self, tile: ir.Value, start: ir.Value, end: ir.Value, rows: Sequence[ir.Value],
                    olds: list[ir.Value]) -> list[ir.Value]:
        """The same of one row: the words of a block are converted, scaled and added while the next one is multiplied.
        Other rows would fill these packets; a row alone has nothing else."""
        nothing = self._splat(0.0)
        count = PARITIES * len(self.words_of_planes)

        def block(number: ir.Value, old: list[ir.Value]) -> list[ir.Value]:
            (made, factors), = self._block(tile, number, rows)
            sums = self._with_minima(tile, number, rows, old[:PARITIES])
            return [*self._added_apart([*sums, *old[PARITIES:count]], old[count:2 * count], old[2 * count:]),
                    *made, *factors]

        zeros = [nothing] * (count - PARITIES)
        old = for_loop(start, end, 1, [*olds, *zeros, *[self._word(0)] * count, *[nothing] * PARITIES], block)
        sums = self._added_apart(old[:count], old[count:2 * count], old[2 * count:])
        return [self._joined(sums[parity::PARITIES]) for parity in range(PARITIES)]

    def _added_apart(self, old: list[ir.Value], words: list[ir.Value], factors: list[ir.Value]) -> list[ir.Value]:
        """``old`` sums, of the first word of each parity, then those of the second one, and ``words`` of a block times
        their ``factors``: words of a row are joined once, after all blocks."""
        count = len(self.words_of_planes)
        return [make.binary("arith.addf", old[PARITIES * word + parity], make.binary(
            "arith.mulf", make.cast("arith.sitofp", self.floats, words[count * parity + word]), factors[parity]))
            for word in range(count) for parity in range(PARITIES)]

    def _block(self, tile: ir.Value, block: ir.Value,
               rows: Sequence[ir.Value]) -> list[tuple[list[ir.Value], list[ir.Value]]]:
        """For each of ``rows``: the words of a block in even and in odd columns, and their factors."""
        scales, zeros = self.operands.scale(tile, block), self.operands.zeros(tile, block)
        starts = [start for row in rows for start in self._starts(row, block, zeros)]
        if self.parts == 1:
            sums = self._sums(tile, block, index(0), rows, starts)
        else:
            filled = [self._word(0) if start is None else start for start in starts]
            sums = for_loop(index(0), index(self.parts), 1, filled, lambda part, old: self._sums(
                tile, block, make.muli(part, index(self.steps // self.parts)), rows, old))
        made = []
        for number, row in enumerate(rows):
            of_row = sums[number * self.planes * PARITIES:(number + 1) * self.planes * PARITIES]
            made.append(([word for parity in range(PARITIES) for word in self._words(of_row[parity::PARITIES])],
                         halves(make.binary("arith.mulf", scales, self.operands.unit(block, row)))))
        return made

    def _starts(self, row: ir.Value, block: ir.Value, zeros: list[ir.Value] | None) -> list[ir.Value | None]:
        """What the sums of planes start from, in even and in odd columns: the lowest plane of a word from what the zero
        points, times the sum of the row's numbers, make of it, others from nothing."""
        starts: list[ir.Value | None] = [None] * (self.planes * PARITIES)
        if self.operands.has_minima:
            return starts
        for planes in self.words_of_planes:
            total = None
            for plane in planes:
                one = memref.load(self.operands.sums, [row, block, index(plane)])
                shifted = make.muli(one, self._scalar(1 << BYTE_BITS * (plane - planes[0])))
                total = one if total is None else make.addi(total, shifted)
            first = planes[0] * PARITIES
            if self.operands.middle is not None:
                less = make.muli(total, self._scalar(-self.operands.middle))
                starts[first:first + PARITIES] = [make.broadcast(self.words, less)] * PARITIES
            elif zeros is not None:
                negative = make.broadcast(self.words, make.subi(self._scalar(0), total))
                starts[first:first + PARITIES] = [make.muli(zero, negative) for zero in zeros]
        return starts

    def _sums(self, tile: ir.Value, block: ir.Value, first: ir.Value, rows: Sequence[ir.Value],
              sums: Sequence[ir.Value | None]) -> list[ir.Value]:
        """``sums`` of rows, planes and parities, and the products of a part of a block from step ``first`` on."""
        sums = list(sums)
        for step in range(self.steps // self.parts):
            at = make.addi(first, index(step))
            codes = [self.operands.code(tile, block, first, step, parity) for parity in range(PARITIES)]
            for (number, row), plane, half in product(enumerate(rows), range(self.planes), range(self.halves)):
                scalar = self.operands.row_word([row, block, index(plane), at, index(half), index(0)])
                for parity in range(PARITIES):
                    place = (number * self.planes + plane) * PARITIES + parity
                    old, code = sums[place], codes[parity][half]
                    sums[place] = (self.hvx.call("vrmpybus", self.words, code, scalar) if old is None else
                                   self.hvx.call("vrmpybus.acc", self.words, old, code, scalar))
        return [value for value in sums if value is not None]

    def _words(self, planes: list[ir.Value]) -> list[ir.Value]:
        """The sums of ``planes`` joined in words."""
        words = []
        for joined in self.words_of_planes:
            word = planes[joined[0]]
            for plane in joined[1:]:
                places = self._word(BYTE_BITS * (plane - joined[0]))
                word = make.addi(word, make.binary("arith.shli", planes[plane], places))
            words.append(word)
        return words

    def _added(self, old: list[ir.Value], words: list[ir.Value], factors: list[ir.Value]) -> list[ir.Value]:
        """``old`` sums and ``words`` of a block times their ``factors``, for each parity."""
        count = len(self.words_of_planes)
        return [make.binary("arith.addf", old[parity], make.binary(
            "arith.mulf", self._float(words[count * parity:count * (parity + 1)]), factors[parity]))
            for parity in range(PARITIES)]

    def _with_minima(self, tile: ir.Value, block: ir.Value, rows: Sequence[ir.Value],
                     old: list[ir.Value]) -> list[ir.Value]:
        """``old`` sums of ``rows`` and what the minima of a block, if it has some, add to them."""
        if not self.operands.has_minima:
            return old
        least = [part for row in rows for part in self.operands.least(tile, block, row)]
        return [make.binary("arith.addf", one, part) for one, part in zip(old, least, strict=True)]

    def _float(self, words: list[ir.Value]) -> ir.Value:
        """The sums of a block in units of its row and scales, as f32, from their ``words``."""
        return self._joined([make.cast("arith.sitofp", self.floats, word) for word in words])

    def _joined(self, values: list[ir.Value]) -> ir.Value:
        """The sum of ``values``, f32 of each word, in units of the first one's."""
        total, *others = values
        for value, planes in zip(others, self.words_of_planes[1:], strict=True):
            factor = self._splat(2.0**(BYTE_BITS * planes[0]))
            total = make.binary("arith.addf", total, make.binary("arith.mulf", value, factor))
        return total

    def _splat(self, value: float) -> ir.Value:
        """``value`` in every f32."""
        return constant(ir.DenseElementsAttr.get_splat(self.floats, ir.FloatAttr.get(ir.F32Type.get(), value)))

    def _scalar(self, value: int) -> ir.Value:
        return constant(ir.IntegerAttr.get(ir.IntegerType.get_signless(32), value))

    def _word(self, value: int) -> ir.Value:
        """``value`` in every word."""
        element = ir.IntegerAttr.get(ir.IntegerType.get_signless(32), value)
        return constant(ir.DenseElementsAttr.get_splat(self.words, element))
