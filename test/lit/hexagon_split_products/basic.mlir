// A product of f32 with a bias after it: scales, two pieces of either factor, one product along three times the
// reduction, and the scales taken back in the op that adds the bias.
// RUN: hexmlir-opt %s --hexagon-split-products='f32-split=true always=true' | filecheck %s

// CHECK-LABEL: func.func @bias
// CHECK: arith.maxsi
// CHECK: insert_slice {{.*}} tensor<40x70xf16> into tensor<40x3x70xf16>
// CHECK: collapse_shape {{.*}} into tensor<40x210xf16>
// CHECK: arith.maxsi
// CHECK: collapse_shape {{.*}} into tensor<210x50xf16>
// CHECK: linalg.generic {{.*}} ins({{.*}} : tensor<40x210xf16>, tensor<210x50xf16>) outs({{.*}} : tensor<40x50xf32>)
// CHECK: linalg.generic {{.*}} : tensor<40x50xf32>, tensor<40xi32>, tensor<50xi32>, tensor<50xf32>)
// CHECK: arith.minsi
// CHECK: arith.addf
// CHECK-NOT: linalg.generic
// CHECK: return
#same = affine_map<(i, j) -> (i, j)>
#column = affine_map<(i, j) -> (j)>
func.func @bias(%a: tensor<40x70xf32>, %b: tensor<70x50xf32>, %c: tensor<50xf32>) -> tensor<40x50xf32> {
  %zero = arith.constant 0.0 : f32
  %init = tensor.empty() : tensor<40x50xf32>
  %start = linalg.fill ins(%zero : f32) outs(%init : tensor<40x50xf32>) -> tensor<40x50xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<40x70xf32>, tensor<70x50xf32>) outs(%start : tensor<40x50xf32>) -> tensor<40x50xf32>
  %1 = linalg.generic {indexing_maps = [#same, #column, #same], iterator_types = ["parallel", "parallel"]}
      ins(%0, %c : tensor<40x50xf32>, tensor<50xf32>) outs(%init : tensor<40x50xf32>) {
    ^bb0(%x: f32, %y: f32, %old: f32):
      %s = arith.addf %x, %y : f32
      linalg.yield %s : f32
  } -> tensor<40x50xf32>
  return %1 : tensor<40x50xf32>
}
