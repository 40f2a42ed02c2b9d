"""Weights of a model to tiles of the matrix engine, at compile time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hexagon_mlir.dialects.block_weights import formats_of
from hexagon_mlir.dialects.engine_tiles import TILE, VECTOR_TILES, byte_weights_shape, tiled_shape, tiles
from hexagon_mlir.dialects.nibble_weights import NIBBLES, nibble_weights_shape
from hexagon_mlir.dialects.packed_weights import PACKED, SUMS, note, numbers, weight_matrix
from hexagon_mlir.dialects.split_weights import split_shape
from hexagon_mlir.ir import ir
from hexagon_mlir.ir.hexagon_dialect import ENGINE_MATRIX
from hexagon_mlir.ir.query import names_of, ops_named
from hexagon_mlir.pass_infra import Pass, PassContext
from hexagon_mlir.passes.engine_convolution.byte_schedule import bytes_pay as byte_convolution_pays
from hexagon_mlir.passes.engine_convolution.byte_schedule import choose_byte_schedule
from hexagon_mlir.passes.engine_convolution.image import reshaped
from hexagon_mlir.passes.engine_convolution.read import Convolution, Geometry, is_narrow, read_convolution
from hexagon_mlir.passes.engine_convolution.read_bytes import ByteConvolution, read_byte_convolution
from hexagon_mlir.passes.engine_convolution.sizes import ConvolutionCost, choose_plan, steps
from hexagon_mlir.passes.engine_convolution.sizes import pays as convolution_pays
from hexagon_mlir.passes.engine_convolution.weights import packs_at_compile_time
from hexagon_mlir.passes.lib.block_arguments import note_codes, types_of
from hexagon_mlir.passes.lib.block_weights import block_matrix, block_weights
from hexagon_mlir.passes.lib.constant_factors import call_with, constant_of, give_more, models_of, retype
from hexagon_mlir.passes.lib.engine_cost import EngineCost, pays
from hexagon_mlir.passes.lib.split_cost import bf16_pays
from hexagon_mlir.passes.lib.split_cost import pays as split_pays
from hexagon_mlir.passes.matrix_engine.byte_schedule import ByteRates
from hexagon_mlir.passes.matrix_engine.byte_sizes import FIRST_WITH_PLANES, ByteCost, bytes_pay
from hexagon_mlir.passes.matrix_engine.read import Matmul, read_matmul
from hexagon_mlir.passes.matrix_engine.read_bytes import ByteMatmul, is_byte, read_byte_matmul, sign
from hexagon_mlir.passes.split_products.build import write
from hexagon_mlir.passes.split_products.fits import fits, stays_in_tcm
from hexagon_mlir.passes.split_products.read import Split, read_split
from hexagon_mlir.passes.split_products.weights import can_be_given, given_pieces
from hexagon_mlir.targets import Target

_MATRIX = 2
RIGHT = 1
_WORD_BITS = 32


@dataclass(frozen=True)
class PackEngineWeightsPass(Pass):
    """Gives kernels the constant right factors of products as tiles of the matrix engine.

    A function with ``hexagon.constants`` calls kernels. Where a kernel multiplies a matrix by one of these arguments,
    or convolves an image with it in windows whose rows are whole tiles, and nothing else reads it, the argument becomes
    a tensor of weight tiles ``[N / 32][K / 32][16][32][2]``, and ``hexagon.packed_weights`` names it: whoever calls the
    function packs its constants. In the kernel, ``hexagon.weight_matrix`` stands for the matrix of these tiles;
    `hexagon-matrix-engine` and `hexagon-engine-convolution` take them as they are, so that weights are transferred to
    TCM and multiplied there without any work of HVX. Constants of f16 that ``hexagon.block_constants`` names become
    codes, and their scales, and zero points or minima, arguments at the end, as `pack-block-weights` has them for
    products of a few rows, where blocks fill up a column as tiles do: HVX makes tiles of them. Constants of bytes are
    ``[N / 32][K / 32][8][32][4]``, and ``[N / 32][K / 32][4][32][4]`` where ``hexagon.nibble_weights`` says that they
    have 4 bits: a transfer of half the bytes. Where the other factor of such a product, or of a convolution with
    weights of 4 bits, has signs, the sums of the columns times -128 become an argument at the end, and
    ``hexagon.weight_sums`` names the weights. With ``f32-split``, constants of f32 become tiles of pieces of f16 with
    the scales of their columns, and the product one of pieces, as `hexagon-split-products` writes it; so do constants
    of bf16, of which a number is one piece, beside another factor of bf16.

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
        f32-split: whether products of f32 may be split.
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
    f32_split: bool = False
    always: bool = False

    def run(self, module: ir.Module, context: PassContext) -> None:
        """Pack the weights of every function that says which of its arguments are constants."""
        if not (self.matrix_engine and context.target.has_matrix_engine):
            return
        for function, calls in models_of(module):
            for call, kernel in calls if formats_of(function) else ():
                note_codes(function, self._pack_codes(function, call, kernel, context))
        for function, calls in models_of(module):
            packed, summed = set(numbers(function, PACKED)), numbers(function, SUMS)
            for call, kernel in calls:
                found, of_columns = self._pack(function, call, kernel, context)
                packed |= found
                summed += of_columns
            if packed:
                note(function, PACKED, packed)
                retype(function)
            if summed:
                function.attributes[SUMS] = ir.DenseI64ArrayAttr.get(summed, function.context)

    def _pack_codes(self, function: ir.Operation, call: ir.Operation, kernel: ir.Operation,
                    context: PassContext) -> list[int]:
        """Give ``kernel`` what it multiplies by as codes, where it has them; the numbers of these arguments of
        ``function``."""
        formats, packed = formats_of(function), list[int]()
        added: list[ir.Value] = []
        for op in ops_named(kernel, *names_of("linalg")):
            given = _constant(op, kernel, call, function)
            form = None if given is None else formats.get(given.arg_number)
            depth = 0 if form is None else self._depth(op, context.target)
            if given is None or form is None or not depth or not form.is_for_engine(depth):
                continue
            weight, matrix = ir.BlockArgument(op.operands[RIGHT]), ir.RankedTensorType(op.operands[RIGHT].type)
            if list(matrix.shape) != [depth, matrix.shape[-1]] or not isinstance(matrix.element_type, ir.F16Type):
                continue
            codes, *others = types_of(matrix, form)
            with op.location, ir.InsertionPoint.at_block_begin(kernel.regions[0].blocks[0]):
                weight.set_type(codes)
                given.set_type(codes)
                pairs = give_more(function, kernel, others, op.location)
                added += [of_call for _, of_call in pairs]
                weights = block_weights([weight, *(own for own, _ in pairs)], form.bits)
                op.operands[RIGHT] = block_matrix(ENGINE_MATRIX, weights, matrix)
            packed.append(given.arg_number)
        if packed:
            retype(kernel)
            call_with(call, added, self.name)
        return packed

    def _pack(self, function: ir.Operation, call: ir.Operation, kernel: ir.Operation,
              context: PassContext) -> tuple[set[int], list[int]]:
        """Pack what ``kernel`` multiplies by; the numbers of these arguments of ``function``, and those of which sums
        of the columns are given, too."""
        nibbles, packed = numbers(function, NIBBLES), set[int]()
        sums: dict[int, ir.Value] = {}
        splits = [found for op in ops_named(kernel, *names_of("linalg"))
                  if (found := self._split(op, context.target)) is not None]
        for split in splits:
            given = constant_of(split.factors[RIGHT], kernel, call, function)
            if given is not None:
                _give_pieces(split, given, context.target, self.name)
                packed.add(given.arg_number)
        for op in ops_named(kernel, *names_of("linalg")):
            given = _constant(op, kernel, call, function)
            depth = 0 if given is None else self._depth(op, context.target)
            if given is None or not depth:
                continue
            weight = ir.BlockArgument(op.operands[RIGHT])
            old = ir.RankedTensorType(weight.type)
            matrix = ir.RankedTensorType.get([depth, old.shape[-1]], old.element_type)
            new = _nibbles(matrix) if given.arg_number in nibbles else _tiled(matrix)
            own = None
            if _is_signed(op) and (given.arg_number in nibbles or not isinstance(
                    read_byte_convolution(op), ByteConvolution)):  # a convolution sums its bytes up beside the products
                words = ir.RankedTensorType.get([matrix.shape[-1]], ir.IntegerType.get_signless(_WORD_BITS))
                own, sums[given.arg_number] = give_more(function, kernel, [words], op.location)[0]
            with op.location, ir.InsertionPoint.at_block_begin(kernel.regions[0].blocks[0]):
                weight.set_type(new)
                made = reshaped(weight_matrix(weight, matrix, own).results[0], old.shape)
            op.operands[RIGHT] = made
            given.set_type(new)
            packed.add(given.arg_number)
        if packed:
            retype(kernel)
        if sums:
            call_with(call, list(sums.values()), self.name)
        return packed, list(sums)

    def _split(self, op: ir.Operation, target: Target) -> Split | None:
        """The product that linalg op ``op`` is, if it is to be split with weights in pieces."""
        found = read_split(op) if target.has_matrix_pieces else None
        if not isinstance(found, Split) or not (self.f32_split or found.all_bf16) or not can_be_given(found):
            return None
        budget, cost, sizes = target.tcm_budget_bytes, EngineCost.of(target), found.matmul.sizes
        pays_here = self.always or (bf16_pays(*sizes, cost, given=True) if found.all_bf16 else
                                    split_pays(*sizes, found.products, cost, given=True))
        return found if pays_here and fits(found, budget) else None

    def _depth(self, op: ir.Operation, target: Target) -> int:
        """Rows of the matrix of weights, if linalg op ``op`` is for the engine; else 0."""
        product = read_byte_matmul(op)
        if isinstance(product, ByteMatmul):
            return self._bytes_depth(product.matmul, target)
        matmul = read_matmul(op)
        if isinstance(matmul, Matmul):
            fits = not (matmul.batches or matmul.transposed(RIGHT)) and (not matmul.in_f32 or target.has_matrix_pieces)
            fits = fits and ir.RankedTensorType(op.operands[RIGHT].type).rank == _MATRIX
            return matmul.sizes[-1] if fits and (self.always or pays(*matmul.sizes, EngineCost.of(target))) else 0
        byte_convolution = read_byte_convolution(op)
        if isinstance(byte_convolution, ByteConvolution):
            return self._byte_taps_depth(byte_convolution.geometry, target)
        convolution = read_convolution(op)
        if not isinstance(convolution, Convolution) or not packs_at_compile_time(convolution.geometry):
            return 0
        geometry = convolution.geometry
        pays_here = self.always or convolution_pays(geometry, target.lanes(16), ConvolutionCost.of(target, True))
        fits = choose_plan(geometry, target.tcm_budget_bytes // 2) is not None  # what else a kernel needs is not known
        return geometry.taps_y * geometry.taps_x * geometry.run if pays_here and fits else 0

    def _byte_taps_depth(self, geometry: Geometry, target: Target) -> int:
        """Rows of the matrix of a convolution's weights of bytes, if it is for the engine; else 0."""
        if target.version < FIRST_WITH_PLANES or steps(geometry) < VECTOR_TILES or is_narrow(geometry):
            return 0  # others are filled up
        budget = target.tcm_budget_bytes // 2  # what else a kernel needs is not known
        found = choose_byte_schedule(geometry, budget, 0, True, ByteRates.of(target))
        pays_here = found is not None and (self.always or byte_convolution_pays(geometry, found[1]))
        return TILE * steps(geometry) if pays_here else 0

    def _bytes_depth(self, matmul: Matmul, target: Target) -> int:
        """Rows of the right factor of a product of bytes, if it is for the engine; else 0."""
        is_matrix = ir.RankedTensorType(matmul.op.operands[RIGHT].type).rank == _MATRIX
        if not is_matrix or matmul.batches or matmul.transposed(RIGHT) or target.version < FIRST_WITH_PLANES:
            return 0
        return matmul.sizes[-1] if self.always or bytes_pay(*matmul.sizes, ByteCost.of(target, constant=True)) else 0


def _constant(op: ir.Operation, kernel: ir.Operation, call: ir.Operation,
              function: ir.Operation) -> ir.BlockArgument | None:
    """`constant_of` the second operand of ``op``."""
    return constant_of(op.operands[RIGHT], kernel, call, function) if len(op.operands) > RIGHT else None


def _tiled(matrix: ir.RankedTensorType) -> ir.RankedTensorType:
    """The type of the tiles of ``matrix``."""
    depth, columns = matrix.shape
    if isinstance(matrix.element_type, ir.IntegerType):
        return ir.RankedTensorType.get(byte_weights_shape(columns, depth), matrix.element_type)
    return ir.RankedTensorType.get(tiled_shape(tiles(columns), tiles(depth)), matrix.element_type)


def _nibbles(matrix: ir.RankedTensorType) -> ir.RankedTensorType:
    """The type of the tiles of ``matrix``, bytes whose elements are nibbles."""
    depth, columns = matrix.shape
    return ir.RankedTensorType.get(nibble_weights_shape(columns, depth), matrix.element_type)


def _is_signed(op: ir.Operation) -> bool:
    """Whether the left factor of linalg op ``op``, which the engine is to compute, is bytes with signs."""
    return is_byte(op.operands[0]) and bool(sign(op.regions[0].blocks[0].arguments[0]))


def _give_pieces(split: Split, given: ir.BlockArgument, target: Target, origin: str) -> None:
    """Let the right factor of ``split``, constant ``given``, be an argument in pieces."""
    weight = ir.BlockArgument(split.factors[RIGHT])
    _, columns, reduction = split.matmul.sizes
    order, in_tcm = split.orders[RIGHT], stays_in_tcm(split, target.tcm_budget_bytes)
    with split.matmul.op.location:
        new = ir.RankedTensorType.get(split_shape(columns, reduction, order), ir.F16Type.get())
        weight.set_type(new)
        with ir.InsertionPoint.at_block_begin(weight.owner):
            pieces = given_pieces(weight, columns, reduction, order)
        write(split, origin, pieces, in_tcm)
    given.set_type(new)
