// Factors that stay as they are.
// RUN: hexmlir-opt %s --pack-word-weights --split-input-file | filecheck %s
// CHECK-NOT: hexagon.word_weights

// An input of the model, not a constant.
func.func private @kernel(%a: tensor<5x36xi8>, %b: tensor<36x70xi8>) -> tensor<5x70xi32> {
  %zero = arith.constant 0 : i32
  %init = tensor.empty() : tensor<5x70xi32>
  %sums = linalg.fill ins(%zero : i32) outs(%init : tensor<5x70xi32>) -> tensor<5x70xi32>
  %0 = linalg.matmul ins(%a, %b : tensor<5x36xi8>, tensor<36x70xi8>) outs(%sums : tensor<5x70xi32>) -> tensor<5x70xi32>
  return %0 : tensor<5x70xi32>
}
func.func @model(%a: tensor<5x36xi8>, %b: tensor<36x70xi8>) -> tensor<5x70xi32> attributes {hexagon.constants = array<i64: 0>} {
  %0 = call @kernel(%a, %b) : (tensor<5x36xi8>, tensor<36x70xi8>) -> tensor<5x70xi32>
  return %0 : tensor<5x70xi32>
}

// -----
// 37 steps are no whole words.
func.func private @kernel(%a: tensor<5x37xi8>, %b: tensor<37x70xi8>) -> tensor<5x70xi32> {
  %zero = arith.constant 0 : i32
  %init = tensor.empty() : tensor<5x70xi32>
  %sums = linalg.fill ins(%zero : i32) outs(%init : tensor<5x70xi32>) -> tensor<5x70xi32>
  %0 = linalg.matmul ins(%a, %b : tensor<5x37xi8>, tensor<37x70xi8>) outs(%sums : tensor<5x70xi32>) -> tensor<5x70xi32>
  return %0 : tensor<5x70xi32>
}
func.func @model(%a: tensor<5x37xi8>, %b: tensor<37x70xi8>) -> tensor<5x70xi32> attributes {hexagon.constants = array<i64: 1>} {
  %0 = call @kernel(%a, %b) : (tensor<5x37xi8>, tensor<37x70xi8>) -> tensor<5x70xi32>
  return %0 : tensor<5x70xi32>
}

// -----
// 7 columns are not vectorized.
func.func private @kernel(%a: tensor<5x36xi8>, %b: tensor<36x7xi8>) -> tensor<5x7xi32> {
  %zero = arith.constant 0 : i32
  %init = tensor.empty() : tensor<5x7xi32>
  %sums = linalg.fill ins(%zero : i32) outs(%init : tensor<5x7xi32>) -> tensor<5x7xi32>
  %0 = linalg.matmul ins(%a, %b : tensor<5x36xi8>, tensor<36x7xi8>) outs(%sums : tensor<5x7xi32>) -> tensor<5x7xi32>
  return %0 : tensor<5x7xi32>
}
func.func @model(%a: tensor<5x36xi8>, %b: tensor<36x7xi8>) -> tensor<5x7xi32> attributes {hexagon.constants = array<i64: 1>} {
  %0 = call @kernel(%a, %b) : (tensor<5x36xi8>, tensor<36x7xi8>) -> tensor<5x7xi32>
  return %0 : tensor<5x7xi32>
}

// -----
// Numbers of f16.
func.func private @kernel(%a: tensor<5x36xf16>, %b: tensor<36x70xf16>) -> tensor<5x70xf32> {
  %zero = arith.constant 0.0 : f32
  %init = tensor.empty() : tensor<5x70xf32>
  %sums = linalg.fill ins(%zero : f32) outs(%init : tensor<5x70xf32>) -> tensor<5x70xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<5x36xf16>, tensor<36x70xf16>) outs(%sums : tensor<5x70xf32>) -> tensor<5x70xf32>
  return %0 : tensor<5x70xf32>
}
func.func @model(%a: tensor<5x36xf16>, %b: tensor<36x70xf16>) -> tensor<5x70xf32> attributes {hexagon.constants = array<i64: 1>} {
  %0 = call @kernel(%a, %b) : (tensor<5x36xf16>, tensor<36x70xf16>) -> tensor<5x70xf32>
  return %0 : tensor<5x70xf32>
}

// -----
// Two calls of the kernel.
func.func private @kernel(%a: tensor<5x36xi8>, %b: tensor<36x70xi8>) -> tensor<5x70xi32> {
  %zero = arith.constant 0 : i32
  %init = tensor.empty() : tensor<5x70xi32>
  %sums = linalg.fill ins(%zero : i32) outs(%init : tensor<5x70xi32>) -> tensor<5x70xi32>
  %0 = linalg.matmul ins(%a, %b : tensor<5x36xi8>, tensor<36x70xi8>) outs(%sums : tensor<5x70xi32>) -> tensor<5x70xi32>
  return %0 : tensor<5x70xi32>
}
func.func @model(%a: tensor<5x36xi8>, %b: tensor<36x70xi8>) -> tensor<5x70xi32> attributes {hexagon.constants = array<i64: 1>} {
  %0 = call @kernel(%a, %b) : (tensor<5x36xi8>, tensor<36x70xi8>) -> tensor<5x70xi32>
  %1 = call @kernel(%a, %b) : (tensor<5x36xi8>, tensor<36x70xi8>) -> tensor<5x70xi32>
  return %0 : tensor<5x70xi32>
}

// -----
// Rows of the factor are its later dimension.
func.func private @kernel(%a: tensor<5x36xi8>, %b: tensor<70x36xi8>) -> tensor<5x70xi32> {
  %zero = arith.constant 0 : i32
  %init = tensor.empty() : tensor<5x70xi32>
  %sums = linalg.fill ins(%zero : i32) outs(%init : tensor<5x70xi32>) -> tensor<5x70xi32>
  %0 = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>,
      affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<5x36xi8>, tensor<70x36xi8>) outs(%sums : tensor<5x70xi32>) {
    ^bb0(%p: i8, %q: i8, %old: i32):
      %u = arith.extsi %p : i8 to i32
      %v = arith.extsi %q : i8 to i32
      %m = arith.muli %u, %v : i32
      %s = arith.addi %old, %m : i32
      linalg.yield %s : i32
  } -> tensor<5x70xi32>
  return %0 : tensor<5x70xi32>
}
func.func @model(%a: tensor<5x36xi8>, %b: tensor<70x36xi8>) -> tensor<5x70xi32> attributes {hexagon.constants = array<i64: 1>} {
  %0 = call @kernel(%a, %b) : (tensor<5x36xi8>, tensor<70x36xi8>) -> tensor<5x70xi32>
  return %0 : tensor<5x70xi32>
}
