// A mark of another type is an error at the function that has it.
// RUN: not hexmlir-opt %s --pack-word-weights 2>&1 | filecheck %s
// CHECK: malformed.mlir:12:1: error: hexagon.constants is array<i8: 1>
// CHECK: hint: array<i64: ...> is expected
func.func private @kernel(%a: tensor<5x37xi8>, %b: tensor<37x70xi8>) -> tensor<5x70xi32> {
  %zero = arith.constant 0 : i32
  %init = tensor.empty() : tensor<5x70xi32>
  %sums = linalg.fill ins(%zero : i32) outs(%init : tensor<5x70xi32>) -> tensor<5x70xi32>
  %0 = linalg.matmul ins(%a, %b : tensor<5x37xi8>, tensor<37x70xi8>) outs(%sums : tensor<5x70xi32>) -> tensor<5x70xi32>
  return %0 : tensor<5x70xi32>
}
func.func @model(%a: tensor<5x37xi8>, %b: tensor<37x70xi8>) -> tensor<5x70xi32> attributes {hexagon.constants = array<i8: 1>} {
  %0 = call @kernel(%a, %b) : (tensor<5x37xi8>, tensor<37x70xi8>) -> tensor<5x70xi32>
  return %0 : tensor<5x70xi32>
}
