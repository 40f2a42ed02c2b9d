// Tiles that another kernel has made are multiplied as they are, and the result stays tiles: the function of its elements
// is computed on vectors of two rows, all of whose columns are there.
// RUN: hexmlir-opt %s --hexagon-matrix-engine=always=true --canonicalize | filecheck %s

// CHECK-LABEL: func.func @kept
// CHECK: %[[A:.*]] = bufferization.alloc_tensor() copy(%arg0) {memory_space = 1 : i64} : tensor<2x3x16x32x2xf16>
// CHECK-NOT: linalg.transpose
// CHECK: linalg.generic {{.*}} ins(%[[A]], %{{.*}} : tensor<2x3x16x32x2xf16>, tensor<2x3x16x32x2xf16>)
// CHECK: %[[V:.*]] = tensor.collapse_shape %{{.*}} : tensor<2x2x16x32x2xf16> into tensor<2x2x16x64xf16>
// CHECK: %[[M:.*]] = linalg.generic {{.*}} ins(%[[V]] : tensor<2x2x16x64xf16>)
// CHECK: arith.mulf %in, %in : f16
// CHECK: tensor.expand_shape %[[M]] {{.*}} into tensor<2x2x16x32x2xf16>
func.func @kept(%a: tensor<2x3x16x32x2xf16>, %w: tensor<2x3x16x32x2xf16>) -> tensor<2x2x16x32x2xf16> {
  %zero = arith.constant 0.0 : f32
  %none = tensor.empty() : tensor<50x64xf32>
  %half = tensor.empty() : tensor<50x64xf16>
  %sums = linalg.fill ins(%zero : f32) outs(%none : tensor<50x64xf32>) -> tensor<50x64xf32>
  %b = "hexagon.weight_matrix"(%w) : (tensor<2x3x16x32x2xf16>) -> tensor<96x64xf16>
  %m = "hexagon.activation_matrix"(%a) : (tensor<2x3x16x32x2xf16>) -> tensor<50x96xf16>
  %0 = linalg.matmul ins(%m, %b : tensor<50x96xf16>, tensor<96x64xf16>) outs(%sums : tensor<50x64xf32>) -> tensor<50x64xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>],
      iterator_types = ["parallel", "parallel"]} ins(%0 : tensor<50x64xf32>) outs(%half : tensor<50x64xf16>) {
    ^bb0(%x: f32, %old: f16):
      %t = arith.truncf %x : f32 to f16
      %s = arith.mulf %t, %t : f16
      linalg.yield %s : f16
  } -> tensor<50x64xf16>
  %2 = "hexagon.activation_tiles"(%1) : (tensor<50x64xf16>) -> tensor<2x2x16x32x2xf16>
  return %2 : tensor<2x2x16x32x2xf16>
}

// Another operand of the epilogue: rows, which become tiles; zeros fill them up.
// CHECK-LABEL: func.func @packed
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<50x64xf16>, tensor<50x64xf16>)
// CHECK: %[[Z:.*]] = linalg.fill ins(%{{.*}} : f16) outs(%{{.*}} : tensor<64x64xf16>)
// CHECK: tensor.insert_slice %{{.*}} into %[[Z]][0, 0] [50, 64]
// CHECK: linalg.transpose {{.*}} outs(%{{.*}} : tensor<2x2x16x32x2xf16>) permutation = [0, 3, 1, 4, 2]
func.func @packed(%a: tensor<50x96xf16>, %w: tensor<2x3x16x32x2xf16>, %c: tensor<50x64xf16>) -> tensor<2x2x16x32x2xf16> {
  %zero = arith.constant 0.0 : f32
  %none = tensor.empty() : tensor<50x64xf32>
  %half = tensor.empty() : tensor<50x64xf16>
  %sums = linalg.fill ins(%zero : f32) outs(%none : tensor<50x64xf32>) -> tensor<50x64xf32>
  %b = "hexagon.weight_matrix"(%w) : (tensor<2x3x16x32x2xf16>) -> tensor<96x64xf16>
  %0 = linalg.matmul ins(%a, %b : tensor<50x96xf16>, tensor<96x64xf16>) outs(%sums : tensor<50x64xf32>) -> tensor<50x64xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>],
      iterator_types = ["parallel", "parallel"]} ins(%0, %c : tensor<50x64xf32>, tensor<50x64xf16>) outs(%half : tensor<50x64xf16>) {
    ^bb0(%x: f32, %y: f16, %old: f16):
      %t = arith.truncf %x : f32 to f16
      %s = arith.addf %t, %y : f16
      linalg.yield %s : f16
  } -> tensor<50x64xf16>
  %2 = "hexagon.activation_tiles"(%1) : (tensor<50x64xf16>) -> tensor<2x2x16x32x2xf16>
  return %2 : tensor<2x2x16x32x2xf16>
}

// Without the engine both are copies.
// RUN: hexmlir-opt %s --hexagon-matrix-engine=matrix-engine=false | filecheck %s --check-prefix=HVX
// HVX-LABEL: func.func @kept
// HVX: linalg.transpose ins(%arg0 : tensor<2x3x16x32x2xf16>) outs(%{{.*}} : tensor<2x16x2x3x32xf16>) permutation = [0, 2, 4, 1, 3]
// HVX: linalg.matmul
// HVX: linalg.transpose {{.*}} outs(%{{.*}} : tensor<2x2x16x32x2xf16>) permutation = [0, 3, 1, 4, 2]
// HVX-NOT: hexagon.activation
