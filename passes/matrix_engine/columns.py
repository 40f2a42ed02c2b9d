"""Writes a product by weights of 4 bits as a loop over columns of the result: all that a block of them needs is
transferred, made f16, multiplied and unpacked part by part, each beside the others.
"""

from __future__ import annotations

from hexagon_mlir.dialects.double_buffering import SCHEDULED
from hexagon_mlir.dialects.engine_tiles import tiles
from hexagon_mlir.ir import arith, ir, scf
from hexagon_mlir.ir.constants import index
from hexagon_mlir.passes.lib.engine_tiles import as_matrix, multiply, rows_shape
from hexagon_mlir.passes.matrix_engine.build import MatmulBuilder, Where
from hexagon_mlir.passes.matrix_engine.packed import Weights, packed_columns, packed_tiles, packed_weights
from hexagon_mlir.passes.matrix_engine.read import RESULT, RIGHT, Matmul
from hexagon_mlir.passes.matrix_engine.schedule import AHEAD, UNFINISHED
from hexagon_mlir.passes.matrix_engine.sizes import Blocks, ColumnParts


class ColumnsBuilder(MatmulBuilder):
    """Writes the blocks of one product at the insertion point; the right factor has weights of 4 bits.

    The first part of a block is made f16 beside the last product of the block before. Buffers of a loop are there for
    all of it, so parts of the right factor share `ColumnParts.factors` of them.
    """

    def __init__(self, matmul: Matmul, parts: ColumnParts) -> None:
        super().__init__(matmul, Blocks(parts.rows, parts.columns * parts.count))
        self._parts, self._extent = parts, matmul.extents[matmul.column]

    def _rows(self, where: Where, result: ir.Value) -> ir.Value:
        """One block of rows. The first part of the right factor is there before the left one has come."""
        columns = min(self._parts.columns, self._extent)
        self._first = packed_tiles(self._fetched(index(0), columns), columns)
        return super()._rows(where, result)

    def _over_columns(self, activations: ir.Value, where: Where, result: ir.Value) -> ir.Value:
        """All columns of the result: a loop over blocks, and the last block, which nothing follows."""
        column, block, extent = self._matmul.column, self._blocks.columns, self._extent
        start, left, factor = index(0), extent, self._first
        if extent > block:
            end = (extent - 1) // block * block
            loop = scf.ForOp(start, index(end), index(block), [result, factor])
            with ir.InsertionPoint(loop.body):
                here = {**where, column: (loop.induction_variable, block)}
                so_far, first = loop.inner_iter_args
                scf.YieldOp(list(self._block_of_columns(activations, here, so_far, first, follows=True)))
            loop.operation.attributes[SCHEDULED] = ir.UnitAttr.get()
            result, factor = loop.results
            start, left = index(end), extent - end
        return self._block_of_columns(activations, {**where, column: (start, left)}, result, factor, follows=False)[0]

    def _block_of_columns(self, activations: ir.Value, where: Where, result: ir.Value, first: ir.Value,
                          follows: bool) -> tuple[ir.Value, ir.Value]:
        """The result with one block of columns, whose ``first`` part of the right factor is f16; and the first part of
        the next block if one ``follows``. Transfers start two parts ahead, results are unpacked two products later.
        """
        column, step = self._matmul.column, self._parts.columns
        begin, whole = where[column]
        parts = [(arith.addi(begin, index(start)), step if follows else min(step, whole - start))
                 for start in range(0, whole + step * follows, step)]
        fetched: list[Weights] = []
        factors = [first]
        unfinished: list[tuple[ir.Value, Where, list[ir.Value]]] = []
        for number, part in enumerate(parts[:self._parts.count]):
            here = {**where, column: part}
            inputs = self._epilogue_inputs(here)
            unfinished.append((self.read_out(multiply(activations, factors[number]), part[0]), here, inputs))
            fetched += [self._fetched(*ahead) for ahead in parts[1 + len(fetched):number + 2 + AHEAD]]
            if number + 1 < len(parts):
                count = parts[number + 1][1]
                factors.append(packed_tiles(fetched[number], count, self._free(factors, count)))
            if len(unfinished) == UNFINISHED:
                result = self._finished(*unfinished.pop(0), result)
        for product in unfinished:
            result = self._finished(*product, result)
        return result, factors[-1]

    def _free(self, factors: list[ir.Value], columns: int) -> ir.Value | None:
        """The part of the right factor whose buffer the next one, of so many ``columns``, is written to; None for a
        buffer of its own."""
        number = len(factors) - self._parts.factors
        return factors[number] if number >= 0 and columns == self._parts.columns else None

    def _fetched(self, start: ir.Value, count: int) -> Weights:
        """The codes and scales of ``count`` columns from ``start`` on, in TCM."""
        weights = packed_weights(self._matmul.op.operands[RIGHT])
        assert weights is not None
        return packed_columns(weights, start, 0, count)

    def _finished(self, product: ir.Value, where: Where, inputs: list[ir.Value], result: ir.Value) -> ir.Value:
        """``result`` with the elements of ``product``."""
        transposed = self._matmul.transposed(RESULT)
        shape = rows_shape(*(tiles(where[loop][1]) for loop in (self._matmul.row, self._matmul.column)), transposed)
        rows = self.to_rows(product, self.empty_rows(shape), where[self._matmul.column][0])
        return self._put(as_matrix(rows, transposed), where, result, inputs)
