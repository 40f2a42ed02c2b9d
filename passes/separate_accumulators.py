"""Products that add to a matrix to products from zeros and a sum."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from hexagon_mlir.ir import erase_op, ir, tensor
from hexagon_mlir.ir.constants import SharedConstants, constant
from hexagon_mlir.ir.make import binary, fill
from hexagon_mlir.ir.query import functions, input_count, names_of, ops_named
from hexagon_mlir.pass_infra import Pass, PassContext
from hexagon_mlir.passes.lib.engine_cost import EngineCost, pays
from hexagon_mlir.passes.lib.linalg_generic import generic
from hexagon_mlir.passes.lib.pure_slices import clone
from hexagon_mlir.passes.lib.split_cost import bf16_pays
from hexagon_mlir.passes.lib.vector_loop import indexing_maps
from hexagon_mlir.passes.matrix_engine.read import Matmul, read_product, starts_from_zero


@dataclass(frozen=True)
class SeparateAccumulatorsPass(Pass):
    """Turns a product of f16 or bf16 matrices that adds to one of f32, as a Triton loop's does, into a product from
    zeros and a sum of both, which is computed in place.

    `hexagon-matrix-engine` then computes the product, HVX the sum. If the matrix is the result of an elementwise op in
    place, as the rescaled sums of attention by blocks of keys are, this op becomes a part of the sum.

    Before:
        #left = affine_map<(i, j, k) -> (i, k)>
        #right = affine_map<(i, j, k) -> (k, j)>
        #sum = affine_map<(i, j, k) -> (i, j)>
        #same = affine_map<(i, j) -> (i, j)>
        #row = affine_map<(i, j) -> (i)>
        func.func @f(%a: tensor<32x64xf16>, %b: tensor<64x32xf16>, %c: tensor<32x32xf32>, %d: tensor<32xf32>)
            -> tensor<32x32xf32> {
          %old = linalg.generic {indexing_maps = [#same, #row, #same], iterator_types = ["parallel", "parallel"]}
              ins(%c, %d : tensor<32x32xf32>, tensor<32xf32>) outs(%c : tensor<32x32xf32>) {
          ^bb0(%x: f32, %y: f32, %o: f32):
            %0 = arith.mulf %x, %y : f32
            linalg.yield %0 : f32
          } -> tensor<32x32xf32>
          %new = linalg.generic {indexing_maps = [#left, #right, #sum], iterator_types = ["parallel", "parallel",
              "reduction"]}
              ins(%a, %b : tensor<32x64xf16>, tensor<64x32xf16>) outs(%old : tensor<32x32xf32>) {
          ^bb0(%x: f16, %y: f16, %s: f32):
            %v = arith.extf %x : f16 to f32
            %w = arith.extf %y : f16 to f32
            %p = arith.mulf %v, %w : f32
            %t = arith.addf %s, %p : f32
            linalg.yield %t : f32
          } -> tensor<32x32xf32>
          return %new : tensor<32x32xf32>
        }

    After, folded (always=true):
        #map = affine_map<(d0, d1, d2) -> (d0, d2)>
        #map1 = affine_map<(d0, d1, d2) -> (d2, d1)>
        #map2 = affine_map<(d0, d1, d2) -> (d0, d1)>
        #map3 = affine_map<(d0, d1) -> (d0, d1)>
        #map4 = affine_map<(d0, d1) -> (d0)>
        func.func @f(%arg0: tensor<32x64xf16>, %arg1: tensor<64x32xf16>, %arg2: tensor<32x32xf32>,
            %arg3: tensor<32xf32>) -> tensor<32x32xf32> {
          %cst = arith.constant 0.000000e+00 : f32
          %0 = tensor.empty() : tensor<32x32xf32>
          %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<32x32xf32>) -> tensor<32x32xf32>
          %2 = linalg.generic {indexing_maps = [#map, #map1, #map2], iterator_types = ["parallel", "parallel",
              "reduction"]} ins(%arg0, %arg1 : tensor<32x64xf16>, tensor<64x32xf16>) outs(%1 : tensor<32x32xf32>) {
          ^bb0(%in: f16, %in_0: f16, %out: f32):
            %4 = arith.extf %in : f16 to f32
            %5 = arith.extf %in_0 : f16 to f32
            %6 = arith.mulf %4, %5 : f32
            %7 = arith.addf %out, %6 : f32
            linalg.yield %7 : f32
          } -> tensor<32x32xf32>
          %3 = linalg.generic {indexing_maps = [#map3, #map4, #map3], iterator_types = ["parallel", "parallel"]}
              ins(%2, %arg3 : tensor<32x32xf32>, tensor<32xf32>) outs(%arg2 : tensor<32x32xf32>) {
          ^bb0(%in: f32, %in_0: f32, %out: f32):
            %4 = arith.mulf %out, %in_0 : f32
            %5 = arith.addf %4, %in : f32
            linalg.yield %5 : f32
          } -> tensor<32x32xf32>
          return %3 : tensor<32x32xf32>
        }

    Options:
        matrix-engine: whether the engine may be used.
        always: also products that the cost estimate leaves to HVX.

    Refuses (with a remark; the op stays): chips whose engine gives no f32, sizes known at run time only, several loops
    of rows, of columns or of the reduction, products that HVX is estimated to compute in less time.

    Needs: tensor.
    Leaves: tensor.
    """

    name: ClassVar[str] = "separate-accumulators"
    needs: ClassVar[str] = "tensor"
    leaves: ClassVar[str] = "tensor"

    matrix_engine: bool = True
    always: bool = False

    def run(self, module: ir.Module, context: PassContext) -> None:
        """Rewrite every such product of ``module``."""
        if not (self.matrix_engine and context.target.has_matrix_engine):
            return
        constants = SharedConstants()
        for function in functions(module):
            cost = EngineCost.of(context.target)
            for op in ops_named(function, *names_of("linalg")):
                found = read_product(op)
                if found is None or not _adds_halves(op):
                    continue
                declined = found if isinstance(found, str) else self._declines(found, cost, context)
                if declined is None:
                    with op.location, ir.InsertionPoint(op), constants.around(op):
                        _separate(op, self.name)
                else:
                    self.remark(context, op, f"left to HVX: {declined}")

    def _declines(self, product: Matmul, cost: EngineCost, context: PassContext) -> str | None:
        """Why ``product`` stays."""
        if not context.target.has_matrix_pieces:
            return "the engine's bias registers hold one table, f32 takes two"
        bf16 = isinstance(ir.RankedTensorType(product.op.operands[0].type).element_type, ir.BF16Type)
        if not self.always and not (bf16_pays if bf16 else pays)(*product.sizes, cost):
            return "HVX is estimated to compute the product in less time"
        return None


def _adds_halves(op: ir.Operation) -> bool:
    """True for an op with factors of f16, or of bf16, and sums of f32 that start from anything but zeros."""
    left, right, sums = (ir.RankedTensorType(value.type).element_type for value in op.operands)
    halves = left == right and isinstance(left, ir.F16Type | ir.BF16Type)
    return halves and isinstance(sums, ir.F32Type) and not starts_from_zero(op.operands[2])


def _separate(op: ir.Operation, name: str) -> None:
    """The product from zeros and the sum, at the insertion point."""
    old = op.operands[2]
    type_ = ir.RankedTensorType(old.type)
    zeros = fill(constant(ir.FloatAttr.get(type_.element_type, 0.0)), tensor.empty(type_.shape, type_.element_type))
    product = clone(op, {old: zeros.result}).result
    before = _in_place(old, op.block)
    sums = _sum(product, old) if before is None else _sum_after(product, before)
    op.results[0].replace_all_uses_with(sums)
    erase_op(op, name)
    if before is not None:
        erase_op(before, name)


def _in_place(value: ir.Value, block: ir.Block) -> ir.Operation | None:
    """The elementwise op of ``block`` that made ``value``, which only the product reads, in the place of its first
    input."""
    if isinstance(value.owner, ir.Block) or len(list(value.uses)) != 1:
        return None
    op = value.owner.operation
    if op.name != "linalg.generic" or len(op.results) != 1 or op.block != block:
        return None
    if op.operands[0] != op.operands[len(op.operands) - 1]:
        return None
    maps = list(indexing_maps(op) or ())
    identity = ir.AffineMap.get_identity(ir.RankedTensorType(value.type).rank)
    if any(ir.AffineMapAttr(map_).value != identity for map_ in (maps[0], maps[-1])) or input_count(op) < 1:
        return None
    parallel = all("parallel" in str(kind) for kind in op.attributes["iterator_types"])
    body = op.regions[0].blocks[0]
    indexed = any(view.operation.name == "linalg.index" for view in body.operations)
    return op if parallel and not indexed else None


def _sum(product: ir.Value, old: ir.Value) -> ir.Value:
    """``old`` with the elements of ``product`` added."""
    identity = ir.AffineMap.get_identity(ir.RankedTensorType(old.type).rank)
    return _parallel([product], old, [identity] * 2, lambda given: binary("arith.addf", given[1], given[0]))


def _sum_after(product: ir.Value, before: ir.Operation) -> ir.Value:
    """What ``before`` gives, with the elements of ``product`` added."""
    *inputs, old = before.operands
    maps = [ir.AffineMapAttr(map_).value for map_ in indexing_maps(before) or ()]
    block = before.regions[0].blocks[0]

    def body(given: Sequence[ir.Value]) -> ir.Value:
        element, *others, sum_ = given
        mapping = dict(zip(block.arguments, [sum_, *others, sum_], strict=True))
        *operations, end = [view.operation for view in block.operations]
        for inner in operations:
            clone(inner, mapping)
        result = end.operands[0]
        return binary("arith.addf", mapping.get(result, result), element)

    return _parallel([product, *inputs[1:]], old, [maps[-1], *maps[1:]], body)


def _parallel(inputs: Sequence[ir.Value], output: ir.Value, maps: Sequence[ir.AffineMap],
              body: Callable[[Sequence[ir.Value]], ir.Value]) -> ir.Value:
    return generic(inputs, output, maps, ["parallel"] * ir.RankedTensorType(output.type).rank, body)
