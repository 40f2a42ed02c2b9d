// Transfers become runtime calls with addresses, rows and strides in bytes; the tag is stored in memory.
// RUN: hexmlir-opt %s --hexagon-dma-lowering --canonicalize --cse --split-input-file | filecheck %s

// 1. A linear transfer from the middle of a buffer.
// CHECK-LABEL: func.func @linear
// CHECK: %[[AT:.*]] = arith.addi %{{.*}}, %c40
// CHECK: %[[TAG:.*]] = call @hexmlir_rt_dma_start_2d(%{{.*}}, %[[AT]], %c128_i32, %c1_i32, %c128_i32, %c128_i32)
// CHECK: memref.store %[[TAG]], %arg2[%c1]
// CHECK: %[[SAME:.*]] = memref.load %arg2[%c1]
// CHECK: call @hexmlir_rt_dma_wait(%[[SAME]]) : (i32) -> ()
func.func @linear(%x: memref<64xf32>, %t: memref<64xf32, 1>, %tags: memref<2xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c10 = arith.constant 10 : index
  %c32 = arith.constant 32 : index
  memref.dma_start %x[%c10], %t[%c0], %c32, %tags[%c1] : memref<64xf32>, memref<64xf32, 1>, memref<2xi32>
  memref.dma_wait %tags[%c1], %c1 : memref<2xi32>
  return
}

// -----
// 2. Rows of a matrix of 100 f16 to TCM and back: 8 rows of 20 elements, packed in TCM, and at its own stride.
// CHECK-LABEL: func.func @rows
// CHECK: call @hexmlir_rt_dma_start_2d(%{{.*}}, %{{.*}}, %c40_i32, %c8_i32, %c40_i32, %c200_i32)
// CHECK: call @hexmlir_rt_dma_start_2d(%{{.*}}, %{{.*}}, %c40_i32, %c8_i32, %c200_i32, %c64_i32)
func.func @rows(%x: memref<64x100xf16>, %t: memref<160xf16, 1>, %u: memref<8x20xf16, strided<[32, 1]>, 1>,
                %tag: memref<1xi32>) {
  %c0 = arith.constant 0 : index
  %c20 = arith.constant 20 : index
  %c100 = arith.constant 100 : index
  %c160 = arith.constant 160 : index
  memref.dma_start %x[%c0, %c0], %t[%c0], %c160, %tag[%c0], %c100, %c20
    : memref<64x100xf16>, memref<160xf16, 1>, memref<1xi32>
  memref.dma_start %u[%c0, %c0], %x[%c0, %c0], %c160, %tag[%c0], %c100, %c20
    : memref<8x20xf16, strided<[32, 1]>, 1>, memref<64x100xf16>, memref<1xi32>
  return
}
