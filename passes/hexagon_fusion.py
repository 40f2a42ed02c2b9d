"""Chains of elementwise ops into one loop nest each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hexagon_mlir.ir import erase_op, ir
from hexagon_mlir.ir.query import input_count, ops_named
from hexagon_mlir.pass_infra import CLEAN, Pass, PassContext, UpstreamStep
from hexagon_mlir.passes.fusion.collapse import collapse_transposes
from hexagon_mlir.passes.fusion.decide import body_cost, recompute_factor, worth_fusing
from hexagon_mlir.passes.fusion.detach import detach_outputs
from hexagon_mlir.passes.fusion.epilogues import is_epilogue
from hexagon_mlir.passes.fusion.merge import Link, find_link, merge
from hexagon_mlir.passes.fusion.share import find_common, keep_common
from hexagon_mlir.passes.fusion.splats import splats_as_fills
from hexagon_mlir.passes.fusion.unused import cut_unused
from hexagon_mlir.passes.fusion.widen import hoist_casts, is_contraction

_GENERALIZE = UpstreamStep("convert-elementwise-to-linalg,linalg-generalize-named-ops")
_FOLD = UpstreamStep("linalg-fold-unit-extent-dims,canonicalize,cse")
_ROWS_IN_TCM = 8  # operands and results of a tile of one row, and of the next


@dataclass(frozen=True)
class HexagonFusionPass(Pass):
    """Computes elementwise producers inside their consumers, reductions and broadcasts included.

    A producer with several consumers, or one that a broadcast would repeat, is fused only if it is cheap: exp is never
    computed twice. What is computed from the sums of a product of f16 and has several consumers stays after the
    product, for the matrix engine, unless all of them are elementwise. If a reduction of rows and an elementwise op
    after it both need the same sum or difference (the centred elements of a layer norm), an op before both computes it,
    provided that the rows are whole vectors. Where a product takes several dimensions of a transposed factor as one,
    they become one before the transpose, which is fused then. Named ops become linalg.generic first. Constant tensors
    of one value become that value.

    Before:
        func.func @f(%x: tensor<64xf32>, %y: tensor<64xf32>) -> tensor<64xf32> {
          %0 = linalg.add ins(%x, %x : tensor<64xf32>, tensor<64xf32>) outs(%y : tensor<64xf32>) -> tensor<64xf32>
          %1 = linalg.mul ins(%0, %x : tensor<64xf32>, tensor<64xf32>) outs(%y : tensor<64xf32>) -> tensor<64xf32>
          return %1 : tensor<64xf32>
        }

    After:
        #map = affine_map<(d0) -> (d0)>
        func.func @f(%x: tensor<64xf32>, %y: tensor<64xf32>) -> tensor<64xf32> {
          %0 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
              ins(%x : tensor<64xf32>) outs(%y : tensor<64xf32>) {
          ^bb0(%in: f32, %out: f32):
            %1 = arith.addf %in, %in : f32
            %2 = arith.mulf %1, %in : f32
            linalg.yield %2 : f32
          } -> tensor<64xf32>
          return %0 : tensor<64xf32>
        }

    Options:
        hoist-paired-casts: take the widening casts of both factors of a product out of the reduction too, even where
            the target multiplies such factors itself.

    Refuses (with a remark): expensive producers with several consumers or repeated by a broadcast, producers that
    are reductions.

    Needs: tensor.
    Leaves: tensor.
    """

    name: ClassVar[str] = "hexagon-fusion"
    needs: ClassVar[str] = "tensor"
    leaves: ClassVar[str] = "tensor"
    runs: ClassVar[tuple[UpstreamStep, ...]] = (_GENERALIZE, _FOLD, CLEAN)

    hoist_paired_casts: bool = False

    def run(self, module: ir.Module, context: PassContext) -> None:
        """Fuse until nothing more is worth it: last consumer first, so that chains collapse in one sweep."""
        _GENERALIZE.run(module, context)
        for op in _generics(module):
            cut_unused(op, _extents(op))
        _FOLD.run(module, context)
        collapse_transposes(module, self.name)
        splats_as_fills(module)
        for op in _generics(module):
            detach_outputs(op)
            hoist_casts(op, self.hoist_paired_casts)
        done, consumers = 0, _generics(module)
        while done < len(consumers):
            if self._fuse_into(consumers[-1 - done], context):
                consumers = _generics(module)
            done += 1
        CLEAN.run(module, context)
        self._keep_common(module, context)

    def _keep_common(self, module: ir.Module, context: PassContext) -> None:
        """Compute what a reduction and an elementwise op after it share once."""
        limit, vector = context.target.tcm_budget_bytes // _ROWS_IN_TCM, int(context.target.vector_bytes.value)
        ops = _generics(module)
        reductions = [op for op in ops if _reduces(op)]
        for later in [op for op in ops if op not in reductions] if reductions else ():
            before = [op for op in reductions if op.block == later.block and op.is_before_in_block(later)]
            found = [find_common(op, later, limit, vector) for op in before]
            common = next((c for c in found if c is not None), None)
            if common is not None:
                keep_common(common, self.name)
                reductions = [op for op in _generics(module) if _reduces(op)]

    def _fuse_into(self, consumer: ir.Operation, context: PassContext) -> bool:
        """Fuse all producers of ``consumer`` that are worth it; tells whether there were any."""
        refused: set[ir.Value] = set()
        fused = False
        while (link := self._next_link(consumer, refused, context)) is not None:
            producer, fused = link.producer, True
            consumer = merge(link)
            if not any(True for _ in producer.results[0].uses):
                erase_op(producer, self.name)
        return fused

    def _next_link(self, consumer: ir.Operation, refused: set[ir.Value], context: PassContext) -> Link | None:
        for operand in range(input_count(consumer)):
            value = consumer.operands[operand]
            if value in refused:
                continue
            link = find_link(consumer, operand)
            if isinstance(link, Link):
                cost = body_cost(o.operation.name for o in list(link.producer.regions[0].blocks[0].operations)[:-1])
                consumers = len({use.owner.operation for use in value.uses})
                recompute = recompute_factor(_extents(consumer), link.used_loops)
                apart = context.target.has_matrix_engine and is_epilogue(link.producer)
                if not apart and worth_fusing(cost, consumers, recompute, is_contraction(consumer)):
                    return link
                reason = (f"has {consumers} consumers" if recompute == 1 else
                          f"a broadcast would repeat it {recompute} times")
                self.remark(context, link.producer, f"not fused: costs {cost} operations per element and {reason}")
            elif link:
                self.remark(context, value.owner, f"not fused into its consumer: {link}")
            refused.add(value)
        return None


def _extents(op: ir.Operation) -> list[int | None]:
    """Trip count of each loop of ``op``, None where dynamic."""
    maps = [ir.AffineMapAttr(a).value for a in op.attributes["indexing_maps"]]
    extents: list[int | None] = [None] * maps[0].n_dims
    for value, map_ in zip(op.operands, maps, strict=True):
        for position, result in enumerate(map_.results):
            if isinstance(result, ir.AffineDimExpr) and not value.type.is_dynamic_dim(position):
                extents[result.position] = value.type.shape[position]
    return extents


def _reduces(op: ir.Operation) -> bool:
    return any("reduction" in str(kind) for kind in op.attributes["iterator_types"])


def _generics(module: ir.Module) -> list[ir.Operation]:
    return [op for op in ops_named(module, "linalg.generic") if len(op.results)]
