// Ops that are one loop nest already keep their names.
// RUN: hexmlir-opt %s --hexagon-decompose-named-ops | filecheck %s
// CHECK: linalg.matmul
func.func @f(%a: tensor<4x5xf32>, %b: tensor<5x6xf32>, %c: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<4x5xf32>, tensor<5x6xf32>) outs(%c : tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// Window columns that are not adjacent, and an unknown number of channels.
// CHECK-COUNT-2: linalg.conv_2d_nhwc_hwcf
func.func @dilated(%x: tensor<1x9x9x4xf32>, %w: tensor<3x3x4x8xf32>, %y: tensor<1x5x5x8xf32>) -> tensor<1x5x5x8xf32> {
  %0 = linalg.conv_2d_nhwc_hwcf {dilations = dense<2> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
      ins(%x, %w : tensor<1x9x9x4xf32>, tensor<3x3x4x8xf32>) outs(%y : tensor<1x5x5x8xf32>) -> tensor<1x5x5x8xf32>
  return %0 : tensor<1x5x5x8xf32>
}
func.func @channels(%x: tensor<1x9x9x?xf32>, %w: tensor<3x3x?x8xf32>, %y: tensor<1x7x7x8xf32>) -> tensor<1x7x7x8xf32> {
  %0 = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
      ins(%x, %w : tensor<1x9x9x?xf32>, tensor<3x3x?x8xf32>) outs(%y : tensor<1x7x7x8xf32>) -> tensor<1x7x7x8xf32>
  return %0 : tensor<1x7x7x8xf32>
}
