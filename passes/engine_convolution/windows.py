"""Tiles of the windows of an image, as linalg: what a convolution multiplies with its weights."""

from __future__ import annotations

from collections.abc import Sequence

from hexagon_mlir.dialects.engine_tiles import PAIR, TILE, tiles
from hexagon_mlir.dialects.engine_windows import WINDOWS_RANK, Windows
from hexagon_mlir.ir import ir, tensor
from hexagon_mlir.passes.engine_convolution.read import Geometry
from hexagon_mlir.passes.engine_convolution.sizes import Plan, shared_tiles, steps
from hexagon_mlir.passes.lib.tcm_tensors import tcm_tensor


def pack_windows(image: ir.Value, geometry: Geometry, plan: Plan, tile_rows: int) -> tuple[ir.Value, Windows | None]:
    """Activation tiles of the windows of ``tile_rows`` rows of tiles of pixels, from the first row of ``image`` on, and
    which of them are shared; None where each window has its own.
    """
    columns, runs = -(-geometry.columns // plan.width), tiles(geometry.run)
    d = [ir.AffineDimExpr.get(loop) for loop in range(_TAP_LOOPS)]
    shared = shared_tiles(geometry, tile_rows, columns)
    if shared is not None:
        places = [shared.rows, *([geometry.groups] if geometry.groups > 1 else []), shared.columns]
        row, column, inner = d[0] * shared.row_unit, d[len(places) - 1] * shared.column_unit, d[len(places):]
        if geometry.groups > 1:
            column = column + d[1] * geometry.run
    else:
        places = [tile_rows, columns, geometry.taps_y, geometry.taps_x]
        row = d[0] * geometry.row_step + d[2] * geometry.row_tap
        column, inner = d[1] * geometry.column_step + d[3] * geometry.column_tap, d[4:]
    run, high, wide, channel, pair = inner[:_TILE_LOOPS]
    row = row + high * (tile_rows * geometry.row_step)
    column = column + (wide * PAIR + pair) * (columns * geometry.column_step) + run * TILE + channel
    copied = _copy(image, [row, column], [*places, runs, plan.height, plan.width // PAIR, TILE, PAIR])
    if shared is None:
        groups = [[0, 1], [2, 3, 4], [5, 6], [7], [8]]
        return _collapsed(copied, [tile_rows * columns, steps(geometry)], groups), None
    more = len(places) - 2
    groups = [list(range(more + 1)), *([dim + more for dim in dims] for dims in ([1], [2], [3, 4], [5], [6]))]
    packed = _collapsed(copied, [shared.rows * geometry.groups, shared.columns, runs], groups)
    assert ir.RankedTensorType(packed.type).rank == WINDOWS_RANK
    row_step, row_tap = (step // shared.row_unit * geometry.groups for step in (geometry.row_step, geometry.row_tap))
    return packed, Windows(columns, row_step, row_tap, geometry.column_step // shared.column_unit, geometry.taps_x,
                           tiles(geometry.outputs) // geometry.groups if geometry.groups > 1 else 0)


def _collapsed(copied: ir.Value, outer: Sequence[int], groups: list[list[int]]) -> ir.Value:
    type_ = ir.RankedTensorType.get([*outer, TILE // PAIR, TILE, PAIR], ir.F16Type.get())
    return tensor.collapse_shape(type_, copied, groups)


_TILE_LOOPS = 5
"""Tile of the run, row of the tile, pair of columns, channel, column of the pair."""
_TAP_LOOPS = 4 + _TILE_LOOPS


def _copy(image: ir.Value, place: Sequence[ir.AffineExpr], shape: list[int]) -> ir.Value:
    """A tensor of ``shape`` in TCM, each element that of ``image`` at its ``place``."""
    into, loops = tcm_tensor(shape, ir.F16Type.get()), len(shape)
    kinds = ", ".join(["#linalg.iterator_type<parallel>"] * loops)
    op = ir.Operation.create(
        "linalg.generic", results=[into.type], operands=[image, into], regions=1,
        attributes={"indexing_maps": ir.ArrayAttr.get([
                        ir.AffineMapAttr.get(ir.AffineMap.get(loops, 0, list(place))),
                        ir.AffineMapAttr.get(ir.AffineMap.get_identity(loops))]),
                    "iterator_types": ir.Attribute.parse(f"[{kinds}]"),
                    "operandSegmentSizes": ir.DenseI32ArrayAttr.get([1, 1])})
    body = op.regions[0].blocks.append(ir.F16Type.get(), ir.F16Type.get(), arg_locs=[op.location] * 2)
    with ir.InsertionPoint(body):
        ir.Operation.create("linalg.yield", operands=[body.arguments[0]])
    return op.result
