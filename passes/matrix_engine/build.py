"""Writes a product as blocks: factors into TCM, tiles, the product of tiles, rows of the result back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext

from hexagon_mlir.dialects.activation_tiles import tiles_of_activations
from hexagon_mlir.dialects.engine_tiles import TILE, tiles
from hexagon_mlir.ir import arith, ir, scf, tensor
from hexagon_mlir.ir.constants import index
from hexagon_mlir.passes.lib.engine_conversions import Conversion, converted
from hexagon_mlir.passes.lib.engine_pieces import add_pieces, in_pieces
from hexagon_mlir.passes.lib.engine_tiles import (
    as_matrix,
    multiply,
    pack_weights,
    rounded,
    rows_shape,
    unpack,
    zeros,
)
from hexagon_mlir.passes.lib.tcm_tensors import is_in_tcm, tcm_copy, tcm_tensor
from hexagon_mlir.passes.matrix_engine.epilogue import epilogue_reads, on_block
from hexagon_mlir.passes.matrix_engine.folding import bias_tiles, of_columns
from hexagon_mlir.passes.matrix_engine.packed import packed_columns, packed_tiles, packed_weights, tile_columns
from hexagon_mlir.passes.matrix_engine.programs import before_loops, in_program, is_local, is_only_read
from hexagon_mlir.passes.matrix_engine.read import LEFT, RESULT, RIGHT, Matmul
from hexagon_mlir.passes.matrix_engine.sizes import Blocks, choose_parts
from hexagon_mlir.passes.matrix_engine.staged import activation_tiles

Where = dict[int, tuple[ir.Value, int]]
"""Loop to the start and the size of the part of it that a block covers."""
Emit = Callable[[Where, ir.Value], ir.Value]
"""Part of the loops, the result so far -> the result with that part."""


class MatmulBuilder:
    """Writes the blocks of one product at the insertion point."""

    def __init__(self, matmul: Matmul, blocks: Blocks) -> None:
        self._matmul, self._blocks = matmul, blocks
        self._in_program = in_program(matmul.op)
        self._whole = {loop: (index(0), extent) for loop, extent in enumerate(matmul.extents)}
        self._bias: ir.Value | None = None
        self._dropped: Sequence[int] = matmul.batches
        """Loops that blocks have no dimension for: one iteration at a time."""

    def build(self) -> ir.Value:
        """The result of `Matmul.last`."""
        self.transfer_bias()
        type_ = ir.RankedTensorType(self._matmul.last.results[0].type)
        return self._batches(self._matmul.batches, {}, tensor.empty(type_.shape, type_.element_type))

    def _batches(self, loops: Sequence[int], where: Where, result: ir.Value) -> ir.Value:
        if loops:
            return self._loop(loops[0], 1, where, result, lambda here, old: self._batches(loops[1:], here, old))
        return self._loop(self._matmul.row, self._blocks.rows, where, result, self._rows)

    def _rows(self, where: Where, result: ir.Value) -> ir.Value:
        """One block of rows: its tiles, and the columns of the result."""
        matmul = self._matmul
        start, count = where[matmul.row]
        given = tiles_of_activations(matmul.op.operands[LEFT])
        if given is not None:
            return self._over_columns(tile_columns(given, start, 0, count), where, result)
        whole = self._in_program and count == matmul.extents[matmul.row] and not matmul.batches
        with before_loops(matmul.op, matmul.op.operands[LEFT]) if whole else nullcontext():
            activations = activation_tiles(matmul, count, lambda first, rows: self._block(
                LEFT, where if first is None else {**where, matmul.row: (arith.addi(start, first), rows)}))
        return self._over_columns(activations, where, result)

    def _over_columns(self, activations: ir.Value, where: Where, result: ir.Value) -> ir.Value:
        """All columns of a block of rows, whose tiles are ``activations``."""
        return self._loop(self._matmul.column, self._blocks.columns, where, result,
                          lambda here, so_far: self._columns(activations, here, so_far))

    def _columns(self, activations: ir.Value, where: Where, result: ir.Value) -> ir.Value:
        """One block of columns, part by part: while the engine multiplies a part, HVX unpacks the one before and packs
        the one after.
        """
        matmul, transposed = self._matmul, self._matmul.transposed(RESULT)
        weights, first = packed_weights(matmul.op.operands[RIGHT]), where[matmul.column][0]
        columns = self._block(RIGHT, where) if weights is None else None
        parts = choose_parts(where[matmul.column][1])
        shape = rows_shape(tiles(where[matmul.row][1]), tiles(where[matmul.column][1]), transposed)
        block, before, start = self.empty_rows(shape), None, 0
        for count in parts:
            if columns is not None:
                factor = self._packed(columns, start, count)
            else:
                assert weights is not None
                factor = packed_tiles(packed_columns(weights, first, start, count), count)
            product = self.read_out(multiply(activations, factor), first, start)
            if before is not None:
                block = self._unpacked(*before, block)
            before = product, first, start
            start += count
        assert before is not None
        return self._put(as_matrix(self._unpacked(*before, block), transposed), where, result)

    def _packed(self, rows: ir.Value, start: int, count: int) -> ir.Value:
        """Tiles of ``count`` columns from column ``start`` of ``rows`` on."""
        transposed = self._matmul.transposed(RIGHT)
        shape = list(ir.RankedTensorType(rows.type).shape)
        axis = 0 if transposed else 1
        shape[axis] = TILE * tiles(count)
        return pack_weights(_part(rows, [start, 0] if transposed else [0, start], shape), transposed)

    def _unpacked(self, product: ir.Value, first: ir.Value, start: int, block: ir.Value) -> ir.Value:
        """``block``, whose first column is ``first``, with the rows of the tiles ``product``, which start at column
        ``start`` of it."""
        transposed = self._matmul.transposed(RESULT)
        rows, columns, *_ = ir.RankedTensorType(product.type).shape
        shape = rows_shape(rows, columns, transposed)
        offsets = [0] * len(shape)
        offsets[0 if transposed else -2] = tiles(start)
        part = self.to_rows(product, _part(block, offsets, shape), first, start)
        if part.type == block.type:
            return part
        return ir.Operation.create(
            "tensor.insert_slice", results=[block.type], operands=[part, block],
            attributes=_slice_attributes(shape, 0, inserted=True, starts=offsets)).result

    def read_out(self, sums: ir.Value, first: ir.Value, offset: int = 0) -> ir.Value:
        """Result tiles of f32 as the engine stores them, those of the columns from ``first`` + ``offset`` on: rounded,
        maybe with a bias or at least zero, or in pieces."""
        if self._matmul.in_f32:
            return in_pieces(sums)
        folding = self._matmul.folding
        if folding is None:
            return rounded(sums)
        return converted(sums, Conversion(self._bias_of(sums, first, offset), folding.positive))

    def _bias_of(self, results: ir.Value, first: ir.Value, offset: int) -> ir.Value | None:
        """The bias of the result tiles of the columns from ``first`` + ``offset`` on."""
        columns = ir.RankedTensorType(results.type).shape[1]
        return None if self._bias is None else of_columns(self._bias, first, offset, columns)

    def transfer_bias(self) -> None:
        """Bring the bias that is added when results are read out to TCM."""
        matmul = self._matmul
        if matmul.folding is not None and matmul.folding.bias is not None:
            self._bias = bias_tiles(matmul.last.operands[matmul.folding.bias])

    def empty_rows(self, shape: Sequence[int]) -> ir.Value:
        """A tensor of `rows_shape` for results."""
        return tcm_tensor(shape, ir.F32Type.get() if self._matmul.in_f32 else ir.F16Type.get())

    def to_rows(self, results: ir.Value, into: ir.Value, first: ir.Value, offset: int = 0) -> ir.Value:
        """``into`` with the elements of ``results``, which `read_out` gave for the same columns."""
        transposed = self._matmul.transposed(RESULT)
        if self._matmul.in_f32:
            return add_pieces(results, into, transposed, self._bias_of(results, first, offset))
        return unpack(results, into, transposed)

    def _loop(self, loop: int, step: int, where: Where, result: ir.Value, emit: Emit) -> ir.Value:
        """``emit`` for each part of ``step`` iterations of ``loop``; what is left is a part of its own."""
        extent = self._matmul.extents[loop]
        whole = extent - extent % step
        if whole == step:
            result = emit({**where, loop: (index(0), step)}, result)
        elif whole:
            for_op = scf.ForOp(index(0), index(whole), index(step), [result])
            with ir.InsertionPoint(for_op.body):
                here = {**where, loop: (for_op.induction_variable, step)}
                scf.YieldOp([emit(here, for_op.inner_iter_args[0])])
            result = for_op.results[0]
        return emit({**where, loop: (index(whole), extent - whole)}, result) if extent > whole else result

    def _block(self, operand: int, where: Where) -> ir.Value:
        """The matrix of a factor in TCM, or several, filled up with zeros to whole tiles."""
        matmul = self._matmul
        part = self._slice(matmul.op.operands[operand], matmul.reads[operand], where)
        type_ = ir.RankedTensorType(part.type)
        counts = list(type_.shape)
        padded = [*counts[:-2], *(TILE * tiles(count) for count in counts[-2:])]
        if padded == counts:
            return part if (self._in_program and is_local(part)) or is_in_tcm(part) else tcm_copy(part)
        into = zeros(tcm_tensor(padded, type_.element_type))
        return ir.Operation.create("tensor.insert_slice", results=[into.type], operands=[part, into],
                                   attributes=_slice_attributes(counts, 0, inserted=True)).result

    def _put(self, block: ir.Value, where: Where, result: ir.Value, inputs: list[ir.Value] | None = None) -> ir.Value:
        """``result`` with the rows ``block``, after the epilogue; what fills them up to whole tiles is cut off.

        ``inputs``: as `_epilogue_inputs` gives them.
        """
        matmul = self._matmul
        dims = matmul.reads[RESULT]
        counts = [where[loop][1] for loop in dims if loop not in self._dropped]
        if list(ir.RankedTensorType(block.type).shape) != counts:
            block = _cut(block, counts)
        if matmul.epilogue is not None and not matmul.only_converts:
            inputs = self._epilogue_inputs(where) if inputs is None else inputs
            block = on_block(matmul, block, inputs, self._dropped)
        if self._in_program and block.type == result.type and is_only_read(matmul.last.results[0]):
            return block
        sizes = [where[loop][1] for loop in dims]
        offsets = [where[loop][0] for loop in dims]
        return ir.Operation.create("tensor.insert_slice", results=[result.type], operands=[block, result, *offsets],
                                   attributes=_slice_attributes(sizes, len(offsets), inserted=True)).result

    def _epilogue_inputs(self, where: Where) -> list[ir.Value]:
        """What the epilogue reads for the results at ``where``, besides them."""
        return [tcm_copy(self._slice(value, loops, where)) for value, loops in epilogue_reads(self._matmul)]

    def _slice(self, value: ir.Value, loops: Sequence[int], where: Where) -> ir.Value:
        """The part of ``value``, whose dimensions ``loops`` index, as far as blocks have these dimensions."""
        here = {**self._whole, **where}
        type_ = ir.RankedTensorType(value.type)
        sizes = [here[loop][1] for loop in loops]
        kept = [size for size, loop in zip(sizes, loops, strict=True) if loop not in self._dropped]
        if list(type_.shape) == kept:
            return value
        offsets = [here[loop][0] for loop in loops]
        return ir.Operation.create(
            "tensor.extract_slice", results=[ir.RankedTensorType.get(kept, type_.element_type)],
            operands=[value, *offsets], attributes=_slice_attributes(sizes, len(offsets), inserted=False)).result


def _part(value: ir.Value, offsets: list[int], shape: list[int]) -> ir.Value:
    """The part of ``value`` of ``shape`` that begins at ``offsets``."""
    type_ = ir.RankedTensorType(value.type)
    if list(type_.shape) == shape:
        return value
    return ir.Operation.create(
        "tensor.extract_slice", results=[ir.RankedTensorType.get(shape, type_.element_type)], operands=[value],
        attributes=_slice_attributes(shape, 0, inserted=False, starts=offsets)).result


def _cut(block: ir.Value, sizes: list[int]) -> ir.Value:
    """The first ``sizes`` rows and columns of ``block``."""
    element = ir.RankedTensorType(block.type).element_type
    return ir.Operation.create("tensor.extract_slice", results=[ir.RankedTensorType.get(sizes, element)],
                               operands=[block], attributes=_slice_attributes(sizes, 0, inserted=False)).result


def _slice_attributes(sizes: list[int], offsets: int, inserted: bool,
                      starts: Sequence[int] | None = None) -> dict[str, ir.Attribute]:
    """Of a slice of ``sizes`` at ``offsets`` operands, or at ``starts``, or at the origin; of one that is ``inserted``.
    """
    rank, dynamic = len(sizes), ir.ShapedType.get_dynamic_size()
    return {"operandSegmentSizes": ir.DenseI32ArrayAttr.get([*([1] * (1 + inserted)), offsets, 0, 0]),
            "static_offsets": ir.DenseI64ArrayAttr.get(starts or [dynamic if offsets else 0] * rank),
            "static_sizes": ir.DenseI64ArrayAttr.get(sizes),
            "static_strides": ir.DenseI64ArrayAttr.get([1] * rank)}
