// What is no product of a few rows reads a matrix of floats, and a remark says why.
// RUN: hexmlir-opt %s --form-block-products=rows=8 --remarks 2>&1 | filecheck %s
// CHECK-DAG: refuse.mlir:[[# @LINE + 9]]:{{.*}}form-block-products: multiplied with a matrix of floats: batches, or a transposed factor
// CHECK-DAG: refuse.mlir:[[# @LINE + 15]]:{{.*}}form-block-products: multiplied with a matrix of floats: 9 rows
// CHECK-NOT: hexagon.block_product
// CHECK-NOT: hexagon.block_matrix
#left = affine_map<(m, n, k) -> (m, k)>
#right = affine_map<(m, n, k) -> (k, n)>
#sum = affine_map<(m, n, k) -> (n, m)>
func.func @f(%x: tensor<3x32xf32>, %codes: tensor<1x1x4x2x32x4xi8>, %scales: tensor<1x1x2x32xf16>, %a: tensor<64x3xf32>, %y: tensor<9x32xf32>, %b: tensor<9x64xf32>) -> (tensor<64x3xf32>, tensor<9x64xf32>) {
  %w = "hexagon.block_matrix"(%codes, %scales) {bits = 4 : i64} : (tensor<1x1x4x2x32x4xi8>, tensor<1x1x2x32xf16>) -> tensor<32x64xf32>
  %0 = linalg.generic {indexing_maps = [#left, #right, #sum], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<3x32xf32>, tensor<32x64xf32>) outs(%a : tensor<64x3xf32>) {
    ^bb0(%l: f32, %r: f32, %old: f32):
      %p = arith.mulf %l, %r : f32
      %s = arith.addf %old, %p : f32
      linalg.yield %s : f32
  } -> tensor<64x3xf32>
  %1 = linalg.matmul ins(%y, %w : tensor<9x32xf32>, tensor<32x64xf32>) outs(%b : tensor<9x64xf32>) -> tensor<9x64xf32>
  return %0, %1 : tensor<64x3xf32>, tensor<9x64xf32>
}
