// Scales that are bytes and the factors of superblocks are operands of the product; more rows than the option says read a matrix of floats.
// RUN: hexmlir-opt %s --form-block-products | filecheck %s
// RUN: hexmlir-opt %s --form-block-products=rows=1 | filecheck %s --check-prefix=MATRIX
// CHECK: #[[SHARED:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7, d8) -> (d1, d4 floordiv 16, d3, d2)>
// CHECK-LABEL: func.func @f
// CHECK-NOT: hexagon.block_scales
// CHECK: linalg.generic {indexing_maps = [{{.*}}, #[[SHARED]], {{.*}}]
// CHECK-SAME: ins({{.*}}, %arg1, %arg2, %arg3 : {{.*}}, tensor<1x16x4x2x32x4xi8>, tensor<1x16x2x32xi8>, tensor<1x1x2x32xf16>)
// CHECK-SAME: hexagon.block_product = 8
// MATRIX-NOT: hexagon.block_product
// MATRIX-NOT: hexagon.block_scales
// MATRIX: linalg.matmul ins(%arg0, %{{.*}} : tensor<2x256xf32>, tensor<256x64xf32>)
func.func @f(%x: tensor<2x256xf32>, %codes: tensor<1x16x4x2x32x4xi8>, %scales: tensor<1x16x2x32xi8>,
             %shared: tensor<1x1x2x32xf16>, %sums: tensor<2x64xf32>) -> tensor<2x64xf32> {
  %s = "hexagon.block_scales"(%scales, %shared) : (tensor<1x16x2x32xi8>, tensor<1x1x2x32xf16>) -> tensor<1x16x2x32xf32>
  %w = "hexagon.block_matrix"(%codes, %s) {bits = 8 : i64}
      : (tensor<1x16x4x2x32x4xi8>, tensor<1x16x2x32xf32>) -> tensor<256x64xf32>
  %0 = linalg.matmul ins(%x, %w : tensor<2x256xf32>, tensor<256x64xf32>) outs(%sums : tensor<2x64xf32>)
      -> tensor<2x64xf32>
  return %0 : tensor<2x64xf32>
}

// Codes of 6 bits: two words of lower bits share one of upper bits.
// CHECK-LABEL: func.func @split
// CHECK-NOT: hexagon.split_codes
// CHECK: linalg.generic {{.*}} ins({{.*}}, %arg1, %arg2, %arg3 : {{.*}}, tensor<1x1x2x2x32x4xi8>, tensor<1x1x1x2x32x4xi8>, tensor<1x1x2x32xf16>)
// CHECK-SAME: hexagon.block_product = 6
// CHECK: arith.shli %{{.*}}, %c4_i32
func.func @split(%x: tensor<1x16xf32>, %lower: tensor<1x1x2x2x32x4xi8>, %upper: tensor<1x1x1x2x32x4xi8>,
                 %scales: tensor<1x1x2x32xf16>, %sums: tensor<1x64xf32>) -> tensor<1x64xf32> {
  %c = "hexagon.split_codes"(%lower, %upper)
      : (tensor<1x1x2x2x32x4xi8>, tensor<1x1x1x2x32x4xi8>) -> tensor<1x1x4x2x32x4xi8>
  %w = "hexagon.block_matrix"(%c, %scales) {bits = 6 : i64}
      : (tensor<1x1x4x2x32x4xi8>, tensor<1x1x2x32xf16>) -> tensor<16x64xf32>
  %0 = linalg.matmul ins(%x, %w : tensor<1x16xf32>, tensor<16x64xf32>) outs(%sums : tensor<1x64xf32>)
      -> tensor<1x64xf32>
  return %0 : tensor<1x64xf32>
}
