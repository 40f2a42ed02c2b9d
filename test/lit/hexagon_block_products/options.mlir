// The pass has no options; so many blocks as leave their bytes in the target's cache are computed at a time.
// RUN: not hexmlir-opt %s --hexagon-block-products=rows=1 2>&1 | filecheck %s --check-prefix=BAD
// RUN: hexmlir-opt %s --hexagon-block-products | filecheck %s
// BAD: error: hexagon-block-products: unknown option 'rows'
// CHECK: arith.minsi
#rows = affine_map<(r, t, c, s, b, p, j, h, k) -> (r, b, p, j, h, k)>
#units = affine_map<(r, t, c, s, b, p, j, h, k) -> (r, b)>
#sums = affine_map<(r, t, c, s, b, p, j, h, k) -> (r, b, p)>
#codes = affine_map<(r, t, c, s, b, p, j, h, k) -> (t, b, j, s, c, k)>
#scales = affine_map<(r, t, c, s, b, p, j, h, k) -> (t, b, s, c)>
#result = affine_map<(r, t, c, s, b, p, j, h, k) -> (r, t, c, s)>
func.func @f(%x: memref<1x400x1x8x1x4xi8>, %u: memref<1x400xf32>, %s: memref<1x400x1xi32>,
    %codes: memref<1x400x8x2x32x4xi8, 1>, %scales: memref<1x400x2x32xf32, 1>, %y: memref<1x1x32x2xf32, 1>) {
  linalg.generic {indexing_maps = [#rows, #units, #sums, #codes, #scales, #result], iterator_types =
      ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction", "reduction",
      "reduction"], hexagon.block_product = 8 : i64}
      ins(%x, %u, %s, %codes, %scales : memref<1x400x1x8x1x4xi8>, memref<1x400xf32>, memref<1x400x1xi32>,
      memref<1x400x8x2x32x4xi8, 1>, memref<1x400x2x32xf32, 1>) outs(%y : memref<1x1x32x2xf32, 1>) {
  ^bb0(%byte: i8, %unit: f32, %sum: i32, %code: i8, %scale: f32, %old: f32):
    linalg.yield %old : f32
  }
  return
}
