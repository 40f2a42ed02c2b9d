"""Tiles of f16 of the matrix engine from weights in blocks, on buffers, as HVX makes them.

Two vectors of words are the even and the odd columns of 64, of a few weights each. Two shuffles put columns side by
side, and bytes so that those of even places are the first two rows, which are a pair of a tile. Codes of 4 bits are
looked up (vlut16), others are extended. Integers times f16 scales are rounded once; where scales are f32 or bytes, or
minima are added, this is done in f32.
"""

from __future__ import annotations

import numpy as np

from hexagon_mlir.dialects.block_weights import (
    BYTE_BITS,
    E2M1,
    LANES,
    LOWER_BITS,
    PARITIES,
    UPPER_ROWS,
    WORD,
    codes_in_byte,
    tile_bits,
)
from hexagon_mlir.dialects.engine_tiles import PAIR, TILE
from hexagon_mlir.ir import ir, make, memref, vector
from hexagon_mlir.ir.constants import constant, index
from hexagon_mlir.passes.block_products.codes import codes_of
from hexagon_mlir.passes.block_products.columns import BlockColumns, Factors
from hexagon_mlir.passes.block_products.views import collapsed
from hexagon_mlir.passes.lib.block_weights import block_weights
from hexagon_mlir.passes.lib.intrinsics import Registers
from hexagon_mlir.passes.lib.segments import for_loop

_SWAP_BYTES, _COLUMNS = 0x03, 0x7D
"""Controls of vshuff: after the first one, the other register has the bytes of odd places; after the second one, words
are in the order of columns, and their bytes 0 and 2 come first."""
_UPPER = 16
"""Places of the upper half of a word."""
_INTEGERS, _F16, _UPPER_BITS = "integers", "f16", "upper bits of f32"
"""What numbers of 16 bits are."""


