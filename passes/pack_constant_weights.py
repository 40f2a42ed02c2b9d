"""Constants of a program to tiles of the matrix engine, at compile time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hexagon_mlir.dialects.weight_tiles import are_nibbles
from hexagon_mlir.ir import erase_op, ir
from hexagon_mlir.ir.query import names_of, ops_named
from hexagon_mlir.pass_infra import Pass, PassContext
from hexagon_mlir.passes.matrix_engine.byte_sizes import FIRST_WITH_PLANES
from hexagon_mlir.passes.matrix_engine.constant_weights import as_tiles, constant_array, estimated_cycles
from hexagon_mlir.passes.matrix_engine.read_bytes import ByteMatmul, read_byte_matmul
from hexagon_mlir.passes.matrix_engine.sizes import GAPS

_MATRIX, _RIGHT = 2, 1


@dataclass(frozen=True)
class PackConstantWeightsPass(Pass):
    """Makes tiles of the matrix engine of constant right factors of products of bytes.

    A constant becomes one of weight tiles, ``[N / 32][K / 32][8][32][4]`` bytes, or ``[N / 32][K / 32][4][32][4]``
    where all its elements are from -8 to 7: two are in a byte, in memory and in TCM. ``hexagon.weight_matrix`` stands
    for the matrix, as `pack-engine-weights` has it for weights of models; where the left factor has signs, it also gets
    the sums of the columns times -128.

    Before:
        func.func @f(%a: tensor<64x32xi8>) -> tensor<64x128xi32> {
          %b = arith.constant dense<7> : tensor<32x128xi8>
          %zero = arith.constant 0 : i32
          %init = tensor.empty() : tensor<64x128xi32>
          %sums = linalg.fill ins(%zero : i32) outs(%init : tensor<64x128xi32>) -> tensor<64x128xi32>
          %0 = linalg.matmul ins(%a, %b : tensor<64x32xi8>, tensor<32x128xi8>) outs(%sums : tensor<64x128xi32>)
              -> tensor<64x128xi32>
          return %0 : tensor<64x128xi32>
        }

    After (always=true):
        func.func @f(%arg0: tensor<64x32xi8>) -> tensor<64x128xi32> {
          %c0_i32 = arith.constant 0 : i32
          %0 = tensor.empty() : tensor<64x128xi32>
          %1 = linalg.fill ins(%c0_i32 : i32) outs(%0 : tensor<64x128xi32>) -> tensor<64x128xi32>
          %cst = arith.constant dense<-28672> : tensor<128xi32>
          ...
          %2 = "hexagon.weight_matrix"(%cst_0, %cst) : (tensor<4x4x4x32x4xi8>, tensor<128xi32>) -> tensor<32x128xi8>
          %3 = linalg.matmul ins(%arg0, %2 : tensor<64x32xi8>, tensor<32x128xi8>) outs(%1 : tensor<64x128xi32>)
              -> tensor<64x128xi32>
          return %3 : tensor<64x128xi32>
        }

    Options:
        matrix-engine: whether the engine may be used.
        tcm-bytes: bytes one kernel may use; 0 takes the target's whole TCM.
        always: also the factors of products that the cost estimate leaves to HVX.

    Refuses (with a remark; the op is left alone): transposed factors, batches, and products that HVX is estimated to
    compute in less time or whose blocks exceed the TCM budget. Constants in resources are not read.

    Needs: tensor.
    Leaves: tensor.
    """

    name: ClassVar[str] = "pack-constant-weights"
    needs: ClassVar[str] = "tensor"
    leaves: ClassVar[str] = "tensor"

    matrix_engine: bool = True
    tcm_bytes: int = 0
    always: bool = False

    def run(self, module: ir.Module, context: PassContext) -> None:
        """Pack the constant factors of every product of ``module``."""
        target = context.target
        if not (self.matrix_engine and target.has_matrix_engine) or target.version < FIRST_WITH_PLANES:
            return
        for op in ops_named(module, *names_of("linalg")):
            product = read_byte_matmul(op)
            weight = constant_array(op.operands[_RIGHT]) if isinstance(product, ByteMatmul) else None
            if weight is None or not isinstance(product, ByteMatmul):
                continue
            reason = self._reason(product, are_nibbles(weight), context)
            if reason:
                self.remark(context, op, f"its weights are not packed: {reason}")
                continue
            matrix = op.operands[_RIGHT]
            with op.location, ir.InsertionPoint(op):
                op.operands[_RIGHT] = as_tiles(matrix, weight, product.signed)
            if not any(True for _ in matrix.uses):
                erase_op(matrix.owner.operation, self.name)

    def _reason(self, product: ByteMatmul, nibbles: bool, context: PassContext) -> str:
        """Why the right factor of ``product`` stays a matrix; none where it becomes tiles."""
        matmul = product.matmul
        if matmul.batches or ir.RankedTensorType(matmul.op.operands[_RIGHT].type).rank != _MATRIX:
            return "a batch"
        if matmul.transposed(_RIGHT):
            return "they are transposed"
        budget = self.tcm_bytes or context.target.tcm_budget_bytes
        found = estimated_cycles(matmul.sizes, nibbles, budget - budget // GAPS, context.target)
        if found is None:
            return "one row and one column of tiles exceed the TCM budget"
        engine, hvx = found
        return "" if self.always or engine < hvx else f"about {hvx:.0f} cycles on HVX, {engine:.0f} on the engine"
