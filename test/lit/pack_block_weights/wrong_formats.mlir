// Attributes that say what the function does not have are errors.
// RUN: not hexmlir-opt %s --pack-block-weights --split-input-file 2>&1 | filecheck %s

func.func private @kernel(%a: tensor<64x64xf32>) -> tensor<64x64xf32> {
  return %a : tensor<64x64xf32>
}
// CHECK: wrong_formats.mlir:9:1: error: hexagon.block_formats has 4 numbers
// CHECK: hint: 5 for each of hexagon.block_constants are expected
func.func @model(%a: tensor<64x64xf32>) -> tensor<64x64xf32>
    attributes {hexagon.constants = array<i64: 0>, hexagon.block_constants = array<i64: 0>,
                hexagon.block_formats = array<i64: 32, 4, 16, 0>} {
  %0 = call @kernel(%a) : (tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

// -----
func.func private @kernel(%a: tensor<64x64xf32>) -> tensor<64x64xf32> {
  return %a : tensor<64x64xf32>
}
// CHECK: error: hexagon.block_constants names argument 9
// CHECK: hint: the function has 1
func.func @model(%a: tensor<64x64xf32>) -> tensor<64x64xf32>
    attributes {hexagon.constants = array<i64: 0>, hexagon.block_constants = array<i64: 9>} {
  %0 = call @kernel(%a) : (tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}
