"""Footprints of one array that overlap or interleave are read from one transfer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hexagon_mlir.ir import arith, ir, memref
from hexagon_mlir.ir.query import element_bytes, find_ops, functions, known_bytes, ops_named
from hexagon_mlir.pass_infra import Pass, PassContext
from hexagon_mlir.passes.footprints.loads import ALLOCATION, VIEWS, Load, Span, is_load, runs_of, spreads_rows
from hexagon_mlir.passes.footprints.spans import shared_spans
from hexagon_mlir.targets.dma import Engine

_FEW = 32
"""Vectors up to which latency is most of what loads of odd strides from DDR cost; more, they read in order."""


@dataclass(frozen=True)
class HexagonSharedFootprintsPass(Pass):
    """Copies the memory that several loads of a kernel read together once, to a buffer from which they then read.

    Loads of the even and of the odd elements of an array would each read every cache line of it, in an order that the
    prefetcher does not follow. The pass copies the whole array in order, and the loads pick lanes in TCM. It does the
    same for short rows, such as pixels of three channels, that are copied to longer ones.

    Before:
        func.func @f(%x: memref<1xf32>, %even: memref<4096xf32>, %odd: memref<4096xf32>) {
          %a = memref.reinterpret_cast %x to offset: [0], sizes: [4096], strides: [2]
              : memref<1xf32> to memref<4096xf32, strided<[2]>>
          %e = memref.alloc() : memref<4096xf32>
          memref.copy %a, %e : memref<4096xf32, strided<[2]>> to memref<4096xf32>
          %b = memref.reinterpret_cast %x to offset: [1], sizes: [4096], strides: [2]
              : memref<1xf32> to memref<4096xf32, strided<[2], offset: 1>>
          %o = memref.alloc() : memref<4096xf32>
          memref.copy %b, %o : memref<4096xf32, strided<[2], offset: 1>> to memref<4096xf32>
          return
        }

    After:
        func.func @f(%x: memref<1xf32>, %even: memref<4096xf32>, %odd: memref<4096xf32>) {
          %e = memref.alloc() : memref<4096xf32>
          %all = memref.reinterpret_cast %x to offset: [0], sizes: [8192], strides: [1]
              : memref<1xf32> to memref<8192xf32, strided<[1]>>
          %near = memref.alloc() : memref<8192xf32>
          memref.copy %all, %near : memref<8192xf32, strided<[1]>> to memref<8192xf32>
          %a = memref.reinterpret_cast %near to offset: [0], sizes: [4096], strides: [2]
              : memref<8192xf32> to memref<4096xf32, strided<[2]>>
          memref.copy %a, %e : memref<4096xf32, strided<[2]>> to memref<4096xf32>
          %o = memref.alloc() : memref<4096xf32>
          %b = memref.reinterpret_cast %near to offset: [1], sizes: [4096], strides: [2]
              : memref<8192xf32> to memref<4096xf32, strided<[2], offset: 1>>
          memref.copy %b, %o : memref<4096xf32, strided<[2], offset: 1>> to memref<4096xf32>
          return
        }

    Options:
        tcm-bytes: bytes one kernel may use; 0 takes the target's whole TCM.

    Refuses: nothing; it leaves alone footprints of sizes known at run time, those with a store in between, single
    neighbouring ones (each is copied by a transfer of its own), odd strides of a few kilobytes (they are read in order,
    which is as fast as memcpy), and footprints that do not fit one thread's share of the TCM.

    Needs: tensor.
    Leaves: tensor.
    """

    name: ClassVar[str] = "hexagon-shared-footprints"
    needs: ClassVar[str] = "tensor"
    leaves: ClassVar[str] = "tensor"

    tcm_bytes: int = 0

    def run(self, module: ir.Module, context: PassContext) -> None:
        """Kernels with buffers of their own, block by block."""
        target = context.target
        share = (self.tcm_bytes or target.tcm_budget_bytes) // int(target.hvx_contexts.value)
        vector = int(target.vector_bytes.value)
        engine, few = Engine.of(target).break_even_bytes, _FEW * vector
        for function in functions(module):
            room = share - _buffer_bytes(function)
            blocks = list(dict.fromkeys(op.block for op in find_ops(function, is_load)))
            for loads in [part for block in blocks for part in runs_of(block)]:
                groups = shared_spans([load.footprint for load in loads])
                alone = set(range(len(loads))).difference(*groups)
                for group in groups + [[number] for number in sorted(alone) if spreads_rows(loads[number], vector)]:
                    chosen = [loads[number] for number in group]
                    size = Span.of(chosen).size * element_bytes(ir.MemRefType(chosen[0].source.type).element_type)
                    even = any(load.footprint.strides[-1] % 2 == 0 for load in chosen)
                    if size <= room and (even or len(group) == 1 or size <= few or size >= engine):
                        _share(chosen)
                        room -= size


def _share(loads: list[Load]) -> None:
    """Copy everything that ``loads`` read before the first of them, and let them read the copy."""
    first, span = loads[0], Span.of(loads)
    element = ir.MemRefType(first.source.type).element_type
    dynamic = ir.ShapedType.get_dynamic_size()
    with first.copy.location, ir.InsertionPoint(first.copy):
        offset, operands = span.first, []
        if first.start is not None or offset < 0:
            number = arith.constant(ir.IndexType.get(), offset)
            offset, operands = dynamic, [number if first.start is None else arith.addi(first.start, number)]
        whole = _view(first.pointer, element, offset, operands, (span.size,), (1,))
        near = memref.alloc(ir.MemRefType.get([span.size], element), [], [])
        memref.copy(whole, near)
    for load in loads:
        with load.copy.location, ir.InsertionPoint(load.copy):
            old = load.source
            load.copy.operands[0] = _view(near, element, load.footprint.first - span.first, [], load.footprint.sizes,
                                          load.footprint.strides)
        _erase_unused(old)


def _view(buffer: ir.Value, element: ir.Type, offset: int, operands: list[ir.Value], sizes: tuple[int, ...],
          strides: tuple[int, ...]) -> ir.Value:
    layout = ir.StridedLayoutAttr.get(offset, list(strides))
    type_ = ir.MemRefType.get(list(sizes), element, layout)
    return memref.ReinterpretCastOp(type_, buffer, operands, [], [], [offset], list(sizes), list(strides)).result


def _erase_unused(view: ir.Value) -> None:
    while not isinstance(view.owner, ir.Block) and not any(True for _ in view.uses):
        op = view.owner.operation
        if op.name not in VIEWS:
            return
        view = op.operands[0]
        op.erase()


def _buffer_bytes(function: ir.Operation) -> int:
    """Bytes of the buffers of ``function`` that may come to be in TCM."""
    return sum(known_bytes(op.results[0].type) for op in ops_named(function, ALLOCATION, "tensor.empty"))
