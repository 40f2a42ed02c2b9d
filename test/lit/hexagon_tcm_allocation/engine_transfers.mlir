// Rows with gaps between them, which are transferred beside products, stay in TCM as tiles do.
// RUN: not hexmlir-opt %s --hexagon-tcm-allocation='tcm-bytes=16384' 2>&1 | filecheck %s
// CHECK: error: hexagon-tcm-allocation: rows that are transferred of the matrix engine outside TCM: 16384 bytes do not fit together with the live buffers into 14336 bytes of TCM
func.func @gaps(%a: memref<1x1x16x32x2xf16, 1>, %t: memref<1x2x32xi32, 1>, %to: memref<128x128xf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c8192 = arith.constant 8192 : index
  %rows = memref.alloc() : memref<128x64xf16, 1>
  %tag = memref.alloc() : memref<1xi32>
  memref.dma_start %rows[%c0, %c0], %to[%c0, %c0], %c8192, %tag[%c0], %c128, %c64 : memref<128x64xf16, 1>,
      memref<128x128xf16>, memref<1xi32>
  "hexagon.engine_product"(%a, %a, %t, %a) : (memref<1x1x16x32x2xf16, 1>, memref<1x1x16x32x2xf16, 1>,
      memref<1x2x32xi32, 1>, memref<1x1x16x32x2xf16, 1>) -> ()
  "hexagon.engine_wait"() : () -> ()
  memref.dma_wait %tag[%c0], %c1 : memref<1xi32>
  memref.dealloc %rows : memref<128x64xf16, 1>
  return
}
