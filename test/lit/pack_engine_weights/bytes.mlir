// Constants of bytes are tiles whose words are four steps of the reduction; tiles of columns are whole vectors.
// RUN: hexmlir-opt %s --pack-engine-weights=always=true | filecheck %s
// RUN: hexmlir-opt %s --pack-engine-weights | filecheck %s --check-prefix=SMALL
// RUN: hexmlir-opt %s --pack-engine-weights=always=true --target=v73 | filecheck %s --check-prefix=SMALL
// RUN: hexmlir-opt %s --pack-engine-weights=always=true --hexagon-matrix-engine=matrix-engine=false | filecheck %s --check-prefix=HVX

// SMALL-NOT: hexagon.weight_matrix

// HVX: linalg.transpose ins(%{{.*}} : tensor<4x4x8x32x4xi8>) outs(%{{.*}} : tensor<4x8x4x4x32xi8>) permutation = [1, 2, 4, 0, 3]
// HVX: tensor.extract_slice {{.*}} : tensor<128x128xi8> to tensor<40x70xi8>

// CHECK-LABEL: func.func private @kernel
// CHECK-SAME: %arg1: tensor<4x4x8x32x4xi8>)
// CHECK: %[[WEIGHTS:.*]] = "hexagon.weight_matrix"(%arg1) : (tensor<4x4x8x32x4xi8>) -> tensor<40x70xi8>
// CHECK: linalg.matmul ins(%{{.*}}, %[[WEIGHTS]] :
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
