// Transfers without a runtime equivalent are errors.
// RUN: not hexmlir-opt %s --hexagon-dma-lowering --split-input-file 2>&1 | filecheck %s

// 1. A stride that neither side has.
// CHECK: error: hexagon-dma-lowering: a strided transfer needs one side in TCM: the stride is that of the other
func.func @both_ddr(%x: memref<64xf32>, %y: memref<64xf32>, %tag: memref<1xi32>) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  memref.dma_start %x[%c0], %y[%c0], %c32, %tag[%c0], %c32, %c32 : memref<64xf32>, memref<64xf32>, memref<1xi32>
  return
}

// -----
// 2. The runtime's tags are i32.
// CHECK: error: hexagon-dma-lowering: a tag of type f32
func.func @float_tag(%x: memref<64xf32>, %y: memref<64xf32, 1>, %tag: memref<1xf32>) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  memref.dma_start %x[%c0], %y[%c0], %c32, %tag[%c0] : memref<64xf32>, memref<64xf32, 1>, memref<1xf32>
  return
}
