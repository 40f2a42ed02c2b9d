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
