"""Results of products that other products take, left in the layout of the matrix engine's tiles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hexagon_mlir.dialects.kernel_memory import IN_MODEL
from hexagon_mlir.ir import erase_op, ir
from hexagon_mlir.ir.constants import SharedConstants
from hexagon_mlir.ir.query import functions, names_of, ops_named
from hexagon_mlir.pass_infra import Pass, PassContext
from hexagon_mlir.passes.layout_propagation.build import ChainBuilder
from hexagon_mlir.passes.layout_propagation.chain import Chain, find_chain, is_product
from hexagon_mlir.passes.layout_propagation.sizes import chain_bytes, products_pay
from hexagon_mlir.targets import Target


@dataclass(frozen=True)
class HexagonLayoutPropagationPass(Pass):
    """Rewrites chains of products of f16 matrices for the matrix engine: what stands between two products is computed
    on tiles.

    Results of the engine have the layout of its left factors. So a product whose result, after elementwise ops and
    maxima of rows (a softmax), is the left factor of another one needs no unpacking and no packing. A vector holds 32
    columns of two rows: what has one number for each row is kept 32 times, and what has one number for each column
    twice. Sums that are only rounded are not copied: the engine has rounded them. Sums of the rows of a left factor are
    another column of its product, with ones. Factors from outside are packed where they are defined, before the loops
    in which they are the same. `form-engine-products` gives the products to the engine.

    Before:
        #left = affine_map<(i, j, k) -> (i, k)>
        #right = affine_map<(i, j, k) -> (k, j)>
        #sum = affine_map<(i, j, k) -> (i, j)>
        #same = affine_map<(i, j) -> (i, j)>
        func.func @f(%a: tensor<32x32xf16>, %b: tensor<32x32xf16>, %c: tensor<32x32xf16>) -> tensor<32x32xf16> {
          %zero = arith.constant 0.0 : f32
          %none = tensor.empty() : tensor<32x32xf32>
          %half = tensor.empty() : tensor<32x32xf16>
          %zeros = linalg.fill ins(%zero : f32) outs(%none : tensor<32x32xf32>) -> tensor<32x32xf32>
          %0 = linalg.matmul ins(%a, %b : tensor<32x32xf16>, tensor<32x32xf16>) outs(%zeros : tensor<32x32xf32>) ->
              tensor<32x32xf32>
          %1 = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]} ins(%0 :
              tensor<32x32xf32>) outs(%half : tensor<32x32xf16>) {
          ^bb0(%x: f32, %old: f16):
            %h = arith.truncf %x : f32 to f16
            %m = arith.mulf %h, %h : f16
            linalg.yield %m : f16
          } -> tensor<32x32xf16>
          %2 = linalg.matmul ins(%1, %c : tensor<32x32xf16>, tensor<32x32xf16>) outs(%zeros : tensor<32x32xf32>) ->
              tensor<32x32xf32>
          %3 = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]} ins(%2 :
              tensor<32x32xf32>) outs(%half : tensor<32x32xf16>) {
          ^bb0(%x: f32, %old: f16):
            %h = arith.truncf %x : f32 to f16
            linalg.yield %h : f16
          } -> tensor<32x32xf16>
          return %3 : tensor<32x32xf16>
        }

    After, folded (always=true):
        #map = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d0, d5, d2, d6 * 2 + d7, d4)>
        #map1 = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d1, d5, d6, d3, d7)>
        #map2 = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d0, d1, d2, d3, d4)>
        #map3 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>
        #map4 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
        func.func @f(%arg0: tensor<32x32xf16>, %arg1: tensor<32x32xf16>, %arg2: tensor<32x32xf16>) ->
            tensor<32x32xf16> {
          %cst = arith.constant 0.000000e+00 : f32
          %0 = bufferization.alloc_tensor() copy(%arg2) {memory_space = 1 : i64} : tensor<32x32xf16>
          %expanded = tensor.expand_shape %0 [[0, 1, 2], [3, 4]] output_shape [1, 16, 2, 1, 32] : tensor<32x32xf16>
              into tensor<1x16x2x1x32xf16>
          %1 = bufferization.alloc_tensor() {memory_space = 1 : i64} : tensor<1x1x16x32x2xf16>
          %transposed = linalg.transpose ins(%expanded : tensor<1x16x2x1x32xf16>) outs(%1 : tensor<1x1x16x32x2xf16>)
              permutation = [3, 0, 1, 4, 2]
          %2 = bufferization.alloc_tensor() copy(%arg0) {memory_space = 1 : i64} : tensor<32x32xf16>
          %expanded_0 = tensor.expand_shape %2 [[0, 1, 2], [3, 4]] output_shape [1, 16, 2, 1, 32] : tensor<32x32xf16>
              into tensor<1x16x2x1x32xf16>
          %3 = bufferization.alloc_tensor() {memory_space = 1 : i64} : tensor<1x1x16x32x2xf16>
          %transposed_1 = linalg.transpose ins(%expanded_0 : tensor<1x16x2x1x32xf16>) outs(%3 :
              tensor<1x1x16x32x2xf16>) permutation = [0, 3, 1, 4, 2]
          ...
          %6 = bufferization.alloc_tensor() {memory_space = 1 : i64} : tensor<1x1x16x32x2xf32>
          %7 = linalg.fill ins(%cst : f32) outs(%6 : tensor<1x1x16x32x2xf32>) -> tensor<1x1x16x32x2xf32>
          %8 = linalg.generic {indexing_maps = [#map, #map1, #map2], iterator_types = ["parallel", "parallel",
              "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%transposed_1,
              %transposed_3 : tensor<1x1x16x32x2xf16>, tensor<1x1x16x32x2xf16>) outs(%7 : tensor<1x1x16x32x2xf32>) {
          ...
          } -> tensor<1x1x16x32x2xf32>
          %9 = bufferization.alloc_tensor() {memory_space = 1 : i64} : tensor<1x1x16x32x2xf16>
          %10 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel",
              "parallel", "parallel"]} ins(%8 : tensor<1x1x16x32x2xf32>) outs(%9 : tensor<1x1x16x32x2xf16>) {
          ^bb0(%in: f32, %out: f16):
            %19 = arith.truncf %in : f32 to f16
            linalg.yield %19 : f16
          } -> tensor<1x1x16x32x2xf16>
          %collapsed = tensor.collapse_shape %10 [[0], [1], [2], [3, 4]] : tensor<1x1x16x32x2xf16> into
              tensor<1x1x16x64xf16>
          %11 = bufferization.alloc_tensor() {memory_space = 1 : i64} : tensor<1x1x16x64xf16>
          %12 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel",
              "parallel"]} ins(%collapsed : tensor<1x1x16x64xf16>) outs(%11 : tensor<1x1x16x64xf16>) {
          ^bb0(%in: f16, %out: f16):
            %19 = arith.mulf %in, %in : f16
            linalg.yield %19 : f16
          } -> tensor<1x1x16x64xf16>
          %expanded_4 = tensor.expand_shape %12 [[0], [1], [2], [3, 4]] output_shape [1, 1, 16, 32, 2] :
              tensor<1x1x16x64xf16> into tensor<1x1x16x32x2xf16>
          ...
          %15 = linalg.generic {indexing_maps = [#map, #map1, #map2], iterator_types = ["parallel", "parallel",
              "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%expanded_4, %transposed
              : tensor<1x1x16x32x2xf16>, tensor<1x1x16x32x2xf16>) outs(%14 : tensor<1x1x16x32x2xf32>) {
          ^bb0(%in: f16, %in_7: f16, %out: f32):
            %19 = arith.extf %in : f16 to f32
            %20 = arith.extf %in_7 : f16 to f32
            %21 = arith.mulf %19, %20 : f32
            %22 = arith.addf %out, %21 : f32
            linalg.yield %22 : f32
          } -> tensor<1x1x16x32x2xf32>
          %16 = bufferization.alloc_tensor() {memory_space = 1 : i64} : tensor<1x1x16x32x2xf16>
          %17 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel",
              "parallel", "parallel"]} ins(%15 : tensor<1x1x16x32x2xf32>) outs(%16 : tensor<1x1x16x32x2xf16>) {
          ^bb0(%in: f32, %out: f16):
            %19 = arith.truncf %in : f32 to f16
            linalg.yield %19 : f16
          } -> tensor<1x1x16x32x2xf16>
          %18 = bufferization.alloc_tensor() {memory_space = 1 : i64} : tensor<1x16x2x1x32xf16>
          %transposed_5 = linalg.transpose ins(%17 : tensor<1x1x16x32x2xf16>) outs(%18 : tensor<1x16x2x1x32xf16>)
              permutation = [0, 2, 4, 1, 3]
          %collapsed_6 = tensor.collapse_shape %transposed_5 [[0, 1, 2], [3, 4]] : tensor<1x16x2x1x32xf16> into
              tensor<32x32xf16>
          return %collapsed_6 : tensor<32x32xf16>
        }

    Options:
        tcm-bytes: bytes one kernel may use; 0 takes the target's whole TCM.
        matrix-engine: whether the engine may be used.
        always: also products that the cost estimate leaves to HVX.

    Refuses (with a remark; the ops are left for `hexagon-matrix-engine` and HVX): sums in f32 that are read before they
    are rounded to f16, results other than f16, numbers of rows that other ops read, sums of rows other than those of
    left factors, ops that depend on their indices, tiles that exceed the budget together, products that HVX is
    estimated to compute in less time.

    Needs: tensor.
    Leaves: tensor.
    """

    name: ClassVar[str] = "hexagon-layout-propagation"
    needs: ClassVar[str] = "tensor"
    leaves: ClassVar[str] = "tensor"

    tcm_bytes: int = 0
    matrix_engine: bool = True
    always: bool = False

    def run(self, module: ir.Module, context: PassContext) -> None:
        """Rewrite every chain of ``module`` that fits and pays."""
        if not (self.matrix_engine and context.target.has_matrix_engine):
            return
        constants = SharedConstants()
        for function in functions(module):
            left, shared = 0, dict[ir.Value, ir.Value]()
            while left < len(found := [op for op in ops_named(function, *names_of("linalg")) if is_product(op)]):
                op = found[left]
                chain = find_chain(op)
                if isinstance(chain, Chain):
                    chain = self._declines(chain, context.target, IN_MODEL in function.attributes) or chain
                if isinstance(chain, Chain):
                    with constants.around(op):
                        self._rewrite(chain, shared)
                    continue
                left += 1
                if chain is not None:
                    self.remark(context, op, f"products do not stay in tiles: {chain}")

    def _declines(self, chain: Chain, target: Target, in_model: bool) -> str | None:
        """Why ``chain`` is left as it is."""
        budget = self.tcm_bytes or (target.tcm_share_bytes if in_model else target.tcm_budget_bytes)
        if chain_bytes(chain) > budget:
            return "tiles exceed the TCM budget"
        if not self.always and not products_pay(chain, target, in_model):
            return "HVX is estimated to compute them in less time"
        return None

    def _rewrite(self, chain: Chain, shared: dict[ir.Value, ir.Value]) -> None:
        members = [op for op, _ in chain.ops]
        for value, new in ChainBuilder(chain, shared).build().items():
            for use in [use for use in value.uses if use.owner.operation not in members]:
                use.owner.operation.operands[use.operand_number] = new
            if value.owner.operation not in members:  # it took a result as tiles
                erase_op(value.owner.operation, self.name)
        makers = [value.owner.operation for op in members for value in op.operands
                  if not isinstance(value.owner, ir.Block) and value.owner.operation.name.startswith("linalg.")]
        starts = [maker for place, maker in enumerate(makers) if maker not in members and maker not in makers[:place]]
        for op in reversed(members):
            erase_op(op, self.name)
        for start in starts:
            if not any(True for value in start.results for _ in value.uses):
                erase_op(start, self.name)
