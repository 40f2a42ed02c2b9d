// A row times weights of bytes in blocks: numbers in fixed point, their units and sums, the product, its columns.
// RUN: hexmlir-opt %s --form-block-products | filecheck %s

// CHECK-LABEL: func.func @row
// CHECK: tensor.pad %{{.*}} low[0, 0] high[0, 4]
// CHECK: tensor.expand_shape %{{.*}} {{.*}} output_shape [1, 1, 64]
// CHECK: arith.maxsi
// CHECK: %[[UNITS:.*]] = linalg.generic {{.*}} outs({{.*}} : tensor<1x1xf32>)
// CHECK: %[[BYTES:.*]] = linalg.generic {{.*}} outs({{.*}} : tensor<1x1x4x64xi8>)
// CHECK: %[[ROWS:.*]] = tensor.expand_shape %[[BYTES]] {{.*}} into tensor<1x1x4x16x1x4xi8>
// CHECK: %[[SUMS:.*]] = linalg.generic {{.*}} outs({{.*}} : tensor<1x1x4xi32>)
// CHECK: ins(%[[ROWS]], %[[UNITS]], %[[SUMS]], %arg1, %arg2, %arg3 : {{.*}} attrs =  {hexagon.block_product = 8 : i64}
// CHECK: tensor.extract_slice {{.*}}[0, 0] [1, 50] [1, 1]
// CHECK: tensor.collapse_shape {{.*}} into tensor<50xf32>
// CHECK: arith.select {{.*}} : f32
// CHECK-NOT: hexagon.block_matrix
#left = affine_map<(n, k) -> (k)>
#right = affine_map<(n, k) -> (k, n)>
#sum = affine_map<(n, k) -> (n)>
func.func @row(%x: tensor<60xf32>, %codes: tensor<1x1x16x2x32x4xi8>, %scales: tensor<1x1x2x32xf32>,
               %zeros: tensor<1x1x2x32xi8>) -> tensor<50xf32> {
  %zero = arith.constant 0.0 : f32
  %init = tensor.empty() : tensor<50xf32>
  %sums = linalg.fill ins(%zero : f32) outs(%init : tensor<50xf32>) -> tensor<50xf32>
  %w = "hexagon.block_matrix"(%codes, %scales, %zeros) {bits = 8 : i64}
      : (tensor<1x1x16x2x32x4xi8>, tensor<1x1x2x32xf32>, tensor<1x1x2x32xi8>) -> tensor<60x50xf32>
  %0 = linalg.generic {indexing_maps = [#left, #right, #sum], iterator_types = ["parallel", "reduction"]}
      ins(%x, %w : tensor<60xf32>, tensor<60x50xf32>) outs(%sums : tensor<50xf32>) {
    ^bb0(%a: f32, %b: f32, %old: f32):
      %p = arith.mulf %a, %b : f32
      %s = arith.addf %old, %p : f32
      linalg.yield %s : f32
  } -> tensor<50xf32>
  return %0 : tensor<50xf32>
}

// Of weights with minima, sums of a row's blocks are f32.
// CHECK-LABEL: func.func @minima
// CHECK: %[[TOTALS:.*]] = linalg.generic {{.*}} ins(%{{.*}} : tensor<2x1x32xf16>) outs(%{{.*}} : tensor<2x1xf32>)
// CHECK: ins(%{{.*}}, %{{.*}}, %[[TOTALS]], %arg1, %arg2, %arg3 : {{.*}} attrs =  {hexagon.block_product = 4 : i64}
func.func @minima(%x: tensor<2x32xf16>, %codes: tensor<1x1x4x2x32x4xi8>, %scales: tensor<1x1x2x32xf16>,
                  %minima: tensor<1x1x2x32xf16>, %sums: tensor<2x64xf16>) -> tensor<2x64xf16> {
  %w = "hexagon.block_matrix"(%codes, %scales, %minima) {bits = 4 : i64}
      : (tensor<1x1x4x2x32x4xi8>, tensor<1x1x2x32xf16>, tensor<1x1x2x32xf16>) -> tensor<32x64xf16>
  %0 = linalg.matmul ins(%x, %w : tensor<2x32xf16>, tensor<32x64xf16>) outs(%sums : tensor<2x64xf16>)
      -> tensor<2x64xf16>
  return %0 : tensor<2x64xf16>
}
