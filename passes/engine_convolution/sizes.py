"""Sizes of a convolution's blocks and tiles, and whether the engine pays: functions over numbers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import gcd

from hexagon_mlir.dialects.engine_tiles import PAIR, TILE, tiles
from hexagon_mlir.passes.engine_convolution.read import Geometry
from hexagon_mlir.passes.lib.half_product_cost import HvxCost, window_cycles
from hexagon_mlir.targets import Target

HALF_BYTES = 2
"""Of an f16 element."""
WORD_BYTES = 4


@dataclass(frozen=True)
class Plan:
    """How a convolution is cut: a tile has the pixels of ``height`` rows and ``width`` columns of the result.

    A block is ``tile_rows`` rows of such tiles and ``outputs`` channels, and is computed in ``parts``: of its rows, or,
    where it has not all ``outputs``, of its channels.
    """

    height: int
    width: int
    tile_rows: int
    outputs: int
    parts: int

    def across(self, geometry: Geometry) -> int:
        """Tiles side by side."""
        return -(-geometry.columns // self.width)


def tile_shapes(rows: int, columns: int, pixels: int = TILE) -> list[tuple[tuple[int, int], int]]:
    """Heights and widths of the ``pixels`` of a tile, the widest first, and how many tiles cover the result."""
    shapes = [(pixels // (width * pixels // TILE), width * pixels // TILE) for width in (32, 16, 8, 4, 2)]
    return [(shape, -(-rows // shape[0]) * -(-columns // shape[1])) for shape in shapes]


def tile_shape(rows: int, columns: int) -> tuple[int, int]:
    """Height and width of the pixels of a tile, so that few tiles cover the result; the widest of the best."""
    return min(tile_shapes(rows, columns), key=lambda found: found[1])[0]


def steps(geometry: Geometry) -> int:
    """Tiles along the reduction: each run is filled up to whole tiles."""
    return geometry.taps_y * geometry.taps_x * tiles(geometry.run)


@dataclass(frozen=True)
class SharedTiles:
    """Tiles of activations that the taps of neighbouring result tiles share: rows and columns of them, and the rows of
    the image, and elements of a row, from one to the next.
    """

    rows: int
    columns: int
    row_unit: int
    column_unit: int


def shared_tiles(geometry: Geometry, tile_rows: int, columns: int) -> SharedTiles | None:
    """Those of so many rows and columns of result tiles; None where they are no fewer than a tile for each tap, or
    where the taps of a row are not neighbours. Those of groups of channels are shared in any case.
    """
    found = tiles_of_places(geometry, tile_rows, columns)
    if geometry.taps_x > 1 and found.column_unit != geometry.column_tap:
        return None
    taps = geometry.taps_y * geometry.taps_x
    fewer = found.rows * found.columns < tile_rows * columns * taps
    return found if fewer or geometry.groups > 1 else None


def tiles_of_places(geometry: Geometry, tile_rows: int, columns: int) -> SharedTiles:
    """A tile for each place that a tap of so many rows and columns of result tiles may have."""
    row_unit = geometry.row_step if geometry.taps_y == 1 else gcd(geometry.row_step, geometry.row_tap)
    column_unit = geometry.column_step if geometry.taps_x == 1 else gcd(geometry.column_step, geometry.column_tap)
    rows = ((tile_rows - 1) * geometry.row_step + (geometry.taps_y - 1) * geometry.row_tap) // row_unit + 1
    across = ((columns - 1) * geometry.column_step + (geometry.taps_x - 1) * geometry.column_tap) // column_unit + 1
    return SharedTiles(rows, across, row_unit, column_unit)


def packed_tiles(geometry: Geometry, tile_rows: int, columns: int) -> int:
    """Activation tiles of so many rows and columns of result tiles."""
    shared = shared_tiles(geometry, tile_rows, columns)
    if shared is None:
        return tile_rows * columns * steps(geometry)
    return shared.rows * shared.columns * geometry.groups * tiles(geometry.run)


def image_size(geometry: Geometry, plan: Plan) -> tuple[int, int]:
    """Rows, and elements of a row, of the image that the tiles of a block read; with what copies of whole vectors read
    beyond it.
    """
    rows = (plan.tile_rows * plan.height - 1) * geometry.row_step + (geometry.taps_y - 1) * geometry.row_tap + 1
    columns = -(-geometry.columns // plan.width) * plan.width
    row = (columns - 1) * geometry.column_step + (geometry.taps_x - 1) * geometry.column_tap
    row += (geometry.groups - 1) * geometry.run + TILE * tiles(geometry.run)
    return rows, -(-(row + TILE) // _LANES) * _LANES


_LANES = 64
"""Rows of whole vectors are aligned where pixels are."""


AHEAD = 2
"""Parts of the image that are transferred before the first of them is packed."""


def choose_plan(geometry: Geometry, budget: int, epilogue_bytes: int = 0) -> Plan | None:
    """The largest blocks that fit ``budget`` bytes of TCM; None where none do.

    Weights that take long to transfer, in `_STREAMED_BYTES` or more, are transferred block by block while the engine
    computes.
    """
    height, width = tile_shape(geometry.rows, geometry.columns)
    whole = -(-geometry.rows // height)
    most = tiles(geometry.outputs)
    row_tiles = whole
    while True:
        pixels = row_tiles * -(-geometry.columns // width)
        alone = HALF_BYTES * TILE * TILE * steps(geometry) * most
        counts = [most] if alone < _STREAMED_BYTES or pixels >= _MANY_PIXELS or geometry.groups > 1 else []
        if geometry.groups == 1:
            counts += [count for count in range(max(most // _BLOCKS, PAIR), 0, -1) if count < most]
        for count in counts:
            parts = min(_PARTS, row_tiles) if count == most else min(_PARTS, -(-count // PAIR))
            plan = Plan(height, width, row_tiles, min(TILE * count, geometry.outputs), parts)
            if block_bytes(geometry, plan, epilogue_bytes) <= budget:
                return plan
        if row_tiles == 1:
            return None
        row_tiles = -(-row_tiles // 2)


_STREAMED_BYTES = 512 << 10
_MANY_PIXELS = 256
"""Tiles of pixels from which on the weights' transfer is short beside the products."""
_BLOCKS = 4
_PARTS = 4
"""The first part is packed, and the last one unpacked, while the engine has nothing to do."""


