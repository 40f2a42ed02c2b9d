// Ops of several steps become ops of one loop nest each.
// RUN: hexmlir-opt %s --hexagon-decompose-named-ops --split-input-file | filecheck %s

// 1. Softmax along an outer dimension, of dynamic sizes too.
// CHECK-LABEL: func.func @softmax
// CHECK: arith.maxnumf
// CHECK: arith.subf
// CHECK-NEXT: math.exp
// CHECK: arith.addf
// CHECK: arith.divf
// CHECK-NOT: linalg.softmax
func.func @softmax(%x: tensor<?x33xf32>, %y: tensor<?x33xf32>) -> tensor<?x33xf32> {
  %0 = linalg.softmax dimension(0) ins(%x : tensor<?x33xf32>) outs(%y : tensor<?x33xf32>) -> tensor<?x33xf32>
  return %0 : tensor<?x33xf32>
}

// -----
// 2. Packing pads, splits dimensions and transposes; unpacking is the inverse.
// CHECK-LABEL: func.func @tiles
// CHECK: tensor.pad %{{.*}} low[0, 0] high[4, 0]
// CHECK: tensor.expand_shape
// CHECK: linalg.transpose
func.func @tiles(%x: tensor<20x33xf32>, %y: tensor<3x3x8x11xf32>) -> tensor<3x3x8x11xf32> {
  %c = arith.constant 0.0 : f32
  %0 = linalg.pack %x padding_value(%c : f32) inner_dims_pos = [0, 1] inner_tiles = [8, 11] into %y
      : tensor<20x33xf32> -> tensor<3x3x8x11xf32>
  return %0 : tensor<3x3x8x11xf32>
}
// CHECK-LABEL: func.func @rows
// CHECK: linalg.transpose
// CHECK: tensor.collapse_shape
// CHECK: tensor.extract_slice
func.func @rows(%x: tensor<3x3x8x11xf32>, %y: tensor<20x33xf32>) -> tensor<20x33xf32> {
  %0 = linalg.unpack %x inner_dims_pos = [0, 1] inner_tiles = [8, 11] into %y
      : tensor<3x3x8x11xf32> -> tensor<20x33xf32>
  return %0 : tensor<20x33xf32>
}

// -----
// Zero points leave the product: its factors stay bytes, of any length; rows and columns are summed once.
// CHECK-LABEL: func.func @quantized
// CHECK: arith.muli
// CHECK-NEXT: arith.addi
// CHECK: tensor.dim %arg0
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]} ins(%arg0 :
// CHECK: arith.subi %{{.*}}, %arg2
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]} ins(%arg1 :
// CHECK: arith.muli %arg3
// CHECK: arith.muli %arg2
// CHECK-NOT: quantized_matmul
func.func @quantized(%a: tensor<?x64xi8>, %b: tensor<64x32xi8>, %x: i32, %y: i32, %c: tensor<?x32xi32>)
    -> tensor<?x32xi32> {
  %0 = linalg.quantized_matmul ins(%a, %b, %x, %y : tensor<?x64xi8>, tensor<64x32xi8>, i32, i32)
      outs(%c : tensor<?x32xi32>) -> tensor<?x32xi32>
  return %0 : tensor<?x32xi32>
}

// -----
// A row of a convolution's window and its channels are contiguous: columns and channels become one dimension.
// CHECK: #[[IMAGE:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1 * 2 + d4 * 3, d2 * 6 + d5)>
// CHECK: #[[FILTER:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d4, d5, d3)>
// CHECK-LABEL: func.func @window
// CHECK: tensor.collapse_shape %arg0 {{\[}}[0], [1], [2, 3]] : tensor<?x11x13x3xf32> into tensor<?x11x39xf32>
// CHECK: tensor.collapse_shape %arg1 {{\[}}[0], [1, 2], [3]] : tensor<3x5x3x8xf32> into tensor<3x15x8xf32>
// CHECK: linalg.generic {indexing_maps = [#[[IMAGE]], #[[FILTER]], #{{.*}}]
func.func @window(%x: tensor<?x11x13x3xf32>, %w: tensor<3x5x3x8xf32>, %y: tensor<?x3x5x8xf32>) -> tensor<?x3x5x8xf32> {
  %0 = linalg.conv_2d_nhwc_hwcf {dilations = dense<[3, 1]> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>}
      ins(%x, %w : tensor<?x11x13x3xf32>, tensor<3x5x3x8xf32>) outs(%y : tensor<?x3x5x8xf32>) -> tensor<?x3x5x8xf32>
  return %0 : tensor<?x3x5x8xf32>
}
// CHECK-LABEL: func.func @run
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "parallel", "reduction"]
// CHECK-SAME: ins(%{{.*}}, %{{.*}} : tensor<2x60xf16>, tensor<12x8xf16>)
func.func @run(%x: tensor<2x20x3xf16>, %w: tensor<4x3x8xf16>, %y: tensor<2x9x8xf32>) -> tensor<2x9x8xf32> {
  %0 = linalg.conv_1d_nwc_wcf {dilations = dense<1> : tensor<1xi64>, strides = dense<2> : tensor<1xi64>}
      ins(%x, %w : tensor<2x20x3xf16>, tensor<4x3x8xf16>) outs(%y : tensor<2x9x8xf32>) -> tensor<2x9x8xf32>
  return %0 : tensor<2x9x8xf32>
}
