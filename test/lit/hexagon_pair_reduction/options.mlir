// The pass has no options; the width of a vector is the target's.
// RUN: not hexmlir-opt %s --hexagon-pair-reduction=unroll=1 2>&1 | filecheck %s --check-prefix=BAD
// RUN: hexmlir-opt %s --hexagon-pair-reduction --target=v79 | filecheck %s
// BAD: error: hexagon-pair-reduction: unknown option 'unroll'
// BAD-NEXT: hint: options of hexagon-pair-reduction: none
// CHECK-COUNT-5: vector.shuffle {{.*}} : vector<64xi16>
func.func @f(%rows: memref<32x2xi16, 1>, %out: memref<32x2xi16, 1>) {
  linalg.generic {indexing_maps = [affine_map<(c, p, k) -> (k, p)>, affine_map<(c, p, k) -> (c, p)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%rows : memref<32x2xi16, 1>) outs(%out : memref<32x2xi16, 1>) {
  ^bb0(%x: i16, %most: i16):
    %0 = arith.addi %x, %most : i16
    linalg.yield %0 : i16
  }
  return
}
