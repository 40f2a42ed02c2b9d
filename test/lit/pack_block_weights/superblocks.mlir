// Scales and minima of superblocks of 256 rows are bytes; their f16 factors are further arguments.
// RUN: hexmlir-opt %s --pack-block-weights | filecheck %s

// CHECK-LABEL: func.func private @kernel
// CHECK-SAME: %arg1: tensor<1x8x4x2x32x4xi8>, %arg2: tensor<1x8x2x32xi8>, %arg3: tensor<1x8x2x32xi8>, %arg4: tensor<1x1x2x32xf16>, %arg5: tensor<1x1x2x32xf16>)
// CHECK: %[[SCALES:.*]] = "hexagon.block_scales"(%arg2, %arg4) : (tensor<1x8x2x32xi8>, tensor<1x1x2x32xf16>) -> tensor<1x8x2x32xf32>
// CHECK: %[[MINIMA:.*]] = "hexagon.block_scales"(%arg3, %arg5) : (tensor<1x8x2x32xi8>, tensor<1x1x2x32xf16>) -> tensor<1x8x2x32xf32>
// CHECK: "hexagon.block_matrix"(%arg1, %[[SCALES]], %[[MINIMA]]) {bits = 4 : i64} : (tensor<1x8x4x2x32x4xi8>, tensor<1x8x2x32xf32>, tensor<1x8x2x32xf32>) -> tensor<256x64xf32>
func.func private @kernel(%a: tensor<1x256xf32>, %b: tensor<256x64xf32>) -> tensor<1x64xf32> {
  %zero = arith.constant 0.0 : f32
  %init = tensor.empty() : tensor<1x64xf32>
  %sums = linalg.fill ins(%zero : f32) outs(%init : tensor<1x64xf32>) -> tensor<1x64xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<1x256xf32>, tensor<256x64xf32>) outs(%sums : tensor<1x64xf32>) -> tensor<1x64xf32>
  return %0 : tensor<1x64xf32>
}

// CHECK-LABEL: func.func @model
// CHECK-SAME: hexagon.block_codes = array<i64: 1>
// CHECK-SAME: hexagon.constants = array<i64: 1, 2, 3, 4, 5>
func.func @model(%a: tensor<1x256xf32>, %b: tensor<256x64xf32>) -> tensor<1x64xf32> attributes {
    hexagon.constants = array<i64: 1>, hexagon.block_constants = array<i64: 1>,
    hexagon.block_formats = array<i64: 32, 4, 8, 8, 256>} {
  %0 = call @kernel(%a, %b) : (tensor<1x256xf32>, tensor<256x64xf32>) -> tensor<1x64xf32>
  return %0 : tensor<1x64xf32>
}

// Codes of 6 bits are two arguments.
// CHECK-LABEL: func.func private @split
// CHECK-SAME: %arg1: tensor<1x16x2x2x32x4xi8>, %arg2: tensor<1x16x1x2x32x4xi8>, %arg3: tensor<1x16x2x32xi8>, %arg4: tensor<1x1x2x32xf16>)
// CHECK: %[[CODES:.*]] = "hexagon.split_codes"(%arg1, %arg2) : (tensor<1x16x2x2x32x4xi8>, tensor<1x16x1x2x32x4xi8>) -> tensor<1x16x4x2x32x4xi8>
// CHECK: %[[OF_SIX:.*]] = "hexagon.block_scales"(%arg3, %arg4)
// CHECK: "hexagon.block_matrix"(%[[CODES]], %[[OF_SIX]]) {bits = 6 : i64}
func.func private @split(%a: tensor<1x256xf32>, %b: tensor<256x64xf32>) -> tensor<1x64xf32> {
  %zero = arith.constant 0.0 : f32
  %init = tensor.empty() : tensor<1x64xf32>
  %sums = linalg.fill ins(%zero : f32) outs(%init : tensor<1x64xf32>) -> tensor<1x64xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<1x256xf32>, tensor<256x64xf32>) outs(%sums : tensor<1x64xf32>) -> tensor<1x64xf32>
  return %0 : tensor<1x64xf32>
}

// CHECK-LABEL: func.func @model_of_six
// CHECK-SAME: hexagon.block_codes = array<i64: 1>
// CHECK-SAME: hexagon.constants = array<i64: 1, 2, 3, 4>
func.func @model_of_six(%a: tensor<1x256xf32>, %b: tensor<256x64xf32>) -> tensor<1x64xf32> attributes {
    hexagon.constants = array<i64: 1>, hexagon.block_constants = array<i64: 1>,
    hexagon.block_formats = array<i64: 16, 6, 8, 0, 256>} {
  %0 = call @split(%a, %b) : (tensor<1x256xf32>, tensor<256x64xf32>) -> tensor<1x64xf32>
  return %0 : tensor<1x64xf32>
}
