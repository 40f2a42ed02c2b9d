// Copies between rows and the pairs of rows of the matrix engine's tiles.
// RUN: hexmlir-opt %s --hexagon-pair-interleaving --split-input-file | filecheck %s

// 1. Activations: two vectors of rows become one vector of each of two tiles; four pairs of rows at a time.
// CHECK-LABEL: func.func @pack
// CHECK: memref.collapse_shape %arg0 {{.*}} into memref<4x16x2x128xf16, 1>
// CHECK: memref.collapse_shape %arg1 {{.*}} into memref<4x4x16x64xf16, 1>
// CHECK-COUNT-3: scf.for
// CHECK-COUNT-4: vector.interleave {{.*}} : vector<64xf16> -> vector<128xf16>
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
