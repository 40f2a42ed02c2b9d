// Elements that are not only extended, rows of half a byte at their end, unknown sizes, functions that are called.
// RUN: hexmlir-opt %s --widen-nibbles | filecheck %s

// CHECK-LABEL: func.func @odd(%arg0: tensor<2x3xi4>)
func.func @odd(%w: tensor<2x3xi4>) -> tensor<2x3xi8> {
  %0 = arith.extsi %w : tensor<2x3xi4> to tensor<2x3xi8>
  return %0 : tensor<2x3xi8>
}

// CHECK-LABEL: func.func @dynamic(%arg0: tensor<2x?xi4>)
func.func @dynamic(%w: tensor<2x?xi4>) -> tensor<2x?xi8> {
  %0 = arith.extsi %w : tensor<2x?xi4> to tensor<2x?xi8>
  return %0 : tensor<2x?xi8>
}

// CHECK-LABEL: func.func @added(%arg0: tensor<4xi4>)
// CHECK: arith.addi {{.*}} : tensor<4xi4>
func.func @added(%w: tensor<4xi4>) -> tensor<4xi8> {
  %0 = arith.addi %w, %w : tensor<4xi4>
  %1 = arith.extsi %0 : tensor<4xi4> to tensor<4xi8>
  return %1 : tensor<4xi8>
}

// CHECK-LABEL: func.func @both
// CHECK: ^bb0(%{{.*}}: i4, %{{.*}}: i32):
#same = affine_map<(i) -> (i)>
func.func @both(%w: tensor<4xi4>) -> tensor<4xi32> {
  %e = tensor.empty() : tensor<4xi32>
  %0 = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel"]} ins(%w : tensor<4xi4>) outs(%e : tensor<4xi32>) {
  ^bb0(%x: i4, %old: i32):
    %1 = arith.extui %x : i4 to i32
    %2 = arith.extsi %x : i4 to i32
    %3 = arith.addi %1, %2 : i32
    linalg.yield %3 : i32
  } -> tensor<4xi32>
  return %0 : tensor<4xi32>
}

// CHECK-LABEL: func.func private @callee(%arg0: tensor<4xi4>)
func.func private @callee(%w: tensor<4xi4>) -> tensor<4xi8> {
  %0 = arith.extsi %w : tensor<4xi4> to tensor<4xi8>
  return %0 : tensor<4xi8>
}
// CHECK-LABEL: func.func @caller(%arg0: tensor<4xi4>)
func.func @caller(%w: tensor<4xi4>) -> tensor<4xi8> {
  %0 = call @callee(%w) : (tensor<4xi4>) -> tensor<4xi8>
  return %0 : tensor<4xi8>
}

// Packing has no region in which its elements would be extended.
// CHECK-LABEL: func.func @packed
// CHECK: linalg.pack %arg0 {{.*}} : tensor<4x8xi4> -> tensor<1x1x4x8xi4>
func.func @packed(%x: tensor<4x8xi4>, %d: tensor<1x1x4x8xi4>) -> tensor<1x1x4x8xi4> {
  %r = linalg.pack %x inner_dims_pos = [0, 1] inner_tiles = [4, 8] into %d : tensor<4x8xi4> -> tensor<1x1x4x8xi4>
  return %r : tensor<1x1x4x8xi4>
}
