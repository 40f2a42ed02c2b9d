// Ops that are one loop nest already keep their names.
// RUN: hexmlir-opt %s --hexagon-decompose-named-ops | filecheck %s
// CHECK: linalg.matmul
func.func @f(%a: tensor<4x5xf32>, %b: tensor<5x6xf32>, %c: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<4x5xf32>, tensor<5x6xf32>) outs(%c : tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}
