"""Loop nests that occur several times move into functions."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import ClassVar

from hexagon_mlir.ir import func, ir, memref
from hexagon_mlir.ir.buffers import start_alignment
from hexagon_mlir.ir.order import nested_ops
from hexagon_mlir.ir.query import functions
from hexagon_mlir.pass_infra import Pass, PassContext
from hexagon_mlir.passes.lib.outlining import NOCAPTURE, Outlined, rename
from hexagon_mlir.passes.outlining.nests import MovableNest, movable


@dataclass(frozen=True)
class OutlineSimilarNestsPass(Pass):
    """Moves loop nests of the same form into functions, which `merge-functions` then makes one.

    Attention multiplies blocks of the same few shapes many times: in each stage of its double-buffered loops, and in
    the function that runs in parallel with other programs. A product is hundreds of operations, and so is a transpose
    in registers; code generation takes long for each. A product of many blocks on the matrix engine turns tiles of as
    many blocks of its result into rows. A nest is outlined if it takes far more cycles than the call, and if another
    nest has the same operations on the same types. The function does not capture the buffers that it takes, so that
    temporary buffers can still be on the stack.

    Before:
        func.func @f(%x: memref<64x64xf32>, %y: memref<64x64xf32>, %z: memref<64x64xf32>) {
          linalg.transpose ins(%x : memref<64x64xf32>) outs(%y : memref<64x64xf32>) permutation = [1, 0]
          linalg.transpose ins(%y : memref<64x64xf32>) outs(%z : memref<64x64xf32>) permutation = [1, 0]
          return
        }

    After:
        func.func private @f_nest(%x: memref<64x64xf32> {llvm.nocapture}, %y: memref<64x64xf32> {llvm.nocapture})
            attributes {llvm.passthrough = ["noinline"]} {
          linalg.transpose ins(%x : memref<64x64xf32>) outs(%y : memref<64x64xf32>) permutation = [1, 0]
          return
        }
        func.func private @f_nest_0(%x: memref<64x64xf32> {llvm.nocapture}, %y: memref<64x64xf32> {llvm.nocapture})
            attributes {llvm.passthrough = ["noinline"]} {
          linalg.transpose ins(%x : memref<64x64xf32>) outs(%y : memref<64x64xf32>) permutation = [1, 0]
          return
        }
        func.func @f(%x: memref<64x64xf32>, %y: memref<64x64xf32>, %z: memref<64x64xf32>) {
          call @f_nest(%x, %y) : (memref<64x64xf32>, memref<64x64xf32>) -> ()
          call @f_nest_0(%y, %z) : (memref<64x64xf32>, memref<64x64xf32>) -> ()
          return
        }

    Options:
        operations: nests of fewer operations stay where they are.
        work: nests that do fewer operations in all their iterations stay as well.

    Refuses: nests that allocate, transfer, call or return results; nests that use outer values other than buffers,
    words or floats.

    Needs: buffer.
    Leaves: buffer.
    """

    name: ClassVar[str] = "outline-similar-nests"
    needs: ClassVar[str] = "buffer"
    leaves: ClassVar[str] = "buffer"

    operations: int = 80
    work: int = 1000

    def run(self, module: ir.Module, context: PassContext) -> None:
        """Collect the outermost nests that may move, then move those that are not alone."""
        alike: dict[tuple, list[MovableNest]] = defaultdict(list)
        for function in functions(module):
            for nest in movable(function, self.operations, self.work):
                alike[nest.form].append(nest)
        symbols = ir.SymbolTable(module.operation)
        vector_bytes = int(context.target.vector_bytes.value)
        for nests in alike.values():
            for nest in nests if len(nests) > 1 else ():
                _outline(nest, symbols, vector_bytes)


def _outline(nest: MovableNest, symbols: ir.SymbolTable, vector_bytes: int) -> None:
    """Put ``nest`` into a function of its own, and a call in its place."""
    op = holder = nest.op
    while holder.name != "func.func":
        holder = holder.parent.operation
    with op.location:
        outlined = Outlined(f"{ir.StringAttr(holder.attributes['sym_name']).value}_nest", nest.used, 0, op,
                            repeated=frozenset({"arith.constant"}))
        symbols.insert(outlined.function.operation)  # makes the name unique
        with ir.InsertionPoint(op):
            outlined.call([])
        with outlined.body():
            _keep_alignment(op, outlined.inside, vector_bytes)
            end = func.ReturnOp([])
        for inner in nested_ops(op):
            rename(inner, outlined.inside)
        op.move_before(end.operation)
        outlined.function.attributes["llvm.passthrough"] = ir.ArrayAttr.get([ir.StringAttr.get("noinline")])
        outlined.promise(NOCAPTURE)


def _keep_alignment(op: ir.Operation, inside: dict[ir.Value, ir.Value], vector_bytes: int) -> None:
    """Say which buffers of an ``op`` that is yet to be vectorized start at a whole vector."""
    for value in op.operands if op.name.startswith("linalg.") else ():
        if not start_alignment(value, vector_bytes) % vector_bytes and not start_alignment(inside[value], 1) > 1:
            inside[value] = memref.AssumeAlignmentOp(inside[value], vector_bytes).result
