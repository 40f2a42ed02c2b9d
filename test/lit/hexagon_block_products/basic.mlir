// Three rows of two planes: two rows share the codes, and words of rows are scalars for both vectors of columns. What a
// block gives the last row, which is alone, is scaled and added while the next block is multiplied.
// RUN: hexmlir-opt %s --hexagon-block-products | filecheck %s

// CHECK-LABEL: func.func @f
// CHECK-COUNT-2: llvm.call_intrinsic "llvm.hexagon.V6.vrmpybus.acc.128B"
// CHECK-COUNT-2: llvm.call_intrinsic "llvm.hexagon.V6.vrmpybus.128B"
// CHECK-COUNT-58: llvm.call_intrinsic "llvm.hexagon.V6.vrmpybus.acc.128B"
// CHECK: vector.store
// CHECK: vector.store
// CHECK: scf.for {{.*}}iter_args(%{{[^ ]*}} = %{{[^ ]*}}, %{{[^ ]*}} = %{{[^ ]*}}, %[[WORDS:[^ ]*]] = %
// CHECK: arith.sitofp %[[WORDS]]
// CHECK: scf.yield
// CHECK: arith.sitofp
// CHECK: vector.store
// CHECK-NOT: linalg.generic
#rows = affine_map<(r, t, c, s, b, p, j, h, k) -> (r, b, p, j, h, k)>
#units = affine_map<(r, t, c, s, b, p, j, h, k) -> (r, b)>
#sums = affine_map<(r, t, c, s, b, p, j, h, k) -> (r, b, p)>
#codes = affine_map<(r, t, c, s, b, p, j, h, k) -> (t, b, j, s, c, k)>
#scales = affine_map<(r, t, c, s, b, p, j, h, k) -> (t, b, s, c)>
#result = affine_map<(r, t, c, s, b, p, j, h, k) -> (r, t, c, s)>
func.func @f(%x: memref<3x2x2x8x1x4xi8>, %u: memref<3x2xf32>, %s: memref<3x2x2xi32>,
    %codes: memref<1x2x8x2x32x4xi8, 1>, %scales: memref<1x2x2x32xf32, 1>, %y: memref<3x1x32x2xf32, 1>) {
  linalg.generic {indexing_maps = [#rows, #units, #sums, #codes, #scales, #result], iterator_types =
      ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction", "reduction",
      "reduction"], hexagon.block_product = 8 : i64}
      ins(%x, %u, %s, %codes, %scales : memref<3x2x2x8x1x4xi8>, memref<3x2xf32>, memref<3x2x2xi32>,
      memref<1x2x8x2x32x4xi8, 1>, memref<1x2x2x32xf32, 1>) outs(%y : memref<3x1x32x2xf32, 1>) {
  ^bb0(%byte: i8, %unit: f32, %sum: i32, %code: i8, %scale: f32, %old: f32):
    linalg.yield %old : f32
  }
  return
}

// Minima are multiplied by the sum of a row in f32, once for a block; scales of bytes are exponents, and their codes
// are looked up.
// CHECK-LABEL: func.func @minima
// CHECK: %[[LEAST:.*]] = vector.load %{{.*}} : memref<1x1x64xf16, 1>, vector<64xf16>
// CHECK: %[[WIDE:.*]] = arith.extf %[[LEAST]]
// CHECK: arith.mulf %[[WIDE]], %{{.*}} : vector<64xf32>
// CHECK-LABEL: func.func @numbers_of_four_bits
// CHECK: arith.shli {{.*}} : vector<64xi32>
// CHECK: %[[LOW:.*]] = arith.andi {{.*}} : vector<32xi32>
// CHECK: %[[HIGH:.*]] = llvm.call_intrinsic "llvm.hexagon.V6.vlsrb.128B"
// CHECK: llvm.call_intrinsic "llvm.hexagon.V6.vlutvvbi.128B"(%[[LOW]], %
// CHECK: llvm.call_intrinsic "llvm.hexagon.V6.vlutvvbi.128B"(%[[HIGH]], %
func.func @minima(%x: memref<1x1x2x4x2x4xi8>, %u: memref<1x1xf32>, %s: memref<1x1xf32>,
    %codes: memref<1x1x4x2x32x4xi8, 1>, %scales: memref<1x1x2x32xf32, 1>, %minima: memref<1x1x2x32xf16, 1>,
    %y: memref<1x1x32x2xf32, 1>) {
  linalg.generic {indexing_maps = [#rows, #units, #units, #codes, #scales, #scales, #result], iterator_types =
      ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction", "reduction",
      "reduction"], hexagon.block_product = 4 : i64}
      ins(%x, %u, %s, %codes, %scales, %minima : memref<1x1x2x4x2x4xi8>, memref<1x1xf32>, memref<1x1xf32>,
      memref<1x1x4x2x32x4xi8, 1>, memref<1x1x2x32xf32, 1>, memref<1x1x2x32xf16, 1>)
      outs(%y : memref<1x1x32x2xf32, 1>) {
  ^bb0(%byte: i8, %unit: f32, %sum: f32, %code: i8, %scale: f32, %least: f16, %old: f32):
    linalg.yield %old : f32
  }
  return
}
func.func @numbers_of_four_bits(%x: memref<1x1x2x4x2x4xi8>, %u: memref<1x1xf32>, %s: memref<1x1x2xi32>,
    %codes: memref<1x1x4x2x32x4xi8, 1>, %scales: memref<1x1x2x32xi8, 1>, %y: memref<1x1x32x2xf32, 1>) {
  linalg.generic {indexing_maps = [#rows, #units, #sums, #codes, #scales, #result], iterator_types =
      ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction", "reduction",
      "reduction"], hexagon.block_product = 4 : i64}
      ins(%x, %u, %s, %codes, %scales : memref<1x1x2x4x2x4xi8>, memref<1x1xf32>, memref<1x1x2xi32>,
      memref<1x1x4x2x32x4xi8, 1>, memref<1x1x2x32xi8, 1>) outs(%y : memref<1x1x32x2xf32, 1>) {
  ^bb0(%byte: i8, %unit: f32, %sum: i32, %code: i8, %scale: i8, %old: f32):
    linalg.yield %old : f32
  }
  return
}
