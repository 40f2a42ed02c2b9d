// The result of a chain that another kernel takes as tiles is not unpacked; what else reads it gets rows.
// RUN: hexmlir-opt %s --hexagon-layout-propagation=always=true | filecheck %s

// CHECK-LABEL: func.func @taken
// CHECK-NOT: permutation = [0, 2, 4, 1, 3]
// CHECK-NOT: hexagon.activation_tiles
// CHECK: return %{{.*}} : tensor<2x1x16x32x2xf16>
func.func @taken(%a: tensor<50x32xf16>, %b: tensor<32x32xf16>, %c: tensor<32x32xf16>) -> tensor<2x1x16x32x2xf16> {
  %zero = arith.constant 0.0 : f32
  %none = tensor.empty() : tensor<50x32xf32>
  %half = tensor.empty() : tensor<50x32xf16>
  %zeros = linalg.fill ins(%zero : f32) outs(%none : tensor<50x32xf32>) -> tensor<50x32xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<50x32xf16>, tensor<32x32xf16>) outs(%zeros : tensor<50x32xf32>) -> tensor<50x32xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>],
      iterator_types = ["parallel", "parallel"]} ins(%0 : tensor<50x32xf32>) outs(%half : tensor<50x32xf16>) {
    ^bb0(%x: f32, %old: f16):
      %h = arith.truncf %x : f32 to f16
      %m = arith.mulf %h, %h : f16
      linalg.yield %m : f16
  } -> tensor<50x32xf16>
  %2 = linalg.matmul ins(%1, %c : tensor<50x32xf16>, tensor<32x32xf16>) outs(%zeros : tensor<50x32xf32>) -> tensor<50x32xf32>
  %3 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>],
      iterator_types = ["parallel", "parallel"]} ins(%2 : tensor<50x32xf32>) outs(%half : tensor<50x32xf16>) {
    ^bb0(%x: f32, %old: f16):
      %h = arith.truncf %x : f32 to f16
      linalg.yield %h : f16
  } -> tensor<50x32xf16>
  %4 = "hexagon.activation_tiles"(%3) : (tensor<50x32xf16>) -> tensor<2x1x16x32x2xf16>
  return %4 : tensor<2x1x16x32x2xf16>
}
