// Factors that are not copied.
// RUN: hexmlir-opt %s --hexagon-transpose-factors | filecheck %s

#rows = affine_map<(m, n, k) -> (m, k)>
#columns = affine_map<(m, n, k) -> (n, k)>
#plain = affine_map<(m, n, k) -> (k, n)>
#sums = affine_map<(m, n, k) -> (m, n)>

// 1. Four rows read the factor: a copy does not pay.
// CHECK-LABEL: func.func @few_rows
// CHECK-NOT: linalg.transpose
func.func @few_rows(%a: memref<4x64xf32>, %b: memref<32x64xf32>, %c: memref<4x32xf32>) {
  linalg.generic {indexing_maps = [#rows, #columns, #sums], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<4x64xf32>, memref<32x64xf32>) outs(%c : memref<4x32xf32>) {
    ^bb0(%p: f32, %q: f32, %r: f32):
      %0 = arith.mulf %p, %q : f32
      %1 = arith.addf %r, %0 : f32
      linalg.yield %1 : f32
  }
  return
}

// 2. The columns are contiguous already.
// CHECK-LABEL: func.func @plain
// CHECK-NOT: linalg.transpose
func.func @plain(%a: memref<16x64xf32>, %b: memref<64x32xf32>, %c: memref<16x32xf32>) {
  linalg.generic {indexing_maps = [#rows, #plain, #sums], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<16x64xf32>, memref<64x32xf32>) outs(%c : memref<16x32xf32>) {
    ^bb0(%p: f32, %q: f32, %r: f32):
      %0 = arith.mulf %p, %q : f32
      %1 = arith.addf %r, %0 : f32
      linalg.yield %1 : f32
  }
  return
}

// 3. The size of the copy is unknown.
// CHECK-LABEL: func.func @dynamic
// CHECK-NOT: linalg.transpose
func.func @dynamic(%a: memref<16x64xf32>, %b: memref<?x64xf32>, %c: memref<16x?xf32>) {
  linalg.generic {indexing_maps = [#rows, #columns, #sums], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<16x64xf32>, memref<?x64xf32>) outs(%c : memref<16x?xf32>) {
    ^bb0(%p: f32, %q: f32, %r: f32):
      %0 = arith.mulf %p, %q : f32
      %1 = arith.addf %r, %0 : f32
      linalg.yield %1 : f32
  }
  return
}

// 4. A sum has no factors.
// CHECK-LABEL: func.func @sum
// CHECK-NOT: linalg.transpose
func.func @sum(%x: memref<16x64xf32>, %y: memref<16xf32>) {
  linalg.reduce { arith.addf } ins(%x : memref<16x64xf32>) outs(%y : memref<16xf32>) dimensions = [1]
  return
}
