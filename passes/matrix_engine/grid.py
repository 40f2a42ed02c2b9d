"""Writes a product as a grid of blocks, without loops: transfers, packing, products and unpacking beside each other."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from hexagon_mlir.dialects.activation_tiles import tiles_of_activations
from hexagon_mlir.dialects.engine_tiles import tiles
from hexagon_mlir.ir import ir, tensor
from hexagon_mlir.ir.constants import index
from hexagon_mlir.passes.lib.engine_tiles import (
    as_matrix,
    multiply,
    pack_activations,
    pack_weights,
    rows_shape,
)
from hexagon_mlir.passes.matrix_engine.build import MatmulBuilder, Where
from hexagon_mlir.passes.matrix_engine.packed import (
    Weights,
    packed_columns,
    packed_tiles,
    packed_weights,
    tile_columns,
)
from hexagon_mlir.passes.matrix_engine.read import LEFT, RESULT, RIGHT, Matmul
from hexagon_mlir.passes.matrix_engine.schedule import UNFINISHED, Fetch, Grid, Step
from hexagon_mlir.passes.matrix_engine.sizes import Blocks


@dataclass(frozen=True)
class Product:
    """Result tiles, the blocks and the part of the loops that they are of, and what the epilogue reads of it."""

    results: ir.Value
    factors: tuple[Fetch, Fetch]
    where: Where
    inputs: list[ir.Value]


class StepsBuilder(MatmulBuilder, ABC):
    """Writes a product in ``steps``, at the insertion point: each is a product of blocks."""

    def __init__(self, matmul: Matmul, blocks: Blocks, steps: Sequence[Step]) -> None:
        super().__init__(matmul, blocks)
        self._steps = steps

    def build(self) -> ir.Value:
        """The result of `Matmul.last`."""
        result, = self.build_all()
        return result

    def empty_results(self) -> list[ir.Value]:
        """What `finished` writes to."""
        type_ = ir.RankedTensorType(self._matmul.last.results[0].type)
        return [tensor.empty(type_.shape, type_.element_type)]

    def build_all(self) -> list[ir.Value]:
        """`empty_results`, written."""
        written = self.empty_results()
        fetched: dict[Fetch, Weights] = {}
        packed: dict[Fetch, ir.Value] = {}
        unfinished: list[Product] = []
        for number, step in enumerate(self._steps):
            for fetch in step.fetches:
                fetched[fetch] = self.fetched(fetch)
            if number == 0:
                self.transfer_bias()
            for fetch in step.packs:
                packed[fetch] = self.packs(fetch, fetched.pop(fetch))
            where = self.where(*step.factors)
            inputs = self._epilogue_inputs(where)
            rows, columns = step.factors
            results = self.multiplied(packed[rows], packed[columns], where)
            unfinished.append(Product(results, step.factors, where, inputs))
            if len(unfinished) > UNFINISHED:
                written = self.finished(unfinished.pop(0), written)
        for product in unfinished:
            written = self.finished(product, written)
        return written

    @abstractmethod
    def where(self, *fetches: Fetch) -> Where:
        """The part of the loops that the blocks ``fetches`` are of."""

    @abstractmethod
    def fetched(self, fetch: Fetch) -> Weights:
        """The block in TCM: rows, or the tiles of weights that are packed."""

    @abstractmethod
    def packs(self, fetch: Fetch, block: Weights) -> ir.Value:
        """The tiles of ``block``, as `fetched` gives it."""

    @abstractmethod
    def multiplied(self, rows: ir.Value, columns: ir.Value, where: Where) -> ir.Value:
        """Result tiles of two blocks of tiles."""

    @abstractmethod
    def finished(self, product: Product, written: list[ir.Value]) -> list[ir.Value]:
        """``written`` with the elements of ``product``."""


class GridBuilder(StepsBuilder):
    """Writes the blocks of one product, which has no batches, at the insertion point."""

    def __init__(self, matmul: Matmul, grid: Grid) -> None:
        super().__init__(matmul, Blocks(max(grid.rows), max(grid.columns)), grid.steps)
        self._grid = grid
        loops = ((matmul.row, grid.rows), (matmul.column, grid.columns))
        self._places = [[(index(start), count) for start, count in zip(accumulate((0, *counts)), counts, strict=False)]
                        for _, counts in loops]
        self._loops = [loop for loop, _ in loops]
        self._activations = tiles_of_activations(matmul.op.operands[LEFT])

    def multiplied(self, rows: ir.Value, columns: ir.Value, where: Where) -> ir.Value:
        """Result tiles of two blocks of tiles."""
        return self.read_out(multiply(rows, columns), where[self._matmul.column][0])

    def fetched(self, fetch: Fetch) -> Weights:
        """The block in TCM: rows, or the tiles of weights that are packed."""
        where, weights = self.where(fetch), packed_weights(self._matmul.op.operands[RIGHT])
        if fetch.operand == LEFT and self._activations is not None:
            return tile_columns(self._activations, where[self._matmul.row][0], 0, where[self._matmul.row][1])
        if fetch.operand == LEFT or weights is None:
            return self._block(fetch.operand, where)
        start, count = where[self._matmul.column]
        return packed_columns(weights, start, 0, count)

    def packs(self, fetch: Fetch, block: Weights) -> ir.Value:
        """The tiles of ``block``, as `fetched` gives it."""
        if fetch.operand == RIGHT and self._matmul.packed is not None:
            return packed_tiles(block, self.where(fetch)[self._matmul.column][1])
        assert isinstance(block, ir.Value)
        if fetch.operand == LEFT:
            return block if self._activations is not None else pack_activations(block, self._matmul.transposed(LEFT))
        return pack_weights(block, self._matmul.transposed(RIGHT))

    def where(self, *fetches: Fetch) -> Where:
        """The part of the loops that the blocks ``fetches`` are of."""
        return {self._loops[fetch.operand]: self._places[fetch.operand][fetch.number] for fetch in fetches}

    def finished(self, product: Product, written: list[ir.Value]) -> list[ir.Value]:
        """``written`` with the elements of ``product``."""
        matmul, transposed = self._matmul, self._matmul.transposed(RESULT)
        shape = rows_shape(*(tiles(product.where[loop][1]) for loop in (matmul.row, matmul.column)), transposed)
        rows = self.to_rows(product.results, self.empty_rows(shape), product.where[matmul.column][0])
        return [self._put(as_matrix(rows, transposed), product.where, written[0], product.inputs)]
