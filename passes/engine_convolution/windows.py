"""Tiles of the windows of an image, as linalg: what a convolution multiplies with its weights."""

from __future__ import annotations

from hexagon_mlir.dialects.engine_tiles import PAIR, TILE, tiles
from hexagon_mlir.ir import ir, tensor
from hexagon_mlir.passes.engine_convolution.read import Geometry
from hexagon_mlir.passes.engine_convolution.sizes import Plan, steps
from hexagon_mlir.passes.lib.tcm_tensors import tcm_tensor

_LOOPS = 9


def pack_windows(image: ir.Value, geometry: Geometry, plan: Plan, tile_rows: int) -> ir.Value:
    """Activation tiles of the windows of ``tile_rows`` rows of tiles of pixels, from the first row of ``image`` on.

    Along the reduction there are rows of the window, its columns, and the tiles of each run.
    """
    columns, half = -(-geometry.columns // plan.width), plan.width // PAIR
    shape = [tile_rows, columns, geometry.taps_y, geometry.taps_x, tiles(geometry.run), plan.height, half, TILE, PAIR]
    into = tcm_tensor(shape, ir.F16Type.get())
    kinds = ", ".join(["#linalg.iterator_type<parallel>"] * _LOOPS)
    op = ir.Operation.create(
        "linalg.generic", results=[into.type], operands=[image, into], regions=1,
        attributes={"indexing_maps": ir.ArrayAttr.get([
                        ir.AffineMapAttr.get(_windows(geometry, plan)),
                        ir.AffineMapAttr.get(ir.AffineMap.get_identity(_LOOPS))]),
                    "iterator_types": ir.Attribute.parse(f"[{kinds}]"),
                    "operandSegmentSizes": ir.DenseI32ArrayAttr.get([1, 1])})
    body = op.regions[0].blocks.append(ir.F16Type.get(), ir.F16Type.get(), arg_locs=[op.location] * 2)
    with ir.InsertionPoint(body):
        ir.Operation.create("linalg.yield", operands=[body.arguments[0]])
    sizes = [tile_rows * columns, steps(geometry), TILE // PAIR, TILE, PAIR]
    return tensor.collapse_shape(ir.RankedTensorType.get(sizes, ir.F16Type.get()), op.result,
                                 [[0, 1], [2, 3, 4], [5, 6], [7], [8]])


def _windows(geometry: Geometry, plan: Plan) -> ir.AffineMap:
    """Row and place in it of an element of the tiles: (tile row, tile column, tap y, tap x, tile of the run, row of the
    tile, pair of columns, channel, column of the pair).
    """
    d = [ir.AffineDimExpr.get(loop) for loop in range(_LOOPS)]
    row = (d[0] * plan.height + d[5]) * geometry.row_step + d[2] * geometry.row_tap
    column = (d[1] * plan.width + d[6] * PAIR + d[8]) * geometry.column_step
    return ir.AffineMap.get(_LOOPS, 0, [row, column + d[3] * geometry.column_tap + d[4] * TILE + d[7]])
