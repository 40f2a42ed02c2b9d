"""Weights of a model to tiles of the matrix engine, at compile time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hexagon_mlir.dialects.engine_tiles import tiled_shape, tiles
from hexagon_mlir.dialects.narrow_weights import NARROW, NUMBER_BITS, narrow_shape
from hexagon_mlir.dialects.packed_weights import CONSTANTS, PACKED, note, numbers, weight_matrix
from hexagon_mlir.ir import ir
from hexagon_mlir.ir.query import functions, names_of, ops_named
from hexagon_mlir.pass_infra import Pass, PassContext
from hexagon_mlir.passes.lib.engine_cost import EngineCost, pays
from hexagon_mlir.passes.matrix_engine.read import Matmul, read_matmul

_MATRIX = 2
RIGHT = 1


@dataclass(frozen=True)
class PackEngineWeightsPass(Pass):
    """Gives kernels the constant right factors of products as tiles of the matrix engine.

    A function with ``hexagon.constants`` calls kernels. Where a kernel multiplies a matrix by one of these arguments,
    which nothing else reads, the argument becomes a tensor of weight tiles ``[N / 32][K / 32][16][32][2]``, and
    ``hexagon.packed_weights`` names it: whoever calls the function packs its constants. In the kernel,
    ``hexagon.weight_matrix`` stands for the matrix of these tiles; `hexagon-matrix-engine` takes them as they are, so
    that weights are transferred to TCM and multiplied there without any work of HVX. Constants that
    ``hexagon.narrow_weights`` names have 4 bits and a scale for 32 weights of a column: their tiles are
    ``[N / 32][K / 32][5][32][2]`` of i16, which HVX makes f16 of.

    Before:
        func.func private @k(%a: tensor<32x40xf16>, %b: tensor<40x70xf16>) -> tensor<32x70xf16> {
          %zero = arith.constant 0.0 : f16
          %init = tensor.empty() : tensor<32x70xf16>
          %sums = linalg.fill ins(%zero : f16) outs(%init : tensor<32x70xf16>) -> tensor<32x70xf16>
          %0 = linalg.matmul ins(%a, %b : tensor<32x40xf16>, tensor<40x70xf16>) outs(%sums : tensor<32x70xf16>)
              -> tensor<32x70xf16>
          return %0 : tensor<32x70xf16>
        }
        func.func @f(%a: tensor<32x40xf16>, %b: tensor<40x70xf16>) -> tensor<32x70xf16>
            attributes {hexagon.constants = array<i64: 1>} {
          %0 = call @k(%a, %b) : (tensor<32x40xf16>, tensor<40x70xf16>) -> tensor<32x70xf16>
          return %0 : tensor<32x70xf16>
        }

    After (always=true):
        func.func private @k(%a: tensor<32x40xf16>, %b: tensor<3x2x16x32x2xf16>) -> tensor<32x70xf16> {
          %1 = "hexagon.weight_matrix"(%b) : (tensor<3x2x16x32x2xf16>) -> tensor<40x70xf16>
          %zero = arith.constant 0.0 : f16
          %init = tensor.empty() : tensor<32x70xf16>
          %sums = linalg.fill ins(%zero : f16) outs(%init : tensor<32x70xf16>) -> tensor<32x70xf16>
          %0 = linalg.matmul ins(%a, %1 : tensor<32x40xf16>, tensor<40x70xf16>) outs(%sums : tensor<32x70xf16>)
              -> tensor<32x70xf16>
          return %0 : tensor<32x70xf16>
        }
        func.func @f(%a: tensor<32x40xf16>, %b: tensor<3x2x16x32x2xf16>) -> tensor<32x70xf16>
            attributes {hexagon.constants = array<i64: 1>, hexagon.packed_weights = array<i64: 1>} {
          %0 = call @k(%a, %b) : (tensor<32x40xf16>, tensor<3x2x16x32x2xf16>) -> tensor<32x70xf16>
          return %0 : tensor<32x70xf16>
        }

    Options:
        matrix-engine: whether the engine may be used.
        always: also the factors of products that the cost estimate leaves to HVX.

    Refuses: nothing; it leaves alone factors that other operations read, or other calls of the kernel or of another
    one, factors whose rows are their later dimension, batches, kernels that are called several times, and products that
    `hexagon-matrix-engine` would leave to HVX.

    Needs: tensor.
    Leaves: tensor.
    """

    name: ClassVar[str] = "pack-engine-weights"
    needs: ClassVar[str] = "tensor"
    leaves: ClassVar[str] = "tensor"

    matrix_engine: bool = True
    always: bool = False

    def run(self, module: ir.Module, context: PassContext) -> None:
        """Pack the weights of every function that says which of its arguments are constants."""
        if not (self.matrix_engine and context.target.has_matrix_engine):
            return
        named = {ir.StringAttr(op.attributes["sym_name"]).value: op for op in functions(module)}
        for function in [op for op in named.values() if CONSTANTS in op.attributes]:
            packed = set(numbers(function, PACKED))
            calls = ops_named(function, "func.call")
            callees = [ir.FlatSymbolRefAttr(call.attributes["callee"]).value for call in calls]
            for call, name in zip(calls, callees, strict=True):
                if callees.count(name) == 1 and name in named:
                    packed |= self._pack(function, call, named[name], context)
            if packed:
                note(function, PACKED, packed)
                _retype(function)

    def _pack(self, function: ir.Operation, call: ir.Operation, kernel: ir.Operation,
              context: PassContext) -> set[int]:
        """Pack what ``kernel`` multiplies by; the numbers of these arguments of ``function``."""
        cost, constants, packed = EngineCost.of(context.target, True), numbers(function, CONSTANTS), set()
        narrow = numbers(function, NARROW)
        for op in ops_named(kernel, *names_of("linalg")):
            matmul = read_matmul(op)
            weight = _only_argument(op.operands[RIGHT], kernel) if isinstance(matmul, Matmul) else None
            if weight is None or not isinstance(matmul, Matmul) or matmul.batches or matmul.transposed(RIGHT):
                continue
            if matmul.in_f32 and not context.target.has_matrix_pieces:
                continue
            given = _only_argument(call.operands[weight.arg_number], function)
            if given is None or given.arg_number not in constants:
                continue
            if not self.always and not pays(*matmul.sizes, cost):
                continue
            old = ir.RankedTensorType(weight.type)
            new = _narrow(old) if given.arg_number in narrow else _tiled(old)
            with op.location, ir.InsertionPoint.at_block_begin(kernel.regions[0].blocks[0]):
                weight.set_type(new)
                made = weight_matrix(weight, old)
            op.operands[RIGHT] = made.results[0]
            given.set_type(new)
            packed.add(given.arg_number)
        if packed:
            _retype(kernel)
        return packed


def _tiled(matrix: ir.RankedTensorType) -> ir.RankedTensorType:
    """The type of the tiles of ``matrix``."""
    depth, columns = matrix.shape
    return ir.RankedTensorType.get(tiled_shape(tiles(columns), tiles(depth)), matrix.element_type)


def _narrow(matrix: ir.RankedTensorType) -> ir.RankedTensorType:
    """The type of the tiles of ``matrix`` of 4 bits."""
    depth, columns = matrix.shape
    number = ir.IntegerType.get_signless(NUMBER_BITS)
    return ir.RankedTensorType.get(narrow_shape(tiles(columns), tiles(depth)), number)


def _only_argument(value: ir.Value, function: ir.Operation) -> ir.BlockArgument | None:
    """``value`` as a matrix that ``function`` gets as its argument, if it has no other use."""
    type_ = ir.RankedTensorType(value.type)
    if not isinstance(value.owner, ir.Block) or value.owner.owner.operation != function or type_.rank != _MATRIX:
        return None
    return ir.BlockArgument(value) if len(list(value.uses)) == 1 and type_.has_static_shape else None


def _retype(function: ir.Operation) -> None:
    """Let the type of ``function`` be that of its arguments."""
    block = function.regions[0].blocks[0]
    results = list(block.operations)[-1].operation.operands
    function.attributes["function_type"] = ir.TypeAttr.get(ir.FunctionType.get(
        [argument.type for argument in block.arguments], [result.type for result in results]))
