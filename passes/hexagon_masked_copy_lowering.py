"""Loops that copy single elements under a mask from memory to predicated vector stores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hexagon_mlir.ir import erase_op, ir, scf
from hexagon_mlir.ir.query import ops_named
from hexagon_mlir.pass_infra import CLEAN, Pass, PassContext, UpstreamStep
from hexagon_mlir.passes.masked_copies.emit import emit
from hexagon_mlir.passes.masked_copies.match import MaskedCopy, match

_BITS = (8, 16, 32)  # elements that HVX predicates select


@dataclass(frozen=True)
class HexagonMaskedCopyLoweringPass(Pass):
    """Turns loops that copy the elements selected by a mask in memory into predicated vector stores.

    The loop runs from the first element that the mask selects to the last, since memory beyond these may not exist.
    Elements between them that the mask does not select are not written, so that other threads may write them at the
    same time.

    Before:
        func.func @f(%out: memref<1xf32>, %start: index) {
          %c0 = arith.constant 0 : index
          %c32 = arith.constant 32 : index
          %c1 = arith.constant 1 : index
          %no = arith.constant 0 : i32
          %mask = memref.alloc() : memref<32xi32>
          %value = memref.alloc() : memref<32xf32>
          scf.for %i = %c0 to %c32 step %c1 {
            %word = memref.load %mask[%i] : memref<32xi32>
            %wanted = arith.cmpi ne, %word, %no : i32
            scf.if %wanted {
              %at = arith.addi %start, %i : index
              %place = memref.reinterpret_cast %out to offset: [%at], sizes: [1], strides: [1]
                  : memref<1xf32> to memref<1xf32, strided<[1], offset: ?>>
              %v = memref.load %value[%i] : memref<32xf32>
              memref.store %v, %place[%c0] : memref<1xf32, strided<[1], offset: ?>>
            }
          }
          return
        }

    After:
        func.func @f(%arg0: memref<1xf32>, %arg1: index) {
          %0 = ub.poison : vector<32xi32>
          %cst = arith.constant dense<[0, -1, -2, -3, -4, -5, -6, -7, -8, -9, -10, -11, -12, -13, -14, -15, -16,
              -17, -18, -19, -20, -21, -22, -23, -24, -25, -26, -27, -28, -29, -30, -31]> : vector<32xi32>
          %cst_0 = arith.constant dense<0.000000e+00> : vector<32xf32>
          %cst_1 = arith.constant dense<0> : vector<32xi32>
          %cst_2 = arith.constant dense<-1073741824> : vector<32xi32>
          %cst_3 = arith.constant dense<-1> : vector<32xi32>
          %cst_4 = arith.constant dense<[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20,
              21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31]> : vector<32xi32>
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %c0_i32 = arith.constant 0 : i32
          %alloc = memref.alloc() : memref<32xi32>
          %alloc_5 = memref.alloc() : memref<32xf32>
          %1 = vector.load %alloc[%c0] {alignment = 4 : i64} : memref<32xi32>, vector<32xi32>
          %2 = arith.cmpi ne, %1, %cst_1 : vector<32xi32>
          %3 = arith.select %2, %cst_4, %cst_3 : vector<32xi1>, vector<32xi32>
          %4 = arith.maxsi %3, %cst_3 : vector<32xi32>
          %5 = arith.select %2, %cst, %cst_2 : vector<32xi1>, vector<32xi32>
          %6 = arith.maxsi %5, %cst_2 : vector<32xi32>
          %7 = vector.shuffle %4, %6 [0, 32, 2, 34, 4, 36, 6, 38, 8, 40, 10, 42, 12, 44, 14, 46, 16, 48, 18, 50, 20,
              52, 22, 54, 24, 56, 26, 58, 28, 60, 30, 62] : vector<32xi32>, vector<32xi32>
          %8 = vector.shuffle %4, %6 [1, 33, 3, 35, 5, 37, 7, 39, 9, 41, 11, 43, 13, 45, 15, 47, 17, 49, 19, 51, 21,
              53, 23, 55, 25, 57, 27, 59, 29, 61, 31, 63] : vector<32xi32>, vector<32xi32>
          %9 = arith.maxsi %7, %8 : vector<32xi32>
          %10 = vector.shuffle %9, %0 [16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 0, 1, 2, 3,
              4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15] : vector<32xi32>, vector<32xi32>
          %11 = arith.maxsi %9, %10 : vector<32xi32>
          %12 = vector.shuffle %11, %0 [8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26,
              27, 28, 29, 30, 31, 0, 1, 2, 3, 4, 5, 6, 7] : vector<32xi32>, vector<32xi32>
          %13 = arith.maxsi %11, %12 : vector<32xi32>
          %14 = vector.shuffle %13, %0 [4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23,
              24, 25, 26, 27, 28, 29, 30, 31, 0, 1, 2, 3] : vector<32xi32>, vector<32xi32>
          %15 = arith.maxsi %13, %14 : vector<32xi32>
          %16 = vector.shuffle %15, %0 [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22,
              23, 24, 25, 26, 27, 28, 29, 30, 31, 0, 1] : vector<32xi32>, vector<32xi32>
          %17 = arith.maxsi %15, %16 : vector<32xi32>
          %18 = vector.extract %17[0] : i32 from vector<32xi32>
          %19 = vector.extract %17[1] : i32 from vector<32xi32>
          %20 = arith.subi %c0_i32, %19 : i32
          %21 = arith.index_cast %20 : i32 to index
          %22 = arith.index_cast %18 : i32 to index
          %23 = arith.cmpi sge, %22, %c0 : index
          scf.if %23 {
            %24 = arith.subi %22, %21 : index
            %25 = arith.addi %24, %c1 : index
            %26 = arith.index_cast %25 : index to i32
            %27 = vector.broadcast %26 : i32 to vector<32xi32>
            %28 = arith.cmpi sgt, %27, %cst_4 : vector<32xi32>
            %29 = vector.maskedload %alloc[%21], %28, %cst_1 {alignment = 4 : i64} : memref<32xi32>, vector<32xi1>,
                vector<32xi32> into vector<32xi32>
            %30 = arith.cmpi ne, %29, %cst_1 : vector<32xi32>
            %31 = vector.maskedload %alloc_5[%21], %28, %cst_0 {alignment = 4 : i64} : memref<32xf32>,
                vector<32xi1>, vector<32xf32> into vector<32xf32>
            %32 = arith.addi %arg1, %21 : index
            %reinterpret_cast = memref.reinterpret_cast %arg0 to offset: [%32], sizes: [32], strides: [1] :
                memref<1xf32> to memref<32xf32, strided<[1], offset: ?>>
            vector.maskedstore %reinterpret_cast[%c0], %30, %31 {alignment = 4 : i64} : memref<32xf32, strided<[1],
                offset: ?>>, vector<32xi1>, vector<32xf32>
          }
          return
        }

    Options:
        none

    Refuses (with a remark; the loop stays): elements of 8 bytes, rows of less than a vector.

    Needs: buffer.
    Leaves: buffer.
    """

    name: ClassVar[str] = "hexagon-masked-copy-lowering"
    needs: ClassVar[str] = "buffer"
    leaves: ClassVar[str] = "buffer"
    runs: ClassVar[tuple[UpstreamStep, ...]] = (CLEAN,)

    def run(self, module: ir.Module, context: PassContext) -> None:
        """Every such loop of ``module``."""
        vector_bytes = int(context.target.vector_bytes.value)
        lowered = False
        for op in ops_named(module, "scf.for"):
            loop = op.opview
            assert isinstance(loop, scf.ForOp)
            copy = match(loop)
            if copy is None:
                continue
            if reason := _refusal(copy, vector_bytes):
                self.remark(context, op, f"copied element by element under its mask: {reason}")
                continue
            with op.location, ir.InsertionPoint(op):
                emit(copy, vector_bytes)
            erase_op(op, self.name)
            lowered = True
        if lowered:
            CLEAN.run(module, context)


def _refusal(copy: MaskedCopy, vector_bytes: int) -> str:
    """Why ``copy`` stays a loop; empty when vectors pay."""
    if copy.bits not in _BITS:
        return f"elements of {copy.bits} bits"
    if copy.most is not None and copy.most * copy.bits < vector_bytes * 8:
        return f"rows of {copy.most} elements are less than a vector"
    return ""
