// Interleaved footprints are loaded by one copy of all elements from their first to their last.
// RUN: hexmlir-opt %s --hexagon-shared-footprints --split-input-file | filecheck %s

// 1. Three channels of pixels, at a dynamic offset.
// CHECK-LABEL: func.func @channels
// CHECK-SAME: %[[X:[a-z0-9]*]]: memref<1xf32>, %[[I:[a-z0-9]*]]: index
// CHECK: %[[C0:.*]] = arith.constant 0 : index
// CHECK: %[[START:.*]] = arith.addi %[[I]], %[[C0]] : index
// CHECK: %[[ALL:.*]] = memref.reinterpret_cast %[[X]] to offset: [%[[START]]], sizes: [60], strides: [1]
// CHECK: %[[NEAR:.*]] = memref.alloc() : memref<60xf32>
// CHECK: memref.copy %[[ALL]], %[[NEAR]]
// CHECK: %[[R:.*]] = memref.reinterpret_cast %[[NEAR]] to offset: [0], sizes: [20], strides: [3]
// CHECK: memref.copy %[[R]]
// CHECK: %[[G:.*]] = memref.reinterpret_cast %[[NEAR]] to offset: [1], sizes: [20], strides: [3]
// CHECK: memref.copy %[[G]]
// CHECK: %[[B:.*]] = memref.reinterpret_cast %[[NEAR]] to offset: [2], sizes: [20], strides: [3]
// CHECK: memref.copy %[[B]]
// CHECK-NOT: memref.copy
func.func @channels(%x: memref<1xf32>, %i: index) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %i1 = arith.addi %i, %c1 : index
  %i2 = arith.addi %i, %c2 : index
  %r = memref.alloc() : memref<20xf32>
  %xr = memref.reinterpret_cast %x to offset: [%i], sizes: [20], strides: [3] : memref<1xf32> to memref<20xf32, strided<[3], offset: ?>>
  memref.copy %xr, %r : memref<20xf32, strided<[3], offset: ?>> to memref<20xf32>
  %g = memref.alloc() : memref<20xf32>
  %xg = memref.reinterpret_cast %x to offset: [%i1], sizes: [20], strides: [3] : memref<1xf32> to memref<20xf32, strided<[3], offset: ?>>
  memref.copy %xg, %g : memref<20xf32, strided<[3], offset: ?>> to memref<20xf32>
  %b = memref.alloc() : memref<20xf32>
  %xb = memref.reinterpret_cast %x to offset: [%i2], sizes: [20], strides: [3] : memref<1xf32> to memref<20xf32, strided<[3], offset: ?>>
  memref.copy %xb, %b : memref<20xf32, strided<[3], offset: ?>> to memref<20xf32>
  return
}

// -----
// 2. Rows and columns; one footprint is masked: a part of the view is copied to a part of the buffer.
// CHECK-LABEL: func.func @pairs
// CHECK: memref.alloc() : memref<4x8xi8>
// CHECK-NEXT: %[[FIRST:.*]] = arith.constant -2 : index
// CHECK-NEXT: %{{.*}} = memref.reinterpret_cast %{{.*}} to offset: [%[[FIRST]]], sizes: [64], strides: [1]
// CHECK: %[[NEAR:.*]] = memref.alloc() : memref<64xi8>
// CHECK: memref.copy %{{.*}}, %[[NEAR]]
// CHECK: memref.reinterpret_cast %[[NEAR]] to offset: [0], sizes: [4, 8], strides: [16, 2]
// CHECK: memref.reinterpret_cast %[[NEAR]] to offset: [17], sizes: [3, 8], strides: [16, 2]
func.func @pairs(%x: memref<1xi8>) {
  %m2 = arith.constant -2 : index
  %a = memref.alloc() : memref<4x8xi8>
  %xa = memref.reinterpret_cast %x to offset: [%m2], sizes: [4, 8], strides: [16, 2] : memref<1xi8> to memref<4x8xi8, strided<[16, 2], offset: ?>>
  memref.copy %xa, %a : memref<4x8xi8, strided<[16, 2], offset: ?>> to memref<4x8xi8>
  %b = memref.alloc() : memref<4x8xi8>
  %m1 = arith.constant -1 : index
  %xb = memref.reinterpret_cast %x to offset: [%m1], sizes: [4, 8], strides: [16, 2] : memref<1xi8> to memref<4x8xi8, strided<[16, 2], offset: ?>>
  %part = memref.subview %xb[1, 0] [3, 8] [1, 1] : memref<4x8xi8, strided<[16, 2], offset: ?>> to memref<3x8xi8, strided<[16, 2], offset: ?>>
  %to = memref.subview %b[1, 0] [3, 8] [1, 1] : memref<4x8xi8> to memref<3x8xi8, strided<[8, 1], offset: 8>>
  memref.copy %part, %to : memref<3x8xi8, strided<[16, 2], offset: ?>> to memref<3x8xi8, strided<[8, 1], offset: 8>>
  return
}

// -----
// 3. Pixels of three channels into rows of four.
// CHECK-LABEL: func.func @pixels
// CHECK: %[[ALL:.*]] = memref.reinterpret_cast %{{.*}} to offset: [0], sizes: [192], strides: [1]
// CHECK: memref.copy %[[ALL]], %[[NEAR:.*]] :
// CHECK: %[[ROWS:.*]] = memref.reinterpret_cast %[[NEAR]] to offset: [0], sizes: [64, 3], strides: [3, 1]
// CHECK: memref.copy %[[ROWS]]
func.func @pixels(%x: memref<1xf32>) {
  %a = memref.alloc() : memref<64x4xf32>
  %to = memref.subview %a[0, 0] [64, 3] [1, 1] : memref<64x4xf32> to memref<64x3xf32, strided<[4, 1]>>
  %xa = memref.reinterpret_cast %x to offset: [0], sizes: [64, 3], strides: [3, 1] : memref<1xf32> to memref<64x3xf32, strided<[3, 1]>>
  memref.copy %xa, %to : memref<64x3xf32, strided<[3, 1]>> to memref<64x3xf32, strided<[4, 1]>>
  return
}
