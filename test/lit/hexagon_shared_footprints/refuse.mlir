// Footprints that are not merged.
// RUN: hexmlir-opt %s --hexagon-shared-footprints --split-input-file | filecheck %s

// 1. A store in between: the second load may read the stored elements.
// CHECK-LABEL: func.func @store
// CHECK-NOT: memref<64xf32>
// CHECK-NOT: memref<128xf32>
// CHECK-NOT: memref<33xf32>
// CHECK-NOT: memref<192xf32>
// CHECK-NOT: memref<448xf32>
func.func @store(%x: memref<1xf32>, %y: memref<32xf32>, %t: tensor<32xf32>) {
  %a = memref.reinterpret_cast %x to offset: [0], sizes: [32], strides: [2] : memref<1xf32> to memref<32xf32, strided<[2]>>
  %e = memref.alloc() : memref<32xf32>
  memref.copy %a, %e : memref<32xf32, strided<[2]>> to memref<32xf32>
  bufferization.materialize_in_destination %t in restrict writable %y : (tensor<32xf32>, memref<32xf32>) -> ()
  %b = memref.reinterpret_cast %x to offset: [1], sizes: [32], strides: [2] : memref<1xf32> to memref<32xf32, strided<[2], offset: 1>>
  %o = memref.alloc() : memref<32xf32>
  memref.copy %b, %o : memref<32xf32, strided<[2], offset: 1>> to memref<32xf32>
  return
}

// -----
// 2. Two arrays; the same elements twice; disjoint spans; contiguous footprints; a dynamic size.
// CHECK-LABEL: func.func @apart
// CHECK-NOT: memref<64xf32>
// CHECK-NOT: memref<128xf32>
// CHECK-NOT: memref<33xf32>
// CHECK-NOT: memref<192xf32>
// CHECK-NOT: memref<448xf32>
func.func @apart(%x: memref<1xf32>, %y: memref<1xf32>, %n: index) {
  %e = memref.alloc() : memref<32xf32>
  %a = memref.reinterpret_cast %x to offset: [0], sizes: [32], strides: [2] : memref<1xf32> to memref<32xf32, strided<[2]>>
  memref.copy %a, %e : memref<32xf32, strided<[2]>> to memref<32xf32>
  memref.copy %a, %e : memref<32xf32, strided<[2]>> to memref<32xf32>
  %b = memref.reinterpret_cast %y to offset: [1], sizes: [32], strides: [2] : memref<1xf32> to memref<32xf32, strided<[2], offset: 1>>
  memref.copy %b, %e : memref<32xf32, strided<[2], offset: 1>> to memref<32xf32>
  %c = memref.reinterpret_cast %x to offset: [64], sizes: [32], strides: [2] : memref<1xf32> to memref<32xf32, strided<[2], offset: 64>>
  memref.copy %c, %e : memref<32xf32, strided<[2], offset: 64>> to memref<32xf32>
  %s = memref.reinterpret_cast %y to offset: [100], sizes: [32], strides: [1] : memref<1xf32> to memref<32xf32, strided<[1], offset: 100>>
  memref.copy %s, %e : memref<32xf32, strided<[1], offset: 100>> to memref<32xf32>
  %t = memref.reinterpret_cast %y to offset: [101], sizes: [32], strides: [1] : memref<1xf32> to memref<32xf32, strided<[1], offset: 101>>
  memref.copy %t, %e : memref<32xf32, strided<[1], offset: 101>> to memref<32xf32>
  %d = memref.alloc(%n) : memref<?xf32>
  %u = memref.reinterpret_cast %x to offset: [1], sizes: [%n], strides: [2] : memref<1xf32> to memref<?xf32, strided<[2], offset: 1>>
  memref.copy %u, %d : memref<?xf32, strided<[2], offset: 1>> to memref<?xf32>
  return
}

// -----
// 3. Rows with the same layout in both, which one transfer copies; rows that are not short.
// CHECK-LABEL: func.func @rows
// CHECK-NOT: memref<64xf32>
// CHECK-NOT: memref<128xf32>
// CHECK-NOT: memref<33xf32>
// CHECK-NOT: memref<192xf32>
// CHECK-NOT: memref<448xf32>
func.func @rows(%x: memref<1xf32>) {
  %a = memref.alloc() : memref<64x3xf32>
  %xa = memref.reinterpret_cast %x to offset: [0], sizes: [64, 3], strides: [3, 1] : memref<1xf32> to memref<64x3xf32, strided<[3, 1]>>
  memref.copy %xa, %a : memref<64x3xf32, strided<[3, 1]>> to memref<64x3xf32>
  %b = memref.alloc() : memref<16x32xf32>
  %to = memref.subview %b[0, 0] [16, 28] [1, 1] : memref<16x32xf32> to memref<16x28xf32, strided<[32, 1]>>
  %xb = memref.reinterpret_cast %x to offset: [1000], sizes: [16, 28], strides: [28, 1] : memref<1xf32> to memref<16x28xf32, strided<[28, 1], offset: 1000>>
  memref.copy %xb, %to : memref<16x28xf32, strided<[28, 1], offset: 1000>> to memref<16x28xf32, strided<[32, 1]>>
  return
}
