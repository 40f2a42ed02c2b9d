"""Convolutions that the engine can compute, read into plain records."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import prod

from hexagon_mlir.dialects.engine_tiles import TILE
from hexagon_mlir.ir import ir
from hexagon_mlir.ir.query import input_count
from hexagon_mlir.passes.engine_convolution.epilogue import are_rounded, rounding_users
from hexagon_mlir.passes.lib.contractions import Index, multiplies_and_adds, read_index
from hexagon_mlir.passes.lib.engine_tiles import fills_zero
from hexagon_mlir.passes.lib.loop_nests import Unsupported
from hexagon_mlir.passes.lib.vector_loop import indexing_maps


@dataclass(frozen=True)
class Geometry:
    """``result[n, y, x, o] = sum over ky, kx, r of image[n, y * row_step + ky * row_tap, x * column_step
    + kx * column_tap + r] * weights[ky, kx, r, o]``: rows of an image are one dimension, channels included.

    The window of a result is ``taps_y`` rows of ``taps_x`` runs of ``run`` elements. A convolution of one dimension has
    one row. With ``groups``, output ``o`` reads elements ``o * groups // outputs * run + r`` of a pixel.
    """

    batches: int
    rows: int
    columns: int
    outputs: int
    taps_y: int
    taps_x: int
    run: int
    row_step: int
    row_tap: int
    column_step: int
    column_tap: int
    groups: int = 1

    @property
    def products(self) -> int:
        """Multiplications."""
        return self.batches * self.rows * self.columns * self.outputs * self.taps_y * self.taps_x * self.run


@dataclass(frozen=True)
class Convolution:
    """A convolution of f16 with sums in f32, from zero or from a ``bias`` for each output.

    ``epilogues`` are the ops that read the sums, element by element, each of which rounds them to f16 before all else.
    There are none where others round them too. ``image_shape`` has the batches, rows and elements of a row of the
    padded image.
    """

    op: ir.Operation
    epilogues: tuple[ir.Operation, ...]
    bias: ir.Value | None
    geometry: Geometry
    image_shape: tuple[int, int, int]

    @property
    def image(self) -> ir.Value:
        """The padded image: [batches] [rows] columns [channels]."""
        return self.op.operands[0]

    @property
    def weights(self) -> ir.Value:
        """[taps_y] [taps_x] run, outputs."""
        return self.op.operands[1]


def read_convolution(op: ir.Operation) -> Convolution | str | None:
    """What linalg op ``op`` on tensors convolves; why the engine cannot; None for what is no convolution."""
    found_geometry = read_geometry(op)
    if found_geometry is None:
        return None
    types = [ir.RankedTensorType(value.type) for value in op.operands]
    if not all(isinstance(type_.element_type, ir.F16Type) for type_ in types[:2]):
        return f"factors of {types[0].element_type} and {types[1].element_type}, not f16"
    if isinstance(found_geometry, str):
        return found_geometry
    geometry, image_shape = found_geometry
    found, bias = start_of_sums(op.operands[2])
    if not found:
        return "its sums start neither from zero nor from a bias"
    if not isinstance(types[2].element_type, ir.F32Type) or not are_rounded(op.results[0]):
        return "its sums are not rounded to f16"
    return Convolution(op, tuple(rounding_users(op)), bias, geometry, image_shape)


def read_geometry(op: ir.Operation) -> tuple[Geometry, tuple[int, int, int]] | str | None:
    """The sizes of what ``op`` convolves, elements of any type, and batches, rows and elements of a row of its image.
    As for `read_convolution` otherwise."""
    maps = indexing_maps(op) if op.name.startswith("linalg.") and len(op.results) == 1 else None
    if maps is None or len(maps) != 3 or input_count(op) != 2 or not multiplies_and_adds(op):
        return None
    of_image, of_group = _take_groups(ir.AffineMapAttr(maps[0]).value)
    try:
        image, weights, result = ([read_index(index) for index in indices] for indices in (
            of_image, *(ir.AffineMapAttr(map_).value.results for map_ in list(maps)[1:])))
    except Unsupported:
        return None
    if not any(of_group) and all(index.plain is not None for index in image):
        return None
    types = [ir.RankedTensorType(value.type) for value in op.operands]
    if not all(type_.has_static_shape for type_ in types) or any(0 in type_.shape for type_ in types):
        return "its sizes are not known, or it is empty"
    found_geometry = _geometry(image, weights, result, types)
    if found_geometry is None:
        return "not an image with channels last, or groups of channels"
    outputs = found_geometry.outputs
    groups = outputs // of_group[0] if of_group[0] else 1
    if groups > 1 and (of_group[1] != found_geometry.run or outputs % groups or not _are_tiles(*of_group)):
        return "groups of channels that are no whole tiles"
    geometry = by_tiles(replace(found_geometry, groups=groups))
    if groups > 1 and not shares_tiles(geometry):
        return "groups of channels, and taps that are no neighbours"
    shape = list(types[0].shape)
    length = prod(shape[len(_rows(image, shape, weights[-2].plain)) - 1:])
    rows = prod(shape) // length // geometry.batches
    return geometry, (geometry.batches, rows, length)


def _are_tiles(outputs: int, channels: int) -> bool:
    return outputs % TILE == 0 and channels % TILE == 0


def shares_tiles(geometry: Geometry) -> bool:
    """Whether neighbouring taps of a row read neighbouring tiles, as groups of channels need it."""
    return geometry.taps_x == 1 or geometry.column_step % geometry.column_tap == 0


def by_tiles(geometry: Geometry) -> Geometry:
    """``geometry`` with runs of one tile, where neighbouring taps of a row are neighbours in memory, of whole tiles."""
    apart = geometry.taps_x > 1 and geometry.column_tap != geometry.run
    if apart or geometry.groups > 1 or geometry.run % TILE or geometry.column_step % TILE:
        return geometry
    return replace(geometry, taps_x=geometry.taps_x * geometry.run // TILE, column_tap=TILE, run=TILE)


def is_narrow(geometry: Geometry) -> bool:
    """Whether a row of a window is less than a tile, as of images of three channels."""
    return geometry.groups == 1 and geometry.taps_x == 1 and geometry.run < TILE


def narrow(geometry: Geometry) -> Geometry:
    """``geometry`` with one run for each row of a window, where these are neighbours in memory and no whole tile."""
    if geometry.taps_x == 1 or geometry.column_tap != geometry.run or geometry.taps_x * geometry.run >= TILE:
        return geometry
    return replace(geometry, taps_x=1, column_tap=1, run=geometry.taps_x * geometry.run)


def _take_groups(map_: ir.AffineMap) -> tuple[list[ir.AffineExpr], tuple[int, int]]:
    """The indices of an image, channels those of a group; and of groups the outputs and channels of one, else zeros.

    An output ``o`` reads channels ``o floordiv outputs * channels + r``.
    """
    *rest, last = map_.results
    if isinstance(last, ir.AffineAddExpr) and isinstance(last.lhs, ir.AffineMulExpr) \
            and isinstance(last.lhs.lhs, ir.AffineFloorDivExpr):
        group, channels = last.lhs.lhs, last.lhs.rhs
        if isinstance(group.lhs, ir.AffineDimExpr) and isinstance(channels, ir.AffineConstantExpr):
            return [*rest, last.rhs], (group.rhs.value, channels.value)
    return list(map_.results), (0, 0)


def _geometry(image: list[Index], weights: list[Index], result: list[Index],
              types: list[ir.RankedTensorType]) -> Geometry | None:
    places = [[index.plain for index in indices] for indices in (weights, result)]
    kernel, out = ([loop for loop in loops if loop is not None] for loops in places)
    if [kernel, out] != places or len(set(kernel)) < len(kernel) or len(set(out)) < len(out) or len(out) < 2:
        return None
    if len(kernel) < 2 or kernel[-1] != out[-1] or set(kernel[:-1]) & set(out):
        return None
    size = {index.plain: extent for indices, type_ in ((weights, types[1]), (result, types[2]))
            for index, extent in zip(indices, type_.shape, strict=True)}
    *outer, row = _rows(image, types[0].shape, kernel[-2])
    if any(index.constant for index in (*outer, row)) or len(outer) != len(out) - 2 or len(outer) > 2:
        return None
    *taps, run = kernel[:-1]
    y = out[-3] if len(out) > 2 else None
    lines = outer[-1] if outer else Index(())
    if len(outer) == 2 and outer[0].plain != out[0]:
        return None
    tap_y = [tap for tap in taps if lines.factor(tap)]
    tap_x = [tap for tap in taps if row.factor(tap)]
    if len(tap_y) > 1 or len(tap_x) > 1 or tap_y + tap_x != taps:
        return None
    x = out[-2]
    if set(lines.terms) != {(loop, lines.factor(loop)) for loop in (*([y] if y is not None else []), *tap_y)}:
        return None
    if {loop for loop, _ in row.terms} != {x, run, *tap_x} or row.factor(run) != 1:
        return None
    if any(factor < 1 for index in (lines, row) for _, factor in index.terms):
        return None
    return Geometry(
        size[out[0]] if len(outer) == 2 else 1, size[y] if y is not None else 1, size[x], size[out[-1]],
        size[tap_y[0]] if tap_y else 1, size[tap_x[0]] if tap_x else 1, size[run],
        lines.factor(y) if y is not None else 1, lines.factor(tap_y[0]) if tap_y else 1,
        row.factor(x), row.factor(tap_x[0]) if tap_x else 1)


def _rows(image: list[Index], shape: list[int], run: int | None) -> list[Index]:
    """The indices of the image with columns and channels as one dimension, the last."""
    if run is not None and image[-1].plain == run and len(image) > 1:
        channels = shape[-1]
        terms = [(loop, factor * channels) for loop, factor in image[-2].terms]
        return [*image[:-2], Index(tuple(sorted([*terms, (run, 1)])), image[-2].constant * channels)]
    return list(image)


def start_of_sums(value: ir.Value) -> tuple[bool, ir.Value | None]:
    """Whether sums start from zero or from a number for each output, and these numbers."""
    if isinstance(value.owner, ir.Block):
        return False, None
    owner = value.owner.operation
    if fills_zero(owner):
        return True, None
    if owner.name not in ("linalg.generic", "linalg.broadcast") or len(owner.operands) != 2 or input_count(owner) != 1:
        return False, None
    maps = [ir.AffineMapAttr(map_).value for map_ in indexing_maps(owner) or ()]
    body = owner.regions[0].blocks[0]
    copies = len(list(body.operations)) == 1 and body.operations[0].operands[0] == body.arguments[0]
    rank = maps[1].n_dims
    spread = ir.AffineMap.get(rank, 0, [ir.AffineDimExpr.get(rank - 1)])
    fits = copies and maps == [spread, ir.AffineMap.get_identity(rank)]
    return fits, owner.operands[0] if fits else None
