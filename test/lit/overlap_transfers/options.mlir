// From how many bytes on copies become transfers.
// RUN: hexmlir-opt %s --overlap-transfers | filecheck %s
// RUN: hexmlir-opt %s --overlap-transfers=dma-bytes=64 | filecheck %s --check-prefix=SMALL
// RUN: not hexmlir-opt %s --overlap-transfers=bytes=64 2>&1 | filecheck %s --check-prefix=UNKNOWN
// CHECK-NOT: dma_start
// CHECK: memref.copy
// SMALL: memref.dma_start
// SMALL-NOT: memref.copy
// UNKNOWN: error: overlap-transfers: unknown option 'bytes'
!tile = memref<1x1x16x32x2xf16, 1>
func.func @f(%x: memref<256xf32>, %y: memref<256xf32, 1>, %a: !tile, %t: memref<1x2x32xi32, 1>) {
  memref.copy %x, %y : memref<256xf32> to memref<256xf32, 1>
  "hexagon.engine_product"(%a, %a, %t, %a) : (!tile, !tile, memref<1x2x32xi32, 1>, !tile) -> ()
  "hexagon.engine_wait"() : () -> ()
  linalg.exp ins(%y : memref<256xf32, 1>) outs(%y : memref<256xf32, 1>)
  return
}
