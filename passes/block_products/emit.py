"""Products of rows in fixed point with weights in blocks, on buffers, as HVX computes them (vrmpy).

Two vectors of words are 64 columns of four codes each. They are loaded once for a few rows. For each row and plane a
word of its bytes, a scalar, is multiplied by both vectors; sums of a block are exact in words. Planes are joined in
words as far as they fit, converted, scaled by the block's unit and scales, and added in f32.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

from hexagon_mlir.dialects.block_weights import BYTE_BITS, COLUMNS, LANES, PARITIES, WORD, code_bits
from hexagon_mlir.ir import arith, ir, make, memref, vector
from hexagon_mlir.ir.constants import constant, index
from hexagon_mlir.passes.lib.intrinsics import Registers
from hexagon_mlir.passes.lib.segments import for_loop

MOST_ROWS = 2
"""That share loaded codes: their sums of f32 and the codes of a block stay in registers."""
MOST_WORDS = 8
"""Of a column's codes in registers at a time: those of the shortest block."""
_MIDDLE = 16
"""Bits of a half of a word."""


@dataclass(frozen=True)
class _Buffers:
    """Operands of the product, dimensions of vectors collapsed."""

    planes: ir.Value
    units: ir.Value
    sums: ir.Value
    codes: ir.Value
    scales: ir.Value
    zeros: ir.Value | None
    result: ir.Value


