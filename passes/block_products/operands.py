"""Operands of a product with weights in blocks, on buffers, as registers hold them."""

from __future__ import annotations

import numpy as np

from hexagon_mlir.dialects.block_weights import (
    BYTE_BITS,
    COLUMNS,
    E2M1,
    E2M1_MIDDLE,
    LANES,
    UPPER_ROWS,
    WORD,
    code_bits,
    codes_in_byte,
)
from hexagon_mlir.ir import arith, ir, make, memref, vector
from hexagon_mlir.ir.constants import constant, index
from hexagon_mlir.passes.block_products.codes import codes_of
from hexagon_mlir.passes.block_products.views import collapsed
from hexagon_mlir.passes.lib.block_weights import block_weights, blocks_of_superblock
from hexagon_mlir.passes.lib.intrinsics import Registers

_FRACTION_BITS = 23
_PAIR = 2


class Operands:
    """Those of linalg op ``op``, dimensions of vectors collapsed."""

    def __init__(self, op: ir.Operation, hvx: Registers):
        self.hvx, self.bits = hvx, code_bits(op)
        self.planes, self.units, self.sums, *given, result = op.operands
        weights = block_weights(given, self.bits)
        self.middle = weights.middle
        """The zero point of all codes; None where blocks have zero points or minima."""
        self.has_minima = weights.has_minima
        """Whether blocks have minima, whose factor is the sum of a row in f32."""
        self.is_e2m1 = weights.is_e2m1
        self._in_superblock = blocks_of_superblock(weights.block)
        self._codes = collapsed(weights.codes, 4)
        self._upper = None if weights.upper is None else collapsed(weights.upper, 4)
        self._scales = collapsed(weights.scales, 2)
        self.result = collapsed(result, 2)
        self._zeros = None if weights.zeros is None else collapsed(weights.zeros, 2)
        self._shared = [collapsed(one, 2) for one in weights.shared]
        type_ = ir.MemRefType(weights.codes.type)
        self.tiles = memref.dim(weights.codes, index(0)) if type_.is_dynamic_dim(0) else index(type_.shape[0])
        self.words = ir.VectorType.get([LANES], ir.IntegerType.get_signless(32))
        self._wide = ir.VectorType.get([COLUMNS], ir.F32Type.get())

    @property
    def largest(self) -> int | None:
        """The largest magnitude of a code less `middle`; None where blocks have zero points."""
        return (1 << self.bits) - 1 if self.has_minima else self.middle

    def scale(self, tile: ir.Value, block: ir.Value) -> ir.Value:
        """The scales of even columns, then those of odd ones, as f32; half of those that are bytes."""
        if not self.is_e2m1:
            return self._of_columns(self._scales, self._shared[0] if self._shared else None, tile, block)
        word = ir.IntegerType.get_signless(32)
        words = ir.VectorType.get([COLUMNS], word)
        one, places = (constant(ir.DenseElementsAttr.get_splat(words, ir.IntegerAttr.get(word, value)))
                       for value in (1, _FRACTION_BITS))
        exponents = make.cast("arith.extui", words, self._load(self._scales, tile, block))
        exponents = make.subi(arith.maxsi(exponents, one), one)
        return vector.bitcast(self._wide, make.binary("arith.shli", exponents, places))

    def zeros(self, tile: ir.Value, block: ir.Value) -> list[ir.Value] | None:
        """The zero points of even and of odd columns in words, if columns have some of their own."""
        if self._zeros is None or self.has_minima:
            return None
        both = self._load(self._zeros, tile, block)
        return halves(make.cast("arith.extui", ir.VectorType.get([COLUMNS], ir.IntegerType.get_signless(32)), both))

    def least(self, tile: ir.Value, block: ir.Value, row: ir.Value) -> list[ir.Value]:
        """The minima of a block in even and in odd columns, times the sum of ``row`` in it."""
        assert self._zeros is not None
        minima = self._of_columns(self._zeros, self._shared[1] if self._shared else None, tile, block)
        total = make.broadcast(self._wide, memref.load(self.sums, [row, block]))
        return halves(make.binary("arith.mulf", minima, total))

    def unit(self, block: ir.Value, row: ir.Value) -> ir.Value:
        """The unit of ``row`` in a block, in all columns."""
        return make.broadcast(self._wide, memref.load(self.units, [row, block]))

    def code(self, tile: ir.Value, block: ir.Value, first: ir.Value, step: int, parity: int) -> list[ir.Value]:
        """The codes of a step in even or odd columns, a byte each, in the order of the rows' words: the step with this
        number from the ``first`` one on, which is even."""
        packed = self._words_of(self._codes, [tile, block, make.addi(first, index(step)), index(parity)])
        upper = None
        if self._upper is not None:
            steps = UPPER_ROWS // (WORD * codes_in_byte(self.bits))
            group = make.addi(make.binary("arith.divui", first, index(steps)), index(step // steps))
            upper = self._words_of(self._upper, [tile, block, group, index(parity)])
        codes = codes_of(self.hvx, packed, self.bits, upper, step)
        return [self.hvx.call("vlutvvbi", self.words, each, self._table(), 0)
                for each in codes] if self.is_e2m1 else codes

    def _words_of(self, buffer: ir.Value, at: list[ir.Value]) -> ir.Value:
        """The words of ``buffer`` for a step in even or odd columns."""
        bytes_ = ir.VectorType.get([LANES * WORD], ir.IntegerType.get_signless(BYTE_BITS))
        return vector.bitcast(self.words, make.load(bytes_, buffer, [*at, index(0)], alignment=LANES * WORD))

    def row_word(self, at: list[ir.Value]) -> ir.Value:
        """Four bytes of a row as a scalar."""
        bytes_, word = (ir.VectorType.get([count], ir.IntegerType.get_signless(bits))
                        for count, bits in ((WORD, BYTE_BITS), (1, WORD * BYTE_BITS)))
        loaded = make.load(bytes_, self.planes, at, alignment=WORD)
        return vector.extract(vector.bitcast(word, loaded), [], [0])

    def _of_columns(self, buffer: ir.Value, shared: ir.Value | None, tile: ir.Value, block: ir.Value) -> ir.Value:
        """Floats of a block, or bytes times the factors of its superblock in ``shared``: those of even columns, then
        those of odd ones, as f32. Halves that are multiplied before they are taken apart are extended without a search
        for infinities."""
        both = self._load(buffer, tile, block)
        if shared is not None:
            units = self._load(shared, tile, make.binary("arith.divui", block, index(self._in_superblock)))
            numbers = make.cast("arith.sitofp", units.type, both)
            return make.binary("arith.mulf", *(make.cast("arith.extf", self._wide, each) for each in (numbers, units)))
        return both if both.type == self._wide else make.cast("arith.extf", self._wide, both)

    def _load(self, buffer: ir.Value, tile: ir.Value, block: ir.Value) -> ir.Value:
        """What ``buffer`` has for the columns of a block."""
        return make.load(ir.VectorType.get([COLUMNS], ir.MemRefType(buffer.type).element_type), buffer,
                         [tile, block, index(0)], 4)

    def _table(self) -> ir.Value:
        """The numbers that codes of MXFP4 stand for, halves counted from `E2M1_MIDDLE`, each in the two bytes where
        vlut32 looks."""
        numbers = [E2M1_MIDDLE + sign * size for sign in (1, -1) for size in E2M1]
        table = np.zeros(LANES * WORD, np.uint8)
        table[:_PAIR * len(numbers)] = np.repeat(numbers, _PAIR)
        return constant(ir.DenseElementsAttr.get(table.view(np.int32), type=self.words))


def halves(value: ir.Value) -> list[ir.Value]:
    """The numbers of even and of odd columns."""
    return [make.shuffle(value, value, range(first, first + LANES)) for first in range(0, COLUMNS, LANES)]
