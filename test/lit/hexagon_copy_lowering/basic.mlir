// Small copies stay with the core, large ones become DMA transfers.
// RUN: hexmlir-opt %s --hexagon-copy-lowering --split-input-file | filecheck %s
// RUN: hexmlir-opt %s --hexagon-copy-lowering --canonicalize --split-input-file | filecheck %s --check-prefix=VALUE

// 1. A copy too small to pay for starting DMA is a linalg.copy.
// CHECK-LABEL: func.func @small
// CHECK: linalg.copy {{.*}}ins(%arg0 : memref<8x4xf32>) outs(%arg1 : memref<8x4xf32>)
// CHECK-NOT: memref.copy
func.func @small(%x: memref<8x4xf32>, %y: memref<8x4xf32>) {
  memref.copy %x, %y : memref<8x4xf32> to memref<8x4xf32>
  return
}

// -----
// 2. A large contiguous copy is one row: 512 * 1024 * 4 bytes, one row, strides equal to the row.
// CHECK-LABEL: func.func private @hexmlir_rt_copy_2d(index, index, i32, i32, i32, i32)
// CHECK: func.func @large
// CHECK-NOT: linalg.copy
// CHECK: call @hexmlir_rt_copy_2d
// VALUE-LABEL: func.func @large
// VALUE: call @hexmlir_rt_copy_2d(%{{.*}}, %{{.*}}, %c2097152_i32, %c1_i32, %c2097152_i32, %c2097152_i32)
func.func @large(%x: memref<512x1024xf32>, %y: memref<512x1024xf32, 1>) {
  memref.copy %x, %y : memref<512x1024xf32> to memref<512x1024xf32, 1>
  return
}

// -----
// 3. Rows of a larger buffer: a transfer with a stride on one side.
// CHECK-LABEL: func.func @rows
// CHECK: call @hexmlir_rt_copy_2d
// VALUE-LABEL: func.func @rows
// VALUE: call @hexmlir_rt_copy_2d(%{{.*}}, %{{.*}}, %c4096_i32, %c512_i32, %c4096_i32, %c8192_i32)
func.func @rows(%x: memref<512x2048xf32>, %y: memref<512x1024xf32, 1>) {
  %v = memref.subview %x[0, 0] [512, 1024] [1, 1] : memref<512x2048xf32> to memref<512x1024xf32, strided<[2048, 1]>>
  memref.copy %v, %y : memref<512x1024xf32, strided<[2048, 1]>> to memref<512x1024xf32, 1>
  return
}

// -----
// 4. A copy of a buffer onto itself, which tiling leaves, is erased.
// CHECK-LABEL: func.func @itself
// CHECK-NEXT: return
func.func @itself(%x: memref<512x1024xf32>) {
  memref.copy %x, %x : memref<512x1024xf32> to memref<512x1024xf32>
  return
}

// -----
// 5. A size known only at run time: DMA or memcpy, chosen by the number of bytes.
// CHECK-LABEL: func.func @dynamic
// CHECK: %[[DIM:.*]] = memref.dim %arg0, %{{.*}} : memref<?xf32>
// CHECK: %[[BYTES:.*]] = arith.muli %{{.*}}, %[[DIM]] : index
// CHECK: %[[LARGE:.*]] = arith.cmpi sge, %[[BYTES]], %{{.*}} : index
// CHECK: scf.if %[[LARGE]] {
// CHECK: call @hexmlir_rt_copy_2d
// CHECK: } else {
// CHECK: call @memcpy(%{{.*}}, %{{.*}}, %{{.*}}) : (index, index, index) -> index
// CHECK-NOT: linalg.copy
func.func @dynamic(%x: memref<?xf32>, %y: memref<?xf32, 1>) {
  memref.copy %x, %y : memref<?xf32> to memref<?xf32, 1>
  return
}

