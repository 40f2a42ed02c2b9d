"""Writes a product of bytes as a grid of blocks: transfers, packing, products and joining beside each other."""

from __future__ import annotations

from hexagon_mlir.dialects.engine_tiles import BYTE_ROWS, RANK, TILE, tiles
from hexagon_mlir.ir import ir
from hexagon_mlir.passes.lib.engine_byte_conversions import multiply_to_bytes
from hexagon_mlir.passes.lib.engine_byte_products import multiply_bytes
from hexagon_mlir.passes.lib.engine_byte_tiles import join_planes, pack_byte_weights, pack_nibble_weights, rows_of_bytes
from hexagon_mlir.passes.lib.static_slices import extract
from hexagon_mlir.passes.lib.tcm_tensors import tcm_tensor
from hexagon_mlir.passes.matrix_engine.build import Where
from hexagon_mlir.passes.matrix_engine.build_bytes import ByteMatmulBuilder, as_byte_matrix
from hexagon_mlir.passes.matrix_engine.grid import GridBuilder, Product
from hexagon_mlir.passes.matrix_engine.packed import Weights
from hexagon_mlir.passes.matrix_engine.read import LEFT, RIGHT
from hexagon_mlir.passes.matrix_engine.read_bytes import ByteMatmul
from hexagon_mlir.passes.matrix_engine.schedule import Fetch, Grid


class ByteGridBuilder(GridBuilder):
    """Writes the blocks of one product of bytes, which has no batches, at the insertion point."""

    def __init__(self, product: ByteMatmul, grid: Grid) -> None:
        super().__init__(product.matmul, grid)
        self._factors = ByteMatmulBuilder(product, self._blocks)
        self._conversion, self._pairs = product.conversion, product.nibble_pairs
        self._added: dict[Fetch, ir.Value | None] = {}
        self._tables: dict[tuple[ir.Value, int], ir.Value] = {}

    def fetched(self, fetch: Fetch) -> ir.Value:
        """The block in TCM: rows, or the tiles of weights that are packed."""
        if fetch.operand == RIGHT and self._matmul.packed is not None:
            return super().fetched(fetch)
        if fetch.operand == RIGHT and self._pairs is not None:
            return self._factors.nibble_pairs(self._pairs, self.where(fetch))
        return self._factors.matrix(fetch.operand, self.where(fetch))

    def packs(self, fetch: Fetch, block: Weights) -> ir.Value:
        """The tiles of ``block``, as `fetched` gives it; without those that only fill vectors."""
        assert isinstance(block, ir.Value)
        if fetch.operand == LEFT:
            return self._factors.activations(block)
        where = self.where(fetch)
        if self._matmul.packed is not None:
            weights = block
        elif self._pairs is not None:
            weights = pack_nibble_weights(block, self._pairs.axis, self._pairs.offset)
        else:
            weights = pack_byte_weights(block, self._matmul.transposed(RIGHT))
        weights = extract(weights, [tiles(where[self._matmul.column][1]), *[None] * (RANK - 1)], [0] * RANK)
        if self._conversion is None:
            self._added[fetch] = self._factors.added(weights, self._factors.start(where))
        else:
            self._tables[where[self._matmul.column]] = self._factors.tables(weights, where)
        return weights

    def multiplied(self, rows: ir.Value, columns: ir.Value, where: Where) -> ir.Value:
        """Planes of the sums of two blocks of tiles, or their bytes."""
        if self._conversion is None:
            return multiply_bytes(rows, columns)
        return multiply_to_bytes(rows, columns, self._tables[where[self._matmul.column]])

    def finished(self, product: Product, written: list[ir.Value]) -> list[ir.Value]:
        """``written`` with the sums of ``product``."""
        if self._conversion is not None:
            rows = as_byte_matrix(rows_of_bytes(product.results))
            return [self._put(rows, product.where, written[0], product.inputs)]
        count, columns = ir.RankedTensorType(product.results.type).shape[:2]
        into = tcm_tensor([count, BYTE_ROWS, columns, TILE], ir.IntegerType.get_signless(32))
        joined = join_planes(product.results, self._added[product.factors[RIGHT]], into)
        return [self._put(as_byte_matrix(joined), product.where, written[0], product.inputs)]
