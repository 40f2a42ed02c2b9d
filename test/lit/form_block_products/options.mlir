// More rows than the option says are multiplied with a matrix of floats.
// RUN: hexmlir-opt %s --form-block-products | filecheck %s
// RUN: hexmlir-opt %s --form-block-products=rows=2 | filecheck %s --check-prefix=MATRIX
// CHECK: hexagon.block_product
// MATRIX-NOT: hexagon.block_product
// MATRIX: linalg.matmul ins(%arg0, %{{.*}} : tensor<3x32xf32>, tensor<32x64xf32>)
func.func @f(%x: tensor<3x32xf32>, %codes: tensor<1x1x4x2x32x4xi8>, %scales: tensor<1x1x2x32xf16>,
             %sums: tensor<3x64xf32>) -> tensor<3x64xf32> {
  %w = "hexagon.block_matrix"(%codes, %scales) {bits = 4 : i64}
      : (tensor<1x1x4x2x32x4xi8>, tensor<1x1x2x32xf16>) -> tensor<32x64xf32>
  %0 = linalg.matmul ins(%x, %w : tensor<3x32xf32>, tensor<32x64xf32>) outs(%sums : tensor<3x64xf32>)
      -> tensor<3x64xf32>
  return %0 : tensor<3x64xf32>
}
