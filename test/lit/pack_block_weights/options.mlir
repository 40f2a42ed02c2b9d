// Up to so many rows weights are codes: any of f32, 8 where its products may be split, 4 of f16, 3 where the matrix
// engine's tiles can be made of the codes, unless an option says otherwise.
// RUN: hexmlir-opt %s --pack-block-weights | filecheck %s --check-prefixes=CHECK,WIDE
// RUN: hexmlir-opt %s --pack-block-weights=most-rows=7 | filecheck %s --check-prefixes=CHECK,NONE
// RUN: hexmlir-opt %s --pack-block-weights="f32-split=true most-rows=1" | filecheck %s --check-prefixes=CHECK,WIDE
// RUN: hexmlir-opt %s --pack-block-weights="f32-split=true most-rows-split=7" | filecheck %s --check-prefixes=CHECK,NONE
// RUN: hexmlir-opt %s --pack-block-weights="most-rows=7 most-rows-tiles=8" | filecheck %s --check-prefixes=CHECK,HALF
// RUN: hexmlir-opt %s --pack-block-weights="most-rows=7 most-rows-f16=8" | filecheck %s --check-prefixes=CHECK,NONE
// RUN: hexmlir-opt %s --pack-block-weights="most-rows=7 most-rows-f16=8 matrix-engine=false" \
// RUN:     | filecheck %s --check-prefixes=CHECK,HALF
// RUN: hexmlir-opt %s --pack-block-weights --target=v67 | filecheck %s --check-prefixes=CHECK,NONE

// CHECK-LABEL: @wide
// WIDE: hexagon.block_matrix
// HALF-NOT: hexagon.block_matrix
// NONE-NOT: hexagon.block_matrix
func.func private @wide(%a: tensor<8x32xf32>, %b: tensor<32x64xf32>, %c: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<8x32xf32>, tensor<32x64xf32>) outs(%c : tensor<8x64xf32>) -> tensor<8x64xf32>
  return %0 : tensor<8x64xf32>
}
// CHECK-LABEL: @half
// WIDE-NOT: hexagon.block_matrix
// HALF: hexagon.block_matrix
// NONE-NOT: hexagon.block_matrix
func.func private @half(%a: tensor<8x32xf16>, %b: tensor<32x64xf16>, %c: tensor<8x64xf16>) -> tensor<8x64xf16> {
  %0 = linalg.matmul ins(%a, %b : tensor<8x32xf16>, tensor<32x64xf16>) outs(%c : tensor<8x64xf16>) -> tensor<8x64xf16>
  return %0 : tensor<8x64xf16>
}
// CHECK-LABEL: @model
func.func @model(%a: tensor<8x32xf32>, %b: tensor<32x64xf32>, %c: tensor<8x64xf32>, %d: tensor<8x32xf16>,
    %e: tensor<32x64xf16>, %f: tensor<8x64xf16>) -> (tensor<8x64xf32>, tensor<8x64xf16>)
    attributes {hexagon.block_constants = array<i64: 1, 4>, hexagon.constants = array<i64: 1, 4>} {
  %0 = call @wide(%a, %b, %c) : (tensor<8x32xf32>, tensor<32x64xf32>, tensor<8x64xf32>) -> tensor<8x64xf32>
  %1 = call @half(%d, %e, %f) : (tensor<8x32xf16>, tensor<32x64xf16>, tensor<8x64xf16>) -> tensor<8x64xf16>
  return %0, %1 : tensor<8x64xf32>, tensor<8x64xf16>
}
