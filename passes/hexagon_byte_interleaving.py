"""Copies to and from the matrix engine's tiles of bytes to HVX vectors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hexagon_mlir.ir import erase_op, ir
from hexagon_mlir.ir.constants import SharedConstants
from hexagon_mlir.ir.query import ops_named
from hexagon_mlir.pass_infra import Pass, PassContext
from hexagon_mlir.passes.byte_interleaving.emitters import EMITTERS
from hexagon_mlir.passes.byte_interleaving.pixels import pixel_emitter
from hexagon_mlir.passes.lib.engine_byte_tiles import byte_copy


@dataclass(frozen=True)
class HexagonByteInterleavingPass(Pass):
    """Vectorizes copies between rows of bytes and the matrix engine's tiles, planes of sums to sums, sums of weights.

    Each interleaves pieces of several rows: words of 32 bytes of four rows are an activation tile's, bytes of four rows
    a tile's of weights, bytes of four planes the sums of 32 bits, and words of four bytes of 32 rows a tile's of
    weights that lie column by column; words of 32 bytes of four result tiles are a row's. Tiles of pixels have words of
    pixels that lie apart in their row of an image, as do pixels of sums; pixels of few channels overlap, and are loaded
    one by one. Of weights of 4 bits, two neighbouring columns are in a byte of a row, and two rows in one of a tile.
    One shuffle of two whole vectors is a step of it. Sums of the columns of weights are dot products with -128, or with
    -8, where the weights have 4 bits, which are multiplied by 16.

    Before:
        #tiles = affine_map<(ct, c, kt, k, l) -> (ct, kt, k, c, l)>
        #sums = affine_map<(ct, c, kt, k, l) -> (ct, c)>
        func.func @f(%tiles: memref<1x1x1x32x4xi8, 1>, %sums: memref<1x32xi32, 1>) {
          %c = arith.constant -128 : i32
          linalg.generic {indexing_maps = [#tiles, #sums], iterator_types = ["parallel", "parallel", "reduction",
              "reduction", "reduction"]} ins(%tiles : memref<1x1x1x32x4xi8, 1>) outs(%sums : memref<1x32xi32, 1>) {
          ^bb0(%byte: i8, %old: i32):
            %0 = arith.extsi %byte : i8 to i32
            %1 = arith.muli %0, %c : i32
            %2 = arith.addi %old, %1 : i32
            linalg.yield %2 : i32
          }
          return
        }

    After, folded:
        func.func @f(%arg0: memref<1x1x1x32x4xi8, 1>, %arg1: memref<1x32xi32, 1>) {
          %0 = ub.poison : vector<128xi32>
          %c0 = arith.constant 0 : index
          %cst = arith.constant dense<-128> : vector<128xi32>
          %collapse_shape = memref.collapse_shape %arg0 [[0], [1], [2], [3, 4]] : memref<1x1x1x32x4xi8, 1> into
              memref<1x1x1x128xi8, 1>
          %1 = vector.load %arg1[%c0, %c0] {alignment = 4 : i64} : memref<1x32xi32, 1>, vector<32xi32>
          %2 = vector.load %collapse_shape[%c0, %c0, %c0, %c0] {alignment = 1 : i64} : memref<1x1x1x128xi8, 1>,
              vector<128xi8>
          %3 = arith.extsi %2 : vector<128xi8> to vector<128xi32>
          %4 = arith.muli %3, %cst : vector<128xi32>
          %5 = vector.shuffle %4, %0 [0, 4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 44, 48, 52, 56, 60, 64, 68, 72, 76,
              80, 84, 88, 92, 96, 100, 104, 108, 112, 116, 120, 124] : vector<128xi32>, vector<128xi32>
          %6 = vector.shuffle %4, %0 [1, 5, 9, 13, 17, 21, 25, 29, 33, 37, 41, 45, 49, 53, 57, 61, 65, 69, 73, 77,
              81, 85, 89, 93, 97, 101, 105, 109, 113, 117, 121, 125] : vector<128xi32>, vector<128xi32>
          %7 = vector.shuffle %4, %0 [2, 6, 10, 14, 18, 22, 26, 30, 34, 38, 42, 46, 50, 54, 58, 62, 66, 70, 74, 78,
              82, 86, 90, 94, 98, 102, 106, 110, 114, 118, 122, 126] : vector<128xi32>, vector<128xi32>
          %8 = vector.shuffle %4, %0 [3, 7, 11, 15, 19, 23, 27, 31, 35, 39, 43, 47, 51, 55, 59, 63, 67, 71, 75, 79,
              83, 87, 91, 95, 99, 103, 107, 111, 115, 119, 123, 127] : vector<128xi32>, vector<128xi32>
          %9 = arith.addi %5, %6 : vector<32xi32>
          %10 = arith.addi %7, %8 : vector<32xi32>
          %11 = arith.addi %9, %10 : vector<32xi32>
          %12 = arith.addi %1, %11 : vector<32xi32>
          vector.store %12, %arg1[%c0, %c0] {alignment = 4 : i64} : memref<1x32xi32, 1>, vector<32xi32>
          return
        }

    Options: none.

    Refuses: nothing; it leaves alone pieces of other sizes than a tile's, rows of fewer than four tiles, eight of 4
    bits, of tiles whose number of rows is no multiple of four, and buffers that are not contiguous inside of a tile or
    a row.

    Needs: buffer.
    Leaves: buffer.
    """

    name: ClassVar[str] = "hexagon-byte-interleaving"
    needs: ClassVar[str] = "buffer"
    leaves: ClassVar[str] = "buffer"

    def run(self, module: ir.Module, context: PassContext) -> None:
        """Vectorize every such copy of ``module``."""
        vector_bytes = int(context.target.vector_bytes.value)
        constants = SharedConstants()
        for op in ops_named(module, "linalg.generic"):
            kind = byte_copy(op)
            written_by = pixel_emitter(op) if kind is None else EMITTERS[kind]
            if written_by is None:
                continue
            emitter = written_by(op, vector_bytes)
            if emitter.fits():
                with op.location, ir.InsertionPoint(op), constants.around(op):
                    emitter.emit()
                erase_op(op, self.name)