class BlockProductEmitter:
    """Emits the loops of linalg op ``op`` at the insertion point."""

    def __init__(self, op: ir.Operation, vector_bytes: int, cached_bytes: int):
        self.cached_bytes = cached_bytes
        self.hvx, self.bits = Registers(vector_bytes), code_bits(op)
        planes, units, sums, codes, scales, *zeros, result = op.operands
        self.rows, self.blocks, self.planes, self.steps, self.halves, _ = ir.MemRefType(planes.type).shape
        self.parts = self.steps * self.halves // MOST_WORDS
        self.tiles = ir.MemRefType(codes.type).shape[0]
        self.words = ir.VectorType.get([LANES], ir.IntegerType.get_signless(32))
        self.floats = ir.VectorType.get([LANES], ir.F32Type.get())
        self.buffers = _Buffers(planes, units, sums, _collapsed(codes, 4), _collapsed(scales, 2),
                                _collapsed(zeros[0], 2) if zeros else None, _collapsed(result, 2))

    def emit(self) -> None:
        """All tiles of columns, a few rows at a time."""
        most = MOST_ROWS if self.parts == 1 else 1
        for first in range(0, self.rows, most):
            self._rows(range(first, min(first + most, self.rows)))

    def _rows(self, rows: range) -> None:
        """The results of ``rows``: as many blocks at a time as leave their bytes in the cache, for all tiles."""
        of_block = len(rows) * self.planes * self.steps * self.halves * WORD
        count = -(-self.blocks * of_block // self.cached_bytes)
        step = -(-self.blocks // count)
        if count == 1:
            for_loop(index(0), index(self.tiles), 1, [],
                     lambda tile, _: self._tile(tile, index(0), index(self.blocks), rows))
            return

        def part(number: ir.Value, _: list[ir.Value]) -> list[ir.Value]:
            start = make.muli(number, index(step))
            end = arith.minsi(make.addi(start, index(step)), index(self.blocks))
            for_loop(index(0), index(self.tiles), 1, [], lambda tile, _: self._tile(tile, start, end, rows))
            return []

        for_loop(index(0), index(count), 1, [], part)

    def _tile(self, tile: ir.Value, start: ir.Value, end: ir.Value, rows: Sequence[int]) -> list[ir.Value]:
        """Add to the results of ``rows`` in a tile of columns what the blocks from ``start`` to ``end`` give."""
        pair = ir.VectorType.get([COLUMNS], ir.F32Type.get())
        result, order = self.buffers.result, [lane for c in range(LANES) for lane in (c, LANES + c)]
        olds = []
        for row in rows:
            old = make.load(pair, result, [index(row), tile, index(0)], alignment=4)
            olds += [make.shuffle(old, old, range(parity, COLUMNS, PARITIES)) for parity in range(PARITIES)]
        sums = for_loop(start, end, 1, olds, lambda block, old: self._block(tile, block, rows, old))
        for number, row in enumerate(rows):
            even, odd = sums[PARITIES * number:PARITIES * (number + 1)]
            make.store(make.shuffle(even, odd, order), result, [index(row), tile, index(0)], alignment=4)
        return []

    def _block(self, tile: ir.Value, block: ir.Value, rows: Sequence[int], old: list[ir.Value]) -> list[ir.Value]:
        """``old`` sums and the products of a block."""
        scales, zeros = self._scales(tile, block), self._zeros(tile, block)
        codes = self._codes(tile, block, index(0)) if self.parts == 1 else None
        new = list(old)
        for number, row in enumerate(rows):
            unit = make.broadcast(self.floats, memref.load(self.buffers.units, [index(row), block]))
            planes = (self._planes(row, block, zeros, codes) if codes is not None else
                      self._planes_in_parts(tile, row, block, zeros))
            for parity in range(PARITIES):
                exact = self._joined([of_parities[parity] for of_parities in planes])
                scale = make.binary("arith.mulf", scales[parity], unit)
                place = PARITIES * number + parity
                new[place] = make.binary("arith.addf", new[place], make.binary("arith.mulf", exact, scale))
        return new

    def _planes(self, row: int, block: ir.Value, zeros: list[ir.Value] | None,
                codes: list[list[ir.Value]]) -> list[list[ir.Value]]:
        """The sums of each plane of a block, in even and in odd columns."""
        return [self._plane([index(row), block, index(plane)], index(0), codes, self._start(row, block, plane, zeros))
                for plane in range(self.planes)]

    def _planes_in_parts(self, tile: ir.Value, row: int, block: ir.Value,
                         zeros: list[ir.Value] | None) -> list[list[ir.Value]]:
        """The same of a long block, whose codes do not fit the registers."""
        starts = [start for plane in range(self.planes) for start in self._start(row, block, plane, zeros)]

        def part(number: ir.Value, old: list[ir.Value]) -> list[ir.Value]:
            first = make.muli(number, index(self.steps // self.parts))
            codes = self._codes(tile, block, first)
            return [new for plane in range(self.planes) for new in self._plane(
                [index(row), block, index(plane)], first, codes, old[PARITIES * plane:PARITIES * (plane + 1)])]

        sums = for_loop(index(0), index(self.parts), 1, starts, part)
        return [sums[first:first + PARITIES] for first in range(0, len(sums), PARITIES)]

    def _scales(self, tile: ir.Value, block: ir.Value) -> list[ir.Value]:
        """The scales of even and of odd columns, as f32."""
        element = ir.MemRefType(self.buffers.scales.type).element_type
        both = make.load(ir.VectorType.get([COLUMNS], element), self.buffers.scales, [tile, block, index(0)], 4)
        wide = ir.VectorType.get([COLUMNS], ir.F32Type.get())
        return _halves(both if both.type == wide else make.cast("arith.extf", wide, both))

    def _zeros(self, tile: ir.Value, block: ir.Value) -> list[ir.Value] | None:
        """The zero points of even and of odd columns in words, if columns have some of their own."""
        if self.buffers.zeros is None:
            return None
        both = make.load(ir.VectorType.get([COLUMNS], ir.IntegerType.get_signless(BYTE_BITS)), self.buffers.zeros,
                         [tile, block, index(0)], 4)
        return _halves(make.cast("arith.extui", ir.VectorType.get([COLUMNS], ir.IntegerType.get_signless(32)), both))

    def _codes(self, tile: ir.Value, block: ir.Value, first: ir.Value) -> list[list[ir.Value]]:
        """The codes of a part of a block, a byte each, in the order of the rows' words: of even and of odd columns."""
        type_ = ir.VectorType.get([LANES * WORD], ir.IntegerType.get_signless(BYTE_BITS))
        found: list[list[ir.Value]] = [[] for _ in range(PARITIES)]
        for parity, step in product(range(PARITIES), range(self.steps // self.parts)):
            at = [tile, block, make.addi(first, index(step)), index(parity), index(0)]
            loaded = vector.bitcast(self.words, make.load(type_, self.buffers.codes, at, alignment=LANES * WORD))
            found[parity] += [loaded] if self.halves == 1 else self._nibbles(loaded)
        return found

    def _nibbles(self, packed: ir.Value) -> list[ir.Value]:
        mask = self._word(int("0f" * WORD, 16))
        return [make.binary("arith.andi", packed, mask),
                make.binary("arith.andi", make.binary("arith.shrui", packed, self._word(self.bits)), mask)]

    def _joined(self, planes: list[ir.Value]) -> ir.Value:
        """The sums of a block in units of its row and scales, as f32, from those of its ``planes``."""
        joined = []
        for low in range(0, self.planes, 2):
            pair = planes[low:low + 2]
            words = pair[0] if len(pair) == 1 else make.addi(
                pair[0], make.binary("arith.shli", pair[1], self._word(BYTE_BITS)))
            joined.append(make.cast("arith.sitofp", self.floats, words))
        if len(joined) == 1:
            return joined[0]
        factor = constant(ir.DenseElementsAttr.get_splat(self.floats, ir.FloatAttr.get(ir.F32Type.get(), 2.0**_MIDDLE)))
        return make.binary("arith.addf", joined[0], make.binary("arith.mulf", joined[1], factor))

    def _start(self, row: int, block: ir.Value, plane: int, zeros: list[ir.Value] | None) -> list[ir.Value]:
        """What the zero points, times the sum of a row's bytes, make of the sums of a block."""
        total = memref.load(self.buffers.sums, [index(row), block, index(plane)])
        if zeros is None:
            return [make.broadcast(self.words, make.muli(total, self._scalar(-(1 << self.bits - 1))))] * PARITIES
        negative = make.broadcast(self.words, make.subi(self._scalar(0), total))
        return [make.muli(zero, negative) for zero in zeros]

    def _plane(self, place: list[ir.Value], first: ir.Value, codes: list[list[ir.Value]],
               sums: list[ir.Value]) -> list[ir.Value]:
        """``sums`` and the products of a plane's bytes from step ``first`` on. Each word is read once: scalar registers
        are few."""
        bytes_, word = (ir.VectorType.get([count], ir.IntegerType.get_signless(bits))
                        for count, bits in ((WORD, BYTE_BITS), (1, WORD * BYTE_BITS)))
        steps = product(range(self.steps // self.parts), range(self.halves))
        for number, (step, half) in enumerate(steps):
            at = [*place, make.addi(first, index(step)), index(half), index(0)]
            loaded = make.load(bytes_, self.buffers.planes, at, alignment=WORD)
            scalar = vector.extract(vector.bitcast(word, loaded), [], [0])
            sums = [self.hvx.call("vrmpybus.acc", self.words, old, codes[parity][number], scalar)
                    for parity, old in enumerate(sums)]
        return sums

    def _scalar(self, value: int) -> ir.Value:
        return constant(ir.IntegerAttr.get(ir.IntegerType.get_signless(32), value))

    def _word(self, value: int) -> ir.Value:
        """``value`` in every word."""
        element = ir.IntegerAttr.get(ir.IntegerType.get_signless(32), value)
        return constant(ir.DenseElementsAttr.get_splat(self.words, element))


def _halves(value: ir.Value) -> list[ir.Value]:
    """The numbers of even and of odd columns."""
    return [make.shuffle(value, value, range(first, first + LANES)) for first in range(0, COLUMNS, LANES)]


def _collapsed(buffer: ir.Value, dims: int) -> ir.Value:
    """``buffer`` with dimensions from number ``dims`` on as one."""
    rank = ir.MemRefType(buffer.type).rank
    if rank <= dims + 1:
        return buffer
    groups = [[dim] for dim in range(dims)] + [list(range(dims, rank))]
    return make_collapse(buffer, groups)


def make_collapse(buffer: ir.Value, groups: list[list[int]]) -> ir.Value:
    """`memref.collapse_shape` of ``buffer``, whose layout is strided."""
    type_ = ir.MemRefType(buffer.type)
    strides, offset = type_.get_strides_and_offset()
    sizes = []
    for group in groups:
        size = 1
        for dim in group:
            size *= type_.shape[dim]
        sizes.append(size)
    layout = ir.StridedLayoutAttr.get(offset, [strides[group[-1]] for group in groups])
    identity = ir.MemRefType.get(type_.shape, type_.element_type).layout == type_.layout
    new = ir.MemRefType.get(sizes, type_.element_type, None if identity else layout, type_.memory_space)
    return memref.collapse_shape(new, buffer, groups)
