// The pass has no options. What else a loop computes stays in it.
// RUN: not hexmlir-opt %s --coalesce-block-loads=unroll=1 2>&1 | filecheck %s --check-prefix=BAD
// RUN: hexmlir-opt %s --coalesce-block-loads --canonicalize | filecheck %s
// BAD: error: coalesce-block-loads: unknown option 'unroll'
// BAD-NEXT: hint: options of coalesce-block-loads: none

// CHECK-LABEL: func.func @f
// CHECK: memref.reinterpret_cast %arg0 to offset: [0], sizes: [32, 64], strides: [%arg1, 1]
// CHECK: scf.for %[[K:.*]] = %c0 to %c64 step %c32 iter_args(%[[SUM:.*]] = %arg2) -> (index)
// CHECK-NEXT: arith.addi %[[SUM]], %[[K]] : index
// CHECK-NEXT: scf.yield
func.func @f(%p: memref<1xf16>, %row: index, %n: index) -> (tensor<32x64xf16>, index) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %none = tensor.empty() : tensor<32x64xf16>
  %r:2 = scf.for %k = %c0 to %c64 step %c32 iter_args(%sum = %n, %old = %none) -> (index, tensor<32x64xf16>) {
    %block = memref.alloc() : memref<32x32xf16>
    %there = memref.reinterpret_cast %p to offset: [%k], sizes: [32, 32], strides: [%row, 1]
        : memref<1xf16> to memref<32x32xf16, strided<[?, 1], offset: ?>>
    memref.copy %there, %block : memref<32x32xf16, strided<[?, 1], offset: ?>> to memref<32x32xf16>
    %x = bufferization.to_tensor %block restrict writable : memref<32x32xf16> to tensor<32x32xf16>
    %new = tensor.insert_slice %x into %old[0, %k] [32, 32] [1, 1] : tensor<32x32xf16> into tensor<32x64xf16>
    %more = arith.addi %sum, %k : index
    scf.yield %more, %new : index, tensor<32x64xf16>
  }
  return %r#1, %r#0 : tensor<32x64xf16>, index
}
