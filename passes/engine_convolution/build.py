"""Writes a convolution as blocks: image and weights into TCM, tiles, products of tiles, rows of the result back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from hexagon_mlir.dialects.engine_tiles import PAIR, TILE, tiled_shape, tiles
from hexagon_mlir.dialects.engine_windows import Windows
from hexagon_mlir.ir import ir, linalg, scf, tensor
from hexagon_mlir.ir.constants import index
from hexagon_mlir.ir.make import addi, muli
from hexagon_mlir.passes.engine_convolution.epilogue import on_block, only_positive
from hexagon_mlir.passes.engine_convolution.image import Image, reshaped
from hexagon_mlir.passes.engine_convolution.read import Convolution
from hexagon_mlir.passes.engine_convolution.sizes import AHEAD, Plan, image_size
from hexagon_mlir.passes.engine_convolution.slices import Offset, extract, insert
from hexagon_mlir.passes.engine_convolution.weights import Weights, filled, same
from hexagon_mlir.passes.engine_convolution.windows import pack_windows
from hexagon_mlir.passes.lib.engine_conversions import Conversion, converted
from hexagon_mlir.passes.lib.engine_tiles import multiply, only_rounds
from hexagon_mlir.passes.lib.tcm_tensors import tcm_tensor

Results = list[ir.Value]
Packing = Callable[[], ir.Value]
"""Makes tiles of weights."""
Transfer = Callable[[], Sequence[Packing]]
"""Transfers weights."""
Activations = tuple[ir.Value, Windows | None]
"""Tiles of windows, and which of them are shared."""


@dataclass(frozen=True)
class Part:
    """Of the result: image, first row and count of rows, first channel and count of channels."""

    batch: Offset
    row: Offset
    rows: int
    output: Offset
    outputs: int


class ConvolutionBuilder:
    """Writes the blocks of one convolution at the insertion point."""

    def __init__(self, convolution: Convolution, plan: Plan) -> None:
        self._convolution, self._plan, self._geometry = convolution, plan, convolution.geometry
        self._image = Image.of(convolution.image, convolution.image_shape)
        self._tiles_x = -(-self._geometry.columns // plan.width)
        self._weights = Weights(convolution.weights, convolution.geometry)
        self._bias: ir.Value | None = None
        self._single = self._geometry.batches == 1 and plan.tile_rows * plan.height >= self._geometry.rows
        self._positive = all(map(only_positive, convolution.epilogues))

    def build(self) -> Results:
        """The results of the epilogues."""
        types = [ir.RankedTensorType(op.results[0].type) for op in self._convolution.epilogues]
        results = [tensor.empty(type_.shape, type_.element_type) for type_ in types]
        geometry = self._geometry
        if self._convolution.bias is not None:
            self._bias = filled(self._convolution.bias, [TILE * tiles(geometry.outputs)])
        resident = self._plan.outputs == geometry.outputs
        weights: Transfer | None = partial(self._weights.fetched, 0, [geometry.outputs]) if resident else None
        if weights is not None and not self._single:
            packed = [partial(same, packing()) for packing in weights()]
            weights = partial(_again, packed)

        def image(batch: Offset, so_far: Results) -> Results:
            return self._rows(batch, weights, so_far)

        return _repeated(0, geometry.batches, 1, results, image)

    def _rows(self, batch: Offset, weights: Transfer | None, results: Results) -> Results:
        """One image: a loop over the blocks of rows that the source has all rows of, the others before and after."""
        geometry, step = self._geometry, self._plan.tile_rows * self._plan.height
        rows, _ = image_size(geometry, self._plan)
        starts = list(range(0, geometry.rows, step))
        inner = [start for start in starts if self._image.reaches(start * geometry.row_step, rows)
                 and start + step <= geometry.rows]

        def block(start: Offset, so_far: Results) -> Results:
            return self._block(batch, start, weights, so_far)

        if len(inner) < 2:
            for start in starts:
                results = block(start, results)
            return results
        for start in starts:
            if start == inner[0]:
                results = _repeated(start, inner[-1] + step, step, results, block)
            elif start not in inner:
                results = block(start, results)
        return results

    def _block(self, batch: Offset, row: Offset, weights: Transfer | None, results: Results) -> Results:
        """One block of rows."""
        geometry, plan = self._geometry, self._plan
        tile_rows = plan.tile_rows if not isinstance(row, int) else min(
            plan.tile_rows, -(-(geometry.rows - row) // plan.height))
        if weights is not None:
            return self._row_parts(batch, row, tile_rows, weights, results)
        image = self._image_rows(batch, row, tile_rows)
        activations = pack_windows(image, geometry, plan, tile_rows)

        def outputs(count: int) -> Callable[[Offset, Results], Results]:
            return lambda first, so_far: self._output_parts(batch, row, tile_rows, activations, first, count, so_far)

        whole = geometry.outputs - geometry.outputs % plan.outputs
        results = _repeated(0, whole, plan.outputs, results, outputs(plan.outputs))
        rest = geometry.outputs - whole
        return outputs(rest)(whole, results) if rest else results

    def _row_parts(self, batch: Offset, row: Offset, tile_rows: int, weights: Transfer, results: Results) -> Results:
        """While the engine multiplies a part of the rows, HVX unpacks the one before and packs the one after, whose
        rows of the image have come meanwhile.
        """
        plan, geometry = self._plan, self._geometry
        step = -(-tile_rows // plan.parts)
        parts = [(first, min(step, tile_rows - first)) for first in range(0, tile_rows, step)]
        images = [self._image_rows(batch, row, parts[0][1])]
        packing, = weights()
        images += [self._image_rows(batch, _plus(row, first * plan.height), count) for first, count in parts[1:AHEAD]]
        packed = packing()
        before = None
        for number, (first, count) in enumerate(parts):
            if number + AHEAD < len(parts):
                later, rows = parts[number + AHEAD]
                images.append(self._image_rows(batch, _plus(row, later * plan.height), rows))
            activations = pack_windows(images[number], geometry, plan, count)
            product = self._product(activations, count, packed, 0, geometry.outputs)
            if before is not None:
                results = self._finished(*before, results)
            at = first * plan.height
            rows = min(count * plan.height, geometry.rows - row - at) if isinstance(row, int) else count * plan.height
            part = Part(batch, _plus(row, at), rows, 0, geometry.outputs)
            before = product, count, part
        assert before is not None
        return self._finished(*before, results)

    def _output_parts(self, batch: Offset, row: Offset, tile_rows: int, activations: Activations, output: Offset,
                      outputs: int, results: Results) -> Results:
        """The same with parts of the channels, whose weights are packed."""
        plan, geometry = self._plan, self._geometry
        pairs = -(-tiles(outputs) // PAIR)
        step = -(-pairs // min(plan.parts, pairs)) * PAIR * TILE
        rows = min(tile_rows * plan.height, geometry.rows - row) if isinstance(row, int) else tile_rows * plan.height
        starts = range(0, outputs, step)
        counts = [min(step, outputs - first) for first in starts]
        before = None
        for first, count, weights in zip(starts, counts, self._weights.fetched(output, counts), strict=True):
            product = self._product(activations, tile_rows, weights(), _plus(output, first), count)
            if before is not None:
                results = self._finished(*before, results)
            before = product, tile_rows, Part(batch, row, rows, _plus(output, first), count)
        assert before is not None
        return self._finished(*before, results)

    def _product(self, activations: Activations, tile_rows: int, weights: ir.Value, output: Offset,
                 outputs: int) -> ir.Value:
        """Result tiles of ``outputs`` channels from ``output`` on, in ``tile_rows`` rows."""
        bias = None
        if self._bias is not None:
            own = extract(self._bias, [output], [TILE * tiles(outputs)])
            bias = reshaped(own, [tiles(outputs), TILE])
        packed, windows = activations
        sums = multiply(packed, weights, tile_rows * self._tiles_x, windows)
        return converted(sums, Conversion(bias, self._positive))

    def _image_rows(self, batch: Offset, row: Offset, count: int) -> ir.Value:
        """What ``count`` rows of tiles read whose first pixels are row ``row`` of the result."""
        geometry = self._geometry
        start = row * geometry.row_step if isinstance(row, int) else muli(row, index(geometry.row_step))
        return self._image.rows(batch, start, image_size(geometry, replace(self._plan, tile_rows=count)))

    def _finished(self, product: ir.Value, tile_rows: int, part: Part, results: Results) -> Results:
        """``results`` with the tiles ``product`` as rows of pixels, after the epilogues."""
        plan, geometry, convolution = self._plan, self._geometry, self._convolution
        outputs = tiles(part.outputs)
        half = plan.width // PAIR
        shape = [tile_rows, self._tiles_x, outputs, plan.height, half, TILE, PAIR]
        assert tiled_shape(tile_rows * self._tiles_x, outputs) == list(ir.RankedTensorType(product.type).shape)
        kept = [dim for dim in range(len(shape)) if dim not in _MAYBE_ONE or shape[dim] > 1]
        cut = reshaped(product, [shape[dim] for dim in kept])
        order = [dim for dim in _PIXELS if dim in kept]
        rows = tcm_tensor([shape[dim] for dim in order], ir.F16Type.get())
        pixels = linalg.transpose(cut, outs=[rows], permutation=[kept.index(dim) for dim in order]).results[0]
        block = reshaped(pixels, [tile_rows * plan.height, self._tiles_x * plan.width, outputs * TILE])
        counts = [part.rows, geometry.columns, part.outputs]
        block = extract(block, [0, 0, 0], counts)
        rank = ir.RankedTensorType(results[0].type).rank
        if rank < len(counts):
            counts = counts[-rank:]
            block = reshaped(block, counts)
        offsets = [part.batch, part.row, 0, part.output][-rank:]
        sizes = [1, part.rows, geometry.columns, part.outputs][-rank:]

        def sliced(value: ir.Value, dims: list[int]) -> ir.Value:
            dropped = sum(dim < rank - len(counts) for dim in dims)
            return extract(value, [offsets[dim] for dim in dims], [sizes[dim] for dim in dims], dropped)

        made = []
        for op, result in zip(convolution.epilogues, results, strict=True):
            own = block
            if not (self._positive or only_rounds(op)):
                own = on_block(op, convolution.op.results[0], block, sliced, rank - len(counts))
            made.append(insert(own, result, offsets, sizes))
        return made


_PIXELS = [3, 0, 4, 6, 1, 2, 5]
"""Of tiles of pixels: rows, columns and channels of the result. Neighbours in a tile are far apart."""
_MAYBE_ONE = (1, 2)
"""Columns of tiles and tiles of channels: without them, where there is one, the neighbours of a row are those of a tile
or of two.
"""


def _again(packed: Sequence[Packing]) -> Sequence[Packing]:
    return packed


def _repeated(start: int, end: int, step: int, results: Results, emit: Callable[[Offset, Results], Results]) -> Results:
    """``emit`` for ``start``, ``start`` + ``step`` and so on below ``end``."""
    if end - start <= step:
        return emit(start, results) if end > start else results
    loop = scf.ForOp(index(start), index(end), index(step), results)
    with ir.InsertionPoint(loop.body):
        scf.YieldOp(emit(loop.induction_variable, list(loop.inner_iter_args)))
    return list(loop.results)


def _plus(offset: Offset, number: int) -> Offset:
    if isinstance(offset, int):
        return offset + number
    return addi(offset, index(number)) if number else offset
