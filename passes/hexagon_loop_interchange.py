"""Loops of elementwise ops in the order of their data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from hexagon_mlir.ir import ir
from hexagon_mlir.ir.query import ops_named
from hexagon_mlir.pass_infra import Pass, PassContext
from hexagon_mlir.passes.lib.vector_loop import vector_loop

_PARALLEL = "#linalg.iterator_type<parallel>"


@dataclass(frozen=True)
class HexagonLoopInterchangePass(Pass):
    """Interchanges the loops of elementwise ops, so that the vectorized loop is innermost.

    `hexagon-tcm-tiling` splits loops from the outermost one inwards: if the loops are in the order of the output's
    dimensions, its tiles are contiguous rows. ``linalg.index`` follows its loop.

    Before:
        func.func @f(%x: tensor<64x32xf32>, %y: tensor<64x32xf32>) -> tensor<64x32xf32> {
          %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d1, d0)>],
              iterator_types = ["parallel", "parallel"]}
              ins(%x : tensor<64x32xf32>) outs(%y : tensor<64x32xf32>) {
          ^bb0(%in: f32, %out: f32):
            %s = arith.addf %in, %in : f32
            linalg.yield %s : f32
          } -> tensor<64x32xf32>
          return %0 : tensor<64x32xf32>
        }

    After:
        func.func @f(%x: tensor<64x32xf32>, %y: tensor<64x32xf32>) -> tensor<64x32xf32> {
          %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>],
              iterator_types = ["parallel", "parallel"]}
              ins(%x : tensor<64x32xf32>) outs(%y : tensor<64x32xf32>) {
          ^bb0(%in: f32, %out: f32):
            %s = arith.addf %in, %in : f32
            linalg.yield %s : f32
          } -> tensor<64x32xf32>
          return %0 : tensor<64x32xf32>
        }

    Options: none.

    Refuses: nothing; it leaves alone reductions, indices other than plain loop indices, and ops whose output does not
    have all loops or would not be innermost along vectors (transposes).

    Needs: tensor.
    Leaves: tensor.
    """

    name: ClassVar[str] = "hexagon-loop-interchange"
    needs: ClassVar[str] = "tensor"
    leaves: ClassVar[str] = "tensor"

    def run(self, module: ir.Module, context: PassContext) -> None:
        """Reorder the loops of every elementwise linalg.generic where `loop_order` says so."""
        for op in ops_named(module, "linalg.generic"):
            kinds = list(ir.ArrayAttr(op.attributes["iterator_types"]))
            maps = [ir.AffineMapAttr(a).value for a in ir.ArrayAttr(op.attributes["indexing_maps"])]
            if any(str(kind) != _PARALLEL for kind in kinds) or not all(
                    isinstance(r, ir.AffineDimExpr) for m in maps for r in m.results):
                continue
            order = loop_order(len(kinds), [[r.position for r in m.results] for m in maps])
            if order is not None:
                _reorder(op, maps, order)


def loop_order(loops: int, reads: Sequence[Sequence[int]]) -> list[int] | None:
    """The old numbers of the loops in their new order; None where the order is right or cannot be improved.

    ``reads[i]`` lists the loops that index operand i, the output last.
    """
    order = list(reads[-1])
    if sorted(order) != list(range(loops)) or order == list(range(loops)):
        return None
    return order if vector_loop(loops, reads) == order[-1] else None


def _reorder(op: ir.Operation, maps: list[ir.AffineMap], order: list[int]) -> None:
    place = {old: new for new, old in enumerate(order)}
    op.attributes["indexing_maps"] = ir.ArrayAttr.get([
        ir.AffineMapAttr.get(ir.AffineMap.get(len(order), 0, [
            ir.AffineDimExpr.get(place[r.position]) for r in m.results])) for m in maps])
    for index in ops_named(op, "linalg.index"):
        dim = index.attributes["dim"]
        index.attributes["dim"] = ir.IntegerAttr.get(dim.type, place[ir.IntegerAttr(dim).value])
