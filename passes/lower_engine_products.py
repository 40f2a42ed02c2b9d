"""Products of the matrix engine to tasks that work on its tiles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, TypeVar

from hexagon_mlir.dialects import permissions
from hexagon_mlir.dialects.engine_tiles import EngineProduct, pending_products
from hexagon_mlir.dialects.engine_windows import BYTE_WINDOWS_RANK, WINDOWS_RANK, Windows
from hexagon_mlir.ir import erase_op, ir
from hexagon_mlir.ir.engine_operations import ENGINE_PRODUCT, ENGINE_WAIT
from hexagon_mlir.ir.query import ops_named
from hexagon_mlir.pass_infra import Pass, PassContext
from hexagon_mlir.passes.engine_lowering.tile_loops import multiply_tiles
from hexagon_mlir.passes.lib.fork_permission import holder_of
from hexagon_mlir.passes.lib.pure_slices import is_pure


@dataclass(frozen=True)
class LowerEngineProductsPass(Pass):
    """Turns each product of tiles into a task that holds the matrix engine and multiplies, converts and stores tiles.

    For each column of a row of result tiles, a ``hexagon.engine_multiply`` adds up a row times a column of tiles, a
    ``hexagon.engine_convert`` rounds the sums as the column's table says, and a ``hexagon.engine_store`` stores the
    tile. Sums that become two pieces are kept when the first piece is converted; that tile, times the table's tile of
    weights, is subtracted then. Of sums of bytes each plane is converted and stored. Where windows share activations,
    the rows of a window are runs of tiles that stand apart.

    The engine's queue is short, so the thread that issues the packets waits for it most of the time: the task has a
    hardware thread of its own, and needs no HVX context. ``hexagon.engine_wait`` waits for the task, whose results are
    in TCM when its ``hexagon.engine_scope`` has ended; with ``pending``, for all tasks but the last ones. A task that
    starts while another holds the engine gets it next. A product that is waited for at once is no task.

    Before:
        func.func @f(%a: memref<4x3x16x32x2xf16, 1>, %w: memref<2x3x16x32x2xf16, 1>, %t: memref<2x2x32xi32, 1>,
            %out: memref<4x2x16x32x2xf16, 1>, %x: memref<64xf32>) {
          "hexagon.engine_product"(%a, %w, %t, %out) : (memref<4x3x16x32x2xf16, 1>,
              memref<2x3x16x32x2xf16, 1>, memref<2x2x32xi32, 1>, memref<4x2x16x32x2xf16, 1>) -> ()
          linalg.exp ins(%x : memref<64xf32>) outs(%x : memref<64xf32>)
          "hexagon.engine_wait"() : () -> ()
          return
        }

    After, folded:
        func.func @f(%arg0: memref<4x3x16x32x2xf16, 1>, %arg1: memref<2x3x16x32x2xf16, 1>, %arg2: memref<2x2x32xi32,
            1>, %arg3: memref<4x2x16x32x2xf16, 1>, %arg4: memref<64xf32>) {
          %c2 = arith.constant 2 : index
          %c1 = arith.constant 1 : index
          %c4 = arith.constant 4 : index
          %c0 = arith.constant 0 : index
          %token = async.execute {
            "hexagon.engine_scope"() ({
              scf.for %arg5 = %c0 to %c4 step %c1 {
                %subview = memref.subview %arg0[%arg5, 0, 0, 0, 0] [1, 3, 16, 32, 2] [1, 1, 1, 1, 1] :
                    memref<4x3x16x32x2xf16, 1> to memref<1x3x16x32x2xf16, strided<[3072, 1024, 64, 2, 1], offset: ?>,
                    1>
                scf.for %arg6 = %c0 to %c2 step %c1 {
                  %subview_0 = memref.subview %arg1[%arg6, 0, 0, 0, 0] [1, 3, 16, 32, 2] [1, 1, 1, 1, 1] :
                      memref<2x3x16x32x2xf16, 1> to memref<1x3x16x32x2xf16, strided<[3072, 1024, 64, 2, 1], offset:
                      ?>, 1>
                  "hexagon.engine_multiply"(%subview, %subview_0) : (memref<1x3x16x32x2xf16, strided<[3072, 1024, 64,
                      2, 1], offset: ?>, 1>, memref<1x3x16x32x2xf16, strided<[3072, 1024, 64, 2, 1], offset: ?>, 1>)
                      -> ()
                  %subview_1 = memref.subview %arg2[%arg6, 0, 0] [1, 2, 32] [1, 1, 1] : memref<2x2x32xi32, 1> to
                      memref<1x2x32xi32, strided<[64, 32, 1], offset: ?>, 1>
                  %subview_2 = memref.subview %arg3[%arg5, %arg6, 0, 0, 0] [1, 1, 16, 32, 2] [1, 1, 1, 1, 1] :
                      memref<4x2x16x32x2xf16, 1> to memref<1x1x16x32x2xf16, strided<[2048, 1024, 64, 2, 1], offset:
                      ?>, 1>
                  "hexagon.engine_convert"(%subview_1) {to = f16} : (memref<1x2x32xi32, strided<[64, 32, 1], offset:
                      ?>, 1>) -> ()
                  "hexagon.engine_store"(%subview_2) : (memref<1x1x16x32x2xf16, strided<[2048, 1024, 64, 2, 1],
                      offset: ?>, 1>) -> ()
                }
              }
            }) : () -> ()
            async.yield
          }
          linalg.exp ins(%arg4 : memref<64xf32>) outs(%arg4 : memref<64xf32>)
          async.await %token : !async.token
          return
        }

    Options:
        threads: 1 makes no tasks; 0 and other numbers do.

    Refuses: products without a wait after them in their block, and activations of other dimensions than their windows
    need (errors). In functions that may not fork (``hexagon.may_fork``) products are no tasks.

    Needs: buffer.
    Leaves: buffer.
    """

    name: ClassVar[str] = "lower-engine-products"
    needs: ClassVar[str] = "buffer"
    leaves: ClassVar[str] = "buffer"

    threads: int = 0

    def run(self, module: ir.Module, context: PassContext) -> None:
        """Lower every operation of the engine."""
        blocks = dict.fromkeys(op.block for op in ops_named(module, ENGINE_PRODUCT, ENGINE_WAIT))
        for block in blocks:
            self._lower(block)

    def _lower(self, block: ir.Block) -> None:
        operations = [view.operation for view in block.operations]
        self._check(operations)
        tokens: list[ir.Value | None] = []  # of products that nothing has waited for; None: is no task
        for number, op in enumerate(operations):
            if op.name not in (ENGINE_PRODUCT, ENGINE_WAIT):
                continue
            with op.location, ir.InsertionPoint(op):
                if op.name == ENGINE_WAIT:
                    done = _done(tokens, op)
                    for token in done:
                        if token is not None:
                            ir.Operation.create("async.await", operands=[token])
                    del tokens[:len(done)]
                elif self.threads == 1 or _waits(operations[number + 1:]) or permissions.of(holder_of(op)) is not None:
                    multiply_tiles(EngineProduct.of(op))
                    tokens.append(None)
                else:
                    tokens.append(_task(EngineProduct.of(op)))
            erase_op(op, self.name)

    def _check(self, operations: list[ir.Operation]) -> None:
        """Something waits for every product, and its activations have the dimensions that it needs."""
        running: list[ir.Operation] = []
        for op in operations:
            if op.name == ENGINE_WAIT:
                del running[:len(_done(running, op))]
            elif op.name == ENGINE_PRODUCT:
                running.append(op)
                if _shares_activations(op) != (Windows.of(op) is not None):
                    raise self.refuse(op, "windows and activations that do not fit each other",
                                      "activations that windows share have three dimensions of tiles, others two")
        if running:
            raise self.refuse(running[0], "a product that nothing waits for in its block",
                              "write a hexagon.engine_wait after it")


def _shares_activations(op: ir.Operation) -> bool:
    """Whether the activations of the product ``op`` have the dimensions that `Windows` need."""
    type_ = ir.MemRefType(op.operands[0].type)
    return type_.rank == (WINDOWS_RANK if isinstance(type_.element_type, ir.F16Type) else BYTE_WINDOWS_RANK)


Running = TypeVar("Running")


def _done(running: list[Running], wait: ir.Operation) -> list[Running]:
    """Those of the ``running`` products that ``wait`` waits for."""
    return running[:max(len(running) - pending_products(wait), 0)]


def _waits(following: list[ir.Operation]) -> bool:
    """True where the first of the ``following`` operations that does anything waits for all products."""
    first = next((op for op in following if not is_pure(op)), None)
    return first is not None and first.name == ENGINE_WAIT and not pending_products(first)


def _task(product: EngineProduct) -> ir.Value:
    """A task that multiplies; the token to wait for."""
    none = ir.DenseI32ArrayAttr.get([0, 0])
    task = ir.Operation.create("async.execute", results=[ir.Type.parse("!async.token")],
                               attributes={"operandSegmentSizes": none}, regions=1)
    with ir.InsertionPoint(task.regions[0].blocks.append()):
        multiply_tiles(product)
        ir.Operation.create("async.yield")
    return task.result
