// Earlier kernels fetch the first tiles of codes: larger ones than where all arguments are there before the model runs.
// RUN: hexmlir-opt %s --hexagon-tcm-tiling | filecheck %s
#rows = affine_map<(r, t, c, s, b, p, j, h, k) -> (r, b, p, j, h, k)>
#units = affine_map<(r, t, c, s, b, p, j, h, k) -> (r, b)>
#sums = affine_map<(r, t, c, s, b, p, j, h, k) -> (r, b, p)>
#codes = affine_map<(r, t, c, s, b, p, j, h, k) -> (t, b, j, s, c, k)>
#scales = affine_map<(r, t, c, s, b, p, j, h, k) -> (t, b, s, c)>
#result = affine_map<(r, t, c, s, b, p, j, h, k) -> (r, t, c, s)>

// CHECK-LABEL: func.func @first
// CHECK: scf.for {{.*}} to %c32{{.*}} step %c4
func.func @first(%x: tensor<1x64x4x4x2x4xi8>, %u: tensor<1x64xf32>, %s: tensor<1x64x4xi32>,
    %codes: tensor<32x64x4x2x32x4xi8>, %scales: tensor<32x64x2x32xf16>, %y: tensor<1x32x32x2xf32>)
    -> tensor<1x32x32x2xf32> attributes {hexagon.in_model = array<i64: 0, 1, 2, 3, 4, 5>} {
  %0 = linalg.generic {indexing_maps = [#rows, #units, #sums, #codes, #scales, #result], iterator_types =
      ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction", "reduction",
      "reduction"], hexagon.block_product = 4 : i64}
      ins(%x, %u, %s, %codes, %scales : tensor<1x64x4x4x2x4xi8>, tensor<1x64xf32>, tensor<1x64x4xi32>,
      tensor<32x64x4x2x32x4xi8>, tensor<32x64x2x32xf16>) outs(%y : tensor<1x32x32x2xf32>) {
  ^bb0(%byte: i8, %unit: f32, %sum: i32, %code: i8, %scale: f16, %old: f32):
    linalg.yield %old : f32
  } -> tensor<1x32x32x2xf32>
  return %0 : tensor<1x32x32x2xf32>
}

// CHECK-LABEL: func.func @later
// CHECK: scf.for {{.*}} to %c32{{.*}} step %c8
func.func @later(%x: tensor<1x64x4x4x2x4xi8>, %u: tensor<1x64xf32>, %s: tensor<1x64x4xi32>,
    %codes: tensor<32x64x4x2x32x4xi8>, %scales: tensor<32x64x2x32xf16>, %y: tensor<1x32x32x2xf32>)
    -> tensor<1x32x32x2xf32> attributes {hexagon.in_model = array<i64: 1, 2, 3, 4>} {
  %0 = linalg.generic {indexing_maps = [#rows, #units, #sums, #codes, #scales, #result], iterator_types =
      ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction", "reduction",
      "reduction"], hexagon.block_product = 4 : i64}
      ins(%x, %u, %s, %codes, %scales : tensor<1x64x4x4x2x4xi8>, tensor<1x64xf32>, tensor<1x64x4xi32>,
      tensor<32x64x4x2x32x4xi8>, tensor<32x64x2x32xf16>) outs(%y : tensor<1x32x32x2xf32>) {
  ^bb0(%byte: i8, %unit: f32, %sum: i32, %code: i8, %scale: f16, %old: f32):
    linalg.yield %old : f32
  } -> tensor<1x32x32x2xf32>
  return %0 : tensor<1x32x32x2xf32>
}
