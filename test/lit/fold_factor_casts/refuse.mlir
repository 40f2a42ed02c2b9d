// A factor that is of f32, and one that is more than extended.
// RUN: hexmlir-opt %s --fold-factor-casts=always=true | filecheck %s

// CHECK: ins({{.*}} : tensor<40x70xf32>, tensor<50x70xf32>) outs({{.*}} : tensor<40x50xf32>)
#same = affine_map<(i, j) -> (i, j)>
#left = affine_map<(i, j, k) -> (i, k)>
#right = affine_map<(i, j, k) -> (j, k)>
#sum = affine_map<(i, j, k) -> (i, j)>
func.func @cast(%a: tensor<40x70xbf16>, %b: tensor<50x70xf32>, %c: tensor<40x50xf32>) -> tensor<40x50xf32> {
  %0 = tensor.empty() : tensor<40x70xf32>
  %1 = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<40x70xbf16>) outs(%0 : tensor<40x70xf32>) {
    ^bb0(%x: bf16, %old: f32):
      %w = arith.extf %x : bf16 to f32
      linalg.yield %w : f32
  } -> tensor<40x70xf32>
  %4 = linalg.generic {indexing_maps = [#left, #right, #sum], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%1, %b : tensor<40x70xf32>, tensor<50x70xf32>) outs(%c : tensor<40x50xf32>) {
    ^bb0(%x: f32, %y: f32, %old: f32):
      %p = arith.mulf %x, %y : f32
      %s = arith.addf %old, %p : f32
      linalg.yield %s : f32
  } -> tensor<40x50xf32>
  return %4 : tensor<40x50xf32>
}

// CHECK-LABEL: func.func @more
// CHECK: ins({{.*}} : tensor<40x40xf32>, tensor<40x40xf32>)
func.func @more(%a: tensor<40x40xf16>, %c: tensor<40x40xf32>) -> tensor<40x40xf32> {
  %0 = tensor.empty() : tensor<40x40xf32>
  %1 = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<40x40xf16>) outs(%0 : tensor<40x40xf32>) {
    ^bb0(%x: f16, %old: f32):
      %w = arith.extf %x : f16 to f32
      %n = arith.negf %w : f32
      linalg.yield %n : f32
  } -> tensor<40x40xf32>
  %4 = linalg.matmul ins(%1, %1 : tensor<40x40xf32>, tensor<40x40xf32>) outs(%c : tensor<40x40xf32>) -> tensor<40x40xf32>
  return %4 : tensor<40x40xf32>
}
