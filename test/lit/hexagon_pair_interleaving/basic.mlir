// Copies between rows and the pairs of rows of the matrix engine's tiles.
// RUN: hexmlir-opt %s --hexagon-pair-interleaving --split-input-file | filecheck %s

// 1. Activations: two vectors of rows become one vector of each of two tiles; eight pairs of rows at a time.
// CHECK-LABEL: func.func @pack
// CHECK: memref.collapse_shape %arg0 {{.*}} into memref<4x16x2x128xf16, 1>
// CHECK: memref.collapse_shape %arg1 {{.*}} into memref<4x4x16x64xf16, 1>
// CHECK-COUNT-3: scf.for
// CHECK-COUNT-8: vector.interleave {{.*}} : vector<64xf16> -> vector<128xf16>
// CHECK-NOT: vector.interleave
func.func @pack(%rows: memref<4x16x2x4x32xf16, 1>, %tiles: memref<4x4x16x32x2xf16, 1>) {
  linalg.transpose ins(%rows : memref<4x16x2x4x32xf16, 1>) outs(%tiles : memref<4x4x16x32x2xf16, 1>) permutation = [0, 3, 1, 4, 2]
  return
}

// -----
// 2. Weights: the other order of tiles. Three tiles: the last vector reaches back to the second one.
// CHECK-LABEL: func.func @three
// CHECK: vector.load {{.*}} {alignment = 2 : i64} : memref<2x16x2x96xf16, 1>, vector<64xf16>
// CHECK: vector.interleave
// CHECK: vector.store {{.*}} {alignment = 2 : i64} : memref<3x2x16x64xf16, 1>, vector<64xf16>
// CHECK: %[[START:.*]] = arith.muli %c1{{.*}}, %c32{{.*}} : index
// CHECK: vector.load {{.*}}%[[START]]] {alignment = 2 : i64}
func.func @three(%rows: memref<2x16x2x3x32xf16, 1>, %tiles: memref<3x2x16x32x2xf16, 1>) {
  linalg.transpose ins(%rows : memref<2x16x2x3x32xf16, 1>) outs(%tiles : memref<3x2x16x32x2xf16, 1>) permutation = [3, 0, 1, 4, 2]
  return
}

// -----
// 3. Back to rows, of an aligned buffer: vectors are taken apart.
// CHECK-LABEL: func.func @unpack
// CHECK: vector.load {{.*}} {alignment = 128 : i64} : memref<1x2x16x64xf16, 1>, vector<64xf16>
// CHECK: vector.load {{.*}} {alignment = 128 : i64} : memref<1x2x16x64xf16, 1>, vector<64xf16>
// CHECK: vector.deinterleave {{.*}} : vector<128xf16> -> vector<64xf16>
// CHECK: vector.store {{.*}} {alignment = 128 : i64} : memref<1x16x2x64xf16, 1>, vector<64xf16>
// CHECK: vector.store {{.*}} {alignment = 128 : i64} : memref<1x16x2x64xf16, 1>, vector<64xf16>
func.func @unpack() {
  %tiles = memref.alloc() : memref<1x2x16x32x2xf16, 1>
  %rows = memref.alloc() : memref<1x16x2x2x32xf16, 1>
  linalg.transpose ins(%tiles : memref<1x2x16x32x2xf16, 1>) outs(%rows : memref<1x16x2x2x32xf16, 1>) permutation = [0, 2, 4, 1, 3]
  return
}

