// Products that are not split.
// RUN: hexmlir-opt %s --hexagon-split-products='f32-split=true always=true' --split-input-file --verify-diagnostics --remarks | filecheck %s

// CHECK-LABEL: func.func @started
// CHECK: linalg.matmul
func.func @started(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> {
  // expected-remark@+1 {{hexagon-split-products: not split: its sums do not start from zero}}
  %0 = linalg.matmul ins(%a, %b : tensor<64x64xf32>, tensor<64x64xf32>) outs(%c : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

// -----
// CHECK-LABEL: func.func @short
// CHECK: linalg.matmul
func.func @short(%a: tensor<64x64xbf16>, %b: tensor<64x64xbf16>) -> tensor<64x64xbf16> {
  %zero = arith.constant 0.0 : bf16
  %init = tensor.empty() : tensor<64x64xbf16>
  %start = linalg.fill ins(%zero : bf16) outs(%init : tensor<64x64xbf16>) -> tensor<64x64xbf16>
  // expected-remark@+1 {{hexagon-split-products: not split: sums of bf16, not f32}}
  %0 = linalg.matmul ins(%a, %b : tensor<64x64xbf16>, tensor<64x64xbf16>) outs(%start : tensor<64x64xbf16>) -> tensor<64x64xbf16>
  return %0 : tensor<64x64xbf16>
}

// -----
// CHECK-LABEL: func.func @unknown
// CHECK: linalg.matmul
func.func @unknown(%a: tensor<?x64xf32>, %b: tensor<64x64xf32>, %start: tensor<?x64xf32>) -> tensor<?x64xf32> {
  // expected-remark@+1 {{hexagon-split-products: not split: its sizes are not known, or it is empty}}
  %0 = linalg.matmul ins(%a, %b : tensor<?x64xf32>, tensor<64x64xf32>) outs(%start : tensor<?x64xf32>) -> tensor<?x64xf32>
  return %0 : tensor<?x64xf32>
}

// -----
// Halves are the engine's own.
// CHECK-LABEL: func.func @halves
// CHECK: linalg.matmul
func.func @halves(%a: tensor<64x64xf16>, %b: tensor<64x64xf16>) -> tensor<64x64xf32> {
  %zero = arith.constant 0.0 : f32
  %init = tensor.empty() : tensor<64x64xf32>
  %start = linalg.fill ins(%zero : f32) outs(%init : tensor<64x64xf32>) -> tensor<64x64xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<64x64xf16>, tensor<64x64xf16>) outs(%start : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

// -----
// CHECK-LABEL: func.func @deep
// CHECK: linalg.matmul
func.func @deep(%a: tensor<64x40000xf32>, %b: tensor<40000x64xf32>) -> tensor<64x64xf32> {
  %zero = arith.constant 0.0 : f32
  %init = tensor.empty() : tensor<64x64xf32>
  %start = linalg.fill ins(%zero : f32) outs(%init : tensor<64x64xf32>) -> tensor<64x64xf32>
  // expected-remark@+1 {{hexagon-split-products: not split: one row and one column of tiles exceed the TCM budget}}
  %0 = linalg.matmul ins(%a, %b : tensor<64x40000xf32>, tensor<40000x64xf32>) outs(%start : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}
