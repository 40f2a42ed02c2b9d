// A torch product of two matrices that are cast to f32 first.
// RUN: hexmlir-opt %s --fold-factor-casts=always=true | filecheck %s

// CHECK-LABEL: func.func @cast
// CHECK: linalg.generic {{.*}} ins(%arg0, %arg1 : tensor<40x70xf16>, tensor<50x70xf16>) outs({{.*}} : tensor<40x50xf32>)
// CHECK-COUNT-2: arith.extf
// CHECK: arith.mulf
// CHECK: arith.addf
#same = affine_map<(i, j) -> (i, j)>
#left = affine_map<(i, j, k) -> (i, k)>
#right = affine_map<(i, j, k) -> (j, k)>
#sum = affine_map<(i, j, k) -> (i, j)>
func.func @cast(%a: tensor<40x70xf16>, %b: tensor<50x70xf16>, %c: tensor<40x50xf32>) -> tensor<40x50xf32> {
  %0 = tensor.empty() : tensor<40x70xf32>
  %1 = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<40x70xf16>) outs(%0 : tensor<40x70xf32>) {
    ^bb0(%x: f16, %old: f32):
      %w = arith.extf %x : f16 to f32
      linalg.yield %w : f32
  } -> tensor<40x70xf32>
  %2 = tensor.empty() : tensor<50x70xf32>
  %3 = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]}
      ins(%b : tensor<50x70xf16>) outs(%2 : tensor<50x70xf32>) {
    ^bb0(%x: f16, %old: f32):
      %w = arith.extf %x : f16 to f32
      linalg.yield %w : f32
  } -> tensor<50x70xf32>
  %4 = linalg.generic {indexing_maps = [#left, #right, #sum], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%1, %3 : tensor<40x70xf32>, tensor<50x70xf32>) outs(%c : tensor<40x50xf32>) {
    ^bb0(%x: f32, %y: f32, %old: f32):
      %p = arith.mulf %x, %y : f32
      %s = arith.addf %old, %p : f32
      linalg.yield %s : f32
  } -> tensor<40x50xf32>
  return %4 : tensor<40x50xf32>
}

// A factor that is computed before it is extended, and one that is transposed.
// CHECK-LABEL: func.func @computed
// CHECK: %[[SHORT:.*]] = linalg.generic {{.*}} ins(%arg0 : tensor<40x70xbf16>) outs({{.*}} : tensor<40x70xbf16>)
// CHECK: arith.mulf {{.*}} : bf16
// CHECK-NOT: arith.extf
// CHECK: linalg.generic {{.*}} ins(%[[SHORT]], %arg1 : tensor<40x70xbf16>, tensor<70x50xbf16>) outs(%arg2 : tensor<40x50xf32>)
// CHECK-COUNT-2: arith.extf
#swapped = affine_map<(i, j) -> (j, i)>
func.func @computed(%a: tensor<40x70xbf16>, %b: tensor<70x50xbf16>, %c: tensor<40x50xf32>) -> tensor<40x50xf32> {
  %0 = tensor.empty() : tensor<40x70xf32>
  %1 = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<40x70xbf16>) outs(%0 : tensor<40x70xf32>) {
    ^bb0(%x: bf16, %old: f32):
      %m = arith.mulf %x, %x : bf16
      %w = arith.extf %m : bf16 to f32
      linalg.yield %w : f32
  } -> tensor<40x70xf32>
  %2 = tensor.empty() : tensor<50x70xf32>
  %3 = linalg.generic {indexing_maps = [#swapped, #same], iterator_types = ["parallel", "parallel"]}
      ins(%b : tensor<70x50xbf16>) outs(%2 : tensor<50x70xf32>) {
    ^bb0(%x: bf16, %old: f32):
      %w = arith.extf %x : bf16 to f32
      linalg.yield %w : f32
  } -> tensor<50x70xf32>
  %4 = linalg.generic {indexing_maps = [#left, #right, #sum], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%1, %3 : tensor<40x70xf32>, tensor<50x70xf32>) outs(%c : tensor<40x50xf32>) {
    ^bb0(%x: f32, %y: f32, %old: f32):
      %p = arith.mulf %x, %y : f32
      %s = arith.addf %old, %p : f32
      linalg.yield %s : f32
  } -> tensor<40x50xf32>
  return %4 : tensor<40x50xf32>
}

// One factor of f16, the other one of bf16.
// CHECK-LABEL: func.func @mixed
// CHECK: linalg.generic {{.*}} ins(%arg0, %arg1 : tensor<40x70xf16>, tensor<70x50xbf16>) outs(%arg2 : tensor<40x50xf32>)
// CHECK-COUNT-2: arith.extf
func.func @mixed(%a: tensor<40x70xf16>, %b: tensor<70x50xbf16>, %c: tensor<40x50xf32>) -> tensor<40x50xf32> {
  %0 = tensor.empty() : tensor<40x70xf32>
  %1 = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<40x70xf16>) outs(%0 : tensor<40x70xf32>) {
    ^bb0(%x: f16, %old: f32):
      %w = arith.extf %x : f16 to f32
      linalg.yield %w : f32
  } -> tensor<40x70xf32>
  %2 = tensor.empty() : tensor<70x50xf32>
  %3 = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]}
      ins(%b : tensor<70x50xbf16>) outs(%2 : tensor<70x50xf32>) {
    ^bb0(%x: bf16, %old: f32):
      %w = arith.extf %x : bf16 to f32
      linalg.yield %w : f32
  } -> tensor<70x50xf32>
  %4 = linalg.matmul ins(%1, %3 : tensor<40x70xf32>, tensor<70x50xf32>) outs(%c : tensor<40x50xf32>)
      -> tensor<40x50xf32>
  return %4 : tensor<40x50xf32>
}
