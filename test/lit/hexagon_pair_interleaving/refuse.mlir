// Copies that are left alone.
// RUN: hexmlir-opt %s --hexagon-pair-interleaving | filecheck %s

// 1. One tile: its rows are half a vector.
// CHECK-LABEL: func.func @one_tile
// CHECK-NOT: vector.
func.func @one_tile(%rows: memref<2x1x32xf16, 1>, %tiles: memref<1x32x2xf16, 1>) {
  linalg.transpose ins(%rows : memref<2x1x32xf16, 1>) outs(%tiles : memref<1x32x2xf16, 1>) permutation = [1, 2, 0]
  return
}

// 2. Three rows.
// CHECK-LABEL: func.func @triples
// CHECK-NOT: vector.
func.func @triples(%rows: memref<3x2x32xf16, 1>, %tiles: memref<2x32x3xf16, 1>) {
  linalg.transpose ins(%rows : memref<3x2x32xf16, 1>) outs(%tiles : memref<2x32x3xf16, 1>) permutation = [1, 2, 0]
  return
}

// 3. Rows that are not contiguous.
// CHECK-LABEL: func.func @strided
// CHECK-NOT: vector.
func.func @strided(%rows: memref<2x2x32xf16, strided<[256, 48, 1]>, 1>, %tiles: memref<2x32x2xf16, 1>) {
  linalg.transpose ins(%rows : memref<2x2x32xf16, strided<[256, 48, 1]>, 1>) outs(%tiles : memref<2x32x2xf16, 1>) permutation = [1, 2, 0]
  return
}

// 4. Sizes known at run time only.
// CHECK-LABEL: func.func @dynamic
// CHECK-NOT: vector.
func.func @dynamic(%rows: memref<2x?x32xf16, 1>, %tiles: memref<?x32x2xf16, 1>) {
  linalg.transpose ins(%rows : memref<2x?x32xf16, 1>) outs(%tiles : memref<?x32x2xf16, 1>) permutation = [1, 2, 0]
  return
}

// 5. Elements of which neither 32 nor a part of them fill a vector; sums.
// CHECK-LABEL: func.func @words
// CHECK-NOT: vector.
func.func @words(%rows: memref<2x2x48xf32, 1>, %tiles: memref<2x48x2xf32, 1>) {
  linalg.transpose ins(%rows : memref<2x2x48xf32, 1>) outs(%tiles : memref<2x48x2xf32, 1>) permutation = [1, 2, 0]
  return
}

// 6. Pairs of which the other ones of a row are elsewhere, and one piece of rows that do not follow each other.
// CHECK-LABEL: func.func @strided_pieces
// CHECK-NOT: vector.
func.func @strided_pieces(%rows: memref<2x32x2x16x2xf16, strided<[3072, 96, 48, 2, 1]>, 1>, %tiles: memref<2x2x16x32x2xf16, 1>) {
  linalg.transpose ins(%rows : memref<2x32x2x16x2xf16, strided<[3072, 96, 48, 2, 1]>, 1>) outs(%tiles : memref<2x2x16x32x2xf16, 1>) permutation = [0, 2, 3, 1, 4]
  return
}
// CHECK-LABEL: func.func @strided_rows
// CHECK-NOT: vector.
func.func @strided_rows(%rows: memref<2x32x1x16x2xf16, strided<[1536, 48, 32, 2, 1]>, 1>, %tiles: memref<2x1x16x32x2xf16, 1>) {
  linalg.transpose ins(%rows : memref<2x32x1x16x2xf16, strided<[1536, 48, 32, 2, 1]>, 1>) outs(%tiles : memref<2x1x16x32x2xf16, 1>) permutation = [0, 2, 3, 1, 4]
  return
}
