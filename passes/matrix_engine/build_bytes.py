"""Writes a product of bytes as blocks: factors into TCM, tiles, planes of the product, rows of i32 back."""

from __future__ import annotations

from hexagon_mlir.dialects.engine_tiles import BYTE_ROWS, TILE, vector_tiles
from hexagon_mlir.dialects.nibble_weights import NIBBLES_PER_BYTE
from hexagon_mlir.ir import arith, ir, tensor
from hexagon_mlir.ir.constants import constant, index
from hexagon_mlir.ir.make import fill
from hexagon_mlir.passes.lib.engine_byte_conversions import byte_tables, multiply_to_bytes, sum_of_columns
from hexagon_mlir.passes.lib.engine_byte_generics import byte_type
from hexagon_mlir.passes.lib.engine_byte_products import multiply_bytes
from hexagon_mlir.passes.lib.engine_byte_tiles import (
    column_sums,
    join_planes,
    pack_byte_activations,
    pack_byte_weights,
    rows_of_bytes,
)
from hexagon_mlir.passes.lib.engine_nibbles import NibblePairs
from hexagon_mlir.passes.lib.static_slices import extract, insert
from hexagon_mlir.passes.lib.tcm_tensors import tcm_copy, tcm_tensor
from hexagon_mlir.passes.matrix_engine.build import MatmulBuilder, Where
from hexagon_mlir.passes.matrix_engine.byte_sizes import choose_byte_parts, row_tiles
from hexagon_mlir.passes.matrix_engine.packed import tile_columns
from hexagon_mlir.passes.matrix_engine.programs import is_local
from hexagon_mlir.passes.matrix_engine.read import LEFT, RIGHT, Dims
from hexagon_mlir.passes.matrix_engine.read_bytes import ByteMatmul
from hexagon_mlir.passes.matrix_engine.sizes import Blocks


