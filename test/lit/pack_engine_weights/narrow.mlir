// Constants of 4 bits are tiles of numbers of 16 bits: nibbles, and a row of scales.
// RUN: hexmlir-opt %s --pack-engine-weights=always=true | filecheck %s

// CHECK-LABEL: func.func private @kernel
// CHECK-SAME: %arg1: tensor<3x2x5x32x2xi16>)
// CHECK: "hexagon.weight_matrix"(%arg1) : (tensor<3x2x5x32x2xi16>) -> tensor<40x70xf16>
func.func private @kernel(%a: tensor<37x40xf16>, %b: tensor<40x70xf16>) -> tensor<37x70xf16> {
  %zero = arith.constant 0.0 : f16
  %init = tensor.empty() : tensor<37x70xf16>
  %sums = linalg.fill ins(%zero : f16) outs(%init : tensor<37x70xf16>) -> tensor<37x70xf16>
  %0 = linalg.matmul ins(%a, %b : tensor<37x40xf16>, tensor<40x70xf16>) outs(%sums : tensor<37x70xf16>) -> tensor<37x70xf16>
  return %0 : tensor<37x70xf16>
}

// CHECK-LABEL: func.func @model
// CHECK-SAME: tensor<3x2x5x32x2xi16>) -> tensor<37x70xf16>
// CHECK: call @kernel({{.*}}) : (tensor<37x40xf16>, tensor<3x2x5x32x2xi16>) -> tensor<37x70xf16>
func.func @model(%a: tensor<37x40xf16>, %b: tensor<40x70xf16>) -> tensor<37x70xf16> attributes {hexagon.constants = array<i64: 1>, hexagon.narrow_weights = array<i64: 1>} {
  %0 = call @kernel(%a, %b) : (tensor<37x40xf16>, tensor<40x70xf16>) -> tensor<37x70xf16>
  return %0 : tensor<37x70xf16>
}