// -----
// 6. A run-time size that a small buffer bounds needs no test.
// CHECK-LABEL: func.func @bounded
// CHECK-NOT: scf.if
// CHECK: linalg.copy
func.func @bounded(%x: memref<64xf32>, %y: memref<?xf32>, %n: index) {
  %v = memref.subview %x[0] [%n] [1] : memref<64xf32> to memref<?xf32, strided<[1]>>
  memref.copy %v, %y : memref<?xf32, strided<[1]>> to memref<?xf32>
  return
}

// -----
// 7. A block too small for DMA and too large for inline code becomes memcpy; a few rows with gaps do not.
// CHECK-LABEL: func.func @block
// CHECK: memref.copy %arg0, %arg1
// CHECK-NOT: memref.copy
// CHECK: linalg.copy
func.func @block(%x: memref<64x32xf32>, %y: memref<64x32xf32, 1>, %z: memref<64x64xf32>, %w: memref<8x32xf32, 1>) {
  memref.copy %x, %y : memref<64x32xf32> to memref<64x32xf32, 1>
  %v = memref.subview %z[0, 0] [8, 32] [1, 1] : memref<64x64xf32> to memref<8x32xf32, strided<[64, 1]>>
  memref.copy %v, %w : memref<8x32xf32, strided<[64, 1]>> to memref<8x32xf32, 1>
  return
}

// -----
// 8. The same with a bound below the DMA threshold: memcpy reads cache lines in order.
// CHECK-LABEL: func.func @bounded_block
// CHECK-NOT: hexmlir_rt_copy_2d
// CHECK-NOT: scf.if
// CHECK: call @memcpy
// CHECK-NOT: linalg.copy
// CHECK-NOT: hexmlir_rt_copy_2d
func.func @bounded_block(%x: memref<1024xf32>, %y: memref<?xf32>, %n: index) {
  %v = memref.subview %x[0] [%n] [1] : memref<1024xf32> to memref<?xf32, strided<[1]>>
  memref.copy %v, %y : memref<?xf32, strided<[1]>> to memref<?xf32>
  return
}

// -----
// 9. Long rows into a larger buffer, too few bytes for DMA: memcpy for each.
// CHECK-LABEL: func.func @long_rows
// CHECK: scf.for
// CHECK: call @memcpy
// CHECK-NOT: linalg.copy
// VALUE-LABEL: func.func @long_rows
// VALUE: scf.for %[[ROW:.*]] = %c0 to %c16 step %c1 {
// VALUE: arith.muli %[[ROW]], %c792
// VALUE: arith.muli %[[ROW]], %c768
// VALUE: call @memcpy(%{{.*}}, %{{.*}}, %c768)
func.func @long_rows(%x: memref<16x192xf32>, %y: memref<18x198xf32, 1>) {
  %v = memref.subview %y[1, 3] [16, 192] [1, 1] : memref<18x198xf32, 1> to memref<16x192xf32, strided<[198, 1], offset: 201>, 1>
  memref.copy %x, %v : memref<16x192xf32> to memref<16x192xf32, strided<[198, 1], offset: 201>, 1>
  return
}

// -----
// 10. Rows whose number and length are dynamic: memcpy for each when they are long.
// CHECK-LABEL: func.func @dynamic_rows
// CHECK: %[[LONG:.*]] = arith.cmpi sge, %{{.*}}, %c512
// CHECK: scf.if %[[LONG]] {
// CHECK: scf.for
// CHECK: call @memcpy
// CHECK: } else {
// CHECK: linalg.copy
func.func @dynamic_rows(%x: memref<16x256xf32>, %y: memref<16x256xf32, 1>, %m: index, %n: index) {
  %v = memref.subview %x[0, 0] [%m, %n] [1, 1] : memref<16x256xf32> to memref<?x?xf32, strided<[256, 1]>>
  %w = memref.subview %y[0, 0] [%m, %n] [1, 1] : memref<16x256xf32, 1> to memref<?x?xf32, strided<[256, 1]>, 1>
  memref.copy %v, %w : memref<?x?xf32, strided<[256, 1]>> to memref<?x?xf32, strided<[256, 1]>, 1>
  return
}

