"""The weights of a convolution as tiles in TCM: packed here, or tiles since compile time."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import accumulate

from hexagon_mlir.dialects.engine_tiles import RANK, TILE, tiled_shape, tiles
from hexagon_mlir.dialects.packed_weights import tiles_of
from hexagon_mlir.ir import arith, ir, tensor
from hexagon_mlir.ir.constants import index
from hexagon_mlir.ir.make import addi
from hexagon_mlir.passes.engine_convolution.image import RESHAPES, reshaped
from hexagon_mlir.passes.engine_convolution.read import Geometry
from hexagon_mlir.passes.engine_convolution.sizes import steps
from hexagon_mlir.passes.engine_convolution.slices import Offset, extract, insert
from hexagon_mlir.passes.lib.engine_tiles import pack_weights, zeros
from hexagon_mlir.passes.lib.tcm_tensors import tcm_copy, tcm_tensor


def packs_at_compile_time(geometry: Geometry) -> bool:
    """Whether the matrix of all weights has whole tiles for each tap, as the tiles that a sum goes through do."""
    return geometry.run % TILE == 0


class Weights:
    """``value``: [taps_y] [taps_x] run, outputs."""

    def __init__(self, value: ir.Value, geometry: Geometry) -> None:
        self._value, self._geometry = value, geometry
        while not isinstance(value.owner, ir.Block) and value.owner.operation.name in RESHAPES:
            value = value.owner.operation.operands[0]
        self._tiles = tiles_of(value) if packs_at_compile_time(geometry) else None

    @property
    def ready(self) -> bool:
        """Whether they are tiles since compile time."""
        return self._tiles is not None

    def fetched(self, first: Offset, counts: list[int]) -> list[Callable[[], ir.Value]]:
        """Transfers the weights of the channels from ``first`` on, in parts of so many; what makes tiles of each."""
        starts = [0, *accumulate(counts)][:-1]
        if self._tiles is not None:
            tiled = [self._part(self._tiles, first, at, count) for at, count in zip(starts, counts, strict=True)]
            return [partial(same, part) for part in tiled]
        block = self._matrix(first, sum(counts))
        return [partial(self._packed, block, at, count) for at, count in zip(starts, counts, strict=True)]

    def _part(self, all_: ir.Value, first: Offset, at: int, count: int) -> ir.Value:
        """Of the tiles ``all_`` in TCM those of ``count`` channels from ``first`` + ``at`` on."""
        start = first // TILE if isinstance(first, int) else arith.divui(first, index(TILE))
        place = start + at // TILE if isinstance(start, int) else addi(start, index(at // TILE)) if at else start
        return tcm_copy(extract(all_, [place, *[0] * (RANK - 1)], tiled_shape(tiles(count), steps(self._geometry))))

    def _packed(self, block: ir.Value, at: int, count: int) -> ir.Value:
        """Tiles of ``count`` channels from ``at`` on of the matrix ``block``."""
        return pack_weights(extract(block, [0, at], [TILE * steps(self._geometry), TILE * tiles(count)]), False)

    def _matrix(self, first: Offset, count: int) -> ir.Value:
        """Filled up with zeros to whole tiles."""
        geometry = self._geometry
        taps, run = geometry.taps_y * geometry.taps_x, geometry.run
        if run % TILE == 0:  # then a slice has one stride
            taps, run = 1, taps * run
        part = extract(reshaped(self._value, [taps, run, geometry.outputs]), [0, 0, first], [taps, run, count])
        block = filled(part, [taps, TILE * tiles(run), TILE * tiles(count)])
        shape = [TILE * steps(geometry), TILE * tiles(count)]
        return tensor.collapse_shape(ir.RankedTensorType.get(shape, ir.F16Type.get()), block, [[0, 1], [2]])


def same(value: ir.Value) -> ir.Value:
    """``value``."""
    return value


def filled(value: ir.Value, shape: list[int]) -> ir.Value:
    """``value`` in TCM, filled up with zeros to ``shape``."""
    type_ = ir.RankedTensorType(value.type)
    if list(type_.shape) == shape:
        return tcm_copy(value)
    into = zeros(tcm_tensor(shape, type_.element_type))
    return insert(value, into, [0] * len(shape), list(type_.shape))
