// Rows without gaps, which are transferred beside products, are moved to DDR where they do not fit.
// RUN: hexmlir-opt %s --hexagon-tcm-allocation='tcm-bytes=16384' | filecheck %s
// CHECK: memref.alloc() : memref<128x64xf16>
func.func @whole(%a: memref<1x1x16x32x2xf16, 1>, %t: memref<1x2x32xi32, 1>, %to: memref<128x64xf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8192 = arith.constant 8192 : index
  %rows = memref.alloc() : memref<128x64xf16, 1>
  %tag = memref.alloc() : memref<1xi32>
  memref.dma_start %rows[%c0, %c0], %to[%c0, %c0], %c8192, %tag[%c0] : memref<128x64xf16, 1>, memref<128x64xf16>,
      memref<1xi32>
  "hexagon.engine_product"(%a, %a, %t, %a) : (memref<1x1x16x32x2xf16, 1>, memref<1x1x16x32x2xf16, 1>,
      memref<1x2x32xi32, 1>, memref<1x1x16x32x2xf16, 1>) -> ()
  "hexagon.engine_wait"() : () -> ()
  memref.dma_wait %tag[%c0], %c1 : memref<1xi32>
  memref.dealloc %rows : memref<128x64xf16, 1>
  return
}
