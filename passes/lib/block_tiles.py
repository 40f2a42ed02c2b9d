"""Weights of 4 bits in blocks as the matrix engine's tiles of f16, as linalg on tensors.

`hexagon_mlir.dialects.block_weights` has the layout of codes and scales, `engine_tiles` that of tiles.
"""

from __future__ import annotations

from dataclasses import dataclass

from hexagon_mlir.dialects.block_weights import BYTE_BITS, COLUMNS, LANES, PARITIES, TILES, WORD
from hexagon_mlir.dialects.engine_tiles import HALF_BYTES, PAIR, TILE, tiles
from hexagon_mlir.ir import ir, tensor
from hexagon_mlir.ir.constants import constant
from hexagon_mlir.ir.make import binary, cast
from hexagon_mlir.passes.lib.engine_byte_generics import elementwise
from hexagon_mlir.passes.lib.static_slices import extract
from hexagon_mlir.passes.lib.tcm_tensors import tcm_tensor

BITS = 4
SIDES = COLUMNS // TILE
"""Tiles of the engine in a tile of columns."""
CODE_BYTES = TILE * TILE * BITS // BYTE_BITS
TILE_BYTES = CODE_BYTES + TILE * HALF_BYTES
"""Of 32 x 32 weights with a scale for each 32 of a column."""
_HALVES = BYTE_BITS // BITS
_LOOPS = "(t, u, b, q, j, h, v, m, s, p)"
_MAPS = ("(t, b, q, j, s, u, m, v, p)", "(t, b, s, u, m)", _LOOPS)
_HALF_LOOP = 5
THREAD_LOOPS = (0, 2)
"""Tiles of columns and blocks: parts of these loops are computed apart."""
TILE_PACKETS = 2.5
"""Measured: of HVX, for a vector of f16."""
_MIDDLE = 1 << BITS - 1


@dataclass(frozen=True)
class BlockTiles:
    """``codes`` and ``scales`` of weights, tensors."""

    codes: ir.Value
    scales: ir.Value


def as_halves(weights: BlockTiles, columns: int, in_tcm: bool = True, into: ir.Value | None = None) -> ir.Value:
    """The first ``columns`` of ``weights`` as tiles of f16 [N / 32][K / 32][16][32][2]: each code, less 8, times its
    scale, rounded; written to ``into``, if given, a tensor of the result's shape."""
    wide, blocks, steps, *_ = ir.RankedTensorType(weights.codes.type).shape
    f16 = ir.F16Type.get()
    parts, each = steps * WORD * _HALVES // TILE, TILE // (WORD * _HALVES)
    codes = _expanded(weights.codes, [wide, blocks, parts, each, PARITIES, SIDES, LANES // SIDES, WORD // PAIR, PAIR],
                      [[0], [1], [2, 3], [4], [5, 6], [7, 8]])
    scales = _expanded(weights.scales, [wide, blocks, PARITIES, SIDES, LANES // SIDES], [[0], [1], [2], [3, 4]])
    shape = [wide, SIDES, blocks, parts, each, _HALVES, WORD // PAIR, LANES // SIDES, PARITIES, PAIR]
    groups = [[0, 1], [2, 3], [4, 5, 6], [7, 8], [9]]
    halves = [wide * SIDES, blocks * parts, TILE // PAIR, TILE, PAIR]
    if into is None:
        into = tcm_tensor(halves, f16) if in_tcm else tensor.empty(halves, f16)
    op = elementwise([codes, scales], _expanded(into, shape, groups), _LOOPS, _MAPS, _weight)
    op.attributes[TILES] = ir.UnitAttr.get()
    made = tensor.collapse_shape(ir.RankedTensorType.get(halves, f16), op.result, groups)
    return extract(made, (tiles(columns), None, None, None, None), (0, 0, 0, 0, 0))


def _expanded(value: ir.Value, shape: list[int], groups: list[list[int]]) -> ir.Value:
    """``value`` with dimensions ``groups`` of ``shape``."""
    element = ir.RankedTensorType(value.type).element_type
    return tensor.expand_shape(ir.RankedTensorType.get(shape, element), value, groups, [], shape)


def _weight(code: ir.Value, scale: ir.Value) -> ir.Value:
    """The weight in the half of byte ``code`` that loop `_HALF_LOOP` tells."""
    byte, f16 = ir.IntegerType.get_signless(BYTE_BITS), ir.F16Type.get()
    half = ir.Operation.create("linalg.index", results=[ir.IndexType.get()], attributes={
        "dim": ir.IntegerAttr.get(ir.IntegerType.get_signless(64), _HALF_LOOP)}).result
    width, mask, middle = (constant(ir.IntegerAttr.get(byte, bits)) for bits in (BITS, (1 << BITS) - 1, _MIDDLE))
    places = binary("arith.muli", cast("arith.index_cast", byte, half), width)
    number = binary("arith.subi", binary("arith.andi", binary("arith.shrui", code, places), mask), middle)
    return binary("arith.mulf", cast("arith.sitofp", f16, number), scale)
