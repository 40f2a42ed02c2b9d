// Weights of a convolution of bytes: tiles of all taps one after the other; not where these are fewer than four, which
// would be filled up.
// RUN: hexmlir-opt %s --pack-engine-weights=always=true | filecheck %s
// RUN: hexmlir-opt %s --pack-engine-weights=always=true --target=v73 | filecheck %s --check-prefix=OTHERS

// CHECK-LABEL: func.func private @k
// CHECK-SAME: %arg1: tensor<4x9x8x32x4xi8>
// CHECK: "hexagon.weight_matrix"(%arg1) : (tensor<4x9x8x32x4xi8>) -> tensor<288x40xi8>
// CHECK: linalg.conv_2d_nhwc_hwcf
// CHECK-LABEL: func.func private @few
// CHECK-SAME: tensor<1x3x32x40xi8>
// CHECK-LABEL: func.func @f
// CHECK-SAME: hexagon.packed_weights = array<i64: 1>
// OTHERS-NOT: hexagon.weight_matrix
func.func private @k(%a: tensor<1x9x9x32xi8>, %b: tensor<3x3x32x40xi8>) -> tensor<1x7x7x40xi32> {
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<1x7x7x40xi32>
  %s = linalg.fill ins(%zero : i32) outs(%e : tensor<1x7x7x40xi32>) -> tensor<1x7x7x40xi32>
  %0 = linalg.conv_2d_nhwc_hwcf ins(%a, %b : tensor<1x9x9x32xi8>, tensor<3x3x32x40xi8>) outs(%s : tensor<1x7x7x40xi32>)
      -> tensor<1x7x7x40xi32>
  return %0 : tensor<1x7x7x40xi32>
}
func.func private @few(%a: tensor<1x9x9x32xi8>, %b: tensor<1x3x32x40xi8>) -> tensor<1x9x7x40xi32> {
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<1x9x7x40xi32>
  %s = linalg.fill ins(%zero : i32) outs(%e : tensor<1x9x7x40xi32>) -> tensor<1x9x7x40xi32>
  %0 = linalg.conv_2d_nhwc_hwcf ins(%a, %b : tensor<1x9x9x32xi8>, tensor<1x3x32x40xi8>) outs(%s : tensor<1x9x7x40xi32>)
      -> tensor<1x9x7x40xi32>
  return %0 : tensor<1x9x7x40xi32>
}
func.func @f(%a: tensor<1x9x9x32xi8>, %b: tensor<3x3x32x40xi8>, %c: tensor<1x3x32x40xi8>)
    -> (tensor<1x7x7x40xi32>, tensor<1x9x7x40xi32>) attributes {hexagon.constants = array<i64: 1, 2>} {
  %0 = call @k(%a, %b) : (tensor<1x9x9x32xi8>, tensor<3x3x32x40xi8>) -> tensor<1x7x7x40xi32>
  %1 = call @few(%a, %c) : (tensor<1x9x9x32xi8>, tensor<1x3x32x40xi8>) -> tensor<1x9x7x40xi32>
  return %0, %1 : tensor<1x7x7x40xi32>, tensor<1x9x7x40xi32>
}
