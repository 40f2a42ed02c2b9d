// Small products stay on HVX, and so do all without the engine; always packs in any case.
// RUN: hexmlir-opt %s --pack-engine-weights | filecheck %s --check-prefix=CHOSEN
// RUN: hexmlir-opt %s --pack-engine-weights=always=true | filecheck %s --check-prefix=ALWAYS
// RUN: hexmlir-opt %s --pack-engine-weights=matrix-engine=false | filecheck %s --check-prefix=NEVER
// RUN: hexmlir-opt %s --pack-engine-weights=always=true --target=v68 | filecheck %s --check-prefix=NEVER
// RUN: hexmlir-opt %s --pack-engine-weights --hexagon-matrix-engine=matrix-engine=false | filecheck %s --check-prefix=HVX

// CHOSEN-COUNT-1: hexagon.weight_matrix
// CHOSEN-NOT: hexagon.weight_matrix
// ALWAYS-COUNT-2: hexagon.weight_matrix
// NEVER-NOT: hexagon.weight_matrix
// HVX-NOT: hexagon.weight_matrix
// HVX: linalg.transpose ins(%{{.*}} : tensor<8x8x16x32x2xf16>) outs(%{{.*}} : tensor<8x16x2x8x32xf16>) permutation = [1, 2, 4, 0, 3]
// HVX: tensor.collapse_shape {{.*}} into tensor<256x256xf16>
func.func private @large(%a: tensor<128x256xf16>, %b: tensor<256x256xf16>) -> tensor<128x256xf16> {
  %zero = arith.constant 0.0 : f16
  %init = tensor.empty() : tensor<128x256xf16>
  %sums = linalg.fill ins(%zero : f16) outs(%init : tensor<128x256xf16>) -> tensor<128x256xf16>
  %0 = linalg.matmul ins(%a, %b : tensor<128x256xf16>, tensor<256x256xf16>) outs(%sums : tensor<128x256xf16>) -> tensor<128x256xf16>
  return %0 : tensor<128x256xf16>
}
func.func @first(%a: tensor<128x256xf16>, %b: tensor<256x256xf16>) -> tensor<128x256xf16> attributes {hexagon.constants = array<i64: 1>} {
  %0 = call @large(%a, %b) : (tensor<128x256xf16>, tensor<256x256xf16>) -> tensor<128x256xf16>
  return %0 : tensor<128x256xf16>
}
func.func private @small(%a: tensor<8x32xf16>, %b: tensor<32x32xf16>) -> tensor<8x32xf16> {
  %zero = arith.constant 0.0 : f16
  %init = tensor.empty() : tensor<8x32xf16>
  %sums = linalg.fill ins(%zero : f16) outs(%init : tensor<8x32xf16>) -> tensor<8x32xf16>
  %0 = linalg.matmul ins(%a, %b : tensor<8x32xf16>, tensor<32x32xf16>) outs(%sums : tensor<8x32xf16>) -> tensor<8x32xf16>
  return %0 : tensor<8x32xf16>
}
func.func @second(%a: tensor<8x32xf16>, %b: tensor<32x32xf16>) -> tensor<8x32xf16> attributes {hexagon.constants = array<i64: 1>} {
  %0 = call @small(%a, %b) : (tensor<8x32xf16>, tensor<32x32xf16>) -> tensor<8x32xf16>
  return %0 : tensor<8x32xf16>
}
