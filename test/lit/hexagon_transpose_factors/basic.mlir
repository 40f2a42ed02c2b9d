// Factors whose vectors would have to be gathered are copied to TCM with their dimensions swapped.
// RUN: hexmlir-opt %s --hexagon-transpose-factors --split-input-file | filecheck %s

// 1. The second factor of x @ w.T is transposed, rows padded to whole vectors; the loop around it shares the copy.
// CHECK-LABEL: func.func @transposed
// CHECK: %[[T:.*]] = memref.alloc() : memref<64x96xf32, 1>
// CHECK: %[[V:.*]] = memref.subview %[[T]][0, 0] [64, 70] [1, 1]
// CHECK: linalg.transpose ins(%arg1 : memref<70x64xf32>) outs(%[[V]] :
// CHECK: scf.for %{{.*}} = %c0 to %c24 step %c3
// CHECK: linalg.generic {indexing_maps = [#[[A:.*]], #[[B:.*]], #[[C:.*]]], {{.*}} ins(%{{.*}}, %[[V]] :
// CHECK: memref.dealloc %[[T]]
func.func @transposed(%a: memref<24x64xf32> {llvm.noalias}, %b: memref<70x64xf32> {llvm.noalias},
                      %c: memref<24x70xf32> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %c24 = arith.constant 24 : index
  scf.for %i = %c0 to %c24 step %c3 {
    %x = memref.subview %a[%i, 0] [3, 64] [1, 1] : memref<24x64xf32> to memref<3x64xf32, strided<[64, 1], offset: ?>>
    %y = memref.subview %c[%i, 0] [3, 70] [1, 1] : memref<24x70xf32> to memref<3x70xf32, strided<[70, 1], offset: ?>>
    linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>,
                                     affine_map<(m, n, k) -> (m, n)>],
                    iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%x, %b : memref<3x64xf32, strided<[64, 1], offset: ?>>, memref<70x64xf32>)
        outs(%y : memref<3x70xf32, strided<[70, 1], offset: ?>>) {
      ^bb0(%p: f32, %q: f32, %r: f32):
        %0 = arith.mulf %p, %q : f32
        %1 = arith.addf %r, %0 : f32
        linalg.yield %1 : f32
    }
  }
  return
}

// -----
// 2. Two products outside of loops that read one transposed factor: each copies it, as it may be written between them.
// CHECK-LABEL: func.func @transposed_twice
// CHECK: linalg.transpose ins(%arg1 : memref<32x64xf32>)
// CHECK: linalg.generic
// CHECK: linalg.transpose ins(%arg1 : memref<32x64xf32>)
// CHECK: linalg.generic
#rows = affine_map<(m, n, k) -> (m, k)>
#columns = affine_map<(m, n, k) -> (n, k)>
#sums = affine_map<(m, n, k) -> (m, n)>
func.func @transposed_twice(%a: memref<17x64xf32>, %b: memref<32x64xf32>, %c: memref<17x32xf32>, %d: memref<17x32xf32>) {
  linalg.generic {indexing_maps = [#rows, #columns, #sums], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<17x64xf32>, memref<32x64xf32>) outs(%c : memref<17x32xf32>) {
    ^bb0(%p: f32, %q: f32, %r: f32):
      %0 = arith.mulf %p, %q : f32
      %1 = arith.addf %r, %0 : f32
      linalg.yield %1 : f32
  }
  linalg.generic {indexing_maps = [#rows, #columns, #sums], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<17x64xf32>, memref<32x64xf32>) outs(%d : memref<17x32xf32>) {
    ^bb0(%p: f32, %q: f32, %r: f32):
      %0 = arith.mulf %p, %q : f32
      %1 = arith.addf %r, %0 : f32
      linalg.yield %1 : f32
  }
  return
}

// -----
// 3. Sixteen rows of floats: no copy, their products are added up in lanes.
// CHECK-LABEL: func.func @few_rows
// CHECK-NOT: linalg.transpose
func.func @few_rows(%a: memref<16x64xf32>, %b: memref<32x64xf32>, %c: memref<16x32xf32>) {
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>,
                                   affine_map<(m, n, k) -> (m, n)>],
                  iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<16x64xf32>, memref<32x64xf32>) outs(%c : memref<16x32xf32>) {
    ^bb0(%p: f32, %q: f32, %r: f32):
      %0 = arith.mulf %p, %q : f32
      %1 = arith.addf %r, %0 : f32
      linalg.yield %1 : f32
  }
  return
}

// -----
// 4. A first factor of columns in TCM becomes rows; in DDR it stays: the cache holds its lines.
// CHECK-LABEL: func.func @columns_in_tcm
// CHECK: %[[T:.*]] = memref.alloc() : memref<16x64xf32, 1>
// CHECK: linalg.transpose ins(%arg0 : memref<64x16xf32, 1>) outs(%[[V:.*]] : {{.*}}) permutation = [1, 0]
// CHECK: linalg.generic {{.*}} ins(%[[V]], %arg1 :
// CHECK-LABEL: func.func @columns_in_ddr
// CHECK-NOT: linalg.transpose
// CHECK: return
func.func @columns_in_tcm(%a: memref<64x16xf32, 1>, %b: memref<64x32xf32, 1>, %c: memref<16x32xf32, 1>) {
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (k, n)>,
                                   affine_map<(m, n, k) -> (m, n)>],
                  iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<64x16xf32, 1>, memref<64x32xf32, 1>) outs(%c : memref<16x32xf32, 1>) {
    ^bb0(%p: f32, %q: f32, %r: f32):
      %0 = arith.mulf %p, %q : f32
      %1 = arith.addf %r, %0 : f32
      linalg.yield %1 : f32
  }
  return
}
func.func @columns_in_ddr(%a: memref<64x16xf32>, %b: memref<64x32xf32, 1>, %c: memref<16x32xf32, 1>) {
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (k, n)>,
                                   affine_map<(m, n, k) -> (m, n)>],
                  iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<64x16xf32>, memref<64x32xf32, 1>) outs(%c : memref<16x32xf32, 1>) {
    ^bb0(%p: f32, %q: f32, %r: f32):
      %0 = arith.mulf %p, %q : f32
      %1 = arith.addf %r, %0 : f32
      linalg.yield %1 : f32
  }
  return
}
