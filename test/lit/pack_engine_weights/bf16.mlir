// Constants of bf16 beside another factor of bf16 are tiles of f16, scaled, and of the scales of their columns.
// RUN: hexmlir-opt %s --pack-engine-weights=always=true | filecheck %s

// CHECK-LABEL: func.func private @kernel
// CHECK-SAME: %arg1: tensor<4x2x16x32x2xf16>)
// CHECK: %[[TILES:.*]] = tensor.extract_slice %arg1[0, 0, 0, 0, 0] [3, 2, 16, 32, 2]
// CHECK: %[[RIGHT:.*]] = "hexagon.weight_matrix"(%[[TILES]]) : (tensor<3x2x16x32x2xf16>) -> tensor<40x70xf16>
// CHECK: tensor.extract_slice %arg1[3, 0, 0, 0, 0] [1, 2, 16, 32, 2]
// CHECK: ins(%{{.*}}, %[[RIGHT]] : tensor<37x40xf16>, tensor<40x70xf16>)
func.func private @kernel(%a: tensor<37x40xbf16>, %b: tensor<40x70xbf16>) -> tensor<37x70xf32> {
  %zero = arith.constant 0.0 : f32
  %init = tensor.empty() : tensor<37x70xf32>
  %sums = linalg.fill ins(%zero : f32) outs(%init : tensor<37x70xf32>) -> tensor<37x70xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<37x40xbf16>, tensor<40x70xbf16>) outs(%sums : tensor<37x70xf32>) -> tensor<37x70xf32>
  return %0 : tensor<37x70xf32>
}

// A factor of f32 beside it takes pieces of its own: the constant stays.
// CHECK-LABEL: func.func private @mixed
// CHECK-SAME: %arg1: tensor<40x70xbf16>)
func.func private @mixed(%a: tensor<37x40xf32>, %b: tensor<40x70xbf16>) -> tensor<37x70xf32> {
  %zero = arith.constant 0.0 : f32
  %init = tensor.empty() : tensor<37x70xf32>
  %sums = linalg.fill ins(%zero : f32) outs(%init : tensor<37x70xf32>) -> tensor<37x70xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<37x40xf32>, tensor<40x70xbf16>) outs(%sums : tensor<37x70xf32>) -> tensor<37x70xf32>
  return %0 : tensor<37x70xf32>
}

// CHECK-LABEL: func.func @model
// CHECK-SAME: hexagon.packed_weights = array<i64: 1>
func.func @model(%a: tensor<37x40xbf16>, %b: tensor<40x70xbf16>, %c: tensor<37x40xf32>, %d: tensor<40x70xbf16>) -> (tensor<37x70xf32>, tensor<37x70xf32>) attributes {hexagon.constants = array<i64: 1, 3>} {
  %0 = call @kernel(%a, %b) : (tensor<37x40xbf16>, tensor<40x70xbf16>) -> tensor<37x70xf32>
  %1 = call @mixed(%c, %d) : (tensor<37x40xf32>, tensor<40x70xbf16>) -> tensor<37x70xf32>
  return %0, %1 : tensor<37x70xf32>, tensor<37x70xf32>
}
