"""Threads share large copies within TCM."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import ClassVar

from hexagon_mlir.dialects import iteration_cycles, permissions
from hexagon_mlir.ir import erase_op, ir, memref, scf
from hexagon_mlir.ir.query import element_bytes, in_tcm, ops_named
from hexagon_mlir.pass_infra import Pass, PassContext
from hexagon_mlir.passes.lib.thread_cost import Chunks, ForkCost
from hexagon_mlir.targets.dma import Engine


@dataclass(frozen=True)
class ShareTcmCopiesPass(Pass):
    """Shares large copies within TCM among threads.

    The longest dimension but the last one is cut into as many equal parts as there are threads, which copy one each;
    what is left over is copied before. DMA moves nothing within TCM sooner, and its transfers of weights would delay
    the copy.

    Before:
        func.func @f(%x: memref<1025x128xf32, 1>, %y: memref<1025x128xf32, strided<[256, 1]>, 1>) {
          memref.copy %x, %y : memref<1025x128xf32, 1> to memref<1025x128xf32, strided<[256, 1]>, 1>
          return
        }

    After:
        func.func @f(%arg0: memref<1025x128xf32, 1>, %arg1: memref<1025x128xf32, strided<[256, 1]>, 1>) {
          %subview = memref.subview %arg0[1024, 0] [1, 128] [1, 1]
            : memref<1025x128xf32, 1> to memref<1x128xf32, strided<[128, 1], offset: 131072>, 1>
          %subview_0 = memref.subview %arg1[1024, 0] [1, 128] [1, 1] : memref<1025x128xf32, strided<[256, 1]>, 1>
            to memref<1x128xf32, strided<[256, 1], offset: 262144>, 1>
          memref.copy %subview, %subview_0 : memref<1x128xf32, strided<[128, 1], offset: 131072>, 1>
            to memref<1x128xf32, strided<[256, 1], offset: 262144>, 1>
          scf.forall (%arg2) = (0) to (1024) step (256) {
            %subview_1 = memref.subview %arg0[%arg2, 0] [256, 128] [1, 1]
              : memref<1025x128xf32, 1> to memref<256x128xf32, strided<[128, 1], offset: ?>, 1>
            %subview_2 = memref.subview %arg1[%arg2, 0] [256, 128] [1, 1] : memref<1025x128xf32, strided<[256, 1]>, 1>
              to memref<256x128xf32, strided<[256, 1], offset: ?>, 1>
            memref.copy %subview_1, %subview_2 : memref<256x128xf32, strided<[128, 1], offset: ?>, 1>
              to memref<256x128xf32, strided<[256, 1], offset: ?>, 1>
          } {hexagon.iteration_cycles = 4100 : i64}
          return
        }

    Options:
        threads: how many share a copy; 0 takes the target's HVX contexts.

    Refuses: nothing; copies of run-time sizes, in loops of threads, or too small stay as they are.

    Needs: buffer.
    Leaves: buffer.
    """

    name: ClassVar[str] = "share-tcm-copies"
    needs: ClassVar[str] = "buffer"
    leaves: ClassVar[str] = "buffer"

    threads: int = 0

    def run(self, module: ir.Module, context: PassContext) -> None:
        """Look at each copy within TCM."""
        cost, rate = ForkCost.of(context.target, self.threads), Engine.of(context.target).issue_rate
        for op in ops_named(module, "memref.copy"):
            source, target = (ir.MemRefType(value.type) for value in op.operands)
            if not (in_tcm(source) and in_tcm(target) and source.has_static_shape and _may_fork(op)):
                continue
            shape = list(source.shape)
            dim = choose_dimension(shape)
            cycles = element_bytes(source.element_type) * prod(shape) / rate
            if dim is None or not _pays(shape[dim], cycles, cost):
                continue
            with op.location, ir.InsertionPoint(op):
                _share(op, shape, dim, cost.tasks, cycles / cost.tasks)
            erase_op(op, self.name)


def choose_dimension(shape: list[int]) -> int | None:
    """The longest dimension but the last, the outermost one of equals; None where there is no other."""
    return max(range(len(shape) - 1), key=lambda dim: (shape[dim], -dim), default=None)


def _pays(extent: int, cycles: float, cost: ForkCost) -> bool:
    """Whether so many cycles of copying ``extent`` rows are fewer in equal parts."""
    tasks = cost.tasks
    return 1 < tasks <= extent and cost.pays(cycles, Chunks((extent,), (-(-extent // tasks),)))


def _may_fork(op: ir.Operation) -> bool:
    """Whether only one thread runs ``op``."""
    parent = op.parent.operation
    while parent.name not in ("func.func", "scf.forall"):
        parent = parent.parent.operation
    return parent.name == "func.func" and permissions.of(parent) is None


def _share(copy: ir.Operation, shape: list[int], dim: int, tasks: int, cycles: float) -> None:
    """Copy in ``tasks`` equal parts of dimension ``dim``, and the rest of it before."""
    part = shape[dim] // tasks

    def move(offset: int | ir.Value, extent: int) -> None:
        offsets: list[int | ir.Value] = [0] * len(shape)
        offsets[dim] = offset
        sizes = [extent if other == dim else size for other, size in enumerate(shape)]
        memref.copy(*(memref.subview(value, offsets, sizes, [1] * len(shape)) for value in copy.operands))

    if rest := shape[dim] - part * tasks:
        move(part * tasks, rest)
    loop = scf.ForallOp([0], [part * tasks], [part], [])
    iteration_cycles.note(loop.operation, cycles)
    with ir.InsertionPoint(loop.body):
        move(loop.induction_variables[0], part)
        scf.InParallelOp()
