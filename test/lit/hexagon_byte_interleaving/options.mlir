// The pass has no options; the width of a vector is the target's.
// RUN: not hexmlir-opt %s --hexagon-byte-interleaving=unroll=1 2>&1 | filecheck %s --check-prefix=BAD
// RUN: hexmlir-opt %s --hexagon-byte-interleaving --target=v79 | filecheck %s
// BAD: error: hexagon-byte-interleaving: unknown option 'unroll'
// BAD-NEXT: hint: options of hexagon-byte-interleaving: none
// CHECK: vector.load {{.*}} vector<128xi8>
#rows = affine_map<(rt, kt, r, k) -> (rt, r, kt, k)>
#tiles = affine_map<(rt, kt, r, k) -> (rt, kt, r, k)>
func.func @f(%rows: memref<1x64x4x32xi8, 1>, %tiles: memref<1x4x64x32xi8, 1>) {
  linalg.generic {indexing_maps = [#rows, #tiles], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%rows : memref<1x64x4x32xi8, 1>) outs(%tiles : memref<1x4x64x32xi8, 1>) {
  ^bb0(%x: i8, %old: i8):
    linalg.yield %x : i8
  }
  return
}
