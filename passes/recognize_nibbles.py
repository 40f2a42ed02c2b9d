"""Weights of 4 bits that a program unpacks itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hexagon_mlir.ir import erase_op, ir
from hexagon_mlir.ir.query import names_of, ops_named
from hexagon_mlir.pass_infra import CLEAN, Pass, PassContext, UpstreamStep
from hexagon_mlir.passes.lib.engine_nibbles import unpacked
from hexagon_mlir.passes.matrix_engine.byte_sizes import FIRST_WITH_PLANES
from hexagon_mlir.passes.matrix_engine.read_bytes import ByteMatmul, read_byte_matmul
from hexagon_mlir.passes.nibbles.collected import Collected, collect_bytes, read_collected
from hexagon_mlir.passes.nibbles.read import Unpacking, read_unpacking

_RIGHT = 1


@dataclass(frozen=True)
class RecognizeNibblesPass(Pass):
    """Unpacks the weights of a product of bytes, two integers of 4 bits in each byte, in one op, however a program does
    it, and after the loop that collects the weights block by block.

    `hexagon-matrix-engine` then multiplies the nibbles without unpacking them, and `coalesce-block-loads` loads the
    bytes at once. The two halves are joined by ``tl.join``, ``tl.interleave`` or the like, along the reduction or along
    the columns, the lower half first; or rows ``k // 2`` are shifted by ``k % 2`` halves. What is computed of each half
    is tried for all 256 bytes: shifts, masks and subtractions in any form give the number with its sign, from 0 to 15,
    or that less 8. Of bytes from 0 to 15 the product is one of bytes.

    Before:
        #same = affine_map<(i, j) -> (i, j)>
        #stacked = affine_map<(i, j, h) -> (h, i, j)>
        #third = affine_map<(i, j, h) -> (i, j, h)>
        func.func @columns(%a: tensor<64x64xi8>, %b: tensor<64x64xi8>) -> tensor<64x128xi32> {
          %four = arith.constant 4 : i8
          %mask = arith.constant 15 : i8
          %eight = arith.constant 8 : i8
          %zero = arith.constant 0 : i32
          %none = tensor.empty() : tensor<64x64xi8>
          %low = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]}
              ins(%b : tensor<64x64xi8>) outs(%none : tensor<64x64xi8>) {
          ^bb0(%x: i8, %old: i8):
            %0 = arith.andi %x, %mask : i8
            %1 = arith.subi %0, %eight : i8
            linalg.yield %1 : i8
          } -> tensor<64x64xi8>
          %high = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]}
              ins(%b : tensor<64x64xi8>) outs(%none : tensor<64x64xi8>) {
          ^bb0(%x: i8, %old: i8):
            %0 = arith.shrui %x, %four : i8
            %1 = arith.subi %0, %eight : i8
            linalg.yield %1 : i8
          } -> tensor<64x64xi8>
          %both = tensor.empty() : tensor<2x64x64xi8>
          %one = tensor.insert_slice %low into %both[0, 0, 0] [1, 64, 64] [1, 1, 1] : tensor<64x64xi8> into
              tensor<2x64x64xi8>
          %two = tensor.insert_slice %high into %one[1, 0, 0] [1, 64, 64] [1, 1, 1] : tensor<64x64xi8> into
              tensor<2x64x64xi8>
          %into = tensor.empty() : tensor<64x64x2xi8>
          %last = linalg.generic {indexing_maps = [#stacked, #third], iterator_types = ["parallel",
              "parallel", "parallel"]}
              ins(%two : tensor<2x64x64xi8>) outs(%into : tensor<64x64x2xi8>) {
          ^bb0(%x: i8, %old: i8):
            linalg.yield %x : i8
          } -> tensor<64x64x2xi8>
          %w = tensor.collapse_shape %last [[0], [1, 2]] : tensor<64x64x2xi8> into tensor<64x128xi8>
          %init = tensor.empty() : tensor<64x128xi32>
          %sums = linalg.fill ins(%zero : i32) outs(%init : tensor<64x128xi32>) -> tensor<64x128xi32>
          %0 = linalg.matmul ins(%a, %w : tensor<64x64xi8>, tensor<64x128xi8>) outs(%sums :
              tensor<64x128xi32>)
              -> tensor<64x128xi32>
          return %0 : tensor<64x128xi32>
        }

    After:
        #map = affine_map<(d0, d1, d2) -> (d0, d1)>
        #map1 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
        func.func @columns(%arg0: tensor<64x64xi8>, %arg1: tensor<64x64xi8>) -> tensor<64x128xi32> {
          %c-120_i8 = arith.constant -120 : i8
          %c4_i8 = arith.constant 4 : i8
          %c0_i32 = arith.constant 0 : i32
          %0 = tensor.empty() : tensor<64x64x2xi8>
          %1 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel",
              "parallel"]} ins(%arg1 : tensor<64x64xi8>) outs(%0 : tensor<64x64x2xi8>) {
          ^bb0(%in: i8, %out: i8):
            %5 = arith.xori %in, %c-120_i8 : i8
            %6 = linalg.index 2 : index
            %7 = arith.index_cast %6 : index to i8
            %8 = arith.muli %7, %c4_i8 : i8
            %9 = arith.subi %c4_i8, %8 : i8
            %10 = arith.shli %5, %9 : i8
            %11 = arith.shrsi %10, %c4_i8 : i8
            linalg.yield %11 : i8
          } -> tensor<64x64x2xi8>
          %collapsed = tensor.collapse_shape %1 [[0], [1, 2]] : tensor<64x64x2xi8> into tensor<64x128xi8>
          %2 = tensor.empty() : tensor<64x128xi32>
          %3 = linalg.fill ins(%c0_i32 : i32) outs(%2 : tensor<64x128xi32>) -> tensor<64x128xi32>
          %4 = linalg.matmul ins(%arg0, %collapsed : tensor<64x64xi8>, tensor<64x128xi8>) outs(%3 :
              tensor<64x128xi32>) -> tensor<64x128xi32>
          return %4 : tensor<64x128xi32>
        }

    Options:
        matrix-engine: whether the engine may be used.

    Refuses (with a remark; the unpacking stays): halves in another order, changed in another way or in one
    that depends on the row, halves of different tensors, blocks that do not follow each other or start within a byte,
    sums that the loop reads elsewhere.

    Needs: tensor.
    Leaves: tensor.
    """

    name: ClassVar[str] = "recognize-nibbles"
    needs: ClassVar[str] = "tensor"
    leaves: ClassVar[str] = "tensor"
    runs: ClassVar[tuple[UpstreamStep, ...]] = (CLEAN,)

    matrix_engine: bool = True

    def run(self, module: ir.Module, context: PassContext) -> None:
        """Rewrite the unpacking of the right factors of ``module``."""
        target = context.target
        if not (self.matrix_engine and target.has_matrix_engine) or target.version < FIRST_WITH_PLANES:
            return
        changed = False
        for op in ops_named(module, *names_of("linalg")):
            if not isinstance(read_byte_matmul(op), ByteMatmul) or isinstance(op.operands[_RIGHT].owner, ir.Block):
                continue
            found = self._rewrite(op.operands[_RIGHT])
            changed |= found == ""
            if found:
                self.remark(context, op, f"the unpacking of its weights stays: {found}")
        if changed:
            CLEAN.run(module, context)

    def _rewrite(self, matrix: ir.Value) -> str | None:
        """Empty where one op unpacks ``matrix`` now; why none does, and None for a matrix that is not unpacked."""
        op = matrix.owner.operation
        if op.name != "scf.for":
            found = read_unpacking(matrix)
            if isinstance(found, Unpacking):
                with op.location, ir.InsertionPoint(op):
                    matrix.replace_all_uses_with(_unpack(found, found.packed))
                erase_op(op, self.name)
            return "" if isinstance(found, Unpacking) else found
        place = list(op.results).index(matrix)
        collected = read_collected(op, place)
        if not isinstance(collected, Collected):
            return collected
        readers = [(use.owner.operation, use.operand_number) for use in matrix.uses]
        with op.location:
            collect_bytes(collected, op, place)
            with ir.InsertionPoint.after(op):
                bytes_ = _unpack(collected.unpacking, op.results[place])
        for reader, number in readers:
            reader.operands[number] = bytes_
        return ""


def _unpack(unpacking: Unpacking, packed: ir.Value) -> ir.Value:
    """The halves of ``packed``, which are what ``unpacking`` says."""
    return unpacked(packed, unpacking.axis, unpacking.signed, unpacking.offset)
