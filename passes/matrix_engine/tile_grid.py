"""Writes a product as a grid of blocks whose result stays tiles."""

from __future__ import annotations

from hexagon_mlir.dialects.activation_tiles import taken_as_tiles
from hexagon_mlir.dialects.engine_tiles import TILE, tiled_shape, tiles
from hexagon_mlir.ir import arith, ir, tensor
from hexagon_mlir.ir.constants import index
from hexagon_mlir.passes.lib.tile_layouts import TILES, shape_of, with_lanes, with_pairs
from hexagon_mlir.passes.matrix_engine.epilogue import epilogue_reads, on_tiles
from hexagon_mlir.passes.matrix_engine.grid import GridBuilder, Product
from hexagon_mlir.passes.matrix_engine.read import RESULT, Matmul


def kept_as_tiles(matmul: Matmul) -> ir.Operation | None:
    """The op that takes the result of ``matmul`` as tiles, where `TileGridBuilder` can write them: f16, by an epilogue
    that reads nothing else. Of zeros in columns that fill up a tile it may make infinities, which the next product
    would multiply by zeros."""
    computes = matmul.epilogue is not None and not matmul.only_converts
    if matmul.in_f32 or matmul.transposed(RESULT) or epilogue_reads(matmul) or (computes and matmul.sizes[1] % TILE):
        return None
    return taken_as_tiles(matmul.last.results[0])


class TileGridBuilder(GridBuilder):
    """Writes the blocks of a product, for which `kept_as_tiles` is not None, at the insertion point: as tiles.

    Where an epilogue computes on them, the last dimension is a vector until all are there.
    """

    def build(self) -> ir.Value:
        """The tiles of the result of `Matmul.last`."""
        return with_pairs(super().build()) if self._has_epilogue else super().build()

    @property
    def _has_epilogue(self) -> bool:
        return self._matmul.epilogue is not None and not self._matmul.only_converts

    def empty_results(self) -> list[ir.Value]:
        """What `finished` writes to."""
        rows, columns, _ = self._matmul.sizes
        shape = shape_of(TILES, rows, columns) if self._has_epilogue else tiled_shape(tiles(rows), tiles(columns))
        return [tensor.empty(shape, ir.F16Type.get())]

    def finished(self, product: Product, written: list[ir.Value]) -> list[ir.Value]:
        """``written`` with the tiles of ``product``."""
        matmul, block = self._matmul, product.results
        if self._has_epilogue:
            block = on_tiles(matmul, with_lanes(block))
        places = [arith.divui(product.where[loop][0], index(TILE)) for loop in (matmul.row, matmul.column)]
        shape, dynamic = ir.RankedTensorType(block.type).shape, ir.ShapedType.get_dynamic_size()
        return [ir.Operation.create(
            "tensor.insert_slice", results=[written[0].type], operands=[block, written[0], *places],
            attributes={"operandSegmentSizes": ir.DenseI32ArrayAttr.get([1, 1, len(places), 0, 0]),
                        "static_offsets": ir.DenseI64ArrayAttr.get([dynamic, dynamic, *[0] * (len(shape) - 2)]),
                        "static_sizes": ir.DenseI64ArrayAttr.get(shape),
                        "static_strides": ir.DenseI64ArrayAttr.get([1] * len(shape))}).result]
