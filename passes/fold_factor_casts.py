"""Products of widened f16 or bf16 matrices to products of these matrices themselves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hexagon_mlir.ir import erase_op, ir
from hexagon_mlir.ir.bounds import constant_value
from hexagon_mlir.ir.make import binary, cast
from hexagon_mlir.ir.query import functions, names_of, ops_named
from hexagon_mlir.pass_infra import Pass, PassContext
from hexagon_mlir.passes.lib.engine_cost import EngineCost, pays
from hexagon_mlir.passes.lib.factor_casts import computes_extended, narrow_in_any_order, without_extension
from hexagon_mlir.passes.lib.linalg_generic import generic
from hexagon_mlir.passes.lib.split_cost import bf16_pays
from hexagon_mlir.passes.lib.vector_loop import indexing_maps
from hexagon_mlir.passes.matrix_engine.read import Matmul, read_product

_FACTORS, _BOUNDS = 2, 3


@dataclass(frozen=True)
class FoldFactorCastsPass(Pass):
    """Lets products of matrices that are f16 or bf16, extended to f32 before, extend each element as they multiply it.

    Products of such numbers are exact in f32 either way. `hexagon-matrix-engine` then sees a product of f16 with sums
    of f32, as PyTorch's ``a.float() @ b.float()`` is one, and `hexagon-split-products` one of bf16, or of one factor of
    each. Of a product that a loop adds up, the whole reduction counts.

    Before:
        #same = affine_map<(i, j) -> (i, j)>
        func.func @f(%a: tensor<32x64xf16>, %b: tensor<64x32xf16>, %c: tensor<32x32xf32>) -> tensor<32x32xf32> {
          %0 = tensor.empty() : tensor<32x64xf32>
          %1 = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]}
              ins(%a : tensor<32x64xf16>) outs(%0 : tensor<32x64xf32>) {
          ^bb0(%x: f16, %old: f32):
            %w = arith.extf %x : f16 to f32
            linalg.yield %w : f32
          } -> tensor<32x64xf32>
          %2 = tensor.empty() : tensor<64x32xf32>
          %3 = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]}
              ins(%b : tensor<64x32xf16>) outs(%2 : tensor<64x32xf32>) {
          ^bb0(%x: f16, %old: f32):
            %w = arith.extf %x : f16 to f32
            linalg.yield %w : f32
          } -> tensor<64x32xf32>
          %4 = linalg.matmul ins(%1, %3 : tensor<32x64xf32>, tensor<64x32xf32>) outs(%c : tensor<32x32xf32>)
              -> tensor<32x32xf32>
          return %4 : tensor<32x32xf32>
        }

    After, folded (always=true):
        #map = affine_map<(d0, d1, d2) -> (d0, d2)>
        #map1 = affine_map<(d0, d1, d2) -> (d2, d1)>
        #map2 = affine_map<(d0, d1, d2) -> (d0, d1)>
        func.func @f(%arg0: tensor<32x64xf16>, %arg1: tensor<64x32xf16>, %arg2: tensor<32x32xf32>) -> tensor<32x32xf32>
            {
          %0 = linalg.generic {indexing_maps = [#map, #map1, #map2], iterator_types = ["parallel", "parallel",
              "reduction"]} ins(%arg0, %arg1 : tensor<32x64xf16>, tensor<64x32xf16>) outs(%arg2 : tensor<32x32xf32>) {
          ^bb0(%in: f16, %in_0: f16, %out: f32):
            %1 = arith.extf %in : f16 to f32
            %2 = arith.extf %in_0 : f16 to f32
            %3 = arith.mulf %1, %2 : f32
            %4 = arith.addf %out, %3 : f32
            linalg.yield %4 : f32
          } -> tensor<32x32xf32>
          return %0 : tensor<32x32xf32>
        }

    Options:
        matrix-engine: whether the engine may be used.
        always: also products that the cost estimate leaves to HVX.

    Refuses: nothing; it leaves alone products of which a factor is not extended from f16 or bf16, and those that
    `hexagon-matrix-engine` would leave to HVX.

    Needs: tensor.
    Leaves: tensor.
    """

    name: ClassVar[str] = "fold-factor-casts"
    needs: ClassVar[str] = "tensor"
    leaves: ClassVar[str] = "tensor"

    matrix_engine: bool = True
    always: bool = False

    def run(self, module: ir.Module, context: PassContext) -> None:
        """Rewrite every such product of ``module``."""
        if not (self.matrix_engine and context.target.has_matrix_pieces):
            return
        for function in functions(module):
            cost = EngineCost.of(context.target)
            for op in ops_named(function, *names_of("linalg")):
                matmul = read_product(op)
                element = _factor_element(op) if isinstance(matmul, Matmul) else None
                if element is None or not isinstance(matmul, Matmul):
                    continue
                rows, columns, depth = matmul.sizes
                of_element = bf16_pays if isinstance(element, ir.BF16Type) else pays
                if self.always or of_element(rows, columns, depth * _trips(op), cost):
                    self._rewrite(matmul)

    def _rewrite(self, matmul: Matmul) -> None:
        op = matmul.op
        wide = list(op.operands)[:_FACTORS]
        maps = [ir.AffineMapAttr(map_).value for map_ in indexing_maps(op) or ()]
        kinds = ["reduction" if loop == matmul.reduction else "parallel" for loop in range(len(matmul.extents))]
        with op.location, ir.InsertionPoint(op):
            factors = [_short(value, map_) for value, map_ in zip(wide, maps, strict=False)]
            op.results[0].replace_all_uses_with(generic(
                [factor for factor, _ in factors], op.operands[_FACTORS],
                [*(map_ for _, map_ in factors), maps[_FACTORS]], kinds,
                lambda given: binary("arith.addf", given[2], binary(
                    "arith.mulf", *(cast("arith.extf", given[2].type, value) for value in given[:_FACTORS])))))
        erase_op(op, self.name)
        for maker in dict.fromkeys(value.owner.operation for value in wide):
            if not any(True for _ in maker.results[0].uses):
                erase_op(maker, self.name)


def _factor_element(op: ir.Operation) -> ir.Type | None:
    """The type that both factors of ``op``, a product of f32, are extended from: f16 or bf16, which one of each counts
    as."""
    f32 = ir.F32Type.get()
    if any(ir.RankedTensorType(value.type).element_type != f32 for value in op.operands):
        return None
    left, right = (computes_extended(value) for value in list(op.operands)[:_FACTORS])
    if not all(isinstance(element, ir.F16Type | ir.BF16Type) for element in (left, right)):
        return None
    return left if left == right else ir.BF16Type.get()


def _short(value: ir.Value, map_: ir.AffineMap) -> tuple[ir.Value, ir.AffineMap]:
    """``value``, which ``map_`` indexes, before its elements were extended, and what indexes it."""
    return narrow_in_any_order(value, map_) or (without_extension(value), map_)


def _trips(op: ir.Operation) -> int:
    """Iterations of the loop that carries what ``op`` adds to, if their number is known; else one."""
    owner = op.operands[_FACTORS].owner
    if not isinstance(owner, ir.Block) or owner.owner.operation.name != "scf.for":
        return 1
    bounds = [constant_value(value) for value in list(owner.owner.operation.operands)[:_BOUNDS]]
    if None in bounds:
        return 1
    first, end, step = (bound or 0 for bound in bounds)
    return max(-(-(end - first) // step), 1)
