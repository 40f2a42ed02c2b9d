"""Weights in blocks as the matrix engine's tiles of f16, as linalg on tensors.

`hexagon_mlir.dialects.block_weights` has the layout of codes and scales, `engine_tiles` that of tiles.
"""

from __future__ import annotations

from collections.abc import Sequence

from hexagon_mlir.dialects.block_weights import (
    BYTE_BITS,
    COLUMNS,
    LANES,
    LOWER_BITS,
    PARITIES,
    SUPERBLOCK,
    TILES,
    WORD,
    codes_in_byte,
)
from hexagon_mlir.dialects.engine_tiles import PAIR, TILE, tiles
from hexagon_mlir.ir import ir, tensor
from hexagon_mlir.passes.lib.block_weights import BlockWeights, block_weights, maps_of, weight
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
_OF_SUPERBLOCK = "(t, a, s, u, m)"
THREAD_LOOPS = (0, 2)
"""Tiles of columns, and blocks or superblocks: parts of these loops are computed apart."""
_PACKETS_OF_PRODUCTS, _PACKETS = 2.5, 5.0
"""Measured: where a number from a table times an f16 scale is a weight; of other formats."""


def tile_bytes(weights: BlockWeights) -> int:
    """Bytes of 32 x 32 weights, with what is theirs of scales and zero points."""
    def bits(values: Sequence[ir.Value], rows: int) -> int:
        return sum(TILE * ir.RankedTensorType(value.type).element_type.width * TILE // rows for value in values)

    of_scales = bits(weights.of_blocks, weights.block) + bits(weights.shared, SUPERBLOCK)
    return (TILE * TILE * weights.bits + of_scales) // BYTE_BITS


def vector_cycles(tensors: Sequence[ir.Value], bits: int, target: Target) -> float:
    """Cycles of an HVX context for a vector of f16 of a tile, made of ``tensors`` in the order of
    `BlockWeights.operands`."""
    weights = block_weights(tensors, bits)
    in_f16 = isinstance(ir.ShapedType(weights.scales.type).element_type, ir.F16Type)
    is_short = bits == LOWER_BITS and in_f16 and weights.zeros is None
    return (_PACKETS_OF_PRODUCTS if is_short else _PACKETS) * float(target.hvx_issue_interval_cycles.value)


def as_halves(weights: BlockWeights, columns: int, in_tcm: bool = True, into: ir.Value | None = None) -> ir.Value:
    """The first ``columns`` of ``weights``, whose blocks are whole tiles and whose superblocks are whole, as tiles of
    f16 [N / 32][K / 32][16][32][2], each rounded once; written to ``into``, if given, of the result's shape."""
    wide, blocks, *_ = ir.RankedTensorType(weights.codes.type).shape
    f16, in_byte, block = ir.F16Type.get(), codes_in_byte(weights.bits), weights.block
    short, outer = block < TILE, blocks * block // max(block, TILE)
    superblocks = blocks * block // SUPERBLOCK if weights.shared else 0
    inner, each = max(block, TILE) // min(block, TILE), min(block, TILE) // (WORD * in_byte)
    of_codes = [_expanded(value, *_cut(
        [wide, outer, inner, words, PARITIES, SIDES, LANES // SIDES, WORD // PAIR, PAIR],
        [[0], [1, 2], [3], [4], [5, 6], [7, 8]] if short else [[0], [1], [2, 3], [4], [5, 6], [7, 8]], 1, superblocks))
        for value, words in zip(weights.of_codes, (each, each // PAIR), strict=False)]
    shape, groups = [wide, outer, PARITIES, SIDES, LANES // SIDES], [[0], [1], [2], [3, 4]]
    shared = [_expanded(value, [wide, superblocks, *shape[2:]], groups) for value in weights.shared]
    if short:
        shape, groups = [wide, outer, inner, *shape[2:]], [[0], [1, 2], [3], [4, 5]]
    of_blocks = [_expanded(value, *_cut(shape, groups, 1, superblocks))
                 for value in weights.of_blocks]
    halves = [wide * SIDES, blocks * block // TILE, TILE // PAIR, TILE, PAIR]
    if into is None:
        into = tcm_tensor(halves, f16) if in_tcm else tensor.empty(halves, f16)
    shape, groups = _cut(
        [wide, SIDES, outer, inner, each, in_byte, WORD // PAIR, LANES // SIDES, PARITIES, PAIR],
        [[0, 1], [2], [3, 4, 5, 6], [7, 8], [9]] if short else [[0, 1], [2, 3], [4, 5, 6], [7, 8], [9]], 2, superblocks)
    block_loops = "a, b" if superblocks else "b"
    loops, code_map, block_map = (maps.replace("b", block_loops) for maps in (
        _LOOPS, _CODES, _OF_SHORT_BLOCK if short else _OF_BLOCK))
    op = elementwise([*of_codes, *of_blocks, *shared], _expanded(into, shape, groups), loops,
                     [*maps_of(weights, code_map, block_map, _OF_SUPERBLOCK), loops],
                     lambda *given: weight(given, loops.split(", ").index("h"), weights.bits, f16))
    op.attributes[TILES] = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), weights.bits)
    made = tensor.collapse_shape(ir.RankedTensorType.get(halves, f16), op.result, groups)
    return extract(made, (tiles(columns), None, None, None, None), (0, 0, 0, 0, 0))


def _cut(shape: list[int], groups: list[list[int]], place: int, parts: int) -> tuple[list[int], list[list[int]]]:
    """``shape``, and ``groups`` of its dimensions, with the one at ``place`` in so many ``parts``, or as they are."""
    if not parts:
        return shape, groups
    later = [[dim + (dim > place) for dim in group] for group in groups]
    return ([*shape[:place], parts, shape[place] // parts, *shape[place + 1:]],
            [sorted({*group, place + 1}) if place in group else group for group in later])


def _expanded(value: ir.Value, shape: list[int], groups: list[list[int]]) -> ir.Value:
    """``value`` with dimensions ``groups`` of ``shape``."""
    element = ir.RankedTensorType(value.type).element_type
    return tensor.expand_shape(ir.RankedTensorType.get(shape, element), value, groups, [], shape)
