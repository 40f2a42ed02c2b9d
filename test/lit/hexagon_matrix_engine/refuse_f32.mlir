// A chip whose engine has one table of bias registers: f32 sums stay with HVX, unless they are rounded to f16.
// RUN: hexmlir-opt %s --target=v73 --hexagon-matrix-engine=always=true --verify-diagnostics --remarks | filecheck %s

// CHECK-LABEL: func.func @sums
// CHECK: linalg.matmul
// CHECK-NOT: tensor.expand_shape
func.func @sums(%a: tensor<64x64xf16>, %b: tensor<64x64xf16>, %e: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %zero = arith.constant 0.0 : f32
  %c = linalg.fill ins(%zero : f32) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  // expected-remark@+1 {{left to HVX: the engine's bias registers hold one table, f32 takes two}}
  %0 = linalg.matmul ins(%a, %b : tensor<64x64xf16>, tensor<64x64xf16>) outs(%c : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

// CHECK-LABEL: func.func @vector
// CHECK: linalg.vecmat
func.func @vector(%a: tensor<64xf16>, %b: tensor<64x70xf16>) -> tensor<70xf32> {
  %zero = arith.constant 0.0 : f32
  %init = tensor.empty() : tensor<70xf32>
  %start = linalg.fill ins(%zero : f32) outs(%init : tensor<70xf32>) -> tensor<70xf32>
  // expected-remark@+1 {{hexagon-matrix-engine: left to HVX: the engine's bias registers hold one table, f32 takes two}}
  %0 = linalg.vecmat ins(%a, %b : tensor<64xf16>, tensor<64x70xf16>) outs(%start : tensor<70xf32>) -> tensor<70xf32>
  return %0 : tensor<70xf32>
}
