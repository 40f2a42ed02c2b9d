// Constants of f32 are tiles of pieces of f16, and of the scales of their columns; the product is one of pieces.
// RUN: hexmlir-opt %s --pack-engine-weights='f32-split=true always=true' | filecheck %s
// RUN: hexmlir-opt %s --pack-engine-weights=always=true | filecheck %s --check-prefix=WHOLE

// CHECK-LABEL: func.func private @kernel
// CHECK-SAME: %arg1: tensor<4x4x16x32x2xf16>)
// CHECK: %[[TILES:.*]] = tensor.extract_slice %arg1[0, 0, 0, 0, 0] [3, 4, 16, 32, 2]
// CHECK: %[[RIGHT:.*]] = "hexagon.weight_matrix"(%[[TILES]]) : (tensor<3x4x16x32x2xf16>) -> tensor<120x70xf16>
// CHECK: tensor.extract_slice %arg1[3, 0, 0, 0, 0] [1, 4, 16, 32, 2]
// CHECK: %[[LEFT:.*]] = tensor.collapse_shape {{.*}} into tensor<37x120xf16>
// CHECK: ins(%[[LEFT]], %[[RIGHT]] : tensor<37x120xf16>, tensor<120x70xf16>)
// WHOLE-NOT: f16
func.func private @kernel(%a: tensor<37x40xf32>, %b: tensor<40x70xf32>) -> tensor<37x70xf32> {
  %zero = arith.constant 0.0 : f32
  %init = tensor.empty() : tensor<37x70xf32>
  %sums = linalg.fill ins(%zero : f32) outs(%init : tensor<37x70xf32>) -> tensor<37x70xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<37x40xf32>, tensor<40x70xf32>) outs(%sums : tensor<37x70xf32>) -> tensor<37x70xf32>
  return %0 : tensor<37x70xf32>
}

// CHECK-LABEL: func.func @model
// CHECK-SAME: tensor<4x4x16x32x2xf16>) -> tensor<37x70xf32>
// CHECK-SAME: hexagon.packed_weights = array<i64: 1>
// CHECK: call @kernel({{.*}}) : (tensor<37x40xf32>, tensor<4x4x16x32x2xf16>) -> tensor<37x70xf32>
func.func @model(%a: tensor<37x40xf32>, %b: tensor<40x70xf32>) -> tensor<37x70xf32> attributes {hexagon.constants = array<i64: 1>} {
  %0 = call @kernel(%a, %b) : (tensor<37x40xf32>, tensor<40x70xf32>) -> tensor<37x70xf32>
  return %0 : tensor<37x70xf32>
}
