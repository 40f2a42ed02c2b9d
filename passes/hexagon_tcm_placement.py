"""Buffers of Triton kernels into TCM."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from hexagon_mlir.dialects.programs import forget, may_spread, order_on
from hexagon_mlir.ir import ir
from hexagon_mlir.ir.query import functions
from hexagon_mlir.pass_infra import Pass, PassContext
from hexagon_mlir.passes.tcm_tiling.groups import find_groups, linalg_ops
from hexagon_mlir.passes.tcm_tiling.place import Placement, buffer_bytes, has_own_buffers, place_buffers
from hexagon_mlir.passes.tcm_tiling.promote import promote, settle
from hexagon_mlir.passes.tcm_tiling.region import footprints
from hexagon_mlir.passes.tcm_tiling.schedule import tile_ops
from hexagon_mlir.passes.tcm_tiling.sizes import Role, choose_tile

_MARK = "hexagon.tile"


@dataclass(frozen=True)
class HexagonTcmPlacementPass(Pass):
    """Puts the buffers that a kernel allocates itself, as a Triton kernel does, into TCM.

    These buffers are the working set of a program already: if all of them fit the budget, the kernel runs in TCM as it
    is. Otherwise its ops are tiled one by one, and the tiles are promoted to TCM. Programs of a Triton kernel that may
    run in parallel get equal shares of the TCM. Buffers smaller than one vector, and buffers that are read element by
    element, stay in DDR, where the L1 cache serves them.

    Before:
        func.func @f(%p: memref<64xf32>, %out: memref<64xf32>) {
          %a = memref.alloc() : memref<64xf32>
          memref.copy %p, %a : memref<64xf32> to memref<64xf32>
          %t = bufferization.to_tensor %a restrict writable : memref<64xf32> to tensor<64xf32>
          %e = tensor.empty() : tensor<64xf32>
          %0 = linalg.exp ins(%t : tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
          bufferization.materialize_in_destination %0 in restrict writable %out : (tensor<64xf32>, memref<64xf32>) -> ()
          return
        }

    After:
        func.func @f(%p: memref<64xf32>, %out: memref<64xf32>) {
          %a = memref.alloc() : memref<64xf32, 1>
          memref.copy %p, %a : memref<64xf32> to memref<64xf32, 1>
          %t = bufferization.to_tensor %a restrict writable : memref<64xf32, 1> to tensor<64xf32>
          %e = bufferization.alloc_tensor() {memory_space = 1 : i64} : tensor<64xf32>
          %0 = linalg.exp ins(%t : tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
          bufferization.materialize_in_destination %0 in restrict writable %out : (tensor<64xf32>, memref<64xf32>) -> ()
          return
        }

    Options:
        tcm-bytes: bytes one kernel may use; 0 takes the target's whole TCM.
        threads: programs of a Triton kernel that share the TCM; 0 takes the target's HVX contexts.

    Refuses (with a remark; the buffers stay in DDR, ops are tiled): buffers that exceed the budget together; ops whose
    smallest tile exceeds it, and those that `hexagon-tcm-tiling` refuses.

    Needs: tiled.
    Leaves: tiled.
    """

    name: ClassVar[str] = "hexagon-tcm-placement"
    needs: ClassVar[str] = "tiled"
    leaves: ClassVar[str] = "tiled"

    tcm_bytes: int = 0
    threads: int = 0

    def run(self, module: ir.Module, context: PassContext) -> None:
        """Place the buffers of each kernel that has some."""
        for function in [op for op in functions(module) if has_own_buffers(op)]:
            self._place(module, function, context)

    def _place(self, module: ir.Module, function: ir.Operation, context: PassContext) -> None:
        """Move the kernel's buffers, or else tile each op that reads DDR."""
        budget = self._share(function, context)
        alignment = int(context.target.tcm_alignment.value)
        placement = place_buffers(function, budget, int(context.target.vector_bytes.value), alignment)
        for op, reason in placement.refused:
            self.remark(context, op, reason)
        decided = self._decide(function, placement, budget, alignment, context)
        if any(any(tile) for _, tile in decided):
            tile_ops(module, decided, "tile_using_for", self.name, context)
        for op in linalg_ops(function):
            if _MARK in op.attributes:
                del op.attributes[_MARK]
                promote(op, placement.wants_tcm)
        settle(function)

    def _share(self, function: ir.Operation, context: PassContext) -> int:
        """Bytes of TCM for one program: its share where programs may run in parallel, unless only all of it is enough.
        """
        target = context.target
        budget = self.tcm_bytes or target.tcm_budget_bytes
        try:
            order = order_on(function)
        except ValueError as error:
            raise self.refuse(function, str(error), "triton-to-linalg writes it") from None
        if not may_spread(order, self.threads):
            return budget
        share = budget // (self.threads or int(target.hvx_contexts.value))
        needed = buffer_bytes(function, int(target.vector_bytes.value), int(target.tcm_alignment.value))
        if not share < needed <= budget:
            return share
        forget(function)
        self.remark(context, function, f"programs run one after another: one takes {needed} bytes of TCM, "
                                       f"its share of {budget} is {share}")
        return budget

    def _decide(self, function: ir.Operation, placement: Placement, budget: int, alignment: int,
                context: PassContext) -> list[tuple[ir.Operation, list[int]]]:
        """The ops to tile with their sizes (0 = that loop whole); they are marked."""
        decided = []
        for op in linalg_ops(function):
            if not placement.reads_ddr(op):
                continue
            group = find_groups([op], lambda o, reason: self.remark(context, o, f"stays in DDR: {reason}"))
            if not group or group[0].dynamic is not None:
                continue
            operands = [replace(o, role=Role.KEEP) for o in footprints(group[0])]
            lanes = context.target.lanes(8 * max(1, min(o.element_bytes for o in operands)))
            extents, parallel = group[0].extents, group[0].parallel
            tile = (choose_tile(extents, parallel, operands, budget, lanes, alignment)
                    or choose_tile(extents, [True] * len(parallel), operands, budget, lanes, alignment))
            if tile is None:
                self.remark(context, op, f"stays in DDR: the smallest tile exceeds the budget of {budget} bytes")
                continue
            op.attributes[_MARK] = ir.UnitAttr.get()
            decided.append((op, [0 if t == e else t for t, e in zip(tile, extents, strict=True)]))
        return decided
