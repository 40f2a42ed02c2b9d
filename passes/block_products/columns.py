"""What the columns of a block have besides codes, as the matrix engine's tiles are made: vectors of the first and of
the last 32 of 64 columns.
"""

from __future__ import annotations

from dataclasses import dataclass

from hexagon_mlir.dialects.block_weights import COLUMNS, LANES, PARITIES
from hexagon_mlir.dialects.engine_tiles import PAIR
from hexagon_mlir.ir import arith, ir, make, vector
from hexagon_mlir.ir.constants import constant, index
from hexagon_mlir.passes.block_products.views import collapsed
from hexagon_mlir.passes.lib.block_tiles import SIDES
from hexagon_mlir.passes.lib.block_weights import BlockWeights

_FRACTION_BITS = 23
_OF_COLUMNS = 3
"""The last dimensions of scales."""


@dataclass(frozen=True)
class Factors:
    """A weight is what its code exceeds ``zero``, times ``scale``, plus ``minimum``, where these are given. Scales
    of f16 and zero points, i16, are twice in a vector, for two rows; minima and other scales are f32, of 32 columns."""

    scale: ir.Value
    zero: ir.Value | None
    minimum: ir.Value | None


class BlockColumns:
    """Reads what ``weights`` have besides codes, operands of a linalg op that makes tiles."""

    def __init__(self, weights: BlockWeights):
        rank = ir.MemRefType(weights.scales.type).rank
        self.loops = 3 if weights.shared else 2
        """Those over tiles of columns, superblocks if there are some, and blocks."""
        self.is_short = rank > self.loops + _OF_COLUMNS
        """Whether a tile has several blocks."""
        self.is_e2m1, self.has_minima = weights.is_e2m1, weights.has_minima
        self.has_zero_points = weights.zeros is not None and not self.has_minima
        self._scales = collapsed(weights.scales, rank - _OF_COLUMNS)
        self._zeros = None if weights.zeros is None else collapsed(weights.zeros, rank - _OF_COLUMNS)
        self._shared = [collapsed(one, 2) for one in weights.shared]
        self._halves = ir.VectorType.get([COLUMNS], ir.IntegerType.get_signless(16))
        self._wide = ir.VectorType.get([COLUMNS], ir.F32Type.get())

    @property
    def in_f16(self) -> bool:
        """Whether scales are f16."""
        return isinstance(ir.MemRefType(self._scales.type).element_type, ir.F16Type)

    @property
    def lanes(self) -> ir.VectorType:
        """f32 of 32 columns."""
        return ir.VectorType.get([LANES], ir.F32Type.get())

    def factors(self, at: list[ir.Value]) -> list[Factors]:
        """Those of the block ``at``."""
        scales, nothing = self._load(self._scales, at), [None] * SIDES
        zeros = None if self._zeros is None else self._load(self._zeros, at)
        of_sides = self._sides(scales, PAIR) if self.in_f16 else self._sides(
            self._e8m0(scales) if self.is_e2m1 else self._as_f32(scales, 0, at))
        minima = self._sides(self._as_f32(zeros, 1, at)) if self.has_minima else nothing
        points = self._sides(make.cast("arith.extui", self._halves, zeros), PAIR) if self.has_zero_points else nothing
        return [Factors(*each) for each in zip(of_sides, points, minima, strict=True)]

    def _e8m0(self, scales: ir.Value) -> ir.Value:
        """Half of what bytes stand for."""
        words = ir.VectorType.get([COLUMNS], ir.IntegerType.get_signless(32))
        one, places = (constant(ir.DenseElementsAttr.get_splat(words, ir.IntegerAttr.get(words.element_type, value)))
                       for value in (1, _FRACTION_BITS))
        exponents = make.subi(arith.maxsi(make.cast("arith.extui", words, scales), one), one)
        return vector.bitcast(self._wide, make.binary("arith.shli", exponents, places))

    def _as_f32(self, both: ir.Value, number: int, at: list[ir.Value]) -> ir.Value:
        """Scales or minima ``both``, times the factors of superblocks with this ``number``, if there are some."""
        if self._shared:
            units = self._load(self._shared[number], at[:2])
            numbers = make.cast("arith.sitofp", units.type, both)
            return make.binary("arith.mulf", *(make.cast("arith.extf", self._wide, each) for each in (numbers, units)))
        return both if both.type == self._wide else make.cast("arith.extf", self._wide, both)

    def _load(self, buffer: ir.Value, at: list[ir.Value]) -> ir.Value:
        element = ir.MemRefType(buffer.type).element_type
        return make.load(ir.VectorType.get([COLUMNS], element), buffer, [*at, index(0)], 4)

    def _sides(self, both: ir.Value, times: int = 1) -> list[ir.Value]:
        """The first and the last columns of ``both``, the even ones and then the odd ones, each so many ``times``."""
        lanes = LANES // SIDES
        return [make.shuffle(both, both, [LANES * parity + lanes * side + lane for lane in range(lanes)
                                          for parity in range(PARITIES) for _ in range(times)])
                for side in range(SIDES)]
