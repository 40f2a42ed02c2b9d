"""Writes a convolution of bytes as a grid of parts: transfers, packing, products and joining beside each other."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import accumulate

from hexagon_mlir.dialects.engine_tiles import TILE, VECTOR_TILES, tiles, vector_tiles
from hexagon_mlir.dialects.engine_windows import Windows
from hexagon_mlir.ir import ir, scf, tensor
from hexagon_mlir.ir.constants import constant, index
from hexagon_mlir.ir.make import fill
from hexagon_mlir.passes.engine_convolution.byte_schedule import UNFINISHED, byte_image_size, byte_places
from hexagon_mlir.passes.engine_convolution.epilogue import inputs_beside, on_block
from hexagon_mlir.passes.engine_convolution.image import reshaped
from hexagon_mlir.passes.engine_convolution.parts import Part
from hexagon_mlir.passes.engine_convolution.read import is_narrow
from hexagon_mlir.passes.engine_convolution.read_bytes import ByteConvolution
from hexagon_mlir.passes.engine_convolution.schedule import Schedule
from hexagon_mlir.passes.engine_convolution.sizes import steps
from hexagon_mlir.passes.engine_convolution.slices import Offset, extract, insert, plus
from hexagon_mlir.passes.lib.engine_byte_conversions import byte_tables, multiply_to_bytes, sum_of_columns
from hexagon_mlir.passes.lib.engine_byte_pixels import Steps, join_pixels, pack_pixels, unpack_pixels
from hexagon_mlir.passes.lib.engine_byte_products import multiply_bytes
from hexagon_mlir.passes.lib.engine_byte_tiles import column_sums, pack_byte_weights
from hexagon_mlir.passes.lib.tcm_tensors import tcm_copy, tcm_tensor
from hexagon_mlir.passes.matrix_engine.schedule import LEFT, RIGHT, Fetch

_BLOCK_RANK = 3
"""Dimensions of a block of the result: rows, columns and channels, or fewer where the result has fewer."""


@dataclass(frozen=True)
class Product:
    """Planes of the sums of a part and what is added to them, or bytes; what the epilogue reads of the part besides;
    in how many pieces sums are joined."""

    planes: ir.Value
    added: ir.Value | None
    part: Part
    inputs: list[ir.Value]
    pieces: int


class ByteConvolutionBuilder:
    """Writes the parts of one convolution at the insertion point."""

    def __init__(self, convolution: ByteConvolution, schedule: Schedule) -> None:
        self._convolution, self._geometry = convolution, convolution.geometry
        self._schedule, self._grid = schedule, schedule.grid
        self._size = schedule.height, schedule.width
        self._across = -(-self._geometry.columns // schedule.width)
        self._starts = [[0, *accumulate(counts)] for counts in self._grid.blocks]
        self._sums = convolution.read_out

    def build(self) -> ir.Value:
        """The result of `ByteConvolution.last`."""
        type_ = ir.RankedTensorType(self._convolution.last.results[0].type)
        result = tensor.empty(type_.shape, type_.element_type)
        if self._geometry.batches == 1:
            return self._image(0, result)
        loop = scf.ForOp(index(0), index(self._geometry.batches), index(1), [result])
        with ir.InsertionPoint(loop.body):
            scf.YieldOp([self._image(loop.induction_variable, loop.inner_iter_args[0])])
        return loop.results[0]

    def _image(self, batch: Offset, result: ir.Value) -> ir.Value:
        """One image: each product's planes are joined after the next product has started."""
        fetched: dict[Fetch, ir.Value] = {}
        activations: dict[Fetch, ir.Value] = {}
        columns: dict[Fetch, ir.Value] = {}
        added: dict[Fetch, ir.Value | None] = {}
        tables: dict[Fetch, ir.Value] = {}
        unfinished: list[Product] = []
        for number, step in enumerate(self._grid.steps):
            for fetch in step.fetches:
                fetched[fetch] = self._rows(batch, fetch) if fetch.operand == LEFT else self._weights(fetch)
            for fetch in step.packs:
                block = fetched.pop(fetch)
                if fetch.operand == LEFT:
                    activations[fetch] = self._packed(block, fetch)
                else:
                    columns[fetch] = self._packed_weights(block, fetch)
            rows, of_channels = step.factors
            part = self._part(batch, rows, of_channels)
            converts = self._convolution.conversion is not None
            if converts and of_channels not in tables:
                tables[of_channels] = self._tables(columns[of_channels], of_channels)
            planes = self._multiplied(activations[rows], columns[of_channels], part, tables.get(of_channels))
            if not converts and of_channels not in added:  # beside the product
                added[of_channels] = self._added(columns[of_channels], of_channels)
            unfinished.append(Product(planes, added.get(of_channels), part, self._inputs(part),
                                      2 if number in self._schedule.halved else 1))
            if len(unfinished) > UNFINISHED:
                result = self._finished(unfinished.pop(0), result)
        for product in unfinished:
            result = self._finished(product, result)
        return result

    def _row(self, fetch: Fetch) -> int:
        """The first row of pixels of a block of rows."""
        return self._starts[LEFT][fetch.number] * self._schedule.height

    def _rows(self, batch: Offset, fetch: Fetch) -> ir.Value:
        """The rows of the image that a block of rows reads."""
        size = byte_image_size(self._geometry, self._schedule.plan(fetch.number))
        return self._convolution.image.rows(batch, self._row(fetch) * self._geometry.row_step, size)

    def _packed(self, image: ir.Value, fetch: Fetch) -> ir.Value:
        """Tiles of these rows."""
        geometry, rows = self._geometry, self._grid.rows[fetch.number]
        places = byte_places(geometry, rows, self._across)
        lie = Steps(places.row_unit, rows * geometry.row_step, places.column_unit, self._across * geometry.column_step)
        signed = self._convolution.signed and not self._convolution.flipped
        return pack_pixels(image, places.rows, places.columns, self._size, lie, signed)

    def _weights(self, fetch: Fetch) -> ir.Value:
        """The weights of a block of channels: tiles, or [reduction][channels], filled up with zeros to whole vectors.
        """
        geometry, count, first = self._geometry, self._grid.columns[fetch.number], self._starts[RIGHT][fetch.number]
        ready = self._convolution.tiles
        if ready is not None:
            shape = [tiles(count), *ir.RankedTensorType(ready.type).shape[1:]]
            return tcm_copy(extract(ready, [first // TILE, *[0] * (len(shape) - 1)], shape))
        taps, columns = steps(geometry), TILE * vector_tiles(count)
        if is_narrow(geometry):
            runs = reshaped(self._convolution.weights, [taps, geometry.run, geometry.outputs])
            part = extract(runs, [0, 0, first], [taps, geometry.run, count])
            return reshaped(_filled(part, [taps, TILE, columns]), [taps * TILE, columns])
        matrix = reshaped(self._convolution.weights, [taps * TILE, geometry.outputs])
        part = extract(matrix, [0, first], [taps * TILE, count])
        return _filled(part, [taps * TILE, columns])

    def _packed_weights(self, weights: ir.Value, fetch: Fetch) -> ir.Value:
        """Tiles of the weights of a block of channels."""
        if self._convolution.tiles is not None:
            return weights
        packed = pack_byte_weights(weights, False)
        count = tiles(self._grid.columns[fetch.number])
        return extract(packed, [0] * 5, [count, *ir.RankedTensorType(packed.type).shape[1:]])

    def _added(self, weights: ir.Value, fetch: Fetch) -> ir.Value | None:
        """What is added to the sums of each channel of a block, whose tiles ``weights`` are; None for nothing."""
        added = self._start(fetch)
        if self._sums_up:
            shape, word = [tiles(self._grid.columns[fetch.number]), TILE], ir.IntegerType.get_signless(32)
            added = column_sums(weights, _zeros(shape, word) if added is None else added)
        return added

    def _start(self, fetch: Fetch) -> ir.Value | None:
        """What the sums of each channel of a block start from, with what signed pixels cost if that is known."""
        known = self._convolution.channel_sums if self._convolution.signed else None
        parts = [self._of_channels(value, fetch) for value in (self._convolution.bias, known) if value is not None]
        return None if not parts else sum_of_columns(*parts) if len(parts) > 1 else parts[0]

    @property
    def _sums_up(self) -> bool:
        """Whether the weights of each channel have to be summed up."""
        return self._convolution.signed and self._convolution.channel_sums is None

    def _of_channels(self, value: ir.Value, fetch: Fetch) -> ir.Value:
        """The part of i32 ``value`` that belongs to a block of channels, [N / 32][32]."""
        channels = self._grid.columns[fetch.number]
        own = extract(value, [self._starts[RIGHT][fetch.number]], [channels])
        return reshaped(_filled(own, [TILE * tiles(channels)]), [tiles(channels), TILE])

    def _tables(self, weights: ir.Value, fetch: Fetch) -> ir.Value:
        """The tables by which the engine converts the sums of a block of channels, whose tiles ``weights`` are."""
        conversion = self._convolution.conversion
        assert conversion is not None
        words, biases = (self._of_channels(value, fetch) for value in (conversion.words, conversion.biases))
        start = self._start(fetch)
        if start is not None:
            biases = sum_of_columns(biases, start)
        return byte_tables(words, column_sums(weights, biases) if self._sums_up else biases)

    def _part(self, batch: Offset, rows: Fetch, columns: Fetch) -> Part:
        first, plan = self._row(rows), self._schedule.plan(rows.number)
        return Part(batch, first, min(plan.tile_rows * plan.height, self._geometry.rows - first),
                    self._starts[RIGHT][columns.number], self._grid.columns[columns.number], plan)

    def _multiplied(self, activations: ir.Value, weights: ir.Value, part: Part, tables: ir.Value | None) -> ir.Value:
        """Planes of the sums of a part, or their bytes by ``tables``."""
        geometry = self._geometry
        places = byte_places(geometry, part.plan.tile_rows, self._across)
        windows = Windows(self._across, geometry.row_step // places.row_unit, geometry.row_tap // places.row_unit,
                          geometry.column_step // places.column_unit, geometry.taps_x)
        rows = part.plan.tile_rows * self._across
        if tables is not None:
            return multiply_to_bytes(activations, weights, tables, rows, windows)
        return multiply_bytes(activations, weights, rows, windows)

    def _place(self, part: Part) -> tuple[list[Offset], list[int]]:
        """Offsets and sizes of ``part`` in the dimensions of the result."""
        rank = ir.RankedTensorType(self._sums.type).rank
        return ([part.batch, part.row, 0, part.output][-rank:],
                [1, part.rows, self._geometry.columns, part.outputs][-rank:])

    def _inputs(self, part: Part) -> list[ir.Value]:
        """What the epilogue reads of ``part`` besides the sums, in TCM."""
        if self._convolution.epilogue is None:
            return []
        offsets, sizes = self._place(part)

        def sliced(value: ir.Value, dims: list[int]) -> ir.Value:
            dropped = sum(dim < len(sizes) - _BLOCK_RANK for dim in dims)
            return extract(value, [offsets[dim] for dim in dims], [sizes[dim] for dim in dims], dropped)

        return inputs_beside(self._convolution.epilogue, self._sums, sliced)

    def _finished(self, product: Product, result: ir.Value) -> ir.Value:
        """``result`` with the sums of ``product`` as rows of pixels, after the epilogue."""
        part, (height, _) = product.part, self._size
        if self._convolution.conversion is not None:
            return self._put(product, unpack_pixels(product.planes, part.plan.tile_rows, self._size), part, result)
        step = -(-height // product.pieces)
        for first in range(0, height, step):
            of_tiles = range(first, min(first + step, height))
            above = first * part.plan.tile_rows
            rows = min(len(of_tiles) * part.plan.tile_rows, part.rows - above)
            if rows <= 0:  # they fill tiles up
                break
            piece = replace(part, row=plus(part.row, above), rows=rows)
            result = self._joined(product, of_tiles, piece, result)
        return result

    def _joined(self, product: Product, of_tiles: range, piece: Part, result: ir.Value) -> ir.Value:
        """``result`` with ``piece`` of it, which are the rows ``of_tiles`` of the tiles of ``product``."""
        columns = max(-(-self._geometry.columns // self._across), min(VECTOR_TILES, self._schedule.width))
        block = join_pixels(product.planes, piece.plan.tile_rows, self._size, product.added, (of_tiles, columns))
        return self._put(product, block, piece, result)

    def _put(self, product: Product, block: ir.Value, piece: Part, result: ir.Value) -> ir.Value:
        """``result`` with ``block``, rows of pixels of ``piece``, after the epilogue."""
        block = extract(block, [0, 0, 0], [piece.rows, self._geometry.columns, piece.outputs])
        offsets, sizes = self._place(piece)
        dropped = max(len(sizes) - _BLOCK_RANK, 0)
        block = reshaped(block, sizes[dropped:])
        if self._convolution.epilogue is not None:
            block = on_block(self._convolution.epilogue, self._sums, block, product.inputs, dropped)
        return insert(block, result, offsets, sizes)


def _filled(value: ir.Value, shape: list[int]) -> ir.Value:
    """``value`` in TCM, filled up with zeros to ``shape``."""
    type_ = ir.RankedTensorType(value.type)
    if list(type_.shape) == shape:
        return tcm_copy(value)
    return insert(value, _zeros(shape, type_.element_type), [0] * len(shape), list(type_.shape))


def _zeros(shape: list[int], element: ir.Type) -> ir.Value:
    return fill(constant(ir.IntegerAttr.get(element, 0)), tcm_tensor(shape, element)).result
