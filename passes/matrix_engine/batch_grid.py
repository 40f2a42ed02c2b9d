"""Writes a batch of products in groups, without loops: transfers, packing, products and unpacking beside each other."""

from __future__ import annotations

from hexagon_mlir.ir import ir
from hexagon_mlir.ir.constants import index
from hexagon_mlir.passes.lib.engine_batches import (
    multiply_batch,
    pack_batch_activations,
    pack_batch_weights,
    unpack_batch,
)
from hexagon_mlir.passes.matrix_engine.batch_schedule import Groups
from hexagon_mlir.passes.matrix_engine.build import Where
from hexagon_mlir.passes.matrix_engine.grid import Product, StepsBuilder
from hexagon_mlir.passes.matrix_engine.packed import Weights
from hexagon_mlir.passes.matrix_engine.read import LEFT, RESULT, RIGHT, Matmul
from hexagon_mlir.passes.matrix_engine.schedule import Fetch
from hexagon_mlir.passes.matrix_engine.sizes import Blocks


def in_groups(matmul: Matmul) -> bool:
    """Whether `BatchGridBuilder` writes ``matmul``: a batch of products of f16 matrices, in each operand the last loop
    over products before rows and columns, and no bias for the engine to add."""
    if not matmul.batches or matmul.packed is not None or matmul.in_f32:
        return False
    if matmul.folding is not None and matmul.folding.bias is not None:
        return False
    matrix = matmul.row, matmul.column, matmul.reduction
    return all(dims.index(matmul.batches[-1]) < min(place for place, loop in enumerate(dims) if loop in matrix)
               for dims in matmul.reads)


class BatchGridBuilder(StepsBuilder):
    """Writes the products of a batch at the insertion point, those of each of ``groups`` as one product of tiles."""

    def __init__(self, matmul: Matmul, groups: Groups) -> None:
        rows, columns, _ = matmul.sizes
        super().__init__(matmul, Blocks(rows, columns), groups.steps)
        self._groups = groups
        *self._dropped, self._group = matmul.batches

    def where(self, *fetches: Fetch) -> Where:
        """The part of the loops that the blocks ``fetches`` are of."""
        outer, start, count = self._groups.places[fetches[0].number]
        found = {**self._whole, self._group: (index(start), count)}
        for loop in reversed(self._dropped):
            outer, place = divmod(outer, self._matmul.extents[loop])
            found[loop] = index(place), 1
        return found

    def fetched(self, fetch: Fetch) -> ir.Value:
        """The matrices of a group in TCM."""
        return self._block(fetch.operand, self.where(fetch))

    def packs(self, fetch: Fetch, block: Weights) -> ir.Value:
        """The tiles of ``block``."""
        assert isinstance(block, ir.Value)
        pack = pack_batch_activations if fetch.operand == LEFT else pack_batch_weights
        return pack(block, self._matmul.transposed(LEFT if fetch.operand == LEFT else RIGHT))

    def multiplied(self, rows: ir.Value, columns: ir.Value, where: Where) -> ir.Value:
        """Result tiles of a group."""
        return self.read_out(multiply_batch(rows, columns), index(0))

    def finished(self, product: Product, written: list[ir.Value]) -> list[ir.Value]:
        """``written`` with the results of a group."""
        matrices = unpack_batch(product.results, product.where[self._group][1], self._matmul.transposed(RESULT))
        return [self._put(matrices, product.where, written[0], product.inputs)]
