// Products that HVX computes in less time keep their casts, and so do those of chips without results of f32.
// RUN: hexmlir-opt %s --fold-factor-casts | filecheck %s
// RUN: hexmlir-opt %s --fold-factor-casts='always=true matrix-engine=false' | filecheck %s
// RUN: hexmlir-opt %s --fold-factor-casts=always=true --target=v73 | filecheck %s
// RUN: hexmlir-opt %s --fold-factor-casts=always=true | filecheck %s --check-prefix=ALWAYS

// CHECK: ins({{.*}} : tensor<4x7xf32>, tensor<5x7xf32>) outs({{.*}} : tensor<4x5xf32>)
// ALWAYS: ins({{.*}} : tensor<4x7xf16>, tensor<5x7xf16>) outs({{.*}} : tensor<4x5xf32>)
#same = affine_map<(i, j) -> (i, j)>
#left = affine_map<(i, j, k) -> (i, k)>
#right = affine_map<(i, j, k) -> (j, k)>
#sum = affine_map<(i, j, k) -> (i, j)>
func.func @cast(%a: tensor<4x7xf16>, %b: tensor<5x7xf16>, %c: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %0 = tensor.empty() : tensor<4x7xf32>
  %1 = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<4x7xf16>) outs(%0 : tensor<4x7xf32>) {
    ^bb0(%x: f16, %old: f32):
      %w = arith.extf %x : f16 to f32
      linalg.yield %w : f32
  } -> tensor<4x7xf32>
  %2 = tensor.empty() : tensor<5x7xf32>
  %3 = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]}
      ins(%b : tensor<5x7xf16>) outs(%2 : tensor<5x7xf32>) {
    ^bb0(%x: f16, %old: f32):
      %w = arith.extf %x : f16 to f32
      linalg.yield %w : f32
  } -> tensor<5x7xf32>
  %4 = linalg.generic {indexing_maps = [#left, #right, #sum], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%1, %3 : tensor<4x7xf32>, tensor<5x7xf32>) outs(%c : tensor<4x5xf32>) {
    ^bb0(%x: f32, %y: f32, %old: f32):
      %p = arith.mulf %x, %y : f32
      %s = arith.addf %old, %p : f32
      linalg.yield %s : f32
  } -> tensor<4x5xf32>
  return %4 : tensor<4x5xf32>
}
