// Constants in blocks are codes, and their scales a further argument, as for products of a few rows; a column that blocks
// of 64 do not fill up as tiles do is floats.
// RUN: hexmlir-opt %s --pack-engine-weights=always=true | filecheck %s

// CHECK-LABEL: func.func private @kernel
// CHECK-SAME: %arg1: tensor<2x2x4x2x32x4xi8>, %arg2: tensor<2x2x2x32xf16>)
// CHECK: "hexagon.engine_matrix"(%arg1, %arg2) {bits = 4 : i64} : (tensor<2x2x4x2x32x4xi8>, tensor<2x2x2x32xf16>) -> tensor<40x70xf16>
func.func private @kernel(%a: tensor<37x40xf16>, %b: tensor<40x70xf16>) -> tensor<37x70xf16> {
  %zero = arith.constant 0.0 : f16
  %init = tensor.empty() : tensor<37x70xf16>
  %sums = linalg.fill ins(%zero : f16) outs(%init : tensor<37x70xf16>) -> tensor<37x70xf16>
  %0 = linalg.matmul ins(%a, %b : tensor<37x40xf16>, tensor<40x70xf16>) outs(%sums : tensor<37x70xf16>) -> tensor<37x70xf16>
  return %0 : tensor<37x70xf16>
}

// CHECK-LABEL: func.func private @floats
// CHECK-SAME: %arg1: tensor<3x3x16x32x2xf16>)
func.func private @floats(%a: tensor<37x70xf16>, %b: tensor<70x70xf16>) -> tensor<37x70xf16> {
  %zero = arith.constant 0.0 : f16
  %init = tensor.empty() : tensor<37x70xf16>
  %sums = linalg.fill ins(%zero : f16) outs(%init : tensor<37x70xf16>) -> tensor<37x70xf16>
  %0 = linalg.matmul ins(%a, %b : tensor<37x70xf16>, tensor<70x70xf16>) outs(%sums : tensor<37x70xf16>) -> tensor<37x70xf16>
  return %0 : tensor<37x70xf16>
}

// CHECK-LABEL: func.func @model
// CHECK-SAME: %arg3: tensor<2x2x2x32xf16>)
// CHECK-SAME: hexagon.block_codes = array<i64: 1>
// CHECK-SAME: hexagon.constants = array<i64: 1, 2, 3>
// CHECK-SAME: hexagon.packed_weights = array<i64: 2>
// CHECK: call @kernel({{.*}}) : (tensor<37x40xf16>, tensor<2x2x4x2x32x4xi8>, tensor<2x2x2x32xf16>) -> tensor<37x70xf16>
// CHECK: call @floats({{.*}}) : (tensor<37x70xf16>, tensor<3x3x16x32x2xf16>) -> tensor<37x70xf16>
func.func @model(%a: tensor<37x40xf16>, %b: tensor<40x70xf16>, %c: tensor<70x70xf16>) -> tensor<37x70xf16> attributes {
    hexagon.constants = array<i64: 1, 2>, hexagon.block_constants = array<i64: 1, 2>,
    hexagon.block_formats = array<i64: 32, 4, 16, 0, 0, 64, 4, 16, 0, 0>} {
  %0 = call @kernel(%a, %b) : (tensor<37x40xf16>, tensor<40x70xf16>) -> tensor<37x70xf16>
  %1 = call @floats(%0, %c) : (tensor<37x70xf16>, tensor<70x70xf16>) -> tensor<37x70xf16>
  return %1 : tensor<37x70xf16>
}