def block_bytes(geometry: Geometry, plan: Plan, epilogue_bytes: int) -> int:
    """Bytes in TCM: the image, or the parts of it that are there at a time, its tiles, the weights as they are and as
    tiles, the result as tiles and as rows, and ``epilogue_bytes`` for each of its elements.
    """
    pixels = plan.tile_rows * -(-geometry.columns // plan.width)
    outputs = tiles(plan.outputs)
    streamed = plan.outputs < geometry.outputs
    tile = HALF_BYTES * TILE * TILE
    weights = tile * steps(geometry) * outputs * (3 if streamed else 2)
    columns, part = -(-geometry.columns // plan.width), -(-plan.tile_rows // plan.parts)
    packed = packed_tiles(geometry, plan.tile_rows if streamed else part, columns)
    live = pixels if streamed else min(2 * part * columns, pixels)
    rows, row = image_size(geometry, plan if streamed else replace(plan, tile_rows=part))
    rows *= 1 if streamed else min(-(-plan.tile_rows // part), AHEAD + 1)
    packed *= 1 if streamed or part == plan.tile_rows else 2
    results = live * outputs * TILE * TILE * (2 * HALF_BYTES + epilogue_bytes * (2 if streamed else 1))
    return rows * row * HALF_BYTES + weights + packed * tile + results


@dataclass(frozen=True)
class ConvolutionCost:
    """Cycles: of a product of two tiles, to pack or unpack one vector on one thread, of what each convolution costs in
    any case; and what products on HVX cost. ``in_model``: weights come packed, and an earlier kernel prefetches them.
    """

    tile_cycles: float
    move_cycles: float
    fixed_cycles: float
    hvx: HvxCost
    in_model: bool = False

    @staticmethod
    def of(target: Target, in_model: bool) -> ConvolutionCost:
        """The numbers of ``target``, for a kernel of a model or one by itself."""
        return ConvolutionCost(float(target.matrix_half_tile_cycles.value), _MOVE_CYCLES,
                               _IN_MODEL_CYCLES if in_model else _FIXED_CYCLES, HvxCost.of(target), in_model)


_MOVE_CYCLES = 3.0
_FIXED_CYCLES, _IN_MODEL_CYCLES = 4000.0, 3000.0
CLOSE = 2.5
"""Of 80 random convolutions of f16 and 80 of bytes, those that an estimate puts in the wrong place have estimates that
are closer."""


def estimates(geometry: Geometry, lanes: int, cost: ConvolutionCost) -> tuple[float, float]:
    """Estimated cycles on the engine, with packing and unpacking by HVX, and on HVX alone."""
    height, width = tile_shape(geometry.rows, geometry.columns)
    pixels = geometry.batches * -(-geometry.rows // height) * -(-geometry.columns // width)
    outputs, reduction = tiles(geometry.outputs), steps(geometry)
    vectors = TILE * TILE * (pixels * reduction + outputs * reduction + pixels * outputs) / lanes
    engine = cost.fixed_cycles + pixels * outputs * reduction * cost.tile_cycles + vectors * cost.move_cycles
    places = geometry.batches * geometry.rows * geometry.columns
    window = geometry.taps_y * geometry.taps_x * geometry.run
    moved = min(geometry.row_step * geometry.column_step, window) * places
    if not cost.in_model:
        moved += window * geometry.outputs
    return engine, window_cycles(places, geometry.outputs, window, moved, cost.hvx)


def pays(geometry: Geometry, lanes: int, cost: ConvolutionCost) -> bool:
    """Whether the engine is estimated to take less time than HVX alone."""
    engine, hvx = estimates(geometry, lanes, cost)
    return engine < hvx


def groups_pay(geometry: Geometry, groups: int, lanes: int, halves: bool, cost: ConvolutionCost) -> bool:
    """Whether the engine is estimated to take less time for ``geometry``, whose groups are several of ``groups`` or
    one, than HVX, which sums numbers of f32, or ``halves``, in ``groups``. The engine also converts those of f32.
    """
    merged = groups // geometry.groups
    if merged == geometry.run and geometry.outputs == groups:
        return halves
    height, width = tile_shape(geometry.rows, geometry.columns)
    tile_rows, columns = -(-geometry.rows // height), -(-geometry.columns // width)
    results = tile_rows * columns * tiles(geometry.outputs)
    vectors = TILE * TILE * (packed_tiles(geometry, tile_rows, columns) + results) / lanes
    image = results * steps(geometry) * cost.tile_cycles + vectors * cost.move_cycles
    hvx = geometry.products / merged / _GROUPED_PRODUCTS
    return cost.fixed_cycles + geometry.batches * image < hvx


_GROUPED_PRODUCTS = 15.0
"""Products that HVX sums per cycle in groups of several channels; where each channel is a group, it takes less time
than the engine for f32, and more for f16."""
