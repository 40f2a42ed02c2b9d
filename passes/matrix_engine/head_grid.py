"""Writes a product whose result is cut into heads: blocks of it go to where they are read."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from hexagon_mlir.ir import ir, tensor
from hexagon_mlir.passes.lib.engine_batches import unpack_batch
from hexagon_mlir.passes.matrix_engine.grid import GridBuilder, Product
from hexagon_mlir.passes.matrix_engine.heads import Heads
from hexagon_mlir.passes.matrix_engine.read import Matmul
from hexagon_mlir.passes.matrix_engine.schedule import Grid


def fits(grid: Grid, heads: Sequence[Heads]) -> bool:
    """Whether the blocks of ``grid`` are whole heads."""
    return all(count % heads[0].width == 0 for count in grid.columns)


class HeadGridBuilder(GridBuilder):
    """Writes the blocks of one product at the insertion point; the results are those of the ops of ``heads``."""

    def __init__(self, matmul: Matmul, grid: Grid, heads: Sequence[Heads]) -> None:
        super().__init__(matmul, grid)
        self._heads = heads

    def empty_results(self) -> list[ir.Value]:
        """Where the results will be."""
        types = [ir.RankedTensorType(heads.op.results[0].type) for heads in self._heads]
        return [tensor.empty(type_.shape, type_.element_type) for type_ in types]

    def finished(self, product: Product, written: list[ir.Value]) -> list[ir.Value]:
        """``written`` with the elements of ``product``."""
        width = self._heads[0].width
        (first_row, rows), (first, columns) = (
            (list(accumulate((0, *counts)))[fetch.number], counts[fetch.number])
            for fetch, counts in zip(product.factors, (self._grid.rows, self._grid.columns), strict=True))
        block = unpack_batch(product.results, columns // width)
        made = []
        for heads, result in zip(self._heads, written, strict=True):
            cut = heads.cut(first, columns)
            if cut is None:
                made.append(result)
                continue
            start, count = (cut[0] - first) // width, (cut[1] - cut[0]) // width
            part = _slice(block, [start, 0, 0], [count, rows, width])
            made.append(_inserted(part, result, [(cut[0] - heads.first) // width, first_row, 0]))
        return made


def _slice(block: ir.Value, offsets: list[int], sizes: list[int]) -> ir.Value:
    type_ = ir.RankedTensorType(block.type)
    if list(type_.shape) == sizes:
        return block
    return tensor.ExtractSliceOp(ir.RankedTensorType.get(sizes, type_.element_type), block, [], [], [], offsets, sizes,
                                 [1] * len(sizes)).result


def _inserted(part: ir.Value, into: ir.Value, offsets: list[int]) -> ir.Value:
    """``into`` with ``part``, which lacks the dimensions of one element."""
    shape, sizes = ir.RankedTensorType(into.type).shape, list(ir.RankedTensorType(part.type).shape)
    at, counts = iter(offsets), iter(sizes)
    pairs = [(next(at), next(counts)) if extent > 1 else (0, 1) for extent in shape]
    return tensor.InsertSliceOp(part, into, [], [], [], [offset for offset, _ in pairs], [size for _, size in pairs],
                                [1] * len(shape)).result
