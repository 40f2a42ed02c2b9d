// The descriptors of the target decide: v73 has 16 bits for a row's stride, v75 has 24.
// RUN: hexmlir-opt %s --hexagon-double-buffer-generic-s2 --canonicalize --cse --target=v75 | filecheck %s --check-prefix=WIDE
// RUN: hexmlir-opt %s --hexagon-double-buffer-generic-s2 --canonicalize --cse --target=v73 | filecheck %s --check-prefix=NARROW

// Rows 65,536 bytes apart: one 2-D transfer, or eight linear ones.
// WIDE: memref.alloc() : memref<1xi32>
// WIDE: memref.dma_start {{.*}}, %c512, %{{.*}}[%c0], %c16384, %c64
// NARROW: memref.alloc() : memref<8xi32>
// NARROW: scf.for %[[ROW:.*]] = %c0 to %c8
// NARROW: memref.dma_start %{{.*}}[%[[ROW]], %c0], %{{.*}}[%[[ROW]], %c0], %c64, %{{.*}}[%[[ROW]]]
func.func @wide(%x: memref<64x16384xf32>, %a: memref<8x64xf32, 1>, %n: index, %p: i1, %q: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    scf.if %p {
      %v = memref.subview %x[0, %i] [8, 64] [1, 1] : memref<64x16384xf32> to memref<8x64xf32, strided<[16384, 1], offset: ?>>
      memref.copy %a, %v {hexagon.db_store = array<i64: 0, 0, 0>}
        : memref<8x64xf32, 1> to memref<8x64xf32, strided<[16384, 1], offset: ?>>
    } {hexagon.db_ping_stage = 0 : i64}
    scf.if %q {
      linalg.exp ins(%a : memref<8x64xf32, 1>) outs(%a : memref<8x64xf32, 1>)
    } {hexagon.db_pong_stage = 1 : i64}
  } {hexagon.db_loop = 0 : i64}
  return
}
