// A product that is not vectorized yet counts as its vectorized form: two of them are enough work for a function.
// RUN: hexmlir-opt %s --outline-stages --merge-functions | filecheck %s

// CHECK: func.func private @f_stage(
// CHECK-COUNT-2: linalg.generic
// CHECK: func.func @f(
// CHECK-NOT: linalg.generic
// CHECK: call @f_stage(
// CHECK-NOT: linalg.generic
// CHECK: call @f_stage(
#left = affine_map<(m, n, k) -> (m, k)>
#right = affine_map<(m, n, k) -> (k, n)>
#sums = affine_map<(m, n, k) -> (m, n)>
#of = {indexing_maps = [#left, #right, #sums], iterator_types = ["parallel", "parallel", "reduction"]}
func.func @f(%a: memref<32x32xf32>, %b: memref<32x32xf32>, %c: memref<32x32xf32>, %d: memref<32x32xf32>, %p: i1,
             %q: i1) {
  scf.if %p {
    linalg.generic #of ins(%a, %b : memref<32x32xf32>, memref<32x32xf32>) outs(%c : memref<32x32xf32>) {
    ^bb0(%x: f32, %y: f32, %old: f32):
      %0 = arith.mulf %x, %y : f32
      %1 = arith.addf %old, %0 : f32
      linalg.yield %1 : f32
    }
    linalg.generic #of ins(%a, %a : memref<32x32xf32>, memref<32x32xf32>) outs(%c : memref<32x32xf32>) {
    ^bb0(%x: f32, %y: f32, %old: f32):
      %0 = arith.mulf %x, %y : f32
      %1 = arith.addf %old, %0 : f32
      linalg.yield %1 : f32
    }
  } {hexagon.db_ping_stage = 0 : i64}
  scf.if %q {
    linalg.generic #of ins(%a, %b : memref<32x32xf32>, memref<32x32xf32>) outs(%d : memref<32x32xf32>) {
    ^bb0(%x: f32, %y: f32, %old: f32):
      %0 = arith.mulf %x, %y : f32
      %1 = arith.addf %old, %0 : f32
      linalg.yield %1 : f32
    }
    linalg.generic #of ins(%a, %a : memref<32x32xf32>, memref<32x32xf32>) outs(%d : memref<32x32xf32>) {
    ^bb0(%x: f32, %y: f32, %old: f32):
      %0 = arith.mulf %x, %y : f32
      %1 = arith.addf %old, %0 : f32
      linalg.yield %1 : f32
    }
  } {hexagon.db_pong_stage = 1 : i64}
  return
}
