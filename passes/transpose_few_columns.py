"""Products of matrices with few columns, computed as few rows times rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hexagon_mlir.ir import erase_op, ir
from hexagon_mlir.ir.constants import SharedConstants
from hexagon_mlir.ir.query import names_of, ops_named
from hexagon_mlir.pass_infra import Pass, PassContext
from hexagon_mlir.passes.few_columns.build import as_rows
from hexagon_mlir.passes.few_columns.read import read_few_columns


@dataclass(frozen=True)
class TransposeFewColumnsPass(Pass):
    """Computes a product of f32 with up to sixteen columns as the product of these columns with the rows of the other
    factor, and transposes the result, which is small.

    The lanes of a vector would be columns, most of them empty, and each element of the rows would be loaded alone and
    broadcast. `hexagon-contraction-vectorization` multiplies few rows with rows in whole vectors. Columns that are not
    contiguous, as in x @ w, are transposed first; those of x @ w.T are rows. What the product adds to is added after
    it, unless it is a number.

    Before:
        #left = affine_map<(m, n, k) -> (m, k)>
        #right = affine_map<(m, n, k) -> (n, k)>
        #sum = affine_map<(m, n, k) -> (m, n)>
        func.func @f(%x: tensor<64x64xf32>, %w: tensor<2x64xf32>) -> tensor<64x2xf32> {
          %zero = arith.constant 0.0 : f32
          %none = tensor.empty() : tensor<64x2xf32>
          %zeros = linalg.fill ins(%zero : f32) outs(%none : tensor<64x2xf32>) -> tensor<64x2xf32>
          %y = linalg.generic {indexing_maps = [#left, #right, #sum],
              iterator_types = ["parallel", "parallel", "reduction"]}
              ins(%x, %w : tensor<64x64xf32>, tensor<2x64xf32>) outs(%zeros : tensor<64x2xf32>) {
          ^bb0(%a: f32, %b: f32, %old: f32):
            %p = arith.mulf %a, %b : f32
            %s = arith.addf %old, %p : f32
            linalg.yield %s : f32
          } -> tensor<64x2xf32>
          return %y : tensor<64x2xf32>
        }

    After, folded:
        #map = affine_map<(d0, d1, d2) -> (d0, d2)>
        #map1 = affine_map<(d0, d1, d2) -> (d1, d2)>
        #map2 = affine_map<(d0, d1, d2) -> (d1, d0)>
        func.func @f(%arg0: tensor<64x64xf32>, %arg1: tensor<2x64xf32>) -> tensor<64x2xf32> {
          %cst = arith.constant 0.000000e+00 : f32
          %0 = tensor.empty() : tensor<2x64xf32>
          %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<2x64xf32>) -> tensor<2x64xf32>
          %2 = linalg.generic {indexing_maps = [#map, #map1, #map2], iterator_types = ["parallel", "parallel",
              "reduction"]} ins(%arg0, %arg1 : tensor<64x64xf32>, tensor<2x64xf32>) outs(%1 : tensor<2x64xf32>) {
          ^bb0(%in: f32, %in_0: f32, %out: f32):
            %4 = arith.mulf %in, %in_0 : f32
            %5 = arith.addf %out, %4 : f32
            linalg.yield %5 : f32
          } -> tensor<2x64xf32>
          %3 = tensor.empty() : tensor<64x2xf32>
          %transposed = linalg.transpose ins(%2 : tensor<2x64xf32>) outs(%3 : tensor<64x2xf32>) permutation = [1, 0]
          return %transposed : tensor<64x2xf32>
        }

    Options: none.

    Refuses (with a remark; the op stays): sizes known at run time only, fewer than 32 rows, rows of fewer than 64
    elements. It leaves alone products of one column, which are vectors times rows, those that give other types than
    f32, rows that are not contiguous, and all on a target whose HVX has no floats.

    Needs: tensor.
    Leaves: tensor.
    """

    name: ClassVar[str] = "transpose-few-columns"
    needs: ClassVar[str] = "tensor"
    leaves: ClassVar[str] = "tensor"

    def run(self, module: ir.Module, context: PassContext) -> None:
        """Rewrite every such product of ``module``."""
        if not context.target.vector_float:
            return
        constants = SharedConstants()
        for op in ops_named(module, *names_of("linalg")):
            found = read_few_columns(op)
            if isinstance(found, str):
                self.remark(context, op, f"its columns stay lanes: {found}")
            elif found is not None:
                with op.location, ir.InsertionPoint(op), constants.around(op):
                    op.results[0].replace_all_uses_with(as_rows(found))
                start = op.operands[2].owner
                erase_op(op, self.name)
                if isinstance(start, ir.Operation | ir.OpView) and not any(
                        True for result in start.operation.results for _ in result.uses):
                    erase_op(start.operation, self.name)
