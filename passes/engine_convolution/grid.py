"""Writes a convolution of one image as a grid of parts, without loops: transfers, packing, products and unpacking
beside each other."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from itertools import accumulate

from hexagon_mlir.ir import ir
from hexagon_mlir.passes.engine_convolution.build import Activations, ConvolutionBuilder, Results
from hexagon_mlir.passes.engine_convolution.parts import Part, Unfinished
from hexagon_mlir.passes.engine_convolution.read import Convolution
from hexagon_mlir.passes.engine_convolution.schedule import Schedule
from hexagon_mlir.passes.engine_convolution.sizes import image_size
from hexagon_mlir.passes.engine_convolution.weights import same
from hexagon_mlir.passes.engine_convolution.windows import pack_windows
from hexagon_mlir.passes.matrix_engine.schedule import LEFT, RIGHT, UNFINISHED, Fetch


class ConvolutionGridBuilder(ConvolutionBuilder):
    """Writes the parts of one convolution at the insertion point."""

    def __init__(self, convolution: Convolution, schedule: Schedule) -> None:
        super().__init__(convolution, schedule.plan(0))
        self._wide = self._image.wide() if schedule.wide else None
        self._grid, self._plan_of = schedule.grid, schedule.plan
        self._starts = [[0, *accumulate(counts)] for counts in self._grid.blocks]

    def build(self) -> Results:
        """The results of the epilogues."""
        results = self.empty_results()
        images: dict[Fetch, Callable[[], ir.Value]] = {}
        weights: dict[Fetch, Callable[[], ir.Value]] = {}
        activations: dict[Fetch, Activations] = {}
        packed: dict[Fetch, ir.Value] = {}
        unfinished: list[Unfinished] = []
        for number, step in enumerate(self._grid.steps):
            if not number:
                self._fetch(step.fetches, images, weights)
                self.fetch_bias()
            for fetch in step.packs:
                if fetch.operand == LEFT:
                    activations[fetch] = pack_windows(images.pop(fetch)(), self._geometry, self._plan_of(fetch.number),
                                                      self._grid.rows[fetch.number])
                else:
                    packed[fetch] = weights.pop(fetch)()
            rows, columns = step.factors
            unfinished.append(self.multiplied(activations[rows], packed[columns], self._part(rows, columns)))
            if number:  # the engine does not wait until the frames of images are filled
                self._fetch(step.fetches, images, weights)
            if len(unfinished) > UNFINISHED:
                results = self.finished(unfinished.pop(0), results)
        for product in unfinished:
            results = self.finished(product, results)
        return results

    def _fetch(self, fetches: Iterable[Fetch], images: dict[Fetch, Callable[[], ir.Value]],
               weights: dict[Fetch, Callable[[], ir.Value]]) -> None:
        """Transfers blocks, to ``images`` and ``weights``; then writes borders of images that are rounded here."""
        rows: dict[Fetch, Callable[[], Callable[[], ir.Value]]] = {}
        for fetch in fetches:
            if fetch.operand == LEFT:
                rows[fetch] = self._rows_of(fetch)
            else:
                weights[fetch], = self._weights.fetched(self._starts[RIGHT][fetch.number],
                                                        [self._grid.columns[fetch.number]])
        images |= {fetch: bordered() for fetch, bordered in rows.items()}

    def _rows_of(self, fetch: Fetch) -> Callable[[], Callable[[], ir.Value]]:
        """Transfers the rows of the image that a block of rows reads; what writes their border and gives what gives
        them in f16."""
        start = self._row(fetch) * self._geometry.row_step
        size = image_size(self._geometry, self._plan_of(fetch.number))
        if self._wide is None:
            return partial(partial, same, self._image.rows(0, start, size))
        return self._wide.rounded_rows(0, start, size)

    def _row(self, fetch: Fetch) -> int:
        """The first row of pixels of a block of rows."""
        return self._starts[LEFT][fetch.number] * self._plan.height

    def _part(self, rows: Fetch, columns: Fetch) -> Part:
        first, plan = self._row(rows), self._plan_of(rows.number)
        return Part(0, first, min(plan.tile_rows * plan.height, self._geometry.rows - first),
                    self._starts[RIGHT][columns.number], self._grid.columns[columns.number], plan)
