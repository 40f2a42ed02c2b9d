// Factors that stay as they are.
// RUN: hexmlir-opt %s --pack-block-weights --split-input-file | filecheck %s
// CHECK-NOT: hexagon.block_matrix
// CHECK-NOT: hexagon.block_codes

// A constant, but not of weights in blocks.
func.func private @kernel(%a: tensor<1x64xf32>, %b: tensor<64x64xf32>, %c: tensor<1x64xf32>) -> tensor<1x64xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<1x64xf32>, tensor<64x64xf32>) outs(%c : tensor<1x64xf32>) -> tensor<1x64xf32>
  return %0 : tensor<1x64xf32>
}
func.func @model(%a: tensor<1x64xf32>, %b: tensor<64x64xf32>, %c: tensor<1x64xf32>) -> tensor<1x64xf32>
    attributes {hexagon.block_constants = array<i64>, hexagon.constants = array<i64: 1>} {
  %0 = call @kernel(%a, %b, %c) : (tensor<1x64xf32>, tensor<64x64xf32>, tensor<1x64xf32>) -> tensor<1x64xf32>
  return %0 : tensor<1x64xf32>
}

// -----
// Another operation reads the factor.
func.func private @kernel(%a: tensor<1x64xf32>, %b: tensor<64x64xf32>, %c: tensor<1x64xf32>) -> (tensor<1x64xf32>, tensor<64x64xf32>) {
  %0 = linalg.matmul ins(%a, %b : tensor<1x64xf32>, tensor<64x64xf32>) outs(%c : tensor<1x64xf32>) -> tensor<1x64xf32>
  %e = tensor.empty() : tensor<64x64xf32>
  %1 = linalg.add ins(%b, %b : tensor<64x64xf32>, tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0, %1 : tensor<1x64xf32>, tensor<64x64xf32>
}
func.func @model(%a: tensor<1x64xf32>, %b: tensor<64x64xf32>, %c: tensor<1x64xf32>) -> (tensor<1x64xf32>, tensor<64x64xf32>)
    attributes {hexagon.block_constants = array<i64: 1>, hexagon.constants = array<i64: 1>} {
  %0:2 = call @kernel(%a, %b, %c) : (tensor<1x64xf32>, tensor<64x64xf32>, tensor<1x64xf32>) -> (tensor<1x64xf32>, tensor<64x64xf32>)
  return %0#0, %0#1 : tensor<1x64xf32>, tensor<64x64xf32>
}

// -----
// Batches.
func.func private @kernel(%a: tensor<2x1x64xf32>, %b: tensor<2x64x64xf32>, %c: tensor<2x1x64xf32>) -> tensor<2x1x64xf32> {
  %0 = linalg.batch_matmul ins(%a, %b : tensor<2x1x64xf32>, tensor<2x64x64xf32>) outs(%c : tensor<2x1x64xf32>) -> tensor<2x1x64xf32>
  return %0 : tensor<2x1x64xf32>
}
func.func @model(%a: tensor<2x1x64xf32>, %b: tensor<2x64x64xf32>, %c: tensor<2x1x64xf32>) -> tensor<2x1x64xf32>
    attributes {hexagon.block_constants = array<i64: 1>, hexagon.constants = array<i64: 1>} {
  %0 = call @kernel(%a, %b, %c) : (tensor<2x1x64xf32>, tensor<2x64x64xf32>, tensor<2x1x64xf32>) -> tensor<2x1x64xf32>
  return %0 : tensor<2x1x64xf32>
}

// -----
// Integers, whatever the attribute says.
func.func private @kernel(%a: tensor<1x64xi32>, %b: tensor<64x64xi32>, %c: tensor<1x64xi32>) -> tensor<1x64xi32> {
  %0 = linalg.matmul ins(%a, %b : tensor<1x64xi32>, tensor<64x64xi32>) outs(%c : tensor<1x64xi32>) -> tensor<1x64xi32>
  return %0 : tensor<1x64xi32>
}
func.func @model(%a: tensor<1x64xi32>, %b: tensor<64x64xi32>, %c: tensor<1x64xi32>) -> tensor<1x64xi32>
    attributes {hexagon.block_constants = array<i64: 1>, hexagon.constants = array<i64: 1>} {
  %0 = call @kernel(%a, %b, %c) : (tensor<1x64xi32>, tensor<64x64xi32>, tensor<1x64xi32>) -> tensor<1x64xi32>
  return %0 : tensor<1x64xi32>
}

// -----
// Several matrices, of which an operation reads all.
func.func private @kernel(%a: tensor<1x64xf32>, %i: index, %b: tensor<2x64x64xf32>, %c: tensor<1x64xf32>)
    -> (tensor<1x64xf32>, tensor<2x64x64xf32>) {
  %s = tensor.extract_slice %b[%i, 0, 0] [1, 64, 64] [1, 1, 1] : tensor<2x64x64xf32> to tensor<1x64x64xf32>
  %w = tensor.collapse_shape %s [[0, 1], [2]] : tensor<1x64x64xf32> into tensor<64x64xf32>
  %0 = linalg.matmul ins(%a, %w : tensor<1x64xf32>, tensor<64x64xf32>) outs(%c : tensor<1x64xf32>) -> tensor<1x64xf32>
  return %0, %b : tensor<1x64xf32>, tensor<2x64x64xf32>
}
func.func @model(%a: tensor<1x64xf32>, %i: index, %b: tensor<2x64x64xf32>, %c: tensor<1x64xf32>)
    -> (tensor<1x64xf32>, tensor<2x64x64xf32>)
    attributes {hexagon.block_constants = array<i64: 2>, hexagon.constants = array<i64: 2>} {
  %0:2 = call @kernel(%a, %i, %b, %c) : (tensor<1x64xf32>, index, tensor<2x64x64xf32>, tensor<1x64xf32>) -> (tensor<1x64xf32>, tensor<2x64x64xf32>)
  return %0#0, %0#1 : tensor<1x64xf32>, tensor<2x64x64xf32>
}
