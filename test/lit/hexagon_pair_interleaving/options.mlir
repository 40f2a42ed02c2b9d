// The pass has no options; the width of a vector is the target's.
// RUN: not hexmlir-opt %s --hexagon-pair-interleaving=unroll=1 2>&1 | filecheck %s --check-prefix=BAD
// RUN: hexmlir-opt %s --hexagon-pair-interleaving --target=v79 | filecheck %s
// BAD: error: hexagon-pair-interleaving: unknown option 'unroll'
// BAD-NEXT: hint: options of hexagon-pair-interleaving: none
// CHECK: vector.interleave {{.*}} : vector<64xf16> -> vector<128xf16>
func.func @f(%rows: memref<2x2x32xf16, 1>, %tiles: memref<2x32x2xf16, 1>) {
  linalg.transpose ins(%rows : memref<2x2x32xf16, 1>) outs(%tiles : memref<2x32x2xf16, 1>) permutation = [1, 2, 0]
  return
}

// Threads share outer loops: how many iterations one has is known at run time only.
// CHECK-LABEL: func.func @shared
// CHECK: scf.for
// CHECK: vector.interleave {{.*}} : vector<64xf16> -> vector<128xf16>
// CHECK-NOT: linalg
func.func @shared(%rows: memref<?x2x2x32xf16, 1>, %tiles: memref<2x?x32x2xf16, 1>) {
  linalg.transpose ins(%rows : memref<?x2x2x32xf16, 1>) outs(%tiles : memref<2x?x32x2xf16, 1>) permutation = [2, 0, 3, 1]
  return
}
