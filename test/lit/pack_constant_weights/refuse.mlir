// Factors that stay matrices: transposed ones, batches, those that are no constants, left ones.
// RUN: hexmlir-opt %s --pack-constant-weights=always=true --split-input-file --remarks 2>&1 | filecheck %s

// CHECK: its weights are not packed: they are transposed
// CHECK: its weights are not packed: a batch
// CHECK-NOT: hexagon.weight_matrix
func.func @transposed(%a: tensor<64x32xi8>) -> tensor<64x128xi32> {
  %b = arith.constant dense<7> : tensor<128x32xi8>
  %zero = arith.constant 0 : i32
  %init = tensor.empty() : tensor<64x128xi32>
  %sums = linalg.fill ins(%zero : i32) outs(%init : tensor<64x128xi32>) -> tensor<64x128xi32>
  %0 = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%a, %b : tensor<64x32xi8>, tensor<128x32xi8>) outs(%sums : tensor<64x128xi32>) -> tensor<64x128xi32>
  return %0 : tensor<64x128xi32>
}

// -----
func.func @batch(%a: tensor<2x64x32xi8>) -> tensor<2x64x128xi32> {
  %b = arith.constant dense<7> : tensor<2x32x128xi8>
  %zero = arith.constant 0 : i32
  %init = tensor.empty() : tensor<2x64x128xi32>
  %sums = linalg.fill ins(%zero : i32) outs(%init : tensor<2x64x128xi32>) -> tensor<2x64x128xi32>
  %0 = linalg.batch_matmul ins(%a, %b : tensor<2x64x32xi8>, tensor<2x32x128xi8>) outs(%sums : tensor<2x64x128xi32>) -> tensor<2x64x128xi32>
  return %0 : tensor<2x64x128xi32>
}

// -----
func.func @argument(%a: tensor<64x32xi8>, %b: tensor<32x128xi8>) -> tensor<64x128xi32> {
  %zero = arith.constant 0 : i32
  %init = tensor.empty() : tensor<64x128xi32>
  %sums = linalg.fill ins(%zero : i32) outs(%init : tensor<64x128xi32>) -> tensor<64x128xi32>
  %0 = linalg.matmul ins(%a, %b : tensor<64x32xi8>, tensor<32x128xi8>) outs(%sums : tensor<64x128xi32>) -> tensor<64x128xi32>
  return %0 : tensor<64x128xi32>
}

// -----
func.func @left(%b: tensor<32x128xi8>) -> tensor<64x128xi32> {
  %a = arith.constant dense<7> : tensor<64x32xi8>
  %zero = arith.constant 0 : i32
  %init = tensor.empty() : tensor<64x128xi32>
  %sums = linalg.fill ins(%zero : i32) outs(%init : tensor<64x128xi32>) -> tensor<64x128xi32>
  %0 = linalg.matmul ins(%a, %b : tensor<64x32xi8>, tensor<32x128xi8>) outs(%sums : tensor<64x128xi32>) -> tensor<64x128xi32>
  return %0 : tensor<64x128xi32>
}
