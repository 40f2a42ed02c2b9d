"""Writes a convolution as blocks: image and weights into TCM, tiles, products of tiles, rows of the result back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from hexagon_mlir.dialects.engine_tiles import PAIR, TILE, tiled_shape, tiles
from hexagon_mlir.dialects.engine_windows import Windows
from hexagon_mlir.ir import ir, linalg, scf, tensor
from hexagon_mlir.ir.constants import index
from hexagon_mlir.ir.make import muli
from hexagon_mlir.passes.engine_convolution.epilogue import (
    inputs_beside,
    on_block,
    on_each,
    only_positive,
    reads_alone,
)
from hexagon_mlir.passes.engine_convolution.image import Image, reshaped
from hexagon_mlir.passes.engine_convolution.parts import Part, Unfinished
from hexagon_mlir.passes.engine_convolution.read import Convolution
from hexagon_mlir.passes.engine_convolution.sizes import AHEAD, Plan, image_size
from hexagon_mlir.passes.engine_convolution.slices import Offset, extract, insert, plus
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


class ConvolutionBuilder:
    """Writes the blocks of one convolution at the insertion point."""

    def __init__(self, convolution: Convolution, plan: Plan) -> None:
        self._convolution, self._plan, self._geometry = convolution, plan, convolution.geometry
        self._image = Image.of(convolution.image, convolution.image_shape)
        self._weights = Weights(convolution.weights, convolution.geometry)
        self._bias: ir.Value | None = None
        self._single = self._geometry.batches == 1 and plan.tile_rows * plan.height >= self._geometry.rows
        self._positive = all(map(only_positive, convolution.epilogues))

    def build(self) -> Results:
        """The results of the epilogues."""
        results, geometry = self.empty_results(), self._geometry
        self.fetch_bias()
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
        image = self.image_rows(batch, row, tile_rows)
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
        images = [self.image_rows(batch, row, parts[0][1])]
        packing, = weights()
        images += [self.image_rows(batch, plus(row, first * plan.height), count) for first, count in parts[1:AHEAD]]
        packed = packing()
        before = None
        for number, (first, count) in enumerate(parts):
            if number + AHEAD < len(parts):
                later, rows = parts[number + AHEAD]
                images.append(self.image_rows(batch, plus(row, later * plan.height), rows))
            activations = pack_windows(images[number], geometry, plan, count)
            at = first * plan.height
            rows = min(count * plan.height, geometry.rows - row - at) if isinstance(row, int) else count * plan.height
            part = Part(batch, plus(row, at), rows, 0, geometry.outputs, replace(plan, tile_rows=count))
            product = self.multiplied(activations, packed, part)
            if before is not None:
                results = self.finished(before, results)
            before = product
        assert before is not None
        return self.finished(before, results)

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
            product = self.multiplied(activations, weights(),
                                      Part(batch, row, rows, plus(output, first), count,
                                           replace(plan, tile_rows=tile_rows)))
            if before is not None:
                results = self.finished(before, results)
            before = product
        assert before is not None
        return self.finished(before, results)

    def fetch_bias(self) -> None:
        """Transfers the bias, if there is one; before the first product."""
        if self._convolution.bias is not None:
            self._bias = filled(self._convolution.bias, [TILE * tiles(self._geometry.outputs)])

    def empty_results(self) -> Results:
        """Tensors for the results of the epilogues."""
        types = [ir.RankedTensorType(op.results[0].type) for op in self._convolution.epilogues]
        return [tensor.empty(type_.shape, type_.element_type) for type_ in types]

    def multiplied(self, activations: Activations, weights: ir.Value, part: Part) -> Unfinished:
        """The result tiles of ``part``, whose ``activations`` and ``weights`` are in TCM."""
        bias = None
        if self._bias is not None:
            own = extract(self._bias, [part.output], [TILE * tiles(part.outputs)])
            bias = reshaped(own, [tiles(part.outputs), TILE])
        packed, windows = activations
        sums = multiply(packed, weights, part.plan.tile_rows * part.plan.across(self._geometry), windows)
        inputs = [self._epilogue_inputs(op, part) for op in self._convolution.epilogues]
        return Unfinished(converted(sums, Conversion(bias, self._positive)), part, inputs)

    def image_rows(self, batch: Offset, row: Offset, count: int) -> ir.Value:
        """What ``count`` rows of tiles read whose first pixels are row ``row`` of the result."""
        geometry = self._geometry
        start = row * geometry.row_step if isinstance(row, int) else muli(row, index(geometry.row_step))
        return self._image.rows(batch, start, image_size(geometry, replace(self._plan, tile_rows=count)))

    def finished(self, product: Unfinished, results: Results) -> Results:
        """``results`` with the tiles of ``product`` as rows of pixels, after the epilogues."""
        geometry, convolution, part = self._geometry, self._convolution, product.part
        plan, outputs, across = part.plan, tiles(part.outputs), part.plan.across(geometry)
        shape = [plan.tile_rows, across, outputs, plan.height, plan.width // PAIR, TILE, PAIR]
        assert tiled_shape(plan.tile_rows * across, outputs) == list(
            ir.RankedTensorType(product.tiles.type).shape)
        kept = [dim for dim in range(len(shape)) if dim not in _MAYBE_ONE or shape[dim] > 1]
        cut = reshaped(product.tiles, [shape[dim] for dim in kept])
        shape[3:5] = -(-part.rows // plan.tile_rows), -(-geometry.columns // (PAIR * across))  # others fill tiles up
        cut = extract(cut, [0] * len(kept), [shape[dim] for dim in kept])
        order = [dim for dim in _PIXELS if dim in kept]
        rows = tcm_tensor([shape[dim] for dim in order], ir.F16Type.get())
        pixels = linalg.transpose(cut, outs=[rows], permutation=[kept.index(dim) for dim in order]).results[0]
        padded = [plan.tile_rows * shape[3], shape[4] * PAIR * across, outputs * TILE]
        filled = [part.rows, geometry.columns, part.outputs]
        offsets, sizes = self._place(part)
        dropped = max(len(sizes) - _BLOCK_RANK, 0)

        def block(values: ir.Value) -> ir.Value:
            return reshaped(extract(reshaped(values, padded), [0, 0, 0], filled), sizes[dropped:])

        made, sums = [], convolution.op.results[0]
        for op, result, inputs in zip(convolution.epilogues, results, product.inputs, strict=True):
            if self._only_rounded(op):
                own = block(pixels)
            elif reads_alone(op, sums) and padded == filled:  # one parallel loop for both
                own = block(on_each(op, sums, pixels))
            else:
                own = on_block(op, sums, block(pixels), inputs, dropped)
            made.append(insert(own, result, offsets, sizes))
        return made

    def _only_rounded(self, op: ir.Operation) -> bool:
        """Whether the engine does all that epilogue ``op`` does."""
        return self._positive or only_rounds(op)

    def _place(self, part: Part) -> tuple[list[Offset], list[int]]:
        """Offsets and sizes of ``part`` in the dimensions of the result."""
        rank = ir.RankedTensorType(self._convolution.op.results[0].type).rank
        return ([part.batch, part.row, 0, part.output][-rank:],
                [1, part.rows, self._geometry.columns, part.outputs][-rank:])

    def _epilogue_inputs(self, op: ir.Operation, part: Part) -> list[ir.Value]:
        """What epilogue ``op`` reads of ``part`` besides the sums, in TCM."""
        if self._only_rounded(op):
            return []
        offsets, sizes = self._place(part)

        def sliced(value: ir.Value, dims: list[int]) -> ir.Value:
            dropped = sum(dim < len(sizes) - _BLOCK_RANK for dim in dims)
            return extract(value, [offsets[dim] for dim in dims], [sizes[dim] for dim in dims], dropped)

        return inputs_beside(op, self._convolution.op.results[0], sliced)


_BLOCK_RANK = 3
"""Dimensions of a block of the result: rows, columns and channels, or fewer where the result has fewer."""
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
