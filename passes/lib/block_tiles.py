"""Weights in blocks as the matrix engine's tiles of f16, as linalg on tensors.

`hexagon_mlir.dialects.block_weights` has the layout of codes and scales, `engine_tiles` that of tiles.
"""

from __future__ import annotations

from collections.abc import Sequence

from hexagon_mlir.dialects.block_weights import BYTE_BITS, COLUMNS, LANES, PARITIES, TILES, WORD
from hexagon_mlir.dialects.engine_tiles import PAIR, TILE, tiles
from hexagon_mlir.ir import ir, tensor
from hexagon_mlir.passes.lib.block_weights import BlockWeights, weight
from hexagon_mlir.passes.lib.engine_byte_generics import elementwise
from hexagon_mlir.passes.lib.static_slices import extract
from hexagon_mlir.passes.lib.tcm_tensors import tcm_tensor
from hexagon_mlir.targets import Target

SIDES = COLUMNS // TILE
"""Tiles of the engine in a tile of columns."""
_LOOPS = "(t, u, b, q, j, h, v, m, s, p)"
_CODES = "(t, b, q, j, s, u, m, v, p)"
_OF_BLOCK, _OF_SHORT_BLOCK = "(t, b, s, u, m)", "(t, b, q, s, u, m)"
"""Loop q: the tiles of 32 rows of a block, or the blocks of such a tile."""
_HALF_LOOP = 5
THREAD_LOOPS = (0, 2)
"""Tiles of columns and blocks: parts of these loops are computed apart."""
_PACKETS_OF_PRODUCTS, _PACKETS = 2.5, 5.0
"""Measured: where a number from a table times an f16 scale is a weight; of other formats."""


def tile_bytes(weights: BlockWeights) -> int:
    """Bytes of 32 x 32 weights, with what is theirs of scales and zero points."""
    widths = [ir.RankedTensorType(value.type).element_type.width for value in weights.operands[1:]]
    of_blocks = sum(TILE * width * TILE // weights.block for width in widths)
    return (TILE * TILE * weights.bits + of_blocks) // BYTE_BITS


def vector_cycles(tensors: Sequence[ir.Value], bits: int, target: Target) -> float:
    """Cycles of an HVX context for a vector of f16 of a tile, made of ``tensors`` in the order of
    `BlockWeights.operands`."""
    _, scales, *zeros = (ir.ShapedType(value.type).element_type for value in tensors)
    is_short = bits < BYTE_BITS and isinstance(scales, ir.F16Type) and not zeros
    return (_PACKETS_OF_PRODUCTS if is_short else _PACKETS) * float(target.hvx_issue_interval_cycles.value)


def as_halves(weights: BlockWeights, columns: int, in_tcm: bool = True, into: ir.Value | None = None) -> ir.Value:
    """The first ``columns`` of ``weights``, whose blocks are whole tiles, as tiles of f16 [N / 32][K / 32][16][32][2],
    each rounded once; written to ``into``, if given, a tensor of the result's shape."""
    wide, blocks, *_ = ir.RankedTensorType(weights.codes.type).shape
    f16, in_byte, block = ir.F16Type.get(), BYTE_BITS // weights.bits, weights.block
    short = block < TILE
    outer = blocks * block // max(block, TILE)
    inner, each = max(block, TILE) // min(block, TILE), min(block, TILE) // (WORD * in_byte)
    codes = _expanded(weights.codes, [wide, outer, inner, each, PARITIES, SIDES, LANES // SIDES, WORD // PAIR, PAIR],
                      [[0], [1, 2], [3], [4], [5, 6], [7, 8]] if short else [[0], [1], [2, 3], [4], [5, 6], [7, 8]])
    shape, groups = [wide, outer, PARITIES, SIDES, LANES // SIDES], [[0], [1], [2], [3, 4]]
    if short:
        shape, groups = [wide, outer, inner, *shape[2:]], [[0], [1, 2], [3], [4, 5]]
    others = [_expanded(value, shape, groups) for value in weights.operands[1:]]
    shape = [wide, SIDES, outer, inner, each, in_byte, WORD // PAIR, LANES // SIDES, PARITIES, PAIR]
    groups = [[0, 1], [2], [3, 4, 5, 6], [7, 8], [9]] if short else [[0, 1], [2, 3], [4, 5, 6], [7, 8], [9]]
    halves = [wide * SIDES, blocks * block // TILE, TILE // PAIR, TILE, PAIR]
    if into is None:
        into = tcm_tensor(halves, f16) if in_tcm else tensor.empty(halves, f16)
    op = elementwise([codes, *others], _expanded(into, shape, groups), _LOOPS,
                     [_CODES, *[_OF_SHORT_BLOCK if short else _OF_BLOCK] * len(others), _LOOPS],
                     lambda *given: weight(given, _HALF_LOOP, weights.bits, f16))
    op.attributes[TILES] = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), weights.bits)
    made = tensor.collapse_shape(ir.RankedTensorType.get(halves, f16), op.result, groups)
    return extract(made, (tiles(columns), None, None, None, None), (0, 0, 0, 0, 0))


def _expanded(value: ir.Value, shape: list[int], groups: list[list[int]]) -> ir.Value:
    """``value`` with dimensions ``groups`` of ``shape``."""
    element = ir.RankedTensorType(value.type).element_type
    return tensor.expand_shape(ir.RankedTensorType.get(shape, element), value, groups, [], shape)
