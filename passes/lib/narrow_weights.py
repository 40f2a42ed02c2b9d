"""Weights of 4 bits to f16 as linalg on tensors (`hexagon_mlir.dialects.narrow_weights`)."""

from __future__ import annotations

from hexagon_mlir.dialects.engine_tiles import PAIR, TILE
from hexagon_mlir.dialects.narrow_weights import NIBBLE_BITS, NIBBLES, NUMBER_BITS, OFFSET, SCALES, is_narrow
from hexagon_mlir.ir import arith, ir, tensor
from hexagon_mlir.ir.constants import constant
from hexagon_mlir.ir.make import binary, cast
from hexagon_mlir.passes.lib.engine_byte_generics import elementwise
from hexagon_mlir.passes.lib.static_slices import extract
from hexagon_mlir.passes.lib.tcm_tensors import tcm_tensor

_LOOPS = "(ct, kt, r, j, c, p)"
_MAPS = ("(ct, kt, r, c, p)", "(ct, kt, c, p)", "(ct, kt, r, j, c, p)")
_NIBBLE_LOOP = 3
_SPLIT = [[0], [1], [2, 3], [4], [5]]
"""Dimensions of nibbles that are one of the tiles of f16."""


def as_halves(tiles: ir.Value, in_tcm: bool = True, into: ir.Value | None = None) -> ir.Value:
    """``tiles`` of weights, a tensor, as tiles of f16 [N / 32][K / 32][16][32][2]: each nibble times its scale; written
    to ``into``, if given, a tensor of the result's shape."""
    if not is_narrow(tiles.type):
        return tiles
    columns, depth, *_ = ir.RankedTensorType(tiles.type).shape
    f16, shape = ir.F16Type.get(), [columns, depth, SCALES, NIBBLES, TILE, PAIR]
    nibbles = extract(tiles, (None, None, SCALES, None, None), (0, 0, 0, 0, 0))
    scales = _scales(tiles)
    if into is not None:
        into = tensor.expand_shape(ir.RankedTensorType.get(shape, f16), into, _SPLIT, [], shape)
    else:
        into = tcm_tensor(shape, f16) if in_tcm else tensor.empty(shape, f16)
    wide = elementwise([nibbles, scales], into, _LOOPS, _MAPS, _weight).result
    return tensor.collapse_shape(ir.RankedTensorType.get([columns, depth, SCALES * NIBBLES, TILE, PAIR], f16), wide,
                                 _SPLIT)


def _scales(tiles: ir.Value) -> ir.Value:
    """The scales of ``tiles``, [N / 32][K / 32][32][2]."""
    type_ = ir.RankedTensorType(tiles.type)
    columns, depth, *_ = type_.shape
    return ir.Operation.create(
        "tensor.extract_slice", results=[ir.RankedTensorType.get([columns, depth, TILE, PAIR], type_.element_type)],
        operands=[tiles], attributes={
            "operandSegmentSizes": ir.DenseI32ArrayAttr.get([1, 0, 0, 0]),
            "static_offsets": ir.DenseI64ArrayAttr.get([0, 0, SCALES, 0, 0]),
            "static_sizes": ir.DenseI64ArrayAttr.get([columns, depth, 1, TILE, PAIR]),
            "static_strides": ir.DenseI64ArrayAttr.get([1] * type_.rank)}).result


def _weight(nibbles: ir.Value, scale: ir.Value) -> ir.Value:
    """The weight that loop `_NIBBLE_LOOP` tells among ``nibbles``."""
    i16, f16 = ir.IntegerType.get_signless(NUMBER_BITS), ir.F16Type.get()
    number = ir.Operation.create("linalg.index", results=[ir.IndexType.get()], attributes={
        "dim": ir.IntegerAttr.get(ir.IntegerType.get_signless(64), _NIBBLE_LOOP)}).result
    width, mask, offset = (constant(ir.IntegerAttr.get(i16, bits)) for bits in (
        NIBBLE_BITS, (1 << NIBBLE_BITS) - 1, OFFSET))
    places = binary("arith.muli", arith.index_cast(i16, number), width)
    signed = binary("arith.subi", binary("arith.andi", binary("arith.shrui", nibbles, places), mask), offset)
    return binary("arith.mulf", cast("arith.sitofp", f16, signed), cast("arith.bitcast", f16, scale))