class ByteMatmulBuilder(MatmulBuilder):
    """Writes the blocks of one product of bytes at the insertion point."""

    def __init__(self, product: ByteMatmul, blocks: Blocks) -> None:
        super().__init__(product.matmul, blocks)
        self._product = product

    def _rows(self, where: Where, result: ir.Value) -> ir.Value:
        """One block of rows: its tiles, and the columns of the result."""
        activations = self.activations(self.matrix(LEFT, where))
        return self._loop(self._matmul.column, self._blocks.columns, where, result,
                          lambda here, so_far: self._columns(activations, here, so_far))

    def _columns(self, activations: ir.Value, where: Where, result: ir.Value) -> ir.Value:
        """One block of columns, part by part: while the engine multiplies a part, HVX joins the planes of the one
        before and packs the one after.
        """
        begin, extent = where[self._matmul.column]
        count, packed = vector_tiles(extent), self._matmul.packed
        rows = self.matrix(RIGHT, where) if packed is None else None
        converts = self._product.conversion
        start_of_sums = self.start(where) if converts is None else None
        block = tcm_tensor([row_tiles(where[self._matmul.row][1]), BYTE_ROWS, count, TILE],
                           _word() if converts is None else byte_type())
        before, start = None, 0
        for columns in choose_byte_parts(count):
            weights = (self._tiles(rows, start, columns) if rows is not None
                       else tile_columns(packed, begin, TILE * start, TILE * columns))
            added = self.added(weights, start_of_sums, start) if converts is None else None
            product = (multiply_bytes(activations, weights) if converts is None else
                       multiply_to_bytes(activations, weights, self.tables(weights, where, start)))
            if before is not None:
                block = _joined(*before, block)
            before = product, added, start
            start += columns
        assert before is not None
        block = _joined(*before, block)
        return self._put(as_byte_matrix(block), where, result)

    def activations(self, matrix: ir.Value) -> ir.Value:
        """The tiles of ``matrix``, whole tiles of the left factor."""
        flips = self._product.signed and not self._product.flipped
        return pack_byte_activations(matrix, self._matmul.transposed(LEFT), flips)

    def _tiles(self, rows: ir.Value, start: int, columns: int) -> ir.Value:
        """The tiles of ``columns`` of tiles of ``rows`` of the right factor from tile ``start`` on."""
        transposed, whole, first = self._matmul.transposed(RIGHT), TILE * columns, TILE * start
        sizes, offsets = ((whole, None), (first, 0)) if transposed else ((None, whole), (0, first))
        return pack_byte_weights(extract(rows, sizes, offsets), transposed)

    def matrix(self, operand: int, where: Where) -> ir.Value:
        """The matrix of a factor in TCM, filled up with zeros to whole tiles."""
        matmul = self._matmul
        part = self._slice(matmul.op.operands[operand], matmul.reads[operand], where)
        loops = [loop for loop in matmul.reads[operand] if loop not in matmul.batches]
        sizes = [where[loop][1] if loop in where else matmul.extents[loop] for loop in loops]
        whole = [BYTE_ROWS * row_tiles(size) if loop == matmul.row else TILE * vector_tiles(size)
                 for loop, size in zip(loops, sizes, strict=True)]
        return self._in_tcm(part, whole)

    def nibble_pairs(self, pairs: NibblePairs, where: Where) -> ir.Value:
        """The part of the bytes of ``pairs`` at ``where`` in TCM, filled up with zeros to tiles that are whole vectors
        of it."""
        loops = self._matmul.reads[RIGHT]
        of_rows, halved = pairs.axis == 0, loops[pairs.axis]
        start, count = {**self._whole, **where}[halved]
        here = {**where, halved: (arith.divui(start, index(NIBBLES_PER_BYTE)), count // NIBBLES_PER_BYTE)}
        part = self._slice(pairs.packed, loops, here)
        rows, columns = ir.RankedTensorType(part.type).shape
        depth = TILE * vector_tiles(NIBBLES_PER_BYTE * rows if of_rows else rows)
        return self._in_tcm(part, [depth // NIBBLES_PER_BYTE if of_rows else depth, TILE * vector_tiles(columns)])

    def _in_tcm(self, part: ir.Value, whole: list[int]) -> ir.Value:
        """``part`` in TCM, filled up with zeros to shape ``whole``."""
        if self._in_program and is_local(part) and whole == list(ir.RankedTensorType(part.type).shape):
            return part
        return _filled_up(part, whole)

    def start(self, where: Where) -> ir.Value | None:
        """What the sums of each column start from, [N / 32][32]; None for zeros. If the sums of the columns of weights
        are known, with what signed activations cost."""
        product, of_weights = self._product, self._known_sums
        parts = [] if product.start is None else [self._of_columns(product.start, product.start_loops, where)]
        if of_weights is not None:
            parts.append(self._of_columns(of_weights, (self._matmul.column,), where))
        return None if not parts else sum_of_columns(*parts) if len(parts) > 1 else parts[0]

    @property
    def _known_sums(self) -> ir.Value | None:
        """What signed activations cost in each column, if that is known."""
        return self._matmul.column_sums if self._product.signed else None

    def _of_columns(self, value: ir.Value, loops: Dims, where: Where) -> ir.Value:
        """The part of i32 ``value``, which the loops index, that belongs to the columns at ``where``: [N / 32][32]."""
        matmul = self._matmul
        part = _filled_up(self._slice(value, loops, where),
                          [TILE * vector_tiles(where[matmul.column][1])])
        shape = [ir.RankedTensorType(part.type).shape[0] // TILE, TILE]
        return tensor.expand_shape(ir.RankedTensorType.get(shape, _word()), part, [[0, 1]], [], shape)

    def tables(self, weights: ir.Value, where: Where, column: int = 0) -> ir.Value:
        """The tables by which the engine converts the sums of the tiles ``weights``, which begin at tile ``column`` of
        ``where``."""
        conversion, own = self._product.conversion, (self._matmul.column,)
        assert conversion is not None
        words, biases = (self._of_columns(value, own, where) for value in (conversion.words, conversion.biases))
        start = self.start(where)
        if start is not None:
            biases = sum_of_columns(biases, start)
        count = ir.RankedTensorType(weights.type).shape[0]
        words, biases = (extract(value, (count, None), (column, 0)) for value in (words, biases))
        sums_up = self._product.signed and self._known_sums is None
        return byte_tables(words, column_sums(weights, biases) if sums_up else biases)

    def added(self, weights: ir.Value, start: ir.Value | None, column: int = 0) -> ir.Value | None:
        """What is added to the sums of each column of the tiles ``weights``, which begin at tile ``column``: that of
        ``start``, and what signed activations cost.
        """
        count = ir.RankedTensorType(weights.type).shape[0]
        if start is not None:
            start = extract(start, (count, None), (column, 0))
        if not self._product.signed or self._known_sums is not None:
            return start
        return column_sums(weights, _zeros([count, TILE], _word()) if start is None else start)


def as_byte_matrix(rows: ir.Value) -> ir.Value:
    """The matrix of the ``rows`` [M / 64][64][N / 32][32] of sums or bytes."""
    type_ = ir.RankedTensorType(rows.type)
    shape = type_.shape
    return tensor.collapse_shape(ir.RankedTensorType.get([shape[0] * shape[1], shape[2] * shape[3]],
                                                         type_.element_type), rows, [[0, 1], [2, 3]])


def _joined(product: ir.Value, added: ir.Value | None, first: int, block: ir.Value) -> ir.Value:
    """``block`` with the sums whose planes ``product`` has, which start at tile ``first``, or with its bytes."""
    count = ir.RankedTensorType(product.type).shape[1]
    into = extract(block, (None, None, count, None), (0, 0, first, 0))
    in_bytes = ir.RankedTensorType(block.type).element_type == byte_type()
    part = rows_of_bytes(product, into) if in_bytes else join_planes(product, added, into)
    return insert(part, block, (0, 0, first, 0))


def _filled_up(part: ir.Value, shape: list[int]) -> ir.Value:
    """``part`` in TCM, with zeros up to ``shape``."""
    type_ = ir.RankedTensorType(part.type)
    if shape == list(type_.shape):
        return tcm_copy(part)
    return insert(part, _zeros(shape, type_.element_type), [0] * len(shape))


def _zeros(shape: list[int], element: ir.Type) -> ir.Value:
    return fill(constant(ir.IntegerAttr.get(element, 0)), tcm_tensor(shape, element)).result


def _word() -> ir.Type:
    return ir.IntegerType.get_signless(32)
