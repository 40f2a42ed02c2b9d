"""Weights of a model to codes and scales, for products of a few rows, at compile time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hexagon_mlir.dialects.block_weights import Format, formats_of
from hexagon_mlir.dialects.packed_weights import CONSTANTS, note, numbers
from hexagon_mlir.ir import erase_op, ir
from hexagon_mlir.ir.hexagon_dialect import BLOCK_MATRIX
from hexagon_mlir.ir.query import names_of, ops_named
from hexagon_mlir.pass_infra import Pass, PassContext
from hexagon_mlir.passes.block_products.read import LEFT, RIGHT, product_sizes
from hexagon_mlir.passes.block_products.tables import part_of, reads_of
from hexagon_mlir.passes.lib.block_arguments import note_codes, types_of
from hexagon_mlir.passes.lib.block_weights import block_matrix, block_weights
from hexagon_mlir.passes.lib.constant_factors import call_with, constant_of, give_more, models_of, retype
from hexagon_mlir.targets import Target

_MATRIX = 2


@dataclass(frozen=True)
class PackBlockWeightsPass(Pass):
    """Gives kernels the constant right factors of products of a few rows as codes and scales.

    A function with ``hexagon.block_constants`` calls kernels; these arguments of it are weights that share scales in
    blocks of a column: of 4 bits, f16 scales and blocks of 32, or as ``hexagon.block_formats`` says. Where a kernel
    multiplies a few rows by one of them, and nothing else reads it, the argument becomes the codes
    (`hexagon_mlir.dialects.block_weights`), and the function and the kernel get the scales, and zero points or minima
    if it has some, as more arguments, the last ones. ``hexagon.block_codes`` names the arguments that are codes, in the
    order of these scales: whoever calls the function makes all of its constants. In the kernel,
    ``hexagon.block_matrix`` stands for the matrix; `form-block-products` computes with codes and scales.

    So are constants that are several matrices (K x N each), where each kernel that reads one multiplies by its matrix
    at an index: the codes and scales of all matrices are arguments, and parts of them at the same index make the
    matrix.

    Before:
        func.func private @k(%a: tensor<1x64xf16>, %b: tensor<64x70xf16>) -> tensor<1x70xf16> {
          %zero = arith.constant 0.0 : f16
          %init = tensor.empty() : tensor<1x70xf16>
          %sums = linalg.fill ins(%zero : f16) outs(%init : tensor<1x70xf16>) -> tensor<1x70xf16>
          %0 = linalg.matmul ins(%a, %b : tensor<1x64xf16>, tensor<64x70xf16>) outs(%sums : tensor<1x70xf16>)
              -> tensor<1x70xf16>
          return %0 : tensor<1x70xf16>
        }
        func.func @f(%a: tensor<1x64xf16>, %b: tensor<64x70xf16>) -> tensor<1x70xf16>
            attributes {hexagon.block_constants = array<i64: 1>, hexagon.constants = array<i64: 1>} {
          %0 = call @k(%a, %b) : (tensor<1x64xf16>, tensor<64x70xf16>) -> tensor<1x70xf16>
          return %0 : tensor<1x70xf16>
        }

    After:
        func.func private @k(%a: tensor<1x64xf16>, %b: tensor<2x2x4x2x32x4xi8>, %c: tensor<2x2x2x32xf16>)
            -> tensor<1x70xf16> {
          %1 = "hexagon.block_matrix"(%b, %c) {bits = 4 : i64} : (tensor<2x2x4x2x32x4xi8>, tensor<2x2x2x32xf16>)
              -> tensor<64x70xf16>
          %zero = arith.constant 0.0 : f16
          %init = tensor.empty() : tensor<1x70xf16>
          %sums = linalg.fill ins(%zero : f16) outs(%init : tensor<1x70xf16>) -> tensor<1x70xf16>
          %0 = linalg.matmul ins(%a, %1 : tensor<1x64xf16>, tensor<64x70xf16>) outs(%sums : tensor<1x70xf16>)
              -> tensor<1x70xf16>
          return %0 : tensor<1x70xf16>
        }
        func.func @f(%a: tensor<1x64xf16>, %b: tensor<2x2x4x2x32x4xi8>, %c: tensor<2x2x2x32xf16>) -> tensor<1x70xf16>
            attributes {hexagon.block_codes = array<i64: 1>, hexagon.block_constants = array<i64: 1>,
            hexagon.constants = array<i64: 1, 2>} {
          %0 = call @k(%a, %b, %c) : (tensor<1x64xf16>, tensor<2x2x4x2x32x4xi8>, tensor<2x2x2x32xf16>)
              -> tensor<1x70xf16>
          return %0 : tensor<1x70xf16>
        }

    Options:
        most-rows: rows of a product of f32 up to which its weights stay codes, 0 for any number: HVX multiplies
            floats in more time (32 rows of 1,024 times 1,024 columns 1.19 times).
        most-rows-split: the same where the matrix engine multiplies f32 in pieces.
        most-rows-f16: the same of f16, which the matrix engine may multiply; with 4 rows of 1,024 times 3,072 columns
            it takes 1.26 times the cycles, with 8 rows 0.79 times.
        most-rows-tiles: the same of weights of f16 whose codes can become tiles of the engine (`pack-engine-weights`);
            with 2 rows of 1,024 times 1,024 columns it takes 1.42 times the cycles, with 4 rows 0.87 times.
        matrix-engine: whether the engine may be used.
        f32-split: whether products of f32 may be split.

    Refuses: nothing; it leaves alone factors that other operations read, or other calls of the kernel or of another
    one, factors whose rows are their later dimension, batches, and products of more rows.

    Needs: tensor.
    Leaves: tensor.
    """

    name: ClassVar[str] = "pack-block-weights"
    needs: ClassVar[str] = "tensor"
    leaves: ClassVar[str] = "tensor"

    most_rows: int = 0
    most_rows_split: int = 8
    most_rows_f16: int = 4
    most_rows_tiles: int = 3
    matrix_engine: bool = True
    f32_split: bool = False

    def run(self, module: ir.Module, context: PassContext) -> None:
        """Give every kernel its codes and scales."""
        if not context.target.vector_float:
            return
        for function, calls in models_of(module):
            for call, kernel in calls:
                note_codes(function, self._pack(function, call, kernel, context.target))
        for function, _ in list(models_of(module)):
            for number, form in formats_of(function).items():
                self._pack_table(function, number, form, module, context.target)

    def _pack(self, function: ir.Operation, call: ir.Operation, kernel: ir.Operation, target: Target) -> list[int]:
        """Pack what ``kernel`` multiplies by; the numbers of the arguments of ``function`` that are codes now."""
        formats = formats_of(function)
        packed: list[ir.BlockArgument] = []
        added: list[ir.Value] = []
        for op in ops_named(kernel, *names_of("linalg")):
            given = constant_of(op.operands[RIGHT], kernel, call, function) if _rows(op) else None
            if given is None or given.arg_number not in formats or not self._fits(
                    op, formats[given.arg_number], target):
                continue
            weight = ir.BlockArgument(op.operands[RIGHT])
            matrix = ir.RankedTensorType(weight.type)
            form = formats[given.arg_number]
            codes, *others = types_of(matrix, form)
            body = kernel.regions[0].blocks[0]
            with op.location, ir.InsertionPoint.at_block_begin(body):
                weight.set_type(codes)
                given.set_type(codes)
                pairs = give_more(function, kernel, others, op.location)
                added += [one for _, one in pairs]
                weights = block_weights([weight, *(own for own, _ in pairs)], form.bits)
                op.operands[RIGHT] = block_matrix(BLOCK_MATRIX, weights, matrix)
            packed.append(given)
        if packed:
            retype(kernel)
            call_with(call, added, self.name)
        return [given.arg_number for given in packed]

    def _pack_table(self, function: ir.Operation, number: int, form: Format, module: ir.Module,
                    target: Target) -> None:
        """Pack the matrices of which kernels multiply by one, if argument ``number`` of ``function`` is read so."""
        table = ir.BlockArgument(function.regions[0].blocks[0].arguments[number])
        calls = next(calls for one, calls in models_of(module) if one == function)
        reads = reads_of(table, calls)
        if reads is None or not all(self._fits(read.product, form, target) for read in reads):
            return
        matrices, *shape = ir.RankedTensorType(table.type).shape
        matrix = ir.RankedTensorType.get(shape, ir.RankedTensorType(table.type).element_type)
        codes, *others = (ir.RankedTensorType.get([matrices, *type_.shape], type_.element_type)
                          for type_ in types_of(matrix, form))
        body = function.regions[0].blocks[0]
        table.set_type(codes)
        given = [body.add_argument(type_, function.location) for type_ in others]
        note(function, CONSTANTS, [*numbers(function, CONSTANTS), *(one.arg_number for one in given)])
        for call, kernel in calls:
            of_call = [read for read in reads if read.call == call]
            for read in of_call:
                read.argument.set_type(codes)
                own = [kernel.regions[0].blocks[0].add_argument(type_, read.product.location) for type_ in others]
                with read.product.location, ir.InsertionPoint(read.product):
                    parts = block_weights([part_of(one, read) for one in (read.argument, *own)], form.bits)
                    read.product.operands[RIGHT] = block_matrix(BLOCK_MATRIX, parts, matrix)
                collapse = next(iter(read.cut.results[0].uses)).owner.operation
                erase_op(collapse, self.name)
                erase_op(read.cut, self.name)
            if of_call:
                retype(kernel)
                call_with(call, given * len(of_call), self.name)
        note_codes(function, [number])

    def _fits(self, op: ir.Operation, form: Format, target: Target) -> bool:
        """Whether linalg op ``op`` multiplies few enough rows by a matrix of floats, weights of ``form``."""
        rows = _rows(op)
        if rows and isinstance(ir.RankedTensorType(op.operands[RIGHT].type).element_type, ir.F32Type):
            most = self.most_rows_split if self.f32_split and target.has_matrix_pieces else self.most_rows or rows
        else:
            on_engine = self.matrix_engine and target.has_matrix_engine
            depth = ir.RankedTensorType(op.operands[RIGHT].type).shape[0]
            most = self.most_rows_tiles if on_engine and form.is_for_engine(depth) else self.most_rows_f16
        return 0 < rows <= most


def _rows(op: ir.Operation) -> int:
    """The rows that linalg op ``op`` multiplies by a matrix of floats; 0 for any other op."""
    if len(op.operands) <= RIGHT or len(op.results) != 1:
        return 0
    types = [value.type for value in (op.operands[LEFT], op.operands[RIGHT], op.results[0])]
    if not all(isinstance(type_, ir.RankedTensorType) and type_.has_static_shape for type_ in types):
        return 0
    if types[RIGHT].rank != _MATRIX or not isinstance(types[RIGHT].element_type, ir.F16Type | ir.F32Type):
        return 0
    sizes = product_sizes(op)
    if not isinstance(sizes, tuple):
        return 0
    rows, columns, depth = sizes
    return rows if [depth, columns] == list(types[RIGHT].shape) else 0
