"""Rows times weights in blocks: products of numbers in fixed point."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hexagon_mlir.ir import erase_op, ir
from hexagon_mlir.ir.constants import SharedConstants
from hexagon_mlir.ir.hexagon_dialect import BLOCK_MATRIX
from hexagon_mlir.ir.query import names_of, ops_named
from hexagon_mlir.pass_infra import Pass, PassContext
from hexagon_mlir.passes.block_products.build import BlockProductBuilder
from hexagon_mlir.passes.block_products.matrix import as_matrix
from hexagon_mlir.passes.block_products.read import read_block_product
from hexagon_mlir.passes.lib.block_weights import erase_unused


@dataclass(frozen=True)
class FormBlockProductsPass(Pass):
    """Rewrites products of rows with weights that share scales in blocks, so that sums of bytes compute them.

    ``hexagon.block_matrix`` stands for a matrix of codes of 4, 6 or 8 bits, of scales, and of zero points or minima
    (`hexagon_mlir.dialects.block_weights`). The rows become numbers in fixed point, of 31 bits with sign for f32, 15
    for f16 and bf16: the unit of a block is a power of two that the largest number of a row in it decides. Their bytes
    times the codes are summed exactly; the sums of a block, times its unit and scales, are added in f32. The weights
    are never unfolded. A row with a NaN or an infinity gives NaN. Minima are multiplied by the sums of a row in f32.

    Other products read a matrix of floats that is made of codes and scales.

    Before:
        func.func @f(%x: tensor<2x32xf16>, %codes: tensor<1x1x4x2x32x4xi8>, %scales: tensor<1x1x2x32xf16>)
            -> tensor<2x64xf32> {
          %zero = arith.constant 0.0 : f32
          %init = tensor.empty() : tensor<2x64xf32>
          %sums = linalg.fill ins(%zero : f32) outs(%init : tensor<2x64xf32>) -> tensor<2x64xf32>
          %w = "hexagon.block_matrix"(%codes, %scales) {bits = 4 : i64} : (tensor<1x1x4x2x32x4xi8>,
              tensor<1x1x2x32xf16>) -> tensor<32x64xf16>
          %0 = linalg.matmul ins(%x, %w : tensor<2x32xf16>, tensor<32x64xf16>) outs(%sums : tensor<2x64xf32>)
              -> tensor<2x64xf32>
          return %0 : tensor<2x64xf32>
        }

    After, folded:
        #map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
        ...
        #map7 = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7, d8) -> (d0, d4, d5, d6, d7, d8)>
        #map8 = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7, d8) -> (d0, d4)>
        #map9 = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7, d8) -> (d0, d4, d5)>
        #map10 = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7, d8) -> (d1, d4, d6, d3, d2, d8)>
        #map11 = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7, d8) -> (d1, d4, d3, d2)>
        #map12 = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7, d8) -> (d0, d1, d2, d3)>
        func.func @f(%arg0: tensor<2x32xf16>, %arg1: tensor<1x1x4x2x32x4xi8>, %arg2: tensor<1x1x2x32xf16>) ->
            tensor<2x64xf32> {
          %cst = arith.constant 0x7FC00000 : f32
          ...
          %cst_0 = arith.constant 0.000000e+00 : f32
          %0 = tensor.empty() : tensor<2x1x32x2xf32>
          %1 = linalg.fill ins(%cst_0 : f32) outs(%0 : tensor<2x1x32x2xf32>) -> tensor<2x1x32x2xf32>
          %expanded = tensor.expand_shape %arg0 [[0], [1, 2]] output_shape [2, 1, 32] : tensor<2x32xf16> into
              tensor<2x1x32xf16>
          %2 = tensor.empty() : tensor<2x1xi32>
          %3 = linalg.fill ins(%c0_i32 : i32) outs(%2 : tensor<2x1xi32>) -> tensor<2x1xi32>
          %4 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel",
              "reduction"]} ins(%expanded : tensor<2x1x32xf16>) outs(%3 : tensor<2x1xi32>) {
          ^bb0(%in: f16, %out: i32):
            %21 = arith.extf %in : f16 to f32
            %22 = arith.bitcast %21 : f32 to i32
            %23 = arith.andi %22, %c2147483647_i32 : i32
            %24 = arith.maxsi %23, %out : i32
            linalg.yield %24 : i32
          } -> tensor<2x1xi32>
          ...
          %9 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel",
              "parallel"]} ins(%expanded, %5 : tensor<2x1x32xf16>, tensor<2x1xi32>) outs(%8 : tensor<2x1x32xi32>)
              {
          ^bb0(%in: f16, %in_2: i32, %out: i32):
            %21 = arith.extf %in : f16 to f32
            %22 = arith.bitcast %21 : f32 to i32
            %23 = arith.andi %22, %c2147483647_i32 : i32
            ...
            linalg.yield %40 : i32
          } -> tensor<2x1x32xi32>
          %10 = tensor.empty() : tensor<2x1x2x32xi8>
          %11 = linalg.generic {indexing_maps = [#map3, #map4], iterator_types = ["parallel", "parallel",
              "parallel", "parallel"]} ins(%9 : tensor<2x1x32xi32>) outs(%10 : tensor<2x1x2x32xi8>) {
          ^bb0(%in: i32, %out: i8):
            ...
            %25 = arith.trunci %24 : i32 to i8
            linalg.yield %25 : i8
          } -> tensor<2x1x2x32xi8>
          %expanded_1 = tensor.expand_shape %11 [[0], [1], [2], [3, 4, 5]] output_shape [2, 1, 2, 4, 2, 4] :
              tensor<2x1x2x32xi8> into tensor<2x1x2x4x2x4xi8>
          %12 = tensor.empty() : tensor<2x1x2xi32>
          ...
          %18 = linalg.generic {indexing_maps = [#map7, #map8, #map9, #map10, #map11, #map12], iterator_types =
              ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction", "reduction",
              "reduction"]} ins(%expanded_1, %7, %14, %arg1, %arg2 : tensor<2x1x2x4x2x4xi8>, tensor<2x1xf32>,
              tensor<2x1x2xi32>, tensor<1x1x4x2x32x4xi8>, tensor<1x1x2x32xf16>) outs(%1 : tensor<2x1x32x2xf32>)
              attrs =  {hexagon.block_product = 4 : i64} {
          ^bb0(%in: i8, %in_2: f32, %in_3: i32, %in_4: i8, %in_5: f16, %out: f32):
            %21 = arith.extsi %in : i8 to i32
            %22 = arith.extui %in_4 : i8 to i32
            %23 = linalg.index 7 : index
            %24 = arith.index_cast %23 : index to i32
            %25 = arith.muli %24, %c4_i32 : i32
            %26 = arith.shrui %22, %25 : i32
            %27 = arith.andi %26, %c15_i32 : i32
            %28 = arith.muli %21, %27 : i32
            ...
            %38 = arith.subi %28, %37 : i32
            ...
            %45 = arith.sitofp %38 : i32 to f32
            ...
            %50 = arith.addf %out, %49 : f32
            linalg.yield %50 : f32
          } -> tensor<2x1x32x2xf32>
          %collapsed = tensor.collapse_shape %18 [[0], [1, 2, 3]] : tensor<2x1x32x2xf32> into tensor<2x64xf32>
          %19 = tensor.empty() : tensor<2x64xf32>
          %20 = linalg.generic {indexing_maps = [#map2, #map6, #map2], iterator_types = ["parallel", "parallel"]}
              ins(%collapsed, %17 : tensor<2x64xf32>, tensor<2xi32>) outs(%19 : tensor<2x64xf32>) {
          ^bb0(%in: f32, %in_2: i32, %out: f32):
            %21 = arith.cmpi eq, %in_2, %c255_i32 : i32
            %22 = arith.select %21, %cst, %in : f32
            linalg.yield %22 : f32
          } -> tensor<2x64xf32>
          return %20 : tensor<2x64xf32>
        }

    Options:
        rows: most rows of such a product, 0 for any number; others are products with a matrix of floats.

    Refuses (with a remark; the matrix is unfolded): factors that are transposed, batches, sizes known at run time only,
    more rows, other blocks than of 16, 32, 64 or 128.

    Needs: tensor.
    Leaves: tensor.
    """

    name: ClassVar[str] = "form-block-products"
    needs: ClassVar[str] = "tensor"
    leaves: ClassVar[str] = "tensor"

    rows: int = 0

    def run(self, module: ir.Module, context: PassContext) -> None:
        """Rewrite every product of ``module`` with weights in blocks."""
        if not ops_named(module, BLOCK_MATRIX):
            return
        constants = SharedConstants()
        for op in ops_named(module, *names_of("linalg")):
            found = read_block_product(op)
            if found is None:
                continue
            reason = found if isinstance(found, str) else f"{found.rows} rows" if 0 < self.rows < found.rows else ""
            if isinstance(found, str) or reason:
                self.remark(context, op, f"multiplied with a matrix of floats: {reason}")
                continue
            with op.location, ir.InsertionPoint(op), constants.around(op):
                op.results[0].replace_all_uses_with(BlockProductBuilder(found).build())
            erase_op(op, self.name)
        for op in ops_named(module, BLOCK_MATRIX):
            if any(True for _ in op.results[0].uses):
                with op.location, ir.InsertionPoint(op):
                    op.results[0].replace_all_uses_with(as_matrix(op))
        erase_unused(module, [BLOCK_MATRIX], self.name)
