"""Tile loops get ping and pong buffers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hexagon_mlir.dialects.block_weights import code_bits
from hexagon_mlir.dialects.double_buffering import FETCH, LOOP, SCHEDULED
from hexagon_mlir.dialects.kernel_memory import IN_MODEL
from hexagon_mlir.ir import ir
from hexagon_mlir.ir.cost import estimated_cycles, trip_count
from hexagon_mlir.ir.order import nested_ops
from hexagon_mlir.ir.query import ops_named
from hexagon_mlir.pass_infra import Pass, PassContext, UpstreamStep
from hexagon_mlir.passes.double_buffering.build import Builder
from hexagon_mlir.passes.double_buffering.decide import Tile, choose_buffers, fitting_buffers
from hexagon_mlir.passes.double_buffering.earlier import start_in_previous_loops
from hexagon_mlir.passes.double_buffering.live_bytes import live_bytes
from hexagon_mlir.passes.double_buffering.loops import Refused, TileLoop, read_loop
from hexagon_mlir.passes.lib.engine_tiles import engine_cycles, is_engine_product
from hexagon_mlir.passes.lib.pure_slices import outside_operands, pure_slice
from hexagon_mlir.targets import Target
from hexagon_mlir.targets.dma import Engine

_MOST_BUFFERS = 4

_CLEAN = UpstreamStep("cse")  # the same address computed for several parts


@dataclass(frozen=True)
class HexagonDoubleBufferGenericS1Pass(Pass):
    """Restructures loops over tiles so that the transfers of one tile can overlap with the work on another.

    A loop that copies tiles into TCM buffers, computes on them and copies results back gets two sets of these buffers,
    ping and pong, or more if the latency of a transfer requires it. A guarded prologue fetches the first tiles. The
    loop has one exclusive stage per set, which first fetches the next tile into the free set, then computes and stores.
    Bounds, tile sizes and addresses may be dynamic, and values may be loop-carried. A loop-carried buffer (a running
    maximum) has a copy in each set as well: each stage writes its own and reads that of the stage before.
    Loop-invariant tiles are fetched once, before the loop. In a kernel of a model, a product with weights in blocks
    gets as many sets as fit, up to four: `hexagon-weight-streaming` has all tiles of the prologue fetched sooner, which
    are all tiles where there are as many sets. A prologue moves to the double-buffered loop before it, where nothing on
    the way writes what it fetches, and TCM holds the tiles of both: where that loop has no more tile to fetch, or
    before it, if it fetches two tiles ahead or may not run. The copies stay copies until
    `hexagon-double-buffer-generic-s2` turns them into transfers, so this pass alone preserves the semantics.

    Before:
        func.func @f(%x: memref<8x4096xf32>, %n: index, %c: f32) {
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          scf.for %i = %c0 to %n step %c1 {
            %b = memref.alloc() : memref<1x4096xf32, 1>
            linalg.fill ins(%c : f32) outs(%b : memref<1x4096xf32, 1>)
            %v = memref.subview %x[%i, 0] [1, 4096] [1, 1]
              : memref<8x4096xf32> to memref<1x4096xf32, strided<[4096, 1], offset: ?>>
            memref.copy %b, %v : memref<1x4096xf32, 1> to memref<1x4096xf32, strided<[4096, 1], offset: ?>>
          }
          return
        }

    After:
        func.func @f(%arg0: memref<8x4096xf32>, %arg1: index, %arg2: f32) {
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %alloc = memref.alloc() : memref<16384xi8, 1>
          %alloc_0 = memref.alloc() : memref<16384xi8, 1>
          %0 = scf.for %arg3 = %c0 to %arg1 step %c1 iter_args(%arg4 = %c0) -> (index) {
            %1 = arith.cmpi eq, %arg4, %c0 : index
            scf.if %1 {
              %view = memref.view %alloc[%c0][] : memref<16384xi8, 1> to memref<1x4096xf32, 1>
              linalg.fill ins(%arg2 : f32) outs(%view : memref<1x4096xf32, 1>)
              %subview = memref.subview %arg0[%arg3, 0] [1, 4096] [1, 1] : memref<8x4096xf32> to
              memref<1x4096xf32, strided<[4096, 1], offset: ?>>
              memref.copy %view, %subview {hexagon.db_store = array<i64: 0, 0, 0>} : memref<1x4096xf32, 1> to
              memref<1x4096xf32, strided<[4096, 1], offset: ?>>
            } {hexagon.db_ping_stage = 0 : i64}
            %2 = arith.cmpi eq, %arg4, %c1 : index
            scf.if %2 {
              %view = memref.view %alloc_0[%c0][] : memref<16384xi8, 1> to memref<1x4096xf32, 1>
              linalg.fill ins(%arg2 : f32) outs(%view : memref<1x4096xf32, 1>)
              %subview = memref.subview %arg0[%arg3, 0] [1, 4096] [1, 1] : memref<8x4096xf32> to
              memref<1x4096xf32, strided<[4096, 1], offset: ?>>
              memref.copy %view, %subview {hexagon.db_store = array<i64: 0, 1, 0>} : memref<1x4096xf32, 1> to
              memref<1x4096xf32, strided<[4096, 1], offset: ?>>
            } {hexagon.db_pong_stage = 1 : i64}
            %3 = arith.addi %arg4, %c1 : index
            %4 = arith.select %2, %c0, %3 : index
            scf.yield %4 : index
          } {hexagon.db_loop = 0 : i64}
          return
        }

    Options:
        buffers: sets of buffers; 0 chooses, 1 leaves every loop alone.
        tcm-bytes: TCM that all buffers of a function may take; 0 takes the target's whole TCM.

    Refuses (with a remark): loops whose copies read what the loop writes or computes, or in which a buffer is used
    later than in the next iteration; strided elements, a single tile, transfers too short to pay, no room for a second
    set; the loop around one that is double-buffered. Loops with ``hexagon.scheduled`` stay, without a remark.

    Needs: buffer.
    Leaves: buffer.
    """

    name: ClassVar[str] = "hexagon-double-buffer-generic-s1"
    needs: ClassVar[str] = "buffer"
    leaves: ClassVar[str] = "buffer"
    runs: ClassVar[tuple[UpstreamStep, ...]] = (_CLEAN,)

    buffers: int = 0
    tcm_bytes: int = 0

    def run(self, module: ir.Module, context: PassContext) -> None:
        """Restructure what pays, inner loops first."""
        if self.buffers == 1:
            return
        loops = ops_named(module, "scf.for")
        number = sum(LOOP in loop.attributes for loop in loops)
        for loop in loops:
            if LOOP in loop.attributes or SCHEDULED in loop.attributes or not _has_copies(loop):
                continue
            try:
                inside = ops_named(loop, "scf.for", "memref.copy")
                if any(LOOP in op.attributes or FETCH in op.attributes for op in inside):
                    raise Refused("an inner loop is double-buffered")
                found = read_loop(loop)
                _hoist_invariant(found)
                count = self._choose(found, context)
            except Refused as reason:
                self.remark(context, loop, f"not double-buffered: {reason}")
                continue
            _hoist_temporaries(found)
            trips = trip_count(loop) if _streams_weights(loop) else None
            Builder(found, count, number, trips).build()
            number += 1
        for block in dict.fromkeys(loop.block for loop in ops_named(module, "scf.for") if LOOP in loop.attributes):
            start_in_previous_loops(block, self.tcm_bytes or context.target.tcm_budget_bytes)
        _CLEAN.run(module, context)

    def _choose(self, found: TileLoop, context: PassContext) -> int:
        """Sets of buffers for ``found``; raises `Refused` when one is best."""
        if not found.buffers:
            raise Refused("every iteration fetches the same")
        budget = self.tcm_bytes or context.target.tcm_budget_bytes
        sizes = [b.nbytes for b in found.buffers] + [one.tcm_bytes for one in found.loop_carried]
        most = fitting_buffers(sizes, budget - live_bytes(found.loop) + sum(sizes), self.buffers or _MOST_BUFFERS)
        if most < 2:
            raise Refused(f"no room for a second set of {sum(sizes)} bytes in {budget} bytes of TCM")
        if self.buffers:
            return most
        tile = _describe(found, context)
        count = choose_buffers(tile, trip_count(found.loop), Engine.of(context.target), most)
        if count > 1 and _streams_weights(found.loop):
            count = min(most, trip_count(found.loop) or most)
        if count < 2:
            raise Refused("a single tile" if trip_count(found.loop) in (0, 1) else "the transfers are too short to pay")
        return count


def _describe(found: TileLoop, context: PassContext) -> Tile:
    target = context.target
    moved = {op for b in found.buffers for op in (*b.producers, *b.stores)}
    work: float | None = 0.0
    for op in found.body.operations:
        cycles = 0.0 if op.operation in moved else _cycles(op.operation, target)
        work = None if work is None or cycles is None else work + cycles
    return Tile(tuple(b.nbytes for b in found.buffers if b.producers),
                tuple(b.nbytes for b in found.buffers for _ in b.stores), work)


def _streams_weights(loop: ir.Operation) -> bool:
    """Whether earlier kernels of a model may fetch the first tiles of ``loop``, whose work waits for memory."""
    function: ir.Operation = loop
    while function.name != "func.func":
        function = function.parent.operation
    return IN_MODEL in function.attributes and any(code_bits(op) for op in nested_ops(loop))


def _cycles(op: ir.Operation, target: Target) -> float | None:
    if is_engine_product(op):
        return engine_cycles(op, target)
    return estimated_cycles(op, int(target.vector_bytes.value), float(target.hvx_issue_interval_cycles.value))


def _has_copies(loop: ir.Operation) -> bool:
    return any(op.operation.name == "memref.copy" for op in loop.regions[0].blocks[0].operations)


def _hoist_invariant(found: TileLoop) -> None:
    """Move what every iteration fetches alike in front of the loop."""
    for buffer in [b for b in found.buffers if b.invariant and not b.stores]:
        values = [v for op in buffer.producers for v in outside_operands(op)] + list(buffer.alloc.operands)
        for op in pure_slice(values, found.body, [buffer.alloc.results[0]]) or []:
            if buffer.alloc.results[0] not in op.operands:
                op.move_before(found.loop)
        buffer.alloc.move_before(found.loop)
        for op in pure_slice(values, found.body, []) or []:
            op.move_before(found.loop)
        for op in buffer.producers:
            op.move_before(found.loop)
        found.buffers.remove(buffer)


def _hoist_temporaries(found: TileLoop) -> None:
    """One buffer for all parts of the loop: what no transfer touches need not be there twice."""
    own = {one.alloc for one in (*found.buffers, *found.loop_carried)}
    for op in [op.operation for op in found.body.operations]:
        if op.name == "memref.alloc" and op not in own and not len(op.operands):
            op.move_before(found.loop)
