// Tiles of the matrix engine: columns side by side, codes looked up, each times its scale; eight vectors of f16 for the
// codes of eight rows of 64 columns.
// RUN: hexmlir-opt %s --hexagon-block-products | filecheck %s

// CHECK-LABEL: func.func @f
// CHECK: vector.shuffle {{.*}} : vector<64xf16>, vector<64xf16>
// CHECK-COUNT-2: llvm.call_intrinsic "llvm.hexagon.V6.vshuffvdd.128B"
// CHECK-COUNT-4: llvm.call_intrinsic "llvm.hexagon.V6.vlutvwh.nm.128B"
// CHECK-COUNT-2: llvm.call_intrinsic "llvm.hexagon.V6.vshuffvdd.128B"
// CHECK-COUNT-4: llvm.call_intrinsic "llvm.hexagon.V6.vlutvwh.nm.128B"
// CHECK-NOT: linalg.generic
func.func @f(%codes: memref<3x2x1x4x2x2x16x2x2xi8, 1>, %scales: memref<3x2x2x2x16xf16, 1>,
    %tiles: memref<3x2x2x1x4x2x2x16x2x2xf16, 1>) {
  linalg.generic {indexing_maps = [affine_map<(t, u, b, q, j, h, v, m, s, p) -> (t, b, q, j, s, u, m, v, p)>,
      affine_map<(t, u, b, q, j, h, v, m, s, p) -> (t, b, s, u, m)>,
      affine_map<(t, u, b, q, j, h, v, m, s, p) -> (t, u, b, q, j, h, v, m, s, p)>], iterator_types = ["parallel",
      "parallel", "parallel", "parallel", "parallel", "parallel", "parallel", "parallel", "parallel", "parallel"],
      hexagon.block_tiles = 4 : i64} ins(%codes, %scales : memref<3x2x1x4x2x2x16x2x2xi8, 1>, memref<3x2x2x2x16xf16, 1>)
      outs(%tiles : memref<3x2x2x1x4x2x2x16x2x2xf16, 1>) {
  ^bb0(%code: i8, %scale: f16, %old: f16):
    linalg.yield %old : f16
  }
  return
}
