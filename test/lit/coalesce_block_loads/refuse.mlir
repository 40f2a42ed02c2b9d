// Loops that stay.
// RUN: hexmlir-opt %s --coalesce-block-loads --remarks 2>&1 | filecheck %s

// CHECK: remark: coalesce-block-loads: tensor 0 is collected in blocks: its blocks do not follow each other in memory
// CHECK: remark: coalesce-block-loads: its loop loads blocks one by one: this may write what they read
// CHECK: remark: coalesce-block-loads: tensor 0 is collected in blocks: its blocks have fewer dimensions
// CHECK-LABEL: func.func @apart
// CHECK-NOT: remark
// CHECK: scf.for
// CHECK: memref.copy
// CHECK-NOT: remark
func.func @apart(%p: memref<1xf16>, %row: index) -> tensor<32x64xf16> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %none = tensor.empty() : tensor<32x64xf16>
  %whole = scf.for %k = %c0 to %c64 step %c32 iter_args(%old = %none) -> (tensor<32x64xf16>) {
    %at = arith.muli %k, %c2 : index
    %block = memref.alloc() : memref<32x32xf16>
    %there = memref.reinterpret_cast %p to offset: [%at], sizes: [32, 32], strides: [%row, 1]
        : memref<1xf16> to memref<32x32xf16, strided<[?, 1], offset: ?>>
    memref.copy %there, %block : memref<32x32xf16, strided<[?, 1], offset: ?>> to memref<32x32xf16>
    %x = bufferization.to_tensor %block restrict writable : memref<32x32xf16> to tensor<32x32xf16>
    %new = tensor.insert_slice %x into %old[0, %k] [32, 32] [1, 1] : tensor<32x32xf16> into tensor<32x64xf16>
    scf.yield %new : tensor<32x64xf16>
  }
  return %whole : tensor<32x64xf16>
}

// CHECK-LABEL: func.func @writes
// CHECK-NOT: remark
// CHECK: scf.for
// CHECK: memref.store
// CHECK-NOT: remark
func.func @writes(%p: memref<1xf16>, %row: index, %v: f16) -> tensor<32x64xf16> {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %none = tensor.empty() : tensor<32x64xf16>
  %whole = scf.for %k = %c0 to %c64 step %c32 iter_args(%old = %none) -> (tensor<32x64xf16>) {
    %block = memref.alloc() : memref<32x32xf16>
    %there = memref.reinterpret_cast %p to offset: [%k], sizes: [32, 32], strides: [%row, 1]
        : memref<1xf16> to memref<32x32xf16, strided<[?, 1], offset: ?>>
    memref.copy %there, %block : memref<32x32xf16, strided<[?, 1], offset: ?>> to memref<32x32xf16>
    memref.store %v, %p[%c0] : memref<1xf16>
    %x = bufferization.to_tensor %block restrict writable : memref<32x32xf16> to tensor<32x32xf16>
    %new = tensor.insert_slice %x into %old[0, %k] [32, 32] [1, 1] : tensor<32x32xf16> into tensor<32x64xf16>
    scf.yield %new : tensor<32x64xf16>
  }
  return %whole : tensor<32x64xf16>
}

// CHECK-LABEL: func.func @planes
// CHECK-NOT: remark
// CHECK: scf.for
// CHECK: memref.copy
// CHECK-NOT: remark
func.func @planes(%p: memref<1xf16>, %row: index) -> tensor<2x32x32xf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %none = tensor.empty() : tensor<2x32x32xf16>
  %whole = scf.for %k = %c0 to %c2 step %c1 iter_args(%old = %none) -> (tensor<2x32x32xf16>) {
    %block = memref.alloc() : memref<32x32xf16>
    %there = memref.reinterpret_cast %p to offset: [%k], sizes: [32, 32], strides: [%row, 1]
        : memref<1xf16> to memref<32x32xf16, strided<[?, 1], offset: ?>>
    memref.copy %there, %block : memref<32x32xf16, strided<[?, 1], offset: ?>> to memref<32x32xf16>
    %x = bufferization.to_tensor %block restrict writable : memref<32x32xf16> to tensor<32x32xf16>
    %new = tensor.insert_slice %x into %old[%k, 0, 0] [1, 32, 32] [1, 1, 1]
        : tensor<32x32xf16> into tensor<2x32x32xf16>
    scf.yield %new : tensor<2x32x32xf16>
  }
  return %whole : tensor<2x32x32xf16>
}

// Blocks that are computed are none of its business.
// CHECK-LABEL: func.func @computed
// CHECK-NOT: remark
// CHECK: scf.for
// CHECK: arith.addf
// CHECK-NOT: remark
func.func @computed(%x: tensor<32x32xf16>) -> tensor<32x64xf16> {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %none = tensor.empty() : tensor<32x64xf16>
  %whole = scf.for %k = %c0 to %c64 step %c32 iter_args(%old = %none) -> (tensor<32x64xf16>) {
    %twice = arith.addf %x, %x : tensor<32x32xf16>
    %new = tensor.insert_slice %twice into %old[0, %k] [32, 32] [1, 1] : tensor<32x32xf16> into tensor<32x64xf16>
    scf.yield %new : tensor<32x64xf16>
  }
  return %whole : tensor<32x64xf16>
}

// CHECK-LABEL: func.func @fewer_dimensions
// CHECK-NOT: remark
// CHECK: scf.for
// CHECK: tensor.insert_slice
// CHECK-NOT: remark
func.func @fewer_dimensions(%x: tensor<32x64xf16>) -> tensor<2x32x64xf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %none = tensor.empty() : tensor<2x32x64xf16>
  %whole = scf.for %k = %c0 to %c2 step %c1 iter_args(%old = %none) -> (tensor<2x32x64xf16>) {
    %new = tensor.insert_slice %x into %old[%k, 0, 0] [1, 32, 64] [1, 1, 1] : tensor<32x64xf16> into tensor<2x32x64xf16>
    scf.yield %new : tensor<2x32x64xf16>
  }
  return %whole : tensor<2x32x64xf16>
}