// -----
// 11. Rows that cannot be long are copied in line.
// CHECK-LABEL: func.func @short_rows
// CHECK-NOT: memcpy
// CHECK: linalg.copy
func.func @short_rows(%x: memref<16x64xf32>, %y: memref<16x64xf32, 1>, %m: index, %n: index) {
  %v = memref.subview %x[0, 0] [%m, %n] [1, 1] : memref<16x64xf32> to memref<?x?xf32, strided<[64, 1]>>
  %w = memref.subview %y[0, 0] [%m, %n] [1, 1] : memref<16x64xf32, 1> to memref<?x?xf32, strided<[64, 1]>, 1>
  memref.copy %v, %w : memref<?x?xf32, strided<[64, 1]>> to memref<?x?xf32, strided<[64, 1]>, 1>
  return
}

// -----
// 12. Many short rows of DDR, each of which would stall the core: one transfer, also for planes at the rows' stride.
// VALUE-LABEL: func.func @gaps
// VALUE: call @hexmlir_rt_copy_2d(%{{.*}}, %{{.*}}, %c128_i32, %c24_i32, %c128_i32, %c256_i32)
func.func @gaps(%x: memref<2x12x64xf32>, %y: memref<2x12x32xf32>) {
  %v = memref.subview %x[0, 0, 32] [2, 12, 32] [1, 1, 1]
      : memref<2x12x64xf32> to memref<2x12x32xf32, strided<[768, 64, 1], offset: 32>>
  memref.copy %v, %y : memref<2x12x32xf32, strided<[768, 64, 1], offset: 32>> to memref<2x12x32xf32>
  return
}

// -----
// 13. The same rows in TCM, which do not stall the core.
// CHECK-LABEL: func.func @gaps_in_tcm
// CHECK-NOT: call
// CHECK: linalg.copy
func.func @gaps_in_tcm(%x: memref<2x12x64xf32, 1>, %y: memref<2x12x32xf32>) {
  %v = memref.subview %x[0, 0, 32] [2, 12, 32] [1, 1, 1]
      : memref<2x12x64xf32, 1> to memref<2x12x32xf32, strided<[768, 64, 1], offset: 32>, 1>
  memref.copy %v, %y : memref<2x12x32xf32, strided<[768, 64, 1], offset: 32>, 1> to memref<2x12x32xf32>
  return
}

// -----
// 14. Planes at another stride than their rows: one transfer each, all started before the first wait.
// CHECK-LABEL: func.func @planes
// CHECK: %[[TAGS:.*]] = memref.alloc() : memref<3xi32>
// CHECK: scf.for
// CHECK: func.call @hexmlir_rt_dma_start_2d
// CHECK: memref.store %{{.*}}, %[[TAGS]]
// CHECK: scf.for
// CHECK: func.call @hexmlir_rt_dma_wait
// CHECK: memref.dealloc %[[TAGS]]
func.func @planes(%x: memref<3x64x64xf32>, %y: memref<3x66x66xf32>) {
  %v = memref.subview %y[0, 1, 1] [3, 64, 64] [1, 1, 1]
      : memref<3x66x66xf32> to memref<3x64x64xf32, strided<[4356, 66, 1], offset: 67>>
  memref.copy %x, %v : memref<3x64x64xf32> to memref<3x64x64xf32, strided<[4356, 66, 1], offset: 67>>
  return
}

// -----
// 15. A column: its elements are rows of one.
// VALUE-LABEL: func.func @column
// VALUE: call @hexmlir_rt_copy_2d(%{{.*}}, %{{.*}}, %c4_i32, %c64_i32, %c4_i32, %c256_i32)
func.func @column(%x: memref<64x64xf32>, %y: memref<64x1xf32>) {
  %v = memref.subview %x[0, 63] [64, 1] [1, 1] : memref<64x64xf32> to memref<64x1xf32, strided<[64, 1], offset: 63>>
  memref.copy %v, %y : memref<64x1xf32, strided<[64, 1], offset: 63>> to memref<64x1xf32>
  return
}
