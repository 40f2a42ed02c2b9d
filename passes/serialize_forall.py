"""Parallel loops run as one chunk where the function may not fork."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hexagon_mlir.dialects import permissions
from hexagon_mlir.ir import arith, erase_op, ir, scf
from hexagon_mlir.ir.constants import index
from hexagon_mlir.ir.query import functions, ops_named
from hexagon_mlir.pass_infra import Pass, PassContext
from hexagon_mlir.passes.serialized_foralls.body import Chunks, read


@dataclass(frozen=True)
class SerializeForallPass(Pass):
    """Runs equal chunks of an scf.forall as a single chunk, in the same loops, if the function may not fork.

    `form-virtual-threads` splits loops into one chunk for each thread; an argument ``hexagon.may_fork`` tells a
    function whether there are threads. Each chunk has the overhead of entering its loops, mainly of loading constants
    into vector registers. So the step of the forall becomes the length of a chunk if the function may fork, and the
    whole extent if it may not. Buffers of an iteration become parts of one buffer.

    Before:
        func.func @f(%x: memref<64xf32>, %y: memref<64xf32>, %fork: i1 {hexagon.may_fork}) {
          scf.forall (%i) = (0) to (64) step (32) {
            %a = memref.subview %x[%i] [32] [1] : memref<64xf32> to memref<32xf32, strided<[1], offset: ?>>
            %b = memref.subview %y[%i] [32] [1] : memref<64xf32> to memref<32xf32, strided<[1], offset: ?>>
            linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
                iterator_types = ["parallel"]} ins(%a : memref<32xf32, strided<[1], offset: ?>>)
                outs(%b : memref<32xf32, strided<[1], offset: ?>>) {
            ^bb0(%in: f32, %out: f32):
              %s = arith.addf %in, %in : f32
              linalg.yield %s : f32
            }
          }
          return
        }

    After:
        func.func @f(%x: memref<64xf32>, %y: memref<64xf32>, %fork: i1 {hexagon.may_fork}) {
          %c32 = arith.constant 32 : index
          %c64 = arith.constant 64 : index
          %n = arith.select %fork, %c32, %c64 : index
          scf.forall (%i) = (0) to (64) step (%n) {
            %a = memref.subview %x[%i] [%n] [1] : memref<64xf32> to memref<?xf32, strided<[1], offset: ?>>
            %b = memref.subview %y[%i] [%n] [1] : memref<64xf32> to memref<?xf32, strided<[1], offset: ?>>
            linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
                iterator_types = ["parallel"]} ins(%a : memref<?xf32, strided<[1], offset: ?>>)
                outs(%b : memref<?xf32, strided<[1], offset: ?>>) {
            ^bb0(%in: f32, %out: f32):
              %s = arith.addf %in, %in : f32
              linalg.yield %s : f32
            }
          }
          return
        }

    Options:
        none

    Refuses (with a remark): loops that do more than elementwise work on their slices, chunks of unequal length.

    Needs: buffer.
    Leaves: buffer.
    """

    name: ClassVar[str] = "serialize-forall"
    needs: ClassVar[str] = "buffer"
    leaves: ClassVar[str] = "buffer"

    def run(self, module: ir.Module, context: PassContext) -> None:
        """Serialize every forall of functions with an argument that tells whether they may fork."""
        for function in functions(module):
            try:
                may_fork = permissions.of(function)
            except ValueError as error:
                raise self.refuse(function, str(error), "i1: may the function fork?") from None
            for forall in ops_named(function, "scf.forall") if may_fork is not None else ():
                chunks = read(forall)
                if isinstance(chunks, str):
                    self.remark(context, forall, f"chunks are not merged: {chunks}")
                else:
                    _serialize(forall, chunks, may_fork, self.name)


def _serialize(forall: ir.Operation, chunks: Chunks, may_fork: ir.Value, origin: str) -> None:
    body = forall.regions[0].blocks[0]
    with forall.location, ir.InsertionPoint(forall):
        length = arith.select(may_fork, index(chunks.length), index(chunks.extent))
        wholes = {value: chunks.whole(value) for value in chunks.cut if value.owner.operation.name == "memref.alloc"}
        loop = scf.ForallOp([0], [chunks.extent], [length], [])
        for end in chunks.ends:
            end.operands[0] = wholes[end.operands[0]]
            end.move_after(loop.operation)
        with ir.InsertionPoint(loop.body):
            last = scf.InParallelOp()
    first = loop.induction_variables[0]
    body.arguments[0].replace_all_uses_with(first)
    for op in list(body.operations)[:-1]:
        op.operation.move_before(last.operation)
    for old in chunks.cut:
        maker = old.owner.operation
        with maker.location, ir.InsertionPoint(maker):
            source = wholes[old] if old in wholes else maker.operands[0]
            old.replace_all_uses_with(chunks.slice_of(old, source, first, length))
        erase_op(maker, origin)
    erase_op(forall, origin)
