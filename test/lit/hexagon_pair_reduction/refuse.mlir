// Ops that are left alone.
// RUN: hexmlir-opt %s --hexagon-pair-reduction | filecheck %s

#all = affine_map<(c, p, k) -> (c, p)>
#rows = affine_map<(c, p, k) -> (k, p)>

// 1. Half a vector.
// CHECK-LABEL: func.func @half
// CHECK-NOT: vector.
func.func @half(%rows: memref<16x2xf16, 1>, %out: memref<16x2xf16, 1>) {
  linalg.generic {indexing_maps = [#rows, #all], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%rows : memref<16x2xf16, 1>) outs(%out : memref<16x2xf16, 1>) {
  ^bb0(%x: f16, %most: f16):
    %0 = arith.maxnumf %x, %most : f16
    linalg.yield %0 : f16
  }
  return
}

// 2. Triples.
// CHECK-LABEL: func.func @triples
// CHECK-NOT: vector.
func.func @triples(%rows: memref<32x3xf16, 1>, %out: memref<32x3xf16, 1>) {
  linalg.generic {indexing_maps = [#rows, #all], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%rows : memref<32x3xf16, 1>) outs(%out : memref<32x3xf16, 1>) {
  ^bb0(%x: f16, %most: f16):
    %0 = arith.maxnumf %x, %most : f16
    linalg.yield %0 : f16
  }
  return
}

// 3. Columns that are not contiguous.
// CHECK-LABEL: func.func @strided
// CHECK-NOT: vector.
func.func @strided(%rows: memref<32x2xf16, strided<[4, 1]>, 1>, %out: memref<32x2xf16, 1>) {
  linalg.generic {indexing_maps = [#rows, #all], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%rows : memref<32x2xf16, strided<[4, 1]>, 1>) outs(%out : memref<32x2xf16, 1>) {
  ^bb0(%x: f16, %most: f16):
    %0 = arith.maxnumf %x, %most : f16
    linalg.yield %0 : f16
  }
  return
}

// 4. More than a combination.
// CHECK-LABEL: func.func @squares
// CHECK-NOT: vector.
func.func @squares(%rows: memref<32x2xf16, 1>, %out: memref<32x2xf16, 1>) {
  linalg.generic {indexing_maps = [#rows, #all], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%rows : memref<32x2xf16, 1>) outs(%out : memref<32x2xf16, 1>) {
  ^bb0(%x: f16, %most: f16):
    %0 = arith.mulf %x, %x : f16
    %1 = arith.maxnumf %0, %most : f16
    linalg.yield %1 : f16
  }
  return
}

// 5. Another number of columns.
// CHECK-LABEL: func.func @uneven
// CHECK-NOT: vector.
func.func @uneven(%rows: memref<48x2xf16, 1>, %out: memref<32x2xf16, 1>) {
  linalg.generic {indexing_maps = [#rows, #all], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%rows : memref<48x2xf16, 1>) outs(%out : memref<32x2xf16, 1>) {
  ^bb0(%x: f16, %most: f16):
    %0 = arith.maxnumf %x, %most : f16
    linalg.yield %0 : f16
  }
  return
}
