"""Operands of a product with weights in blocks, on buffers, as registers hold them."""

from __future__ import annotations

import numpy as np

from hexagon_mlir.dialects.block_weights import (
    BYTE_BITS,
    COLUMNS,
    E2M1,
    E2M1_MIDDLE,
    LANES,
    WORD,
    code_bits,
)
from hexagon_mlir.ir import arith, ir, make, memref, vector
from hexagon_mlir.ir.constants import constant, index
from hexagon_mlir.passes.block_products.views import collapsed
from hexagon_mlir.passes.lib.block_weights import is_float
from hexagon_mlir.passes.lib.intrinsics import Registers

_FRACTION_BITS = 23
_PAIR = 2


class Operands:
    """Those of linalg op ``op``, dimensions of vectors collapsed."""

    def __init__(self, op: ir.Operation, hvx: Registers):
        self.hvx, self.bits = hvx, code_bits(op)
        self.planes, self.units, self.sums, codes, scales, *zeros, result = op.operands
        self.codes, self.scales, self.result = collapsed(codes, 4), collapsed(scales, 2), collapsed(result, 2)
        columns = collapsed(zeros[0], 2) if zeros else None
        has_minima = columns is not None and is_float(columns)
        self._zeros = None if has_minima else columns
        self._minima = columns if has_minima else None
        self.is_e2m1 = not is_float(scales)
        type_ = ir.MemRefType(codes.type)
        self.tiles = memref.dim(codes, index(0)) if type_.is_dynamic_dim(0) else index(type_.shape[0])
        self.words = ir.VectorType.get([LANES], ir.IntegerType.get_signless(32))
        self._wide = ir.VectorType.get([COLUMNS], ir.F32Type.get())

    @property
    def middle(self) -> int | None:
        """The zero point of all codes; None where blocks have zero points or minima."""
        if self._zeros is not None or self._minima is not None:
            return None
        return E2M1_MIDDLE if self.is_e2m1 else 1 << self.bits - 1

    @property
    def has_minima(self) -> bool:
        """Whether blocks have minima, whose factor is the sum of a row in f32."""
        return self._minima is not None

    @property
    def largest(self) -> int | None:
        """The largest magnitude of a code less `middle`; None where blocks have zero points."""
        return (1 << self.bits) - 1 if self.has_minima else self.middle

    def scale(self, tile: ir.Value, block: ir.Value) -> ir.Value:
        """The scales of even columns, then those of odd ones, as f32; half of those that are bytes."""
        if not self.is_e2m1:
            return self._of_columns(self.scales, tile, block)
        word = ir.IntegerType.get_signless(32)
        words = ir.VectorType.get([COLUMNS], word)
        one, places = (constant(ir.DenseElementsAttr.get_splat(words, ir.IntegerAttr.get(word, value)))
                       for value in (1, _FRACTION_BITS))
        exponents = make.cast("arith.extui", words, self._load(self.scales, tile, block))
        exponents = make.subi(arith.maxsi(exponents, one), one)
        return vector.bitcast(self._wide, make.binary("arith.shli", exponents, places))

    def zeros(self, tile: ir.Value, block: ir.Value) -> list[ir.Value] | None:
        """The zero points of even and of odd columns in words, if columns have some of their own."""
        if self._zeros is None:
            return None
        both = self._load(self._zeros, tile, block)
        return halves(make.cast("arith.extui", ir.VectorType.get([COLUMNS], ir.IntegerType.get_signless(32)), both))

    def least(self, tile: ir.Value, block: ir.Value, row: ir.Value) -> list[ir.Value]:
        """The minima of a block in even and in odd columns, times the sum of ``row`` in it."""
        assert self._minima is not None
        total = make.broadcast(self._wide, memref.load(self.sums, [row, block]))
        return halves(make.binary("arith.mulf", self._of_columns(self._minima, tile, block), total))

    def unit(self, block: ir.Value, row: ir.Value) -> ir.Value:
        """The unit of ``row`` in a block, in all columns."""
        return make.broadcast(self._wide, memref.load(self.units, [row, block]))

    def code(self, tile: ir.Value, block: ir.Value, step: ir.Value, parity: int) -> list[ir.Value]:
        """The codes of a step in even or odd columns, a byte each, in the order of the rows' words."""
        type_ = ir.VectorType.get([LANES * WORD], ir.IntegerType.get_signless(BYTE_BITS))
        packed = vector.bitcast(self.words, make.load(
            type_, self.codes, [tile, block, step, index(parity), index(0)], alignment=LANES * WORD))
        if self.bits == BYTE_BITS:
            return [packed]
        mask = ir.IntegerAttr.get(ir.IntegerType.get_signless(32), int("0f" * WORD, 16))
        low = make.binary("arith.andi", packed, constant(ir.DenseElementsAttr.get_splat(self.words, mask)))
        both = [low, self.hvx.call("vlsrb", self.words, packed, self.bits)]
        return [self.hvx.call("vlutvvbi", self.words, codes, self._table(), 0)
                for codes in both] if self.is_e2m1 else both

    def row_word(self, at: list[ir.Value]) -> ir.Value:
        """Four bytes of a row as a scalar."""
        bytes_, word = (ir.VectorType.get([count], ir.IntegerType.get_signless(bits))
                        for count, bits in ((WORD, BYTE_BITS), (1, WORD * BYTE_BITS)))
        loaded = make.load(bytes_, self.planes, at, alignment=WORD)
        return vector.extract(vector.bitcast(word, loaded), [], [0])

    def _of_columns(self, buffer: ir.Value, tile: ir.Value, block: ir.Value) -> ir.Value:
        """Floats of a block: those of even columns, then those of odd ones, as f32. Halves that are multiplied before
        they are taken apart are extended without a search for infinities."""
        both = self._load(buffer, tile, block)
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
