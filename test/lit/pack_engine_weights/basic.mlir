// A constant right factor is given as tiles, filled up with zeros.
// RUN: hexmlir-opt %s --pack-engine-weights=always=true | filecheck %s

// CHECK-LABEL: func.func private @kernel
// CHECK-SAME: %arg1: tensor<3x2x16x32x2xf16>)
// CHECK: %[[WEIGHTS:.*]] = "hexagon.weight_matrix"(%arg1) : (tensor<3x2x16x32x2xf16>) -> tensor<40x70xf16>
// CHECK: linalg.matmul ins(%{{.*}}, %[[WEIGHTS]] :
func.func private @kernel(%a: tensor<37x40xf16>, %b: tensor<40x70xf16>) -> tensor<37x70xf16> {
  %zero = arith.constant 0.0 : f16
  %init = tensor.empty() : tensor<37x70xf16>
  %sums = linalg.fill ins(%zero : f16) outs(%init : tensor<37x70xf16>) -> tensor<37x70xf16>
  %0 = linalg.matmul ins(%a, %b : tensor<37x40xf16>, tensor<40x70xf16>) outs(%sums : tensor<37x70xf16>) -> tensor<37x70xf16>
  return %0 : tensor<37x70xf16>
}

// CHECK-LABEL: func.func @model
// CHECK-SAME: tensor<3x2x16x32x2xf16>) -> tensor<37x70xf16> attributes {hexagon.constants = array<i64: 1>, hexagon.packed_weights = array<i64: 1>}
// CHECK: call @kernel({{.*}}) : (tensor<37x40xf16>, tensor<3x2x16x32x2xf16>) -> tensor<37x70xf16>
func.func @model(%a: tensor<37x40xf16>, %b: tensor<40x70xf16>) -> tensor<37x70xf16> attributes {hexagon.constants = array<i64: 1>} {
  %0 = call @kernel(%a, %b) : (tensor<37x40xf16>, tensor<40x70xf16>) -> tensor<37x70xf16>
  return %0 : tensor<37x70xf16>
}

// Weights of a convolution: 9 taps of 32 channels are 9 tiles along the reduction. Those of the second one stay what they
// are: its channels are no whole tiles.
// CHECK-LABEL: func.func private @convolution
// CHECK-SAME: %[[TILES:[a-z0-9]+]]: tensor<2x9x16x32x2xf16>, %[[OTHERS:[a-z0-9]+]]: tensor<1x1x40x16xf16>
// CHECK: %[[MATRIX:.*]] = "hexagon.weight_matrix"(%[[TILES]]) : (tensor<2x9x16x32x2xf16>) -> tensor<288x40xf16>
// CHECK: linalg.conv_2d_nhwc_hwcf ins({{.*}} : tensor<1x58x58x32xf16>, tensor<3x3x32x40xf16>)
// CHECK: linalg.conv_2d_nhwc_hwcf ins({{.*}}, %[[OTHERS]] :
// CHECK: func.func @main
// CHECK-SAME: hexagon.packed_weights = array<i64: 1>
#same = affine_map<(n, y, x, o) -> (n, y, x, o)>
func.func private @convolution(%image: tensor<1x58x58x32xf16>, %w: tensor<3x3x32x40xf16>, %v: tensor<1x1x40x16xf16>)
    -> tensor<1x56x56x16xf16> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x56x56x40xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<1x56x56x40xf32>) -> tensor<1x56x56x40xf32>
  %0 = linalg.conv_2d_nhwc_hwcf ins(%image, %w : tensor<1x58x58x32xf16>, tensor<3x3x32x40xf16>)
      outs(%z : tensor<1x56x56x40xf32>) -> tensor<1x56x56x40xf32>
  %h = tensor.empty() : tensor<1x56x56x40xf16>
  %1 = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%0 : tensor<1x56x56x40xf32>) outs(%h : tensor<1x56x56x40xf16>) {
    ^bb0(%x: f32, %old: f16):
      %t = arith.truncf %x : f32 to f16
      linalg.yield %t : f16
  } -> tensor<1x56x56x40xf16>
  %f = tensor.empty() : tensor<1x56x56x16xf32>
  %y = linalg.fill ins(%zero : f32) outs(%f : tensor<1x56x56x16xf32>) -> tensor<1x56x56x16xf32>
  %2 = linalg.conv_2d_nhwc_hwcf ins(%1, %v : tensor<1x56x56x40xf16>, tensor<1x1x40x16xf16>)
      outs(%y : tensor<1x56x56x16xf32>) -> tensor<1x56x56x16xf32>
  %g = tensor.empty() : tensor<1x56x56x16xf16>
  %3 = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%2 : tensor<1x56x56x16xf32>) outs(%g : tensor<1x56x56x16xf16>) {
    ^bb0(%x: f32, %old: f16):
      %t = arith.truncf %x : f32 to f16
      linalg.yield %t : f16
  } -> tensor<1x56x56x16xf16>
  return %3 : tensor<1x56x56x16xf16>
}
func.func @main(%image: tensor<1x58x58x32xf16>, %w: tensor<3x3x32x40xf16>, %v: tensor<1x1x40x16xf16>)
    -> tensor<1x56x56x16xf16> attributes {hexagon.constants = array<i64: 1, 2>} {
  %0 = call @convolution(%image, %w, %v) : (tensor<1x58x58x32xf16>, tensor<3x3x32x40xf16>, tensor<1x1x40x16xf16>)
      -> tensor<1x56x56x16xf16>
  return %0 : tensor<1x56x56x16xf16>
}
