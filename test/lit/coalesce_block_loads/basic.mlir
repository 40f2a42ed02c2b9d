// Blocks of both factors of a product, under masks that end with the rows: one load each, and the loop is gone.
// RUN: hexmlir-opt %s --coalesce-block-loads --canonicalize | filecheck %s

// CHECK-LABEL: func.func @f
// CHECK-NOT: scf.for
// CHECK: arith.minsi %arg6, %c128_i32
// CHECK: arith.maxsi %{{.*}}, %c0_i32
// CHECK: %[[A:.*]] = memref.alloc() : memref<32x128xf16>
// CHECK: %[[M:.*]] = arith.cmpi ne, %arg2, %c32 : index
// CHECK: %[[N:.*]] = arith.cmpi ne, %[[REST:.*]], %c128 : index
// CHECK: %[[SOME:.*]] = arith.ori %[[M]], %[[N]] : i1
// CHECK: scf.if %[[SOME]]
// CHECK-NEXT: linalg.fill ins(%cst : f16) outs(%[[A]]
// CHECK: memref.reinterpret_cast %arg0 to offset: [%arg3], sizes: [32, 128], strides: [%arg4, 1]
// CHECK: memref.copy {{.*}} : memref<?x?xf16, strided<[?, 1], offset: ?>> to memref<?x?xf16, strided<[128, 1]>>
// CHECK: %[[B:.*]] = memref.alloc() : memref<128x64xf16>
// CHECK: memref.reinterpret_cast %arg1 to offset: [%arg3], sizes: [128, 64], strides: [%{{.*}}, 1]
// CHECK: memref.copy {{.*}} : memref<128x64xf16, strided<[?, 1], offset: ?>> to memref<128x64xf16>
func.func @f(%a: memref<1xf16>, %b: memref<1xf16>, %m: index, %first: index, %row: index, %pitch: i32, %end: i32)
    -> (tensor<32x128xf16>, tensor<128x64xf16>) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %c0_i32 = arith.constant 0 : i32
  %c32_i32 = arith.constant 32 : i32
  %zero = arith.constant 0.0 : f16
  %true = arith.constant true
  %stride = arith.index_cast %pitch : i32 to index
  %by = arith.muli %pitch, %c32_i32 : i32
  %x = tensor.empty() : tensor<32x128xf16>
  %y = tensor.empty() : tensor<128x64xf16>
  %r:4 = scf.for %k = %c0 to %c128 step %c32 iter_args(%at = %first, %bt = %first, %left = %x, %right = %y)
      -> (index, index, tensor<32x128xf16>, tensor<128x64xf16>) {
    %k_i32 = arith.index_cast %k : index to i32
    %rest = arith.subi %end, %k_i32 : i32
    %least = arith.minsi %rest, %c32_i32 : i32
    %most = arith.maxsi %least, %c0_i32 : i32
    %n = arith.index_cast %most : i32 to index
    %block = memref.alloc() : memref<32x32xf16>
    %all_m = arith.cmpi eq, %m, %c32 : index
    %all_n = arith.cmpi eq, %n, %c32 : index
    %all = arith.andi %all_m, %all_n : i1
    %some = arith.xori %all, %true : i1
    scf.if %some {
      linalg.fill ins(%zero : f16) outs(%block : memref<32x32xf16>)
    }
    %p = memref.reinterpret_cast %a to offset: [%at], sizes: [32, 32], strides: [%row, 1]
        : memref<1xf16> to memref<32x32xf16, strided<[?, 1], offset: ?>>
    %ps = memref.subview %p[0, 0] [%m, %n] [1, 1]
        : memref<32x32xf16, strided<[?, 1], offset: ?>> to memref<?x?xf16, strided<[?, 1], offset: ?>>
    %bs = memref.subview %block[0, 0] [%m, %n] [1, 1] : memref<32x32xf16> to memref<?x?xf16, strided<[32, 1]>>
    memref.copy %ps, %bs : memref<?x?xf16, strided<[?, 1], offset: ?>> to memref<?x?xf16, strided<[32, 1]>>
    %t = bufferization.to_tensor %block restrict writable : memref<32x32xf16> to tensor<32x32xf16>
    %next = tensor.insert_slice %t into %left[0, %k] [32, 32] [1, 1] : tensor<32x32xf16> into tensor<32x128xf16>
    %other = memref.alloc() : memref<32x64xf16>
    %q = memref.reinterpret_cast %b to offset: [%bt], sizes: [32, 64], strides: [%stride, 1]
        : memref<1xf16> to memref<32x64xf16, strided<[?, 1], offset: ?>>
    memref.copy %q, %other : memref<32x64xf16, strided<[?, 1], offset: ?>> to memref<32x64xf16>
    %u = bufferization.to_tensor %other restrict writable : memref<32x64xf16> to tensor<32x64xf16>
    %last = tensor.insert_slice %u into %right[%k, 0] [32, 64] [1, 1] : tensor<32x64xf16> into tensor<128x64xf16>
    %at_next = arith.addi %at, %c32 : index
    %by_index = arith.index_cast %by : i32 to index
    %bt_next = arith.addi %bt, %by_index : index
    scf.yield %at_next, %bt_next, %next, %last : index, index, tensor<32x128xf16>, tensor<128x64xf16>
  }
  return %r#2, %r#3 : tensor<32x128xf16>, tensor<128x64xf16>
}

// The stride is computed in the loop, the same in each iteration; blocks are at half of what the loop counts.
// CHECK-LABEL: func.func @halved
// CHECK-NOT: scf.for
// CHECK: %[[PITCH:.*]] = arith.index_cast %arg1 : i32 to index
// CHECK: memref.reinterpret_cast %arg0 to offset: [0], sizes: [32, 64], strides: [%[[PITCH]], 1]
// CHECK: memref.copy {{.*}} to memref<32x64xi8>
func.func @halved(%p: memref<1xi8>, %pitch: i32) -> tensor<32x64xi8> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %none = tensor.empty() : tensor<32x64xi8>
  %whole = scf.for %k = %c0 to %c64 step %c32 iter_args(%old = %none) -> (tensor<32x64xi8>) {
    %stride = arith.index_cast %pitch : i32 to index
    %row = arith.divui %k, %c2 : index
    %at = arith.muli %row, %stride : index
    %block = memref.alloc() : memref<16x64xi8>
    %there = memref.reinterpret_cast %p to offset: [%at], sizes: [16, 64], strides: [%stride, 1]
        : memref<1xi8> to memref<16x64xi8, strided<[?, 1], offset: ?>>
    memref.copy %there, %block : memref<16x64xi8, strided<[?, 1], offset: ?>> to memref<16x64xi8>
    %x = bufferization.to_tensor %block restrict writable : memref<16x64xi8> to tensor<16x64xi8>
    %new = tensor.insert_slice %x into %old[%row, 0] [16, 64] [1, 1] : tensor<16x64xi8> into tensor<32x64xi8>
    scf.yield %new : tensor<32x64xi8>
  }
  return %whole : tensor<32x64xi8>
}
