"""Loops that load a matrix block by block to loads of the whole matrix."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hexagon_mlir.ir import erase_op, ir, scf
from hexagon_mlir.ir.constants import SharedConstants
from hexagon_mlir.ir.order import nested_ops
from hexagon_mlir.ir.query import ops_named
from hexagon_mlir.pass_infra import Pass, PassContext
from hexagon_mlir.passes.block_loads.build import load_whole
from hexagon_mlir.passes.block_loads.growth import BOUNDS
from hexagon_mlir.passes.block_loads.read import BlockLoad, collected, read_load
from hexagon_mlir.passes.lib.pure_slices import clone, is_pure

_HARMLESS = ("memref.alloc", "bufferization.to_tensor", "scf.yield")
"""Besides pure operations and those on tensors, what may stand between loads that change places."""


@dataclass(frozen=True)
class CoalesceBlockLoadsPass(Pass):
    """Loads a matrix at once that a loop loads block after block, where the blocks follow each other in memory.

    `untile-products` leaves such loops of Triton kernels. One load takes one transfer, whose rows are long, and no copy
    from a block's buffer to its place.

    Before:
        func.func @f(%p: memref<1xf16>, %row: index) -> tensor<32x64xf16> {
          %c0 = arith.constant 0 : index
          %c32 = arith.constant 32 : index
          %c64 = arith.constant 64 : index
          %none = tensor.empty() : tensor<32x64xf16>
          %whole = scf.for %k = %c0 to %c64 step %c32 iter_args(%old = %none) -> (tensor<32x64xf16>) {
            %block = memref.alloc() : memref<32x32xf16>
            %there = memref.reinterpret_cast %p to offset: [%k], sizes: [32, 32], strides: [%row, 1]
                : memref<1xf16> to memref<32x32xf16, strided<[?, 1], offset: ?>>
            memref.copy %there, %block : memref<32x32xf16, strided<[?, 1], offset: ?>> to memref<32x32xf16>
            %x = bufferization.to_tensor %block restrict writable : memref<32x32xf16> to tensor<32x32xf16>
            %new = tensor.insert_slice %x into %old[0, %k] [32, 32] [1, 1] : tensor<32x32xf16> into tensor<32x64xf16>
            scf.yield %new : tensor<32x64xf16>
          }
          return %whole : tensor<32x64xf16>
        }

    After, folded:
        func.func @f(%p: memref<1xf16>, %row: index) -> tensor<32x64xf16> {
          %all = memref.alloc() : memref<32x64xf16>
          %there = memref.reinterpret_cast %p to offset: [0], sizes: [32, 64], strides: [%row, 1]
              : memref<1xf16> to memref<32x64xf16, strided<[?, 1]>>
          memref.copy %there, %all : memref<32x64xf16, strided<[?, 1]>> to memref<32x64xf16>
          %whole = bufferization.to_tensor %all restrict writable : memref<32x64xf16> to tensor<32x64xf16>
          return %whole : tensor<32x64xf16>
        }

    Options: none.

    Refuses (with a remark; the loop stays): blocks that do not follow each other, that have fewer dimensions, whose
    sizes are not what is left of a row; loops that write memory.

    Needs: tensor.
    Leaves: tensor.
    """

    name: ClassVar[str] = "coalesce-block-loads"
    needs: ClassVar[str] = "tensor"
    leaves: ClassVar[str] = "tensor"

    def run(self, module: ir.Module, context: PassContext) -> None:
        """Rewrite every such loop of ``module``."""
        constants = SharedConstants()
        for loop in ops_named(module, "scf.for"):
            loads = []
            for place in collected(loop):
                found = read_load(loop, place)
                if isinstance(found, str):
                    self.remark(context, loop, f"tensor {place} is collected in blocks: {found}")
                else:
                    loads.append(found)
            if not loads:
                continue
            if (other := _writes(loop, loads)) is not None:
                self.remark(context, other, "its loop loads blocks one by one: this may write what they read")
                continue
            with loop.location, ir.InsertionPoint(loop), constants.around(loop):
                _rewrite(loop, loads, self.name)


def _writes(loop: ir.Operation, loads: list[BlockLoad]) -> ir.Operation | None:
    """An operation of the body that is no part of ``loads`` and may write memory that others read."""
    own = [inner for load in loads for op in load.ops for inner in nested_ops(op)]
    for op in nested_ops(loop)[:-1]:
        if op in own or is_pure(op) or op.name in _HARMLESS or op.name.startswith("tensor."):
            continue
        if op.name.startswith("linalg.") and not any(isinstance(v.type, ir.MemRefType) for v in op.operands):
            continue
        if op.name != "scf.if" and not _fills_own_memory(op, loop):
            return op
    return None


def _fills_own_memory(op: ir.Operation, loop: ir.Operation) -> bool:
    """True for a copy or a linalg op that writes memory which the iteration allocates."""
    if op.name != "memref.copy" and not op.name.startswith("linalg."):
        return False
    target = list(op.operands)[-1]
    while not isinstance(target.owner, ir.Block) and target.owner.operation.name in ("memref.subview", "memref.cast"):
        target = target.owner.operation.operands[0]
    return not isinstance(target.owner, ir.Block) and target.owner.operation.name == "memref.alloc" \
        and target.owner.operation in nested_ops(loop)


def _rewrite(loop: ir.Operation, loads: list[BlockLoad], name: str) -> None:
    """Load what ``loads`` say before ``loop``, and leave the loop what else it computes, if anything reads that."""
    for load in loads:
        loop.results[load.place].replace_all_uses_with(load_whole(load, loop))
    gone = [load.place for load in loads]
    kept = [place for place in range(len(loop.results)) if place not in gone]
    if any(True for place in kept for _ in loop.results[place].uses):
        _without(loop, gone, kept, [op for load in loads for op in load.ops])
    erase_op(loop, name)


def _without(loop: ir.Operation, gone: list[int], kept: list[int], dropped: list[ir.Operation]) -> None:
    """``loop`` without the carried values ``gone``, which ``dropped`` compute."""
    starts = list(loop.operands)[BOUNDS:]
    new = scf.ForOp(*list(loop.operands)[:BOUNDS], [starts[place] for place in kept])
    body = loop.regions[0].blocks[0]
    mapping = {body.arguments[0]: new.induction_variable}
    mapping |= {body.arguments[1 + place]: value for place, value in zip(kept, new.inner_iter_args, strict=True)}
    with ir.InsertionPoint(new.body):
        operations = [view.operation for view in body.operations]
        for op in operations[:-1]:
            if op not in dropped:
                clone(op, mapping)
        scf.YieldOp([mapping.get(value, value) for place, value in enumerate(operations[-1].operands)
                     if place not in gone])
    for place, result in zip(kept, new.results, strict=True):
        loop.results[place].replace_all_uses_with(result)
