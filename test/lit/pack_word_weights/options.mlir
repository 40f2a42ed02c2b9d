// The pass has no options; what `pack-engine-weights` has packed stays tiles.
// RUN: not hexmlir-opt %s --pack-word-weights=always=true 2>&1 | filecheck %s --check-prefix=BAD
// RUN: hexmlir-opt %s --pack-engine-weights=always=true --pack-word-weights | filecheck %s --check-prefix=TILES
// RUN: hexmlir-opt %s --pack-engine-weights --pack-word-weights | filecheck %s --check-prefix=WORDS
// BAD: error: pack-word-weights: unknown option 'always'
// BAD-NEXT: hint: options of pack-word-weights: none
// TILES: hexagon.weight_matrix
// TILES-NOT: hexagon.word_weights
// WORDS: hexagon.word_weights = array<i64: 1>
func.func private @kernel(%a: tensor<5x36xi8>, %b: tensor<36x70xi8>) -> tensor<5x70xi32> {
  %zero = arith.constant 0 : i32
  %init = tensor.empty() : tensor<5x70xi32>
  %sums = linalg.fill ins(%zero : i32) outs(%init : tensor<5x70xi32>) -> tensor<5x70xi32>
  %0 = linalg.matmul ins(%a, %b : tensor<5x36xi8>, tensor<36x70xi8>) outs(%sums : tensor<5x70xi32>) -> tensor<5x70xi32>
  return %0 : tensor<5x70xi32>
}
func.func @model(%a: tensor<5x36xi8>, %b: tensor<36x70xi8>) -> tensor<5x70xi32> attributes {hexagon.constants = array<i64: 1>} {
  %0 = call @kernel(%a, %b) : (tensor<5x36xi8>, tensor<36x70xi8>) -> tensor<5x70xi32>
  return %0 : tensor<5x70xi32>
}
