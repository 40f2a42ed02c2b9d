// Elements of 4 bits become bytes: constants fold, an argument has two in a byte. Named ops and generic ones have a product
// of bytes afterwards, with signs or without.
// RUN: hexmlir-opt %s --widen-nibbles | filecheck %s

// CHECK-LABEL: func.func @constant
// CHECK: arith.constant dense<{{\[\[}}-8, 7], [0, -1]]> : tensor<2x2xi8>
// CHECK: linalg.matmul ins(%arg0, %{{.*}} : tensor<3x2xi8>, tensor<2x2xi8>)
func.func @constant(%a: tensor<3x2xi8>, %sums: tensor<3x2xi32>) -> tensor<3x2xi32> {
  %w = arith.constant dense<[[-8, 7], [0, -1]]> : tensor<2x2xi4>
  %0 = linalg.matmul ins(%a, %w : tensor<3x2xi8>, tensor<2x2xi4>) outs(%sums : tensor<3x2xi32>) -> tensor<3x2xi32>
  return %0 : tensor<3x2xi32>
}

// CHECK-LABEL: func.func @extended_constant
// CHECK: arith.constant dense<{{\[\[}}-8, 7], [0, -1]]> : tensor<2x2xi8>
func.func @extended_constant() -> tensor<2x2xi8> {
  %w = arith.constant dense<[[-8, 7], [0, -1]]> : tensor<2x2xi4>
  %0 = arith.extsi %w : tensor<2x2xi4> to tensor<2x2xi8>
  return %0 : tensor<2x2xi8>
}

// CHECK-LABEL: func.func @argument
// CHECK-SAME: %arg1: tensor<2x3xi8>
// CHECK: linalg.index 2
// CHECK: arith.shli
// CHECK: arith.shrsi
// CHECK: -> tensor<2x3x2xi8>
// CHECK: tensor.collapse_shape {{.*}} : tensor<2x3x2xi8> into tensor<2x6xi8>
// CHECK: linalg.matmul ins(%arg0, %{{.*}} : tensor<3x2xi8>, tensor<2x6xi8>)
func.func @argument(%a: tensor<3x2xi8>, %w: tensor<2x6xi4>, %sums: tensor<3x6xi32>) -> tensor<3x6xi32> {
  %0 = linalg.matmul ins(%a, %w : tensor<3x2xi8>, tensor<2x6xi4>) outs(%sums : tensor<3x6xi32>) -> tensor<3x6xi32>
  return %0 : tensor<3x6xi32>
}

// CHECK-LABEL: func.func @without_sign
// CHECK-SAME: %arg0: tensor<2xi8>
// CHECK: arith.andi {{.*}}, %c15_i8 : i8
// CHECK: ^bb0(%{{.*}}: i8, %{{.*}}: i32):
// CHECK: arith.extui %{{.*}} : i8 to i32
#same = affine_map<(i) -> (i)>
func.func @without_sign(%w: tensor<4xi4>) -> tensor<4xi32> {
  %e = tensor.empty() : tensor<4xi32>
  %0 = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel"]} ins(%w : tensor<4xi4>) outs(%e : tensor<4xi32>) {
  ^bb0(%x: i4, %old: i32):
    %1 = arith.extui %x : i4 to i32
    linalg.yield %1 : i32
  } -> tensor<4xi32>
  return %0 : tensor<4xi32>
}
