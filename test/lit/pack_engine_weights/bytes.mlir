// Constants of bytes are tiles whose words are four steps of the reduction; tiles of columns are whole vectors. Of bytes
// of 4 bits two words are one. The other factor has signs, so the sums of the columns are one more argument.
// RUN: hexmlir-opt %s --pack-engine-weights=always=true | filecheck %s
// RUN: sed 's/{hexagon.constants/{hexagon.nibble_weights = array<i64: 1>, hexagon.constants/' %s | hexmlir-opt - --pack-engine-weights=always=true | filecheck %s --check-prefix=NIBBLES
// RUN: sed 's/{hexagon.constants/{hexagon.nibble_weights = array<i64: 1>, hexagon.constants/' %s | hexmlir-opt - --pack-engine-weights=always=true --hexagon-matrix-engine=matrix-engine=false | filecheck %s --check-prefix=UNPACKED
// RUN: hexmlir-opt %s --pack-engine-weights | filecheck %s --check-prefix=SMALL
// RUN: hexmlir-opt %s --pack-engine-weights=always=true --target=v73 | filecheck %s --check-prefix=SMALL
// RUN: hexmlir-opt %s --pack-engine-weights=always=true --hexagon-matrix-engine=matrix-engine=false | filecheck %s --check-prefix=HVX

// SMALL-NOT: hexagon.weight_matrix

// HVX: linalg.transpose ins(%{{.*}} : tensor<4x4x8x32x4xi8>) outs(%{{.*}} : tensor<4x8x4x4x32xi8>) permutation = [1, 2, 4, 0, 3]
// HVX: tensor.extract_slice {{.*}} : tensor<128x128xi8> to tensor<40x70xi8>

// CHECK-LABEL: func.func private @kernel
// CHECK-SAME: %arg1: tensor<4x4x8x32x4xi8>, %arg2: tensor<70xi32>)
// CHECK: %[[WEIGHTS:.*]] = "hexagon.weight_matrix"(%arg1, %arg2) : (tensor<4x4x8x32x4xi8>, tensor<70xi32>) -> tensor<40x70xi8>
// CHECK: linalg.matmul ins(%{{.*}}, %[[WEIGHTS]] :
// CHECK-LABEL: func.func @model
// CHECK-SAME: %arg2: tensor<70xi32>
// CHECK-SAME: hexagon.constants = array<i64: 1, 2>, hexagon.packed_weights = array<i64: 1>, hexagon.weight_sums = array<i64: 1>
// CHECK: call @kernel(%arg0, %arg1, %arg2)

// NIBBLES: %[[WEIGHTS:.*]] = "hexagon.weight_matrix"(%arg1, %arg2) : (tensor<4x4x4x32x4xi8>, tensor<70xi32>) -> tensor<40x70xi8>
// NIBBLES: func.func @model
// NIBBLES-SAME: %arg1: tensor<4x4x4x32x4xi8>

// UNPACKED: linalg.generic {{.*}} ins(%{{.*}} : tensor<4x4x4x32x4xi8>) outs(%{{.*}} : tensor<4x4x2x4x4x32xi8>)
// UNPACKED: tensor.extract_slice {{.*}} : tensor<128x128xi8> to tensor<40x70xi8>
func.func private @kernel(%a: tensor<37x40xi8>, %b: tensor<40x70xi8>) -> tensor<37x70xi32> {
  %zero = arith.constant 0 : i32
  %init = tensor.empty() : tensor<37x70xi32>
  %sums = linalg.fill ins(%zero : i32) outs(%init : tensor<37x70xi32>) -> tensor<37x70xi32>
  %0 = linalg.matmul ins(%a, %b : tensor<37x40xi8>, tensor<40x70xi8>) outs(%sums : tensor<37x70xi32>) -> tensor<37x70xi32>
  return %0 : tensor<37x70xi32>
}
func.func @model(%a: tensor<37x40xi8>, %b: tensor<40x70xi8>) -> tensor<37x70xi32> attributes {hexagon.constants = array<i64: 1>} {
  %0 = call @kernel(%a, %b) : (tensor<37x40xi8>, tensor<40x70xi8>) -> tensor<37x70xi32>
  return %0 : tensor<37x70xi32>
}
