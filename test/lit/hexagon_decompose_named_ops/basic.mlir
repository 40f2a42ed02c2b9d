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
// 2. Packing pads, splits dimensions and transposes; unpacking goes back.
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
