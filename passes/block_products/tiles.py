"""Tiles of f16 of the matrix engine from codes of 4 bits and scales, on buffers, as HVX makes them.

Two vectors of words are the even and the odd columns of 64, of eight weights each. Two shuffles put columns side by
side, and bytes so that those of even places are the first two rows, which are a pair of a tile. Codes are looked up in
a table of f16 (vlut16), which gives two vectors of pairs, and multiplied by their scales.
"""

from __future__ import annotations

import numpy as np

from hexagon_mlir.dialects.block_weights import COLUMNS, LANES, PARITIES, WORD
from hexagon_mlir.dialects.engine_tiles import PAIR, TILE
from hexagon_mlir.ir import ir, make, memref, vector
from hexagon_mlir.ir.constants import constant, index
from hexagon_mlir.passes.block_products.views import collapsed
from hexagon_mlir.passes.lib.block_tiles import BITS, SIDES
from hexagon_mlir.passes.lib.intrinsics import Registers
from hexagon_mlir.passes.lib.segments import for_loop

_SWAP_BYTES, _COLUMNS = 0x03, 0x7D
"""Controls of vshuff: after the first one, the other register has the bytes of odd places; after the second one, words
are in the order of columns, and their bytes 0 and 2 come first."""


class BlockTilesEmitter:
    """Emits the loops of linalg op ``op`` at the insertion point."""

    def __init__(self, op: ir.Operation, vector_bytes: int):
        codes, scales, result = op.operands
        self.hvx = Registers(vector_bytes)
        type_ = ir.MemRefType(codes.type)
        self.tiles, self.blocks, self.parts = (
            memref.dim(codes, index(dim)) if type_.is_dynamic_dim(dim) else index(type_.shape[dim]) for dim in range(3))
        self.steps = type_.shape[3]
        self.codes, self.scales, self.result = collapsed(codes, 5), collapsed(scales, 2), collapsed(result, 7)
        self.halves = ir.VectorType.get([TILE * PAIR], ir.F16Type.get())
        self.words = ir.VectorType.get([LANES], ir.IntegerType.get_signless(32))

    def emit(self) -> None:
        """All tiles of columns and blocks."""
        table = self._table()

        def block(tile: ir.Value, number: ir.Value) -> list[ir.Value]:
            scales = self._scales(tile, number)
            return for_loop(index(0), self.parts, 1, [],
                            lambda part, _: self._part([tile, number, part], scales, table))

        for_loop(index(0), self.tiles, 1, [], lambda tile, _: for_loop(
            index(0), self.blocks, 1, [], lambda number, _: block(tile, number)))

    def _part(self, at: list[ir.Value], scales: list[ir.Value], table: ir.Value) -> list[ir.Value]:
        """The tiles of 32 rows."""
        for step in range(self.steps):
            for side, codes in enumerate(self._columns([*at, index(step)])):
                shifted = make.binary("arith.shrui", codes, self._word(BITS))
                for half, packed in enumerate((codes, shifted)):
                    pair = self.hvx.call("vlutvwh.nm", self.hvx.pair, packed, table, 0)
                    for place, numbers in enumerate(self.hvx.halves(pair)):
                        weights = make.binary("arith.mulf", vector.bitcast(self.halves, numbers), scales[side])
                        tile, block, part = at
                        make.store(weights, self.result, [tile, index(side), block, part, *map(
                            index, (step, half, place, 0))], alignment=LANES * WORD)
        return []

    def _columns(self, at: list[ir.Value]) -> list[ir.Value]:
        """The codes of eight rows, words of the first and of the last 32 columns."""
        bytes_ = ir.VectorType.get([LANES * WORD], ir.IntegerType.get_signless(8))
        even, odd = (vector.bitcast(self.words, make.load(
            bytes_, self.codes, [*at, index(parity), index(0)], alignment=LANES * WORD)) for parity in range(PARITIES))
        for control in (_SWAP_BYTES, _COLUMNS):
            even, odd = self.hvx.halves(self.hvx.call("vshuffvdd", self.hvx.pair, odd, even, control))
        return [even, odd]

    def _scales(self, tile: ir.Value, block: ir.Value) -> list[ir.Value]:
        """The scales of the first and of the last 32 columns, each twice."""
        both = make.load(ir.VectorType.get([COLUMNS], ir.F16Type.get()), self.scales, [tile, block, index(0)],
                         alignment=LANES * WORD)
        lanes = LANES // SIDES
        return [make.shuffle(both, both, [LANES * parity + lanes * side + lane for lane in range(lanes)
                                          for parity in range(PARITIES) for _ in range(PAIR)])
                for side in range(SIDES)]

    def _table(self) -> ir.Value:
        """The numbers -8 to 7 as f16 in the lower halves of words, where vlut16 looks."""
        numbers = np.zeros((LANES, PAIR), np.float16)
        numbers[:1 << BITS, 0] = np.arange(1 << BITS) - (1 << BITS - 1)
        return constant(ir.DenseElementsAttr.get(numbers.view(np.int32).reshape(-1), type=self.words))

    def _word(self, value: int) -> ir.Value:
        element = ir.IntegerAttr.get(ir.IntegerType.get_signless(32), value)
        return constant(ir.DenseElementsAttr.get_splat(self.words, element))
