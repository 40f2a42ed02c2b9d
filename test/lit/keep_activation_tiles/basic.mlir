// RUN: hexmlir-opt %s --keep-activation-tiles | filecheck %s

// A product and a function of its elements, 50 x 96: the next kernel multiplies its tiles, two rows of three.
// CHECK-LABEL: func.func private @up
// CHECK-SAME: -> tensor<2x3x16x32x2xf16>
// CHECK: %[[M:.*]] = tensor.collapse_shape %{{.*}} {{\[}}[0, 1], [2]{{\]}} : tensor<1x50x96xf16> into tensor<50x96xf16>
// CHECK: %[[T:.*]] = "hexagon.activation_tiles"(%[[M]]) : (tensor<50x96xf16>) -> tensor<2x3x16x32x2xf16>
// CHECK: return %[[T]]
func.func private @up(%a: tensor<50x64xf16>, %w: tensor<3x2x16x32x2xf16>) -> tensor<1x50x96xf16> {
  %zero = arith.constant 0.0 : f32
  %none = tensor.empty() : tensor<50x96xf32>
  %half = tensor.empty() : tensor<1x50x96xf16>
  %sums = linalg.fill ins(%zero : f32) outs(%none : tensor<50x96xf32>) -> tensor<50x96xf32>
  %b = "hexagon.weight_matrix"(%w) : (tensor<3x2x16x32x2xf16>) -> tensor<64x96xf16>
  %0 = linalg.matmul ins(%a, %b : tensor<50x64xf16>, tensor<64x96xf16>) outs(%sums : tensor<50x96xf32>) -> tensor<50x96xf32>
  %1 = tensor.expand_shape %0 [[0, 1], [2]] output_shape [1, 50, 96] : tensor<50x96xf32> into tensor<1x50x96xf32>
  %2 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>],
      iterator_types = ["parallel", "parallel", "parallel"]} ins(%1 : tensor<1x50x96xf32>) outs(%half : tensor<1x50x96xf16>) {
    ^bb0(%x: f32, %old: f16):
      %t = arith.truncf %x : f32 to f16
      %m = arith.mulf %t, %t : f16
      linalg.yield %m : f16
  } -> tensor<1x50x96xf16>
  return %2 : tensor<1x50x96xf16>
}

// Each iteration makes the columns of one head: two tiles of columns.
// CHECK-LABEL: func.func private @heads
// CHECK-SAME: -> tensor<2x4x16x32x2xf16>
// CHECK: %[[E:.*]] = tensor.empty() : tensor<2x4x16x32x2xf16>
// CHECK: scf.forall (%[[H:.*]]) in (2) shared_outs(%[[O:.*]] = %[[E]])
// CHECK: %[[T:.*]] = "hexagon.activation_tiles"(%{{.*}}) : (tensor<50x64xf16>) -> tensor<2x2x16x32x2xf16>
// CHECK: %[[F:.*]] = arith.muli %[[H]], %c2
// CHECK: tensor.parallel_insert_slice %[[T]] into %[[O]][0, %[[F]], 0, 0, 0] [2, 2, 16, 32, 2]
func.func private @heads(%a: tensor<2x50x64xf16>) -> tensor<1x50x2x64xf16> {
  %none = tensor.empty() : tensor<1x50x2x64xf16>
  %0 = scf.forall (%h) in (2) shared_outs(%o = %none) -> (tensor<1x50x2x64xf16>) {
    %s = tensor.extract_slice %a[%h, 0, 0] [1, 50, 64] [1, 1, 1] : tensor<2x50x64xf16> to tensor<50x64xf16>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %s into %o[0, 0, %h, 0] [1, 50, 1, 64] [1, 1, 1, 1] : tensor<50x64xf16> into tensor<1x50x2x64xf16>
    }
  }
  return %0 : tensor<1x50x2x64xf16>
}

// CHECK-LABEL: func.func private @down
// CHECK-SAME: %arg0: tensor<2x3x16x32x2xf16>
// CHECK: %[[M:.*]] = "hexagon.activation_matrix"(%arg0) : (tensor<2x3x16x32x2xf16>) -> tensor<50x96xf16>
// CHECK: linalg.matmul ins(%[[M]],
func.func private @down(%a: tensor<1x50x96xf16>, %w: tensor<1x3x16x32x2xf16>) -> tensor<50x20xf16> {
  %zero = arith.constant 0.0 : f16
  %none = tensor.empty() : tensor<50x20xf16>
  %sums = linalg.fill ins(%zero : f16) outs(%none : tensor<50x20xf16>) -> tensor<50x20xf16>
  %b = "hexagon.weight_matrix"(%w) : (tensor<1x3x16x32x2xf16>) -> tensor<96x20xf16>
  %m = tensor.collapse_shape %a [[0, 1], [2]] : tensor<1x50x96xf16> into tensor<50x96xf16>
  %0 = linalg.matmul ins(%m, %b : tensor<50x96xf16>, tensor<96x20xf16>) outs(%sums : tensor<50x20xf16>) -> tensor<50x20xf16>
  return %0 : tensor<50x20xf16>
}
func.func private @project(%a: tensor<50x128xf16>, %w: tensor<1x4x16x32x2xf16>) -> tensor<50x32xf16> {
  %zero = arith.constant 0.0 : f16
  %none = tensor.empty() : tensor<50x32xf16>
  %sums = linalg.fill ins(%zero : f16) outs(%none : tensor<50x32xf16>) -> tensor<50x32xf16>
  %b = "hexagon.weight_matrix"(%w) : (tensor<1x4x16x32x2xf16>) -> tensor<128x32xf16>
  %0 = linalg.matmul ins(%a, %b : tensor<50x128xf16>, tensor<128x32xf16>) outs(%sums : tensor<50x32xf16>) -> tensor<50x32xf16>
  return %0 : tensor<50x32xf16>
}

// The views between two calls are gone.
// CHECK-LABEL: func.func @model
// CHECK: %[[U:.*]] = call @up({{.*}}) : ({{.*}}) -> tensor<2x3x16x32x2xf16>
// CHECK: call @down(%[[U]],
// CHECK: %[[H:.*]] = call @heads({{.*}}) : ({{.*}}) -> tensor<2x4x16x32x2xf16>
// CHECK-NOT: tensor.collapse_shape
// CHECK: call @project(%[[H]],
func.func @model(%a: tensor<50x64xf16>, %c: tensor<2x50x64xf16>, %u: tensor<3x2x16x32x2xf16>, %d: tensor<1x3x16x32x2xf16>,
    %p: tensor<1x4x16x32x2xf16>) -> (tensor<50x20xf16>, tensor<50x32xf16>) attributes {hexagon.constants = array<i64: 2, 3, 4>} {
  %0 = call @up(%a, %u) : (tensor<50x64xf16>, tensor<3x2x16x32x2xf16>) -> tensor<1x50x96xf16>
  %1 = call @down(%0, %d) : (tensor<1x50x96xf16>, tensor<1x3x16x32x2xf16>) -> tensor<50x20xf16>
  %2 = call @heads(%c) : (tensor<2x50x64xf16>) -> tensor<1x50x2x64xf16>
  %3 = tensor.collapse_shape %2 [[0, 1], [2, 3]] : tensor<1x50x2x64xf16> into tensor<50x128xf16>
  %4 = call @project(%3, %p) : (tensor<50x128xf16>, tensor<1x4x16x32x2xf16>) -> tensor<50x32xf16>
  return %1, %4 : tensor<50x20xf16>, tensor<50x32xf16>
}
