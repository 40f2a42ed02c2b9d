// Products that the engine is not given.
// RUN: hexmlir-opt %s --hexagon-matrix-engine=always=true --split-input-file --verify-diagnostics --remarks | filecheck %s

// CHECK-LABEL: func.func @floats
// CHECK: linalg.matmul
func.func @floats(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> {
  // expected-remark@+1 {{hexagon-matrix-engine: left to HVX: factors of f32 and f32, not f16}}
  %0 = linalg.matmul ins(%a, %b : tensor<64x64xf32>, tensor<64x64xf32>) outs(%c : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

// -----
// CHECK-LABEL: func.func @sums
// CHECK: linalg.generic
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
func.func @sums(%a: tensor<64x64xf16>, %b: tensor<64x64xf16>, %e: tensor<64x64xf64>) -> tensor<64x64xf64> {
  %zero = arith.constant 0.0 : f64
  %c = linalg.fill ins(%zero : f64) outs(%e : tensor<64x64xf64>) -> tensor<64x64xf64>
  // expected-remark@+1 {{hexagon-matrix-engine: left to HVX: sums of f64, not f16 or f32}}
  %0 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<64x64xf16>, tensor<64x64xf16>) outs(%c : tensor<64x64xf64>) {
    ^bb0(%x: f16, %y: f16, %old: f64):
      %p = arith.extf %x : f16 to f64
      %q = arith.extf %y : f16 to f64
      %m = arith.mulf %p, %q : f64
      %s = arith.addf %old, %m : f64
      linalg.yield %s : f64
  } -> tensor<64x64xf64>
  return %0 : tensor<64x64xf64>
}

// -----
// CHECK-LABEL: func.func @started
// CHECK: linalg.matmul
func.func @started(%a: tensor<64x64xf16>, %b: tensor<64x64xf16>, %c: tensor<64x64xf16>) -> tensor<64x64xf16> {
  // expected-remark@+1 {{hexagon-matrix-engine: left to HVX: its sums do not start from zero}}
  %0 = linalg.matmul ins(%a, %b : tensor<64x64xf16>, tensor<64x64xf16>) outs(%c : tensor<64x64xf16>) -> tensor<64x64xf16>
  return %0 : tensor<64x64xf16>
}

// -----
// CHECK-LABEL: func.func @dynamic
// CHECK: linalg.matmul
func.func @dynamic(%a: tensor<?x64xf16>, %b: tensor<64x64xf16>, %c: tensor<?x64xf16>) -> tensor<?x64xf16> {
  // expected-remark@+1 {{hexagon-matrix-engine: left to HVX: its sizes are not known, or it is empty}}
  %0 = linalg.matmul ins(%a, %b : tensor<?x64xf16>, tensor<64x64xf16>) outs(%c : tensor<?x64xf16>) -> tensor<?x64xf16>
  return %0 : tensor<?x64xf16>
}

// -----
// CHECK-LABEL: func.func @empty
// CHECK: linalg.matmul
func.func @empty(%a: tensor<64x0xf16>, %b: tensor<0x64xf16>, %c: tensor<64x64xf16>) -> tensor<64x64xf16> {
  // expected-remark@+1 {{hexagon-matrix-engine: left to HVX: its sizes are not known, or it is empty}}
  %0 = linalg.matmul ins(%a, %b : tensor<64x0xf16>, tensor<0x64xf16>) outs(%c : tensor<64x64xf16>) -> tensor<64x64xf16>
  return %0 : tensor<64x64xf16>
}

// -----
// CHECK-LABEL: func.func @rows
// CHECK: linalg.generic
#left = affine_map<(a, b, n, k) -> (a, b, k)>
#right = affine_map<(a, b, n, k) -> (k, n)>
#sums = affine_map<(a, b, n, k) -> (a, b, n)>
func.func @rows(%a: tensor<2x64x64xf16>, %b: tensor<64x64xf16>, %c: tensor<2x64x64xf16>) -> tensor<2x64x64xf16> {
  // expected-remark@+1 {{hexagon-matrix-engine: left to HVX: not a product of matrices: there are several loops of rows, of columns or of the reduction, or none}}
  %0 = linalg.generic {indexing_maps = [#left, #right, #sums], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<2x64x64xf16>, tensor<64x64xf16>) outs(%c : tensor<2x64x64xf16>) {
    ^bb0(%x: f16, %y: f16, %old: f16):
      %p = arith.mulf %x, %y : f16
      %s = arith.addf %old, %p : f16
      linalg.yield %s : f16
  } -> tensor<2x64x64xf16>
  return %0 : tensor<2x64x64xf16>
}
