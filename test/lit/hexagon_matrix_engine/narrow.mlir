// Weights of 4 bits: codes and scales are copied to TCM, and each code is multiplied by its scale there.
// RUN: hexmlir-opt %s --hexagon-matrix-engine=always=true | filecheck %s

// CHECK-LABEL: func.func @narrow
// CHECK: copy(%arg1) {memory_space = 1 : i64} : tensor<1x1x4x2x32x4xi8>
// CHECK: copy(%arg2) {memory_space = 1 : i64} : tensor<1x1x2x32xf16>
// CHECK: hexagon.block_tiles
// CHECK: arith.shrui
// CHECK: arith.andi
// CHECK: arith.subi
// CHECK: arith.sitofp %{{.*}} : i32 to f32
// CHECK: arith.mulf
// CHECK: arith.truncf
// CHECK: tensor<1x2x1x1x4x2x2x16x2x2xf16> into tensor<2x1x16x32x2xf16>
// CHECK-NOT: hexagon.engine_matrix
func.func @narrow(%a: tensor<37x32xf16>, %b: tensor<1x1x4x2x32x4xi8>, %s: tensor<1x1x2x32xf16>) -> tensor<37x64xf16> {
  %w = "hexagon.engine_matrix"(%b, %s) {bits = 4 : i64} : (tensor<1x1x4x2x32x4xi8>, tensor<1x1x2x32xf16>) -> tensor<32x64xf16>
  %zero = arith.constant 0.0 : f16
  %init = tensor.empty() : tensor<37x64xf16>
  %sums = linalg.fill ins(%zero : f16) outs(%init : tensor<37x64xf16>) -> tensor<37x64xf16>
  %0 = linalg.matmul ins(%a, %w : tensor<37x32xf16>, tensor<32x64xf16>) outs(%sums : tensor<37x64xf16>) -> tensor<37x64xf16>
  return %0 : tensor<37x64xf16>
}