// -----
// 4. Pieces are added as vectors of pairs, whose halves are two rows of f32.
// CHECK-LABEL: func.func @pieces
// CHECK: scf.for %{{.*}} = %c0{{.*}} to %c2{{.*}} step %c1
// CHECK: scf.for %{{.*}} = %c0{{.*}} to %c4{{.*}} step %c1
// CHECK: vector.load {{.*}} : memref<1x2x16x64xf16, strided<[4096, 2048, 64, 1]>, 1>, vector<64xf16>
// CHECK: arith.extf {{.*}} : vector<64xf16> to vector<64xf32>
// CHECK: vector.load {{.*}} : memref<1x2x16x64xf16, strided<[4096, 2048, 64, 1], offset: 1024>, 1>, vector<64xf16>
// CHECK: arith.addf {{.*}} : vector<64xf32>
// CHECK: vector.shuffle {{.*}} [0, 2, 4,
// CHECK: vector.store {{.*}} : memref<1x16x2x2x32xf32, 1>, vector<32xf32>
// CHECK: vector.shuffle {{.*}} [1, 3, 5,
// CHECK: vector.store {{.*}} : memref<1x16x2x2x32xf32, 1>, vector<32xf32>
#tiles = affine_map<(rt, ct, r, c, p) -> (rt, ct, r, c, p)>
#rows = affine_map<(rt, ct, r, c, p) -> (rt, r, p, ct, c)>
func.func @pieces(%tiles: memref<1x2x2x16x32x2xf16, 1>, %rows: memref<1x16x2x2x32xf32, 1>) {
  %coarse = arith.constant 256.0 : f32
  %fine = arith.constant 0.125 : f32
  %0 = memref.subview %tiles[0, 0, 0, 0, 0, 0] [1, 2, 1, 16, 32, 2] [1, 1, 1, 1, 1, 1] : memref<1x2x2x16x32x2xf16, 1> to memref<1x2x16x32x2xf16, strided<[4096, 2048, 64, 2, 1]>, 1>
  %1 = memref.subview %tiles[0, 0, 1, 0, 0, 0] [1, 2, 1, 16, 32, 2] [1, 1, 1, 1, 1, 1] : memref<1x2x2x16x32x2xf16, 1> to memref<1x2x16x32x2xf16, strided<[4096, 2048, 64, 2, 1], offset: 1024>, 1>
  linalg.generic {indexing_maps = [#tiles, #tiles, #rows], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]}
      ins(%0, %1 : memref<1x2x16x32x2xf16, strided<[4096, 2048, 64, 2, 1]>, 1>, memref<1x2x16x32x2xf16, strided<[4096, 2048, 64, 2, 1], offset: 1024>, 1>)
      outs(%rows : memref<1x16x2x2x32xf32, 1>) {
    ^bb0(%x: f16, %y: f16, %old: f32):
      %2 = arith.extf %x : f16 to f32
      %3 = arith.mulf %2, %coarse : f32
      %4 = arith.extf %y : f16 to f32
      %5 = arith.mulf %4, %fine : f32
      %6 = arith.addf %3, %5 : f32
      linalg.yield %6 : f32
  }
  return
}

// -----
// Windows of an image: rows of 64 channels at steps of two pixels. Two vectors of neighbouring pixels give those of two
// tiles. All taps and pairs of pixels of a row in one iteration: the vectors of two of them are loaded before the first
// two are interleaved.
// CHECK-LABEL: func.func @windows
// CHECK: scf.for %[[Y:.*]] = %c0 to %c2
// CHECK-NOT: scf.for
// CHECK-NOT: vector.interleave
// CHECK-COUNT-4: vector.load %arg0[%{{.*}}, %{{.*}}] {alignment = 2 : i64} : memref<5x640xf16, 1>, vector<64xf16>
// CHECK-COUNT-5: vector.interleave
// CHECK-NOT: vector.load
// CHECK: vector.interleave
// CHECK-NOT: vector.interleave
// CHECK-COUNT-2: vector.store
func.func @windows(%image: memref<5x640xf16, 1>, %tiles: memref<2x3x2x2x32x2xf16, 1>) {
  linalg.generic {indexing_maps = [affine_map<(y, t, c, p, k, l) -> (y * 2 + t, p * 256 + l * 128 + c * 32 + k)>,
      affine_map<(y, t, c, p, k, l) -> (y, t, c, p, k, l)>], iterator_types = ["parallel", "parallel", "parallel",
      "parallel", "parallel", "parallel"]} ins(%image : memref<5x640xf16, 1>)
      outs(%tiles : memref<2x3x2x2x32x2xf16, 1>) {
    ^bb0(%a: f16, %old: f16):
      linalg.yield %a : f16
  }
  return
}

// -----
// Windows of one tile of channels, three rows of two pairs of pixels: the second half of each vector is not stored, but
// it is there to be loaded.
// CHECK-LABEL: func.func @one_tile
// CHECK-COUNT-6: vector.store
// CHECK-NOT: vector.store
// CHECK-LABEL: func.func @nothing_behind
// CHECK: linalg.generic
func.func @one_tile(%image: memref<3x160xf16, 1>, %tiles: memref<3x2x32x2xf16, 1>) {
  linalg.generic {indexing_maps = [affine_map<(y, p, k, l) -> (y, p * 64 + l * 32 + k)>,
      affine_map<(y, p, k, l) -> (y, p, k, l)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%image : memref<3x160xf16, 1>) outs(%tiles : memref<3x2x32x2xf16, 1>) {
    ^bb0(%a: f16, %old: f16):
      linalg.yield %a : f16
  }
  return
}
func.func @nothing_behind(%image: memref<3x128xf16, 1>, %tiles: memref<3x2x32x2xf16, 1>) {
  linalg.generic {indexing_maps = [affine_map<(y, p, k, l) -> (y, p * 64 + l * 32 + k)>,
      affine_map<(y, p, k, l) -> (y, p, k, l)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%image : memref<3x128xf16, 1>) outs(%tiles : memref<3x2x32x2xf16, 1>) {
    ^bb0(%a: f16, %old: f16):
      linalg.yield %a : f16
  }
  return
}

// -----
// Transposes of pairs: 32 rows of two pieces are a square of words. Three pieces: the last vectors reach back.
// CHECK-LABEL: func.func @transposed
// CHECK-COUNT-64: vector.bitcast {{.*}} : vector<64xf16> to vector<32xi32>
// CHECK-NOT: vector.bitcast {{.*}} : vector<64xf16>
func.func @transposed(%rows: memref<2x32x3x16x2xf16, 1>, %tiles: memref<2x3x16x32x2xf16, 1>) {
  linalg.transpose ins(%rows : memref<2x32x3x16x2xf16, 1>) outs(%tiles : memref<2x3x16x32x2xf16, 1>) permutation = [0, 2, 3, 1, 4]
  return
}

// -----
// 5. A bias of the columns is added to each row of f32.
// CHECK-LABEL: func.func @biased
// CHECK: %[[SUMS:.*]] = arith.addf {{.*}} : vector<64xf32>
// CHECK: %[[FIRST:.*]] = vector.shuffle %[[SUMS]], %[[SUMS]] [0, 2, 4,
// CHECK: %[[BIAS:.*]] = vector.load %arg1[%[[COLUMN:.*]], %c0{{.*}}] {{.*}} : memref<2x32xf32, 1>, vector<32xf32>
// CHECK: %[[ADDED:.*]] = arith.addf %[[FIRST]], %[[BIAS]] : vector<32xf32>
// CHECK: vector.store %[[ADDED]], %arg2[{{.*}}, %[[COLUMN]], %{{.*}}] {{.*}} : memref<1x16x2x2x32xf32, 1>, vector<32xf32>
#tiles = affine_map<(rt, ct, r, c, p) -> (rt, ct, r, c, p)>
#columns = affine_map<(rt, ct, r, c, p) -> (ct, c)>
#rows = affine_map<(rt, ct, r, c, p) -> (rt, r, p, ct, c)>
func.func @biased(%tiles: memref<1x2x2x16x32x2xf16, 1>, %bias: memref<2x32xf32, 1>, %rows: memref<1x16x2x2x32xf32, 1>) {
  %coarse = arith.constant 256.0 : f32
  %fine = arith.constant 0.125 : f32
  %first = memref.subview %tiles[0, 0, 0, 0, 0, 0] [1, 2, 1, 16, 32, 2] [1, 1, 1, 1, 1, 1]
      : memref<1x2x2x16x32x2xf16, 1> to memref<1x2x16x32x2xf16, strided<[4096, 2048, 64, 2, 1]>, 1>
  %second = memref.subview %tiles[0, 0, 1, 0, 0, 0] [1, 2, 1, 16, 32, 2] [1, 1, 1, 1, 1, 1]
      : memref<1x2x2x16x32x2xf16, 1> to memref<1x2x16x32x2xf16, strided<[4096, 2048, 64, 2, 1], offset: 1024>, 1>
  linalg.generic {indexing_maps = [#tiles, #tiles, #columns, #rows], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]}
      ins(%first, %second, %bias : memref<1x2x16x32x2xf16, strided<[4096, 2048, 64, 2, 1]>, 1>,
          memref<1x2x16x32x2xf16, strided<[4096, 2048, 64, 2, 1], offset: 1024>, 1>, memref<2x32xf32, 1>)
      outs(%rows : memref<1x16x2x2x32xf32, 1>) {
  ^bb0(%x: f16, %y: f16, %b: f32, %old: f32):
    %0 = arith.extf %x : f16 to f32
    %1 = arith.mulf %0, %coarse : f32
    %2 = arith.extf %y : f16 to f32
    %3 = arith.mulf %2, %fine : f32
    %4 = arith.addf %1, %3 : f32
    %5 = arith.addf %4, %b : f32
    linalg.yield %5 : f32
  }
  return
}

// -----
// 6. One tile in a row: the rows of a pair follow each other, so each vector has the same elements on both sides.
// CHECK-LABEL: func.func @neighbours
// CHECK-COUNT-7: vector.shuffle {{.*}} [0, 2, 4, {{.*}}, 59, 61, 63] : vector<64xf16>, vector<64xf16>
// CHECK-NOT: vector.shuffle
func.func @neighbours(%tiles: memref<4x7x32x2xf16, 1>, %rows: memref<4x7x2x32xf16, 1>) {
  linalg.transpose ins(%tiles : memref<4x7x32x2xf16, 1>) outs(%rows : memref<4x7x2x32xf16, 1>) permutation = [0, 1, 3, 2]
  return
}
