"""Weights of bytes of a model to words, for HVX, at compile time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hexagon_mlir.dialects.packed_weights import WORDS, note, numbers
from hexagon_mlir.ir import arith, ir, linalg, tensor
from hexagon_mlir.ir.query import names_of, ops_named
from hexagon_mlir.pass_infra import Pass, PassContext
from hexagon_mlir.passes.lib.byte_product_cost import LEAST_LANES, WORD_BYTES
from hexagon_mlir.passes.lib.constant_factors import constant_of, models_of, retype
from hexagon_mlir.passes.matrix_engine.read_bytes import ByteMatmul, read_byte_matmul

LEFT, RIGHT = 0, 1
_MATRIX = 2


@dataclass(frozen=True)
class PackWordWeightsPass(Pass):
    """Gives kernels the constant right factors of products of bytes as words of four steps of the reduction.

    HVX multiplies and adds four bytes in each lane (vrmpy). A function with ``hexagon.constants`` calls kernels. Where
    a kernel multiplies a matrix of bytes by one of these arguments, K x N, and nothing else reads it, the argument
    becomes a tensor ``[K / 4][N][4]``, ``hexagon.word_weights`` names it: whoever calls the function packs its
    constants. The product sums over words and bytes of a word; `hexagon-contraction-vectorization` multiplies the words
    as they are.

    Before:
        func.func private @k(%a: tensor<2x8xi8>, %b: tensor<8x32xi8>) -> tensor<2x32xi32> {
          %zero = arith.constant 0 : i32
          %e = tensor.empty() : tensor<2x32xi32>
          %c = linalg.fill ins(%zero : i32) outs(%e : tensor<2x32xi32>) -> tensor<2x32xi32>
          %0 = linalg.matmul ins(%a, %b : tensor<2x8xi8>, tensor<8x32xi8>) outs(%c : tensor<2x32xi32>)
              -> tensor<2x32xi32>
          return %0 : tensor<2x32xi32>
        }
        func.func @f(%a: tensor<2x8xi8>, %b: tensor<8x32xi8>) -> tensor<2x32xi32>
            attributes {hexagon.constants = array<i64: 1>} {
          %0 = call @k(%a, %b) : (tensor<2x8xi8>, tensor<8x32xi8>) -> tensor<2x32xi32>
          return %0 : tensor<2x32xi32>
        }

    After:
        #left = affine_map<(m, n, k, l) -> (m, k, l)>
        #right = affine_map<(m, n, k, l) -> (k, n, l)>
        #sums = affine_map<(m, n, k, l) -> (m, n)>
        func.func private @k(%a: tensor<2x8xi8>, %b: tensor<2x32x4xi8>) -> tensor<2x32xi32> {
          %zero = arith.constant 0 : i32
          %e = tensor.empty() : tensor<2x32xi32>
          %c = linalg.fill ins(%zero : i32) outs(%e : tensor<2x32xi32>) -> tensor<2x32xi32>
          %words = tensor.expand_shape %a [[0], [1, 2]] output_shape [2, 2, 4] : tensor<2x8xi8> into tensor<2x2x4xi8>
          %0 = linalg.generic {indexing_maps = [#left, #right, #sums], iterator_types = ["parallel", "parallel",
              "reduction", "reduction"]} ins(%words, %b : tensor<2x2x4xi8>, tensor<2x32x4xi8>)
              outs(%c : tensor<2x32xi32>) {
          ^bb0(%in: i8, %in_0: i8, %out: i32):
            %1 = arith.extsi %in : i8 to i32
            %2 = arith.extsi %in_0 : i8 to i32
            %3 = arith.muli %1, %2 : i32
            %4 = arith.addi %out, %3 : i32
            linalg.yield %4 : i32
          } -> tensor<2x32xi32>
          return %0 : tensor<2x32xi32>
        }
        func.func @f(%a: tensor<2x8xi8>, %b: tensor<2x32x4xi8>) -> tensor<2x32xi32>
            attributes {hexagon.constants = array<i64: 1>, hexagon.word_weights = array<i64: 1>} {
          %0 = call @k(%a, %b) : (tensor<2x8xi8>, tensor<2x32x4xi8>) -> tensor<2x32xi32>
          return %0 : tensor<2x32xi32>
        }

    Options: none.

    Refuses: nothing; it leaves alone what `pack-engine-weights` leaves alone, factors that it has packed, sums that
    start from a matrix, fewer than 8 columns, and reductions whose length is no multiple of 4.

    Needs: tensor.
    Leaves: tensor.
    """

    name: ClassVar[str] = "pack-word-weights"
    needs: ClassVar[str] = "tensor"
    leaves: ClassVar[str] = "tensor"

    def run(self, module: ir.Module, context: PassContext) -> None:
        """Pack the weights of every function that says which of its arguments are constants."""
        for function, calls in models_of(module):
            packed = set(numbers(function, WORDS))
            for call, kernel in calls:
                packed |= _pack(function, call, kernel)
            if packed:
                note(function, WORDS, packed)
                retype(function)


def _pack(function: ir.Operation, call: ir.Operation, kernel: ir.Operation) -> set[int]:
    """Pack what ``kernel`` multiplies by; the numbers of these arguments of ``function``."""
    packed = set[int]()
    for op in ops_named(kernel, *names_of("linalg")):
        product = read_byte_matmul(op)
        given = constant_of(op.operands[RIGHT], kernel, call, function) if isinstance(product, ByteMatmul) else None
        if given is None or not isinstance(product, ByteMatmul) or not _fits(product):
            continue
        weight = ir.BlockArgument(op.operands[RIGHT])
        depth, columns = ir.RankedTensorType(weight.type).shape
        new = ir.RankedTensorType.get([depth // WORD_BYTES, columns, WORD_BYTES],
                                      ir.RankedTensorType(weight.type).element_type)
        weight.set_type(new)
        given.set_type(new)
        _multiply_words(op, weight, product.signed)
        packed.add(given.arg_number)
    if packed:
        retype(kernel)
    return packed


def _fits(product: ByteMatmul) -> bool:
    """Whether ``product`` is one of two matrices of static sizes, whose rows are whole words."""
    matmul = product.matmul
    types = [ir.RankedTensorType(value.type) for value in matmul.op.operands]
    if matmul.batches or any(type_.rank != _MATRIX or not type_.has_static_shape for type_ in types):
        return False
    _, columns, depth = matmul.sizes
    plain = not any(matmul.transposed(operand) for operand in (LEFT, RIGHT))
    return plain and columns >= LEAST_LANES and depth > 0 and depth % WORD_BYTES == 0


def _multiply_words(op: ir.Operation, words: ir.Value, signed: bool) -> None:
    """Replace product ``op`` by one whose right factor is ``words``; bytes of the left one are ``signed`` or not."""
    left, sums = op.operands[LEFT], op.operands[2]
    rows, depth = ir.RankedTensorType(left.type).shape
    element = ir.RankedTensorType(left.type).element_type
    shape = [rows, depth // WORD_BYTES, WORD_BYTES]
    m, n, k, b = (ir.AffineDimExpr.get(d, op.context) for d in range(4))
    with op.location, ir.InsertionPoint(op):
        rows_of_words = tensor.expand_shape(ir.RankedTensorType.get(shape, element), left, [[0], [1, 2]], [], shape)
        maps = [ir.AffineMapAttr.get(ir.AffineMap.get(4, 0, dims)) for dims in ([m, k, b], [k, n, b], [m, n])]
        kinds = [ir.Attribute.parse(f"#linalg.iterator_type<{kind}>") for kind in (
            "parallel", "parallel", "reduction", "reduction")]
        made = linalg.GenericOp([sums.type], [rows_of_words, words], [sums], ir.ArrayAttr.get(maps),
                                ir.ArrayAttr.get(kinds))
        wide = ir.RankedTensorType(sums.type).element_type
        block = made.regions[0].blocks.append(element, element, wide)
        with ir.InsertionPoint(block):
            byte, weight, old = block.arguments
            factors = (arith.extsi if signed else arith.extui)(wide, byte), arith.extsi(wide, weight)
            linalg.YieldOp([arith.addi(old, arith.muli(*factors))])
    op.results[0].replace_all_uses_with(made.results[0])
    op.erase()
