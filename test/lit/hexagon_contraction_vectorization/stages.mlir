// Products in stages of double-buffered loops are vectorized after the stages have been merged, without packing.
// RUN: hexmlir-opt %s --hexagon-contraction-vectorization | filecheck %s
// RUN: hexmlir-opt %s --hexagon-contraction-vectorization=copies=false | filecheck %s --check-prefix=PLANNED

// CHECK-LABEL: func.func @products
// CHECK: scf.if
// 1. All sizes of this one are static.
// CHECK: linalg.generic
// CHECK-SAME: memref<4x8xf32, 1>, memref<8x64xf32, 1>
// 2. Its elements are loaded one by one, which the TCM plan checks.
// CHECK-NOT: linalg.generic
// CHECK: memref.load
// CHECK: hexagon.db_ping_stage
// 3. In no stage.
// CHECK-NOT: linalg.generic
// CHECK: vector.store

// PLANNED-LABEL: func.func @products
// PLANNED-NOT: linalg.generic
// PLANNED: hexagon.db_ping_stage
#left = affine_map<(m, n, k) -> (m, k)>
#right = affine_map<(m, n, k) -> (k, n)>
#sums = affine_map<(m, n, k) -> (m, n)>
func.func @products(%p: i1, %a: memref<4x8xf32, 1>, %s: memref<4x8xf32, strided<[32, 4]>, 1>, %b: memref<8x64xf32, 1>,
                    %c: memref<4x64xf32, 1>) {
  scf.if %p {
    linalg.generic {indexing_maps = [#left, #right, #sums], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%a, %b : memref<4x8xf32, 1>, memref<8x64xf32, 1>) outs(%c : memref<4x64xf32, 1>) {
    ^bb0(%x: f32, %y: f32, %old: f32):
      %0 = arith.mulf %x, %y : f32
      %1 = arith.addf %old, %0 : f32
      linalg.yield %1 : f32
    }
    linalg.generic {indexing_maps = [#left, #right, #sums], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%s, %b : memref<4x8xf32, strided<[32, 4]>, 1>, memref<8x64xf32, 1>) outs(%c : memref<4x64xf32, 1>) {
    ^bb0(%x: f32, %y: f32, %old: f32):
      %0 = arith.mulf %x, %y : f32
      %1 = arith.addf %old, %0 : f32
      linalg.yield %1 : f32
    }
  } {hexagon.db_ping_stage = 0 : i64}
  linalg.generic {indexing_maps = [#left, #right, #sums], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<4x8xf32, 1>, memref<8x64xf32, 1>) outs(%c : memref<4x64xf32, 1>) {
    ^bb0(%x: f32, %y: f32, %old: f32):
      %0 = arith.mulf %x, %y : f32
      %1 = arith.addf %old, %0 : f32
      linalg.yield %1 : f32
  }
  return
}

// PLANNED-LABEL: func.func @where_they_are
// PLANNED-NOT: memref.alloc
// PLANNED: vector.store
// PLANNED: linalg.transpose
// PLANNED: return
func.func @where_they_are(%a: memref<64x8xf32, 1>, %b: memref<8x64xf32, 1>, %c: memref<64x64xf32, 1>,
                          %t: memref<64x8xf32, 1>) {
  linalg.generic {indexing_maps = [#left, #right, #sums], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<64x8xf32, 1>, memref<8x64xf32, 1>) outs(%c : memref<64x64xf32, 1>) {
  ^bb0(%x: f32, %y: f32, %old: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %old, %0 : f32
    linalg.yield %1 : f32
  }
  linalg.transpose ins(%b : memref<8x64xf32, 1>) outs(%t : memref<64x8xf32, 1>) permutation = [1, 0]
  return
}
