// A vector times weights that are tiles is a product of one row; what has an element for each column is its bias.
// RUN: hexmlir-opt %s --hexagon-matrix-engine --split-input-file | filecheck %s

// CHECK-LABEL: func.func @vector
// CHECK: tensor.insert_slice %{{.*}} into %{{.*}} : tensor<1x32xf16> into tensor<32x32xf16>
// CHECK: copy(%arg1) {memory_space = 1 : i64} : tensor<2x1x16x32x2xf16>
// CHECK: -> tensor<1x2x16x32x2xf32>
// CHECK-NOT: hexagon.weight_matrix
// CHECK: tensor.collapse_shape %{{.*}} : tensor<1x64xf32> into tensor<64xf32>
func.func @vector(%a: tensor<32xf16>, %b: tensor<2x1x16x32x2xf16>, %bias: tensor<64xf32>) -> tensor<64xf32> {
  %w = "hexagon.weight_matrix"(%b) : (tensor<2x1x16x32x2xf16>) -> tensor<32x64xf16>
  %zero = arith.constant 0.0 : f32
  %init = tensor.empty() : tensor<64xf32>
  %start = linalg.fill ins(%zero : f32) outs(%init : tensor<64xf32>) -> tensor<64xf32>
  %sums = linalg.generic {indexing_maps = [affine_map<(n, k) -> (k)>, affine_map<(n, k) -> (k, n)>,
      affine_map<(n, k) -> (n)>], iterator_types = ["parallel", "reduction"]}
      ins(%a, %w : tensor<32xf16>, tensor<32x64xf16>) outs(%start : tensor<64xf32>) {
  ^bb0(%x: f16, %y: f16, %sum: f32):
    %wide = arith.extf %x : f16 to f32
    %factor = arith.extf %y : f16 to f32
    %product = arith.mulf %wide, %factor : f32
    %next = arith.addf %sum, %product : f32
    linalg.yield %next : f32
  } -> tensor<64xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(n) -> (n)>, affine_map<(n) -> (n)>, affine_map<(n) -> (n)>],
      iterator_types = ["parallel"]} ins(%sums, %bias : tensor<64xf32>, tensor<64xf32>) outs(%init : tensor<64xf32>) {
  ^bb0(%x: f32, %y: f32, %old: f32):
    %next = arith.addf %x, %y : f32
    linalg.yield %next : f32
  } -> tensor<64xf32>
  return %0 : tensor<64xf32>
}

// -----

// A vector times a matrix stays on HVX.
// CHECK-LABEL: func.func @matrix
// CHECK: linalg.generic
// CHECK-SAME: iterator_types = ["parallel", "reduction"]
func.func @matrix(%a: tensor<32xf16>, %b: tensor<32x64xf16>) -> tensor<64xf16> {
  %zero = arith.constant 0.0 : f16
  %init = tensor.empty() : tensor<64xf16>
  %start = linalg.fill ins(%zero : f16) outs(%init : tensor<64xf16>) -> tensor<64xf16>
  %sums = linalg.generic {indexing_maps = [affine_map<(n, k) -> (k)>, affine_map<(n, k) -> (k, n)>,
      affine_map<(n, k) -> (n)>], iterator_types = ["parallel", "reduction"]}
      ins(%a, %b : tensor<32xf16>, tensor<32x64xf16>) outs(%start : tensor<64xf16>) {
  ^bb0(%x: f16, %y: f16, %sum: f16):
    %product = arith.mulf %x, %y : f16
    %next = arith.addf %sum, %product : f16
    linalg.yield %next : f16
  } -> tensor<64xf16>
  return %sums : tensor<64xf16>
}

// -----

// CHECK-LABEL: func.func @bytes
// CHECK: copy(%arg1) {memory_space = 1 : i64} : tensor<4x4x8x32x4xi8>
// CHECK: tensor.collapse_shape %{{.*}} : tensor<1x128xi32> into tensor<128xi32>
func.func @bytes(%a: tensor<128xi8>, %b: tensor<4x4x8x32x4xi8>) -> tensor<128xi32> {
  %w = "hexagon.weight_matrix"(%b) : (tensor<4x4x8x32x4xi8>) -> tensor<128x128xi8>
  %zero = arith.constant 0 : i32
  %init = tensor.empty() : tensor<128xi32>
  %start = linalg.fill ins(%zero : i32) outs(%init : tensor<128xi32>) -> tensor<128xi32>
  %sums = linalg.generic {indexing_maps = [affine_map<(n, k) -> (k)>, affine_map<(n, k) -> (k, n)>,
      affine_map<(n, k) -> (n)>], iterator_types = ["parallel", "reduction"]}
      ins(%a, %w : tensor<128xi8>, tensor<128x128xi8>) outs(%start : tensor<128xi32>) {
  ^bb0(%x: i8, %y: i8, %sum: i32):
    %wide = arith.extsi %x : i8 to i32
    %factor = arith.extsi %y : i8 to i32
    %product = arith.muli %wide, %factor : i32
    %next = arith.addi %sum, %product : i32
    linalg.yield %next : i32
  } -> tensor<128xi32>
  return %sums : tensor<128xi32>
}
