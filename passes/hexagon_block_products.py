"""Products of rows in fixed point with weights in blocks, and tiles that are made of them, to HVX vectors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hexagon_mlir.dialects.block_weights import code_bits, tile_bits
from hexagon_mlir.ir import erase_op, ir
from hexagon_mlir.ir.constants import SharedConstants
from hexagon_mlir.ir.query import ops_named
from hexagon_mlir.pass_infra import Pass, PassContext
from hexagon_mlir.passes.block_products.emit import BlockProductEmitter
from hexagon_mlir.passes.block_products.tiles import BlockTilesEmitter


@dataclass(frozen=True)
class HexagonBlockProductsPass(Pass):
    """Vectorizes products of rows in fixed point with weights in blocks (`form-block-products`).

    Two vectors of codes are 64 columns of four weights each. A word of four bytes of a row, a scalar, is multiplied by
    both (vrmpy), 32 sums of four products at a time; codes of MXFP4 are looked up before (vlut32). Sums of a block
    start from what its zero points make of them, those of a row's planes are joined in words of 32 bits as far as they
    fit, converted, scaled and added in f32. Two rows share the codes in registers; of a row alone, this is done while
    the next block is multiplied. Blocks are taken as many at a time as leave the rows' bytes in the L1 cache.

    The matrix engine's tiles of f16 from codes (``hexagon.block_tiles``, `hexagon-matrix-engine`)
    are made here too: two shuffles put the codes of 64 columns side by side, eight rows of them, each is looked up in a
    table of f16 (vlut16), and multiplied by its scale; codes of 6 and 8 bits are made f16 by arithmetic.

    Before:
        #rows = affine_map<(r, t, c, s, b, p, j, h, k) -> (r, b, p, j, h, k)>
        #units = affine_map<(r, t, c, s, b, p, j, h, k) -> (r, b)>
        #sums = affine_map<(r, t, c, s, b, p, j, h, k) -> (r, b, p)>
        #codes = affine_map<(r, t, c, s, b, p, j, h, k) -> (t, b, j, s, c, k)>
        #scales = affine_map<(r, t, c, s, b, p, j, h, k) -> (t, b, s, c)>
        #result = affine_map<(r, t, c, s, b, p, j, h, k) -> (r, t, c, s)>
        func.func @f(%x: memref<1x1x1x8x1x4xi8>, %u: memref<1x1xf32>, %s: memref<1x1x1xi32>,
            %codes: memref<1x1x8x2x32x4xi8, 1>, %scales: memref<1x1x2x32xf32, 1>, %y: memref<1x1x32x2xf32, 1>) {
          linalg.generic {indexing_maps = [#rows, #units, #sums, #codes, #scales, #result], iterator_types =
              ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction", "reduction",
              "reduction"], hexagon.block_product = 8 : i64}
              ins(%x, %u, %s, %codes, %scales : memref<1x1x1x8x1x4xi8>, memref<1x1xf32>, memref<1x1x1xi32>,
              memref<1x1x8x2x32x4xi8, 1>, memref<1x1x2x32xf32, 1>) outs(%y : memref<1x1x32x2xf32, 1>) {
          ^bb0(%byte: i8, %unit: f32, %sum: i32, %code: i8, %scale: f32, %old: f32):
            linalg.yield %old : f32
          }
          return
        }

    After, folded:
        func.func @f(%arg0: memref<1x1x1x8x1x4xi8>, %arg1: memref<1x1xf32>, %arg2: memref<1x1x1xi32>, %arg3:
            memref<1x1x8x2x32x4xi8, 1>, %arg4: memref<1x1x2x32xf32, 1>, %arg5: memref<1x1x32x2xf32, 1>) {
          ...
          %collapse_shape = memref.collapse_shape %arg3 [[0], [1], [2], [3], [4, 5]] : memref<1x1x8x2x32x4xi8, 1>
              into memref<1x1x8x2x128xi8, 1>
          %collapse_shape_0 = memref.collapse_shape %arg4 [[0], [1], [2, 3]] : memref<1x1x2x32xf32, 1> into
              memref<1x1x64xf32, 1>
          %collapse_shape_1 = memref.collapse_shape %arg5 [[0], [1], [2, 3]] : memref<1x1x32x2xf32, 1> into
              memref<1x1x64xf32, 1>
          %1 = vector.load %collapse_shape_1[%c0, %c0, %c0] {alignment = 4 : i64} : memref<1x1x64xf32, 1>,
              vector<64xf32>
          %2 = vector.shuffle %1, %0 [0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30, 32, 34, 36, 38,
              40, 42, 44, 46, 48, 50, 52, 54, 56, 58, 60, 62] : vector<64xf32>, vector<64xf32>
          %3 = vector.shuffle %1, %0 [1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31, 33, 35, 37, 39,
              41, 43, 45, 47, 49, 51, 53, 55, 57, 59, 61, 63] : vector<64xf32>, vector<64xf32>
          %4 = vector.load %collapse_shape_0[%c0, %c0, %c0] {alignment = 4 : i64} : memref<1x1x64xf32, 1>,
              vector<64xf32>
          %5 = memref.load %arg2[%c0, %c0, %c0] : memref<1x1x1xi32>
          %6 = arith.muli %5, %c-128_i32 : i32
          %7 = vector.broadcast %6 : i32 to vector<32xi32>
          %8 = vector.load %collapse_shape[%c0, %c0, %c0, %c0, %c0] {alignment = 128 : i64} :
              memref<1x1x8x2x128xi8, 1>, vector<128xi8>
          %9 = vector.bitcast %8 : vector<128xi8> to vector<32xi32>
          ...
          %12 = vector.load %arg0[%c0, %c0, %c0, %c0, %c0, %c0] {alignment = 4 : i64} : memref<1x1x1x8x1x4xi8>,
              vector<4xi8>
          %13 = vector.bitcast %12 : vector<4xi8> to vector<1xi32>
          %14 = vector.extract %13[0] : i32 from vector<1xi32>
          %15 = llvm.call_intrinsic "llvm.hexagon.V6.vrmpybus.acc.128B"(%7, %9, %14) : (vector<32xi32>,
              vector<32xi32>, i32) -> vector<32xi32>
          %16 = llvm.call_intrinsic "llvm.hexagon.V6.vrmpybus.acc.128B"(%7, %11, %14) : (vector<32xi32>,
              vector<32xi32>, i32) -> vector<32xi32>
          ...
          %80 = memref.load %arg1[%c0, %c0] : memref<1x1xf32>
          %81 = vector.broadcast %80 : f32 to vector<64xf32>
          %82 = arith.mulf %4, %81 : vector<64xf32>
          %83 = vector.shuffle %82, %0 [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20,
              21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31] : vector<64xf32>, vector<64xf32>
          %84 = vector.shuffle %82, %0 [32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50,
              51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63] : vector<64xf32>, vector<64xf32>
          ...
          %87 = arith.sitofp %78 : vector<32xi32> to vector<32xf32>
          %88 = arith.mulf %87, %83 : vector<32xf32>
          %89 = arith.addf %85, %88 : vector<32xf32>
          %90 = arith.sitofp %79 : vector<32xi32> to vector<32xf32>
          %91 = arith.mulf %90, %84 : vector<32xf32>
          %92 = arith.addf %86, %91 : vector<32xf32>
          %93 = vector.interleave %89, %92 : vector<32xf32> -> vector<64xf32>
          vector.store %93, %collapse_shape_1[%c0, %c0, %c0] {alignment = 4 : i64} : memref<1x1x64xf32, 1>,
              vector<64xf32>
          return
        }

    Options: none.

    Refuses: nothing; it leaves alone all other operations.

    Needs: buffer.
    Leaves: buffer.
    """

    name: ClassVar[str] = "hexagon-block-products"
    needs: ClassVar[str] = "buffer"
    leaves: ClassVar[str] = "buffer"

    def run(self, module: ir.Module, context: PassContext) -> None:
        """Vectorize every such operation of ``module``."""
        vector_bytes = int(context.target.vector_bytes.value)
        cached_bytes = int(context.target.l1d_bytes.value) // 2
        constants = SharedConstants()
        for op in [op for op in ops_named(module, "linalg.generic") if code_bits(op)]:
            with op.location, ir.InsertionPoint(op), constants.around(op):
                BlockProductEmitter(op, vector_bytes, cached_bytes).emit()
            erase_op(op, self.name)
        for op in [op for op in ops_named(module, "linalg.generic") if tile_bits(op)]:
            with op.location, ir.InsertionPoint(op), constants.around(op):
                BlockTilesEmitter(op, vector_bytes).emit()
            erase_op(op, self.name)