class BlockTilesEmitter:
    """Emits the loops of linalg op ``op`` at the insertion point."""

    def __init__(self, op: ir.Operation, vector_bytes: int):
        *given, result = op.operands
        self.hvx, self.bits = Registers(vector_bytes), tile_bits(op)
        weights = block_weights(given, self.bits)
        codes, type_ = weights.codes, ir.MemRefType(weights.codes.type)
        self.columns = BlockColumns(weights)
        loops = self.columns.loops
        *self.outer, self.inner = (memref.dim(codes, index(dim)) if type_.is_dynamic_dim(dim) else
                                   index(type_.shape[dim]) for dim in range(loops + 1))
        self.steps = type_.shape[loops + 1]
        self.codes, self.result = collapsed(codes, loops + 3), collapsed(result, loops + 5)
        self.upper = None if weights.upper is None else collapsed(weights.upper, loops + 3)
        self.halves = ir.VectorType.get([TILE * PAIR], ir.F16Type.get())
        self.words = ir.VectorType.get([LANES], ir.IntegerType.get_signless(32))
        self.pairs = ir.VectorType.get([TILE * PAIR], ir.F32Type.get())
        self.integers = ir.VectorType.get([TILE * PAIR], ir.IntegerType.get_signless(16))
        self.first = 0 if weights.middle is None or weights.is_e2m1 else weights.middle

    def emit(self) -> None:
        """All tiles of columns and blocks."""
        table = self._table()

        def block(at: list[ir.Value]) -> list[ir.Value]:
            if self.columns.is_short:
                return for_loop(index(0), self.inner, 1, [], lambda inner, _: self._part(
                    [*at, inner], self.columns.factors([*at, inner]), table))
            factors = self.columns.factors(at)
            return for_loop(index(0), self.inner, 1, [], lambda inner, _: self._part([*at, inner], factors, table))

        def outer(at: list[ir.Value]) -> list[ir.Value]:
            if len(at) == len(self.outer):
                return block(at)
            return for_loop(index(0), self.outer[len(at)], 1, [], lambda number, _: outer([*at, number]))

        outer([])

    def _part(self, at: list[ir.Value], factors: list[Factors], table: ir.Value) -> list[ir.Value]:
        """The rows of a block that are in a tile."""
        for step in range(self.steps):
            for side, codes in enumerate(self._codes(at, step)):
                for half, packed in enumerate(codes):
                    for place, numbers in enumerate(self._numbers(packed, table)):
                        tile, *inside = at
                        make.store(self._weights(numbers, factors[side]), self.result, [
                            tile, index(side), *inside, *map(index, (step, half, place, 0))],
                            alignment=LANES * WORD)
        return []

    def _codes(self, at: list[ir.Value], step: int) -> list[list[ir.Value]]:
        """The codes of a ``step``, words of the first and of the last 32 columns: those of each part of a byte, in its
        lower bits."""
        packed = self._columns(self.codes, [*at, index(step)])
        if self.bits == LOWER_BITS:
            return [[one, make.binary("arith.shrui", one, self._word(LOWER_BITS))] for one in packed]
        steps = UPPER_ROWS // (WORD * codes_in_byte(self.bits))
        upper = [None] * len(packed) if self.upper is None else self._columns(self.upper, [*at, index(step // steps)])
        return [codes_of(self.hvx, one, self.bits, of_one, step) for one, of_one in zip(packed, upper, strict=True)]

    def _columns(self, buffer: ir.Value, at: list[ir.Value]) -> list[ir.Value]:
        """The words of ``buffer`` for a step, of the first and of the last 32 columns."""
        bytes_ = ir.VectorType.get([LANES * WORD], ir.IntegerType.get_signless(BYTE_BITS))
        even, odd = (vector.bitcast(self.words, make.load(
            bytes_, buffer, [*at, index(parity), index(0)], alignment=LANES * WORD)) for parity in range(PARITIES))
        for control in (_SWAP_BYTES, _COLUMNS):
            even, odd = self.hvx.halves(self.hvx.call("vshuffvdd", self.hvx.pair, odd, even, control))
        return [even, odd]

    def _numbers(self, packed: ir.Value, table: ir.Value) -> list[ir.Value]:
        """Pairs of rows as numbers of 16 bits, from the lower bits of bytes: integers, or what the table has."""
        if self.bits == LOWER_BITS:
            return [vector.bitcast(self.integers, each) for each in self.hvx.halves(
                self.hvx.call("vlutvwh.nm", self.hvx.pair, packed, table, 0))]
        whole = vector.bitcast(self.integers, packed)
        low = make.binary("arith.andi", whole, self._half((1 << BYTE_BITS) - 1))
        return [make.subi(each, self._half(self.first)) if self.first else each
                for each in (low, make.binary("arith.shrui", whole, self._half(BYTE_BITS)))]

    def _weights(self, numbers: ir.Value, factors: Factors) -> ir.Value:
        """``numbers`` as weights."""
        if factors.zero is not None:
            numbers = make.subi(numbers, factors.zero)
        if not self.columns.in_f16:
            exact = make.binary("arith.mulf", self._wide(numbers), self._twice(factors.scale))
        else:
            halves = (make.cast("arith.sitofp", self.halves, numbers) if self._table_is == _INTEGERS else
                      vector.bitcast(self.halves, numbers))
            if factors.minimum is None:
                return make.binary("arith.mulf", halves, factors.scale)
            exact = make.binary("arith.mulf", *(make.cast("arith.extf", self.pairs, each)
                                                for each in (halves, factors.scale)))
        if factors.minimum is not None:
            exact = make.binary("arith.addf", exact, self._twice(factors.minimum))
        return make.cast("arith.truncf", self.halves, exact)

    def _wide(self, numbers: ir.Value) -> ir.Value:
        """Numbers of 16 bits as f32."""
        if self._table_is == _INTEGERS:
            return make.cast("arith.sitofp", self.pairs, numbers)
        words = vector.bitcast(self.words, numbers)
        first = make.binary("arith.shli", words, self._word(_UPPER))
        second = make.binary("arith.andi", words, self._word(-1 << _UPPER))
        return vector.interleave(*(vector.bitcast(self.columns.lanes, each) for each in (first, second)))

    def _twice(self, columns: ir.Value) -> ir.Value:
        """Those of ``columns`` for pairs of rows."""
        return vector.interleave(columns, columns)

    @property
    def _table_is(self) -> str:
        """What `_numbers` are: `_INTEGERS` where there is no table, or where zero points are subtracted."""
        if self.bits != LOWER_BITS or self.columns.has_zero_points:
            return _INTEGERS
        return _F16 if self.columns.in_f16 else _UPPER_BITS

    def _table(self) -> ir.Value:
        """The numbers of codes of 4 bits in the lower halves of words, where vlut16 looks."""
        numbers = np.arange(1 << BYTE_BITS // PAIR, dtype=np.float32) - self.first
        if self.columns.is_e2m1:
            numbers = np.array([sign * size for sign in (1, -1) for size in E2M1], np.float32)
        entries = {_INTEGERS: numbers.astype(np.uint16), _F16: numbers.astype(np.float16).view(np.uint16),
                   _UPPER_BITS: (numbers.view(np.uint32) >> _UPPER).astype(np.uint16)}[self._table_is]
        table = np.zeros((LANES, PAIR), np.uint16)
        table[:len(entries), 0] = entries
        return constant(ir.DenseElementsAttr.get(table.view(np.int32).reshape(-1), type=self.words))

    def _half(self, value: int) -> ir.Value:
        return constant(ir.DenseElementsAttr.get_splat(
            self.integers, ir.IntegerAttr.get(self.integers.element_type, value)))

    def _word(self, value: int) -> ir.Value:
        element = ir.IntegerAttr.get(ir.IntegerType.get_signless(32), value)
        return constant(ir.DenseElementsAttr.get_splat(self.words, element))
