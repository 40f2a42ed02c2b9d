"""Transfers between DDR and TCM run while the thread goes on."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import ClassVar

from hexagon_mlir.dialects.double_buffering import FETCH, STORE
from hexagon_mlir.dialects.kernel_memory import IN_MODEL
from hexagon_mlir.ir import erase_op, ir
from hexagon_mlir.ir.buffers import root_buffer
from hexagon_mlir.ir.engine_operations import ENGINE_PRODUCT
from hexagon_mlir.ir.query import element_bytes, in_tcm, ops_named, static_bytes
from hexagon_mlir.pass_infra import Pass, PassContext
from hexagon_mlir.passes.lib.cached_results import cached_results
from hexagon_mlir.passes.lib.dma_transfers import Shape, make_transfers, plan_transfers
from hexagon_mlir.passes.lib.fetch_choice import choose_transfers
from hexagon_mlir.passes.overlapped_transfers.order import Order, is_store
from hexagon_mlir.passes.overlapped_transfers.runs import fetch_runs
from hexagon_mlir.targets.dma import Engine


@dataclass(frozen=True)
class OverlapTransfersPass(Pass):
    """Turns copies between DDR and TCM into DMA transfers that are waited for as late as possible.

    A transfer starts in place of its copy. The wait for it is before the first operation that uses what it writes, or
    writes what it reads; at the latest at the end of the block, and before more results than a MiB are in TCM only
    because they are still transferred. Each has a tag of its own. In blocks with a ``hexagon.engine_product`` copies
    stand where the schedule of the product wants them to start. In others, of copies to TCM that follow each other, the
    largest become transfers, all of which are started before the core makes the rest: as many as have all data there
    first. Loops over tiles are the work of `hexagon-double-buffer-generic-s1`, and results that leave last that of
    `hexagon-cached-results`.

    Before:
        func.func @f(%x: memref<4096xf32>, %y: memref<4096xf32, 1>, %a: memref<1x1x16x32x2xf16, 1>,
            %t: memref<1x2x32xi32, 1>, %z: memref<4096xf32, 1>) {
          memref.copy %x, %y : memref<4096xf32> to memref<4096xf32, 1>
          "hexagon.engine_product"(%a, %a, %t, %a) : (memref<1x1x16x32x2xf16, 1>, memref<1x1x16x32x2xf16, 1>,
              memref<1x2x32xi32, 1>, memref<1x1x16x32x2xf16, 1>) -> ()
          "hexagon.engine_wait"() : () -> ()
          linalg.exp ins(%y : memref<4096xf32, 1>) outs(%z : memref<4096xf32, 1>)
          return
        }

    After, folded:
        func.func @f(%arg0: memref<4096xf32>, %arg1: memref<4096xf32, 1>, %arg2: memref<1x1x16x32x2xf16, 1>,
            %arg3: memref<1x2x32xi32, 1>, %arg4: memref<4096xf32, 1>) {
          %c4096 = arith.constant 4096 : index
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %alloc = memref.alloc() : memref<1xi32>
          memref.dma_start %arg0[%c0], %arg1[%c0], %c4096, %alloc[%c0] : memref<4096xf32>, memref<4096xf32, 1>,
              memref<1xi32>
          "hexagon.engine_product"(%arg2, %arg2, %arg3, %arg2) : (memref<1x1x16x32x2xf16, 1>,
              memref<1x1x16x32x2xf16, 1>, memref<1x2x32xi32, 1>, memref<1x1x16x32x2xf16, 1>) -> ()
          "hexagon.engine_wait"() : () -> ()
          memref.dma_wait %alloc[%c0], %c1 : memref<1xi32>
          memref.dealloc %alloc : memref<1xi32>
          linalg.exp ins(%arg1 : memref<4096xf32, 1>) outs(%arg4 : memref<4096xf32, 1>)
          return
        }

    Options:
        dma-bytes: copies of fewer bytes stay copies; 0 takes those that the core makes sooner than a transfer that it
            starts and waits for. Where a product runs meanwhile, and for rows with gaps between them, but not whole
            lines that are stored last, this is sooner than it starts one. What it stores in a row, it waits for only
            where lines of the cache have to be written first: at the rate at which it reads DDR.

    Refuses: nothing; copies of unknown size or with elements apart stay copies, as do those of rows with gaps between
    them where there is no product.

    Needs: buffer.
    Leaves: buffer.
    """

    name: ClassVar[str] = "overlap-transfers"
    needs: ClassVar[str] = "buffer"
    leaves: ClassVar[str] = "buffer"

    dma_bytes: int = 0

    def run(self, module: ir.Module, context: PassContext) -> None:
        """Rewrite every block that has a product or copies to TCM."""
        with_products = dict.fromkeys(op.block for op in ops_named(module, ENGINE_PRODUCT))
        for block in with_products:
            order = Order(block)
            stored = [result.copy for result in cached_results(block, context.target)]
            for number, op in enumerate(order.operations):
                if op.name == "memref.copy" and op not in stored and not {FETCH, STORE} & set(op.attributes):
                    self._start(number, order, context)
        bits = int(context.target.dma_block_field_bits.value)
        for block in dict.fromkeys(op.block for op in ops_named(module, "memref.copy")):
            for run in fetch_runs(block, bits) if block not in with_products else ():
                self._start_largest(run, context)

    def _start_largest(self, run: list[ir.Operation], context: PassContext) -> None:
        """Start the transfers of the copies of ``run`` for which that pays, before the core makes the others."""
        engine, sizes = Engine.of(context.target), [static_bytes(copy.operands[0].type) or 0 for copy in run]
        chosen = choose_transfers(sizes, engine)
        least = self.dma_bytes or engine.break_even_bytes
        if self.dma_bytes or _fetches_weights(run[0], least):  # earlier kernels have the engine start with the weights
            chosen = [number for number, nbytes in enumerate(sizes) if nbytes >= least]
        last = run[-1]
        for copy in [copy for number, copy in enumerate(run) if number not in chosen and copy != last]:
            copy.move_after(last)
            last = copy
        order = Order(run[0].block)
        ends = [order.operations[order.end(order.operations.index(run[number]))] for number in chosen]
        for number, end in zip(chosen, ends, strict=True):
            self._transfer(run[number], Shape(0, 0), 1, end)

    def _start(self, number: int, order: Order, context: PassContext) -> None:
        """Turn copy ``number`` of a block into a transfer, which a later operation waits for, if that pays."""
        copy, end = order.operations[number], order.end(number)
        overlaps = any(op.name == ENGINE_PRODUCT for op in order.operations[number + 1:end])
        engine = Engine.of(context.target)
        found = _shape(copy, int(context.target.dma_block_field_bits.value))
        if found is None:
            return
        shape, count = found
        works = any(op.name.startswith("linalg.") or len(op.regions) for op in order.operations[number + 1:end])
        if overlaps or (shape.rows and (works or not _stores_lines(copy, shape, engine.line))):
            least = engine.least_overlapped_bytes(count)
        elif is_store(copy) and not shape.rows and not works:
            least = engine.break_even_bytes
        else:
            least = engine.least_awaited_bytes(count)
        if (static_bytes(copy.operands[0].type) or 0) < (self.dma_bytes or least):
            return
        self._transfer(copy, shape, count, order.operations[end])

    def _transfer(self, copy: ir.Operation, shape: Shape, count: int, end: ir.Operation) -> None:
        """Start ``copy`` in its place, as so many transfers, and wait for them before ``end``."""
        with copy.location, ir.InsertionPoint(copy):
            transfers = make_transfers(shape.loops, count)
            transfers.start(copy, shape)
        with copy.location, ir.InsertionPoint(end):
            transfers.wait()
            transfers.free()
        erase_op(copy, self.name)


def _fetches_weights(op: ir.Operation, least: int) -> bool:
    """Whether the function of ``op`` is a kernel of a model that copies ``least`` bytes of weights at a time."""
    while op.name != "func.func":
        op = op.parent.operation
    given = op.attributes.get(IN_MODEL)
    if not isinstance(given, ir.DenseI64ArrayAttr):
        return False
    weights = [op.regions[0].blocks[0].arguments[number] for number in given]
    return any(root_buffer(copy.operands[0]) in weights and (static_bytes(copy.operands[1].type) or least) >= least
               for copy in ops_named(op, "memref.copy"))


def _stores_lines(copy: ir.Operation, shape: Shape, line: int) -> bool:
    """Whether ``copy`` writes rows of whole ``line``s to DDR: stores of the core wait for nothing there."""
    target = ir.MemRefType(copy.operands[1].type)
    if in_tcm(target) or not target.has_static_shape:
        return False
    width = element_bytes(target.element_type)
    outer = shape.loops + shape.rows
    strides, dynamic = target.get_strides_and_offset()[0][:outer], ir.ShapedType.get_dynamic_stride_or_offset()
    run = prod(target.shape[outer:]) * width
    return run % line == 0 and all(stride != dynamic and stride * width % line == 0 for stride in strides)


def _shape(copy: ir.Operation, field_bits: int) -> tuple[Shape, int] | None:
    """How transfers move what ``copy`` copies, and how many; None where it stays a copy."""
    if in_tcm(ir.MemRefType(copy.operands[0].type)) == in_tcm(ir.MemRefType(copy.operands[1].type)):
        return None
    found = plan_transfers([copy], field_bits)
    return None if isinstance(found, str) else (found[0][0], found[1])
