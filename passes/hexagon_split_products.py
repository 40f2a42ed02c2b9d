"""Products of f32 and bf16 matrices to products of pieces of f16."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hexagon_mlir.ir import ir
from hexagon_mlir.ir.constants import SharedConstants
from hexagon_mlir.ir.query import functions, names_of, ops_named
from hexagon_mlir.pass_infra import Pass, PassContext
from hexagon_mlir.passes.lib.engine_cost import EngineCost
from hexagon_mlir.passes.lib.split_cost import bf16_pays, pays
from hexagon_mlir.passes.split_products.build import write
from hexagon_mlir.passes.split_products.fits import fits, stays_in_tcm
from hexagon_mlir.passes.split_products.read import Split, read_split


@dataclass(frozen=True)
class HexagonSplitProductsPass(Pass):
    """Rewrites products of f32 and bf16 matrices as products of f16 matrices, which the matrix engine multiplies.

    A row of the left factor, or a column of the right one, times a power of two, is a sum of two pieces of f16: the 11
    leading bits of each number and the next 11. Three of the four products of pieces are added up in one sum, along a
    reduction three times as long; that of the two second pieces is left out. The powers of two are taken back
    afterwards, in the op that reads the product if there is only one. A number of bf16 or f16 is one piece:
    products of two matrices of bf16, or of one of each, need no option. Those of bf16 are transferred to TCM once where
    they take a quarter of it, and their pieces stay there; where their sums are read as bf16 only, the engine rounds
    them to f16 first. A row or column with an infinity or a NaN makes its results NaN. ``docs/engine_arithmetic.md``
    has the bound of the error.

    Before:
        func.func @f(%a: tensor<32x64xf32>, %b: tensor<64x32xbf16>) -> tensor<32x32xf32> {
          %zero = arith.constant 0.0 : f32
          %init = tensor.empty() : tensor<32x32xf32>
          %sums = linalg.fill ins(%zero : f32) outs(%init : tensor<32x32xf32>) -> tensor<32x32xf32>
          %0 = linalg.matmul ins(%a, %b : tensor<32x64xf32>, tensor<64x32xbf16>) outs(%sums : tensor<32x32xf32>)
              -> tensor<32x32xf32>
          return %0 : tensor<32x32xf32>
        }

    After, folded (f32-split=true always=true):
        #map = affine_map<(d0, d1) -> (d0, d1)>
        ...
        func.func @f(%arg0: tensor<32x64xf32>, %arg1: tensor<64x32xbf16>) -> tensor<32x32xf32> {
          ...
          %cst = arith.constant 0.000000e+00 : f32
          ...
          %0 = tensor.empty() : tensor<32xi32>
          %1 = linalg.fill ins(%c0_i32 : i32) outs(%0 : tensor<32xi32>) -> tensor<32xi32>
          %2 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "reduction"]} ins(%arg0 :
              tensor<32x64xf32>) outs(%1 : tensor<32xi32>) {
          ^bb0(%in: f32, %out: i32):
            %17 = arith.bitcast %in : f32 to i32
            %18 = arith.andi %17, %c2147483647_i32 : i32
            %19 = arith.maxsi %18, %out : i32
            linalg.yield %19 : i32
          } -> tensor<32xi32>
          %3 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel"]} ins(%2 : tensor<32xi32>)
              outs(%0 : tensor<32xi32>) {
          ^bb0(%in: i32, %out: i32):
            %17 = arith.shrui %in, %c23_i32 : i32
            %18 = arith.maxsi %17, %c36_i32 : i32
            %19 = arith.subi %c134_i32, %18 : i32
            %20 = arith.cmpi eq, %17, %c255_i32 : i32
            %21 = arith.select %20, %c-256_i32, %19 : i32
            linalg.yield %21 : i32
          } -> tensor<32xi32>
          %4 = tensor.empty() : tensor<32x64xf16>
          %5 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]}
              ins(%arg0, %3 : tensor<32x64xf32>, tensor<32xi32>) outs(%4 : tensor<32x64xf16>) {
          ^bb0(%in: f32, %in_4: i32, %out: f16):
            %17 = arith.bitcast %in : f32 to i32
            %18 = arith.shli %in_4, %c23_i32 : i32
            ...
            %27 = arith.truncf %26 : f32 to f16
            linalg.yield %27 : f16
          } -> tensor<32x64xf16>
          %6 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]}
              ins(%arg0, %3 : tensor<32x64xf32>, tensor<32xi32>) outs(%4 : tensor<32x64xf16>) {
          ^bb0(%in: f32, %in_4: i32, %out: f16):
            %17 = arith.bitcast %in : f32 to i32
            %18 = arith.shli %in_4, %c23_i32 : i32
            %19 = arith.andi %17, %c2147483647_i32 : i32
            %20 = arith.addi %19, %18 : i32
            %21 = arith.cmpi slt, %20, %c536870912_i32 : i32
            %22 = arith.addi %17, %18 : i32
            %23 = arith.select %21, %c0_i32, %22 : i32
            ...
            %30 = arith.truncf %29 : f32 to f16
            linalg.yield %30 : f16
          } -> tensor<32x64xf16>
          %7 = tensor.empty() : tensor<32x2x64xf16>
          %inserted_slice = tensor.insert_slice %6 into %7[0, 0, 0] [32, 1, 64] [1, 1, 1] : tensor<32x64xf16> into
              tensor<32x2x64xf16>
          %inserted_slice_0 = tensor.insert_slice %5 into %inserted_slice[0, 1, 0] [32, 1, 64] [1, 1, 1] :
              tensor<32x64xf16> into tensor<32x2x64xf16>
          %collapsed = tensor.collapse_shape %inserted_slice_0 [[0], [1, 2]] : tensor<32x2x64xf16> into
              tensor<32x128xf16>
          ...
          %12 = tensor.empty() : tensor<2x64x32xf16>
          %inserted_slice_1 = tensor.insert_slice %11 into %12[0, 0, 0] [1, 64, 32] [1, 1, 1] : tensor<64x32xf16> into
              tensor<2x64x32xf16>
          %inserted_slice_2 = tensor.insert_slice %11 into %inserted_slice_1[1, 0, 0] [1, 64, 32] [1, 1, 1] :
              tensor<64x32xf16> into tensor<2x64x32xf16>
          %collapsed_3 = tensor.collapse_shape %inserted_slice_2 [[0, 1], [2]] : tensor<2x64x32xf16> into
              tensor<128x32xf16>
          %13 = tensor.empty() : tensor<32x32xf32>
          %14 = linalg.fill ins(%cst : f32) outs(%13 : tensor<32x32xf32>) -> tensor<32x32xf32>
          %15 = linalg.generic {indexing_maps = [#map4, #map5, #map6], iterator_types = ["parallel", "parallel",
              "reduction"]} ins(%collapsed, %collapsed_3 : tensor<32x128xf16>, tensor<128x32xf16>) outs(%14 :
              tensor<32x32xf32>) {
          ^bb0(%in: f16, %in_4: f16, %out: f32):
            %17 = arith.extf %in : f16 to f32
            %18 = arith.extf %in_4 : f16 to f32
            %19 = arith.mulf %17, %18 : f32
            %20 = arith.addf %out, %19 : f32
            linalg.yield %20 : f32
          } -> tensor<32x32xf32>
          %16 = linalg.generic {indexing_maps = [#map, #map1, #map3, #map], iterator_types = ["parallel", "parallel"]}
              ins(%15, %3, %9 : tensor<32x32xf32>, tensor<32xi32>, tensor<32xi32>) outs(%13 : tensor<32x32xf32>) {
          ^bb0(%in: f32, %in_4: i32, %in_5: i32, %out: f32):
            %17 = arith.bitcast %in : f32 to i32
            ...
            %33 = arith.bitcast %32 : i32 to f32
            linalg.yield %33 : f32
          } -> tensor<32x32xf32>
          return %16 : tensor<32x32xf32>
        }

    Options:
        f32-split: whether products with a factor of f32 may be split.
        tcm-bytes: bytes one kernel may use; 0 takes the target's whole TCM.
        matrix-engine: whether the engine may be used.
        always: also products that the cost estimate leaves to HVX.

    Refuses (with a remark; the product is left for HVX): sums other than f32, or that start from anything but zeros,
    sizes known at run time only, several loops of rows or of the reduction, pieces of which one row and one column of
    tiles exceed the budget, products that HVX is estimated to compute in less time. Chips whose engine gives no results
    of f32 (v73) split nothing.

    Needs: tensor.
    Leaves: tensor.
    """

    name: ClassVar[str] = "hexagon-split-products"
    needs: ClassVar[str] = "tensor"
    leaves: ClassVar[str] = "tensor"

    f32_split: bool = False
    tcm_bytes: int = 0
    matrix_engine: bool = True
    always: bool = False

    def run(self, module: ir.Module, context: PassContext) -> None:
        """Split every product of ``module`` that pays."""
        if not (self.matrix_engine and context.target.has_matrix_pieces):
            return
        constants = SharedConstants()
        budget = self.tcm_bytes or context.target.tcm_budget_bytes
        for function in functions(module):
            cost = EngineCost.of(context.target)
            for split in [found for op in ops_named(function, *names_of("linalg"))
                          if (found := self._found(op, cost, context)) is not None]:
                with split.matmul.op.location, constants.around(split.matmul.op):
                    write(split, self.name, in_tcm=stays_in_tcm(split, budget))

    def _found(self, op: ir.Operation, cost: EngineCost, context: PassContext) -> Split | None:
        """The product ``op``, if it is to be split."""
        found = read_split(op)
        if not self.f32_split and not (isinstance(found, Split) and found.products == 1):
            return None
        if isinstance(found, Split) and not fits(found, self.tcm_bytes or context.target.tcm_budget_bytes):
            found = "one row and one column of tiles exceed the TCM budget"
        if isinstance(found, Split) and not self.always and not _pays(found, cost):
            found = "HVX is estimated to compute it in less time"
        if isinstance(found, str):
            self.remark(context, op, f"not split: {found}")
        return found if isinstance(found, Split) else None


def _pays(split: Split, cost: EngineCost) -> bool:
    """Whether ``split`` is estimated to take less time than the product on HVX."""
    sizes = split.matmul.sizes
    return bf16_pays(*sizes, cost) if split.products == 1 else pays(*sizes, split.products, cost)
