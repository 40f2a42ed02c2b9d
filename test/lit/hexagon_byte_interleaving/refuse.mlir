// Copies that are left alone.
// RUN: hexmlir-opt %s --hexagon-byte-interleaving --split-input-file | filecheck %s

// 1. Rows of three tiles.
// CHECK-LABEL: func.func @three
// CHECK-NOT: vector.
#rows = affine_map<(rt, kt, r, k) -> (rt, r, kt, k)>
#tiles = affine_map<(rt, kt, r, k) -> (rt, kt, r, k)>
func.func @three(%rows: memref<1x64x3x32xi8, 1>, %tiles: memref<1x3x64x32xi8, 1>) {
  linalg.generic {indexing_maps = [#rows, #tiles], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%rows : memref<1x64x3x32xi8, 1>) outs(%tiles : memref<1x3x64x32xi8, 1>) {
  ^bb0(%x: i8, %old: i8):
    linalg.yield %x : i8
  }
  return
}

// -----
// 2. Six rows; another number than the first bit is flipped; words instead of bytes.
// CHECK-LABEL: func.func @others
// CHECK-NOT: vector.
#rows = affine_map<(rt, kt, r, k) -> (rt, r, kt, k)>
#tiles = affine_map<(rt, kt, r, k) -> (rt, kt, r, k)>
func.func @others(%six: memref<1x6x4x32xi8, 1>, %y: memref<1x4x6x32xi8, 1>, %rows: memref<1x64x4x32xi8, 1>, %z: memref<1x4x64x32xi8, 1>, %words: memref<1x64x4x32xi32, 1>, %w: memref<1x4x64x32xi32, 1>) {
  %one = arith.constant 1 : i8
  linalg.generic {indexing_maps = [#rows, #tiles], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%six : memref<1x6x4x32xi8, 1>) outs(%y : memref<1x4x6x32xi8, 1>) {
  ^bb0(%x: i8, %old: i8):
    linalg.yield %x : i8
  }
  linalg.generic {indexing_maps = [#rows, #tiles], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%rows : memref<1x64x4x32xi8, 1>) outs(%z : memref<1x4x64x32xi8, 1>) {
  ^bb0(%x: i8, %old: i8):
    %0 = arith.xori %x, %one : i8
    linalg.yield %0 : i8
  }
  linalg.generic {indexing_maps = [#rows, #tiles], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%words : memref<1x64x4x32xi32, 1>) outs(%w : memref<1x4x64x32xi32, 1>) {
  ^bb0(%x: i32, %old: i32):
    linalg.yield %x : i32
  }
  return
}

// -----
// 3. Tiles that are not contiguous.
// CHECK-LABEL: func.func @strided
// CHECK-NOT: vector.
#rows = affine_map<(rt, kt, r, k) -> (rt, r, kt, k)>
#tiles = affine_map<(rt, kt, r, k) -> (rt, kt, r, k)>
func.func @strided(%rows: memref<1x64x4x32xi8, 1>, %tiles: memref<1x4x64x32xi8, strided<[16384, 4096, 64, 1]>, 1>) {
  linalg.generic {indexing_maps = [#rows, #tiles], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%rows : memref<1x64x4x32xi8, 1>) outs(%tiles : memref<1x4x64x32xi8, strided<[16384, 4096, 64, 1]>, 1>) {
  ^bb0(%x: i8, %old: i8):
    linalg.yield %x : i8
  }
  return
}

// -----
// 4. Planes in another order.
// CHECK-LABEL: func.func @order
// CHECK-NOT: vector.
#p0 = affine_map<(rt, r, ct, c) -> (rt, ct, 0, r, c)>
#p1 = affine_map<(rt, r, ct, c) -> (rt, ct, 1, r, c)>
#rows = affine_map<(rt, r, ct, c) -> (rt, r, ct, c)>
func.func @order(%planes: memref<1x1x4x64x32xi8, 1>, %rows: memref<1x64x1x32xi32, 1>) {
  linalg.generic {indexing_maps = [#p1, #p0, #rows], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%planes, %planes : memref<1x1x4x64x32xi8, 1>, memref<1x1x4x64x32xi8, 1>) outs(%rows : memref<1x64x1x32xi32, 1>) {
  ^bb0(%x: i8, %y: i8, %old: i32):
    %0 = arith.extui %x : i8 to i32
    linalg.yield %0 : i32
  }
  return
}

// -----
// Pieces of 16 and of 64 bytes are no tile's: transposes that a program has.
// CHECK-LABEL: func.func @pieces
// CHECK-NOT: vector.
#rows = affine_map<(rt, kt, r, k) -> (rt, r, kt, k)>
#tiles = affine_map<(rt, kt, r, k) -> (rt, kt, r, k)>
#words = affine_map<(ct, kt, k, c, l) -> (kt, k, l, ct, c)>
#weights = affine_map<(ct, kt, k, c, l) -> (ct, kt, k, c, l)>
func.func @pieces(%short: memref<1x64x4x16xi8, 1>, %x: memref<1x4x64x16xi8, 1>, %long: memref<1x64x4x64xi8, 1>, %y: memref<1x4x64x64xi8, 1>, %words: memref<1x8x4x4x64xi8, 1>, %z: memref<4x1x8x64x4xi8, 1>) {
  linalg.generic {indexing_maps = [#rows, #tiles], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%short : memref<1x64x4x16xi8, 1>) outs(%x : memref<1x4x64x16xi8, 1>) {
  ^bb0(%b: i8, %old: i8):
    linalg.yield %b : i8
  }
  linalg.generic {indexing_maps = [#rows, #tiles], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%long : memref<1x64x4x64xi8, 1>) outs(%y : memref<1x4x64x64xi8, 1>) {
  ^bb0(%b: i8, %old: i8):
    linalg.yield %b : i8
  }
  linalg.generic {indexing_maps = [#words, #weights], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%words : memref<1x8x4x4x64xi8, 1>) outs(%z : memref<4x1x8x64x4xi8, 1>) {
  ^bb0(%b: i8, %old: i8):
    linalg.yield %b : i8
  }
  return
}

// -----
// Three columns of tiles of pixels.
// CHECK-LABEL: func.func @three_columns
// CHECK-NOT: vector.
#p0 = affine_map<(h, ty, w, tx, ct, c) -> (ty, tx, ct, 0, h, w, c)>
#p1 = affine_map<(h, ty, w, tx, ct, c) -> (ty, tx, ct, 1, h, w, c)>
#p2 = affine_map<(h, ty, w, tx, ct, c) -> (ty, tx, ct, 2, h, w, c)>
#p3 = affine_map<(h, ty, w, tx, ct, c) -> (ty, tx, ct, 3, h, w, c)>
#sums = affine_map<(h, ty, w, tx, ct, c) -> (h, ty, w, tx, ct, c)>
func.func @three_columns(%planes: memref<2x1x2x4x2x3x32xi8, strided<[16384, 16384, 8192, 2048, 512, 32, 1]>, 1>, %sums: memref<2x2x3x1x2x32xi32, 1>) {
  %c8 = arith.constant 8 : i32
  %c16 = arith.constant 16 : i32
  %c24 = arith.constant 24 : i32
  linalg.generic {indexing_maps = [#p0, #p1, #p2, #p3, #sums], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%planes, %planes, %planes, %planes : memref<2x1x2x4x2x3x32xi8, strided<[16384, 16384, 8192, 2048, 512, 32, 1]>, 1>, memref<2x1x2x4x2x3x32xi8, strided<[16384, 16384, 8192, 2048, 512, 32, 1]>, 1>, memref<2x1x2x4x2x3x32xi8, strided<[16384, 16384, 8192, 2048, 512, 32, 1]>, 1>, memref<2x1x2x4x2x3x32xi8, strided<[16384, 16384, 8192, 2048, 512, 32, 1]>, 1>) outs(%sums : memref<2x2x3x1x2x32xi32, 1>) {
  ^bb0(%x: i8, %y: i8, %z: i8, %w: i8, %old: i32):
    %0 = arith.extui %x : i8 to i32
    %1 = arith.extui %y : i8 to i32
    %2 = arith.shli %1, %c8 : i32
    %3 = arith.ori %0, %2 : i32
    %4 = arith.extui %z : i8 to i32
    %5 = arith.shli %4, %c16 : i32
    %6 = arith.ori %3, %5 : i32
    %7 = arith.extui %w : i8 to i32
    %8 = arith.shli %7, %c24 : i32
    %9 = arith.ori %6, %8 : i32
    linalg.yield %9 : i32
  }
  return
}
