"""Products of byte tiles of the matrix engine as linalg, and the planes of their sums."""

from __future__ import annotations

from collections.abc import Sequence

from hexagon_mlir.dialects.engine_tiles import byte_tiled_shape, plane_shape
from hexagon_mlir.dialects.engine_windows import BYTE_WINDOWS_RANK, Windows
from hexagon_mlir.dialects.nibble_weights import NIBBLES_PER_BYTE, has_nibbles
from hexagon_mlir.ir import arith, ir, memref, tensor
from hexagon_mlir.ir.constants import constant
from hexagon_mlir.ir.make import binary, cast, fill
from hexagon_mlir.passes.lib.contractions import multiplies_and_adds
from hexagon_mlir.passes.lib.engine_byte_generics import (
    body_of,
    byte_type,
    generic,
    has_maps,
    maps_of,
    word_type,
    yield_value,
)
from hexagon_mlir.passes.lib.engine_nibbles import nibble, reads_nibbles
from hexagon_mlir.passes.lib.tcm_tensors import tcm_tensor
from hexagon_mlir.passes.lib.vector_loop import indexing_maps

_PRODUCT = ("(rt, ct, r, c, kt, k, l)", "(rt, kt, r, k * 4 + l)", "(ct, kt, k, c, l)", "(rt, ct, r, c)")
_NIBBLE_PRODUCT = ("(rt, ct, r, c, kt, k, h, l)", "(rt, kt, r, k * 8 + h * 4 + l)", _PRODUCT[2], "(h)", _PRODUCT[3])
_NIBBLE_LOOP, _REDUCTIONS = 6, 3
_PLANES = ("(rt, ct, p, r, c)", "(rt, ct, r, c)", "(rt, ct, p, r, c)")
_PLANE_LOOP = 2
_OPERANDS = 3


def multiply_bytes(activations: ir.Value, weights: ir.Value, rows: int = 0,
                   windows: Windows | None = None) -> ir.Value:
    """Planes of the sums in i32 of the products of tiles: ``rows`` of them, where ``windows`` share activations, else
    as many as there are rows of activations. Weights are bytes or nibbles (`has_nibbles`).
    """
    known, columns = (ir.RankedTensorType(value.type).shape[0] for value in (activations, weights))
    rows = rows or known
    zero = constant(ir.IntegerAttr.get(word_type(), 0))
    sums = fill(zero, tcm_tensor(byte_tiled_shape(rows, columns), word_type())).result
    return planes(product_of_byte_tiles(activations, weights, sums, windows).result,
                  tcm_tensor(plane_shape(rows, columns), byte_type())).result


def product_of_byte_tiles(activations: ir.Value, weights: ir.Value, sums: ir.Value,
                          windows: Windows | None = None) -> ir.Operation:
    """The product of tiles, added to i32 ``sums``: three tensors or three buffers. That of nibbles has one more operand
    before the sums, which is not read: it has an element for each nibble of a byte, as the windows of linalg's poolings
    have one for each place in a window.
    """
    nibbles = has_nibbles(weights.type)
    maps = _NIBBLE_PRODUCT if nibbles else _PRODUCT
    places = [_both_nibbles(sums)] if nibbles else []
    op = generic([activations, weights, *places], sums, maps[0], maps[1:], reductions=_REDUCTIONS + nibbles)
    if windows is not None:
        windows.note(op)
        op.attributes["indexing_maps"] = _product_maps(activations, windows, maps)
    with body_of(op) as (left, right, *_, old):
        right = nibble(right, _NIBBLE_LOOP) if nibbles else right
        product = binary("arith.muli", cast("arith.extui", word_type(), left), cast("arith.extsi", word_type(), right))
        yield_value(binary("arith.addi", old, product))
    return op


def planes(sums: ir.Value, into: ir.Value) -> ir.Operation:
    """The bytes of i32 ``sums``, the lowest ones first, written to ``into``: two tensors or two buffers."""
    op = generic([sums], into, _PLANES[0], _PLANES[1:])
    with body_of(op) as (total, _):
        number = ir.Operation.create("linalg.index", results=[ir.IndexType.get()], attributes={
            "dim": ir.IntegerAttr.get(ir.IntegerType.get_signless(64), _PLANE_LOOP)}).result
        eight = constant(ir.IntegerAttr.get(word_type(), 8))
        places = binary("arith.muli", arith.index_cast(word_type(), number), eight)
        yield_value(cast("arith.trunci", byte_type(), binary("arith.shrui", total, places)))
    return op


def is_byte_product(op: ir.Operation) -> bool:
    """True for the product that `multiply_bytes` writes, on tensors or on buffers."""
    if op.name != "linalg.generic" or len(op.operands) not in (_OPERANDS, _OPERANDS + 1):
        return False
    windows, nibbles = Windows.of(op), len(op.operands) > _OPERANDS
    maps, multiplies = (_NIBBLE_PRODUCT, reads_nibbles) if nibbles else (_PRODUCT, multiplies_and_adds)
    if windows is None:
        return has_maps(op, maps, len(op.operands)) and multiplies(op)
    if ir.ShapedType(op.operands[0].type).rank != BYTE_WINDOWS_RANK or not _is_byte(op):
        return False
    return indexing_maps(op) == _product_maps(op.operands[0], windows, maps) and multiplies(op)


def _both_nibbles(sums: ir.Value) -> ir.Value:
    """An operand without contents, of the kind of ``sums``."""
    if isinstance(sums.type, ir.RankedTensorType):
        return tensor.empty([NIBBLES_PER_BYTE], byte_type())
    return memref.alloc(ir.MemRefType.get([NIBBLES_PER_BYTE], byte_type()), [], [])


def _is_byte(op: ir.Operation) -> bool:
    return ir.ShapedType(op.operands[0].type).element_type == byte_type()


def _product_maps(activations: ir.Value, windows: Windows, maps: Sequence[str]) -> ir.ArrayAttr:
    """Those of the product of ``maps`` whose result tiles share ``activations``."""
    of_tiles, *others = list(maps_of(maps[0], maps[1:], activations.type.context))
    map_ = ir.AffineMapAttr(of_tiles).value
    tile, step, *inside = map_.results
    places = windows.places(tile, ir.AffineDimExpr.get(1), step, ir.ShapedType(activations.type).shape[2])
    return ir.ArrayAttr.get([ir.AffineMapAttr.get(ir.AffineMap.get(map_.n_dims, 0, [*places, *inside])), *others])


def takes_planes(op: ir.Operation) -> bool:
    """True for the op that `multiply_bytes` takes the bytes of sums with, on tensors or on buffers."""
    return has_maps(op, _PLANES, 2) and any(view.operation.name == "linalg.index"
                                             for view in op.regions[0].blocks[0].operations)
