// Products that add to a matrix.
// RUN: hexmlir-opt %s --separate-accumulators=always=true | filecheck %s
#left = affine_map<(i, j, k) -> (i, k)>
#right = affine_map<(i, j, k) -> (k, j)>
#sum = affine_map<(i, j, k) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#same = affine_map<(i, j) -> (i, j)>

// 1. A sum in place follows.
// CHECK-LABEL: func.func @added
// CHECK: %[[ZEROS:.*]] = linalg.fill
// CHECK: %[[PRODUCT:.*]] = linalg.generic {{.*}} outs(%[[ZEROS]] : tensor<40x50xf32>)
// CHECK: %[[SUM:.*]] = linalg.generic {{.*}} ins(%[[PRODUCT]] : tensor<40x50xf32>) outs(%arg2 : tensor<40x50xf32>)
// CHECK: arith.addf
// CHECK: return %[[SUM]]
func.func @added(%a: tensor<40x70xf16>, %b: tensor<70x50xf16>, %c: tensor<40x50xf32>) -> tensor<40x50xf32> {
  %0 = linalg.generic {indexing_maps = [#left, #right, #sum], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<40x70xf16>, tensor<70x50xf16>) outs(%c : tensor<40x50xf32>) {
  ^bb0(%x: f16, %y: f16, %s: f32):
    %v = arith.extf %x : f16 to f32
    %w = arith.extf %y : f16 to f32
    %p = arith.mulf %v, %w : f32
    %t = arith.addf %s, %p : f32
    linalg.yield %t : f32
  } -> tensor<40x50xf32>
  return %0 : tensor<40x50xf32>
}

// 2. What computes the matrix elsewhere, not in place, stays.
// CHECK-LABEL: func.func @not_in_place
// CHECK: %[[OLD:.*]] = linalg.generic {{.*}} outs(%arg3 : tensor<40x50xf32>)
// CHECK: linalg.generic {{.*}} outs(%[[OLD]] : tensor<40x50xf32>)
func.func @not_in_place(%a: tensor<40x70xf16>, %b: tensor<70x50xf16>, %d: tensor<40xf32>, %c: tensor<40x50xf32>) -> tensor<40x50xf32> {
  %old = linalg.generic {indexing_maps = [#row, #same], iterator_types = ["parallel", "parallel"]}
      ins(%d : tensor<40xf32>) outs(%c : tensor<40x50xf32>) {
  ^bb0(%x: f32, %o: f32):
    %m = arith.mulf %x, %o : f32
    linalg.yield %m : f32
  } -> tensor<40x50xf32>
  %0 = linalg.generic {indexing_maps = [#left, #right, #sum], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<40x70xf16>, tensor<70x50xf16>) outs(%old : tensor<40x50xf32>) {
  ^bb0(%x: f16, %y: f16, %s: f32):
    %v = arith.extf %x : f16 to f32
    %w = arith.extf %y : f16 to f32
    %p = arith.mulf %v, %w : f32
    %t = arith.addf %s, %p : f32
    linalg.yield %t : f32
  } -> tensor<40x50xf32>
  return %0 : tensor<40x50xf32>
}
