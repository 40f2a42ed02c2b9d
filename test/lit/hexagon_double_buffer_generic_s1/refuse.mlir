// Loops that stay as they are, and why.
// RUN: hexmlir-opt %s --hexagon-double-buffer-generic-s1 --split-input-file | filecheck %s
// RUN: hexmlir-opt %s --hexagon-double-buffer-generic-s1 --split-input-file --remarks 2>&1 >/dev/null | filecheck %s --check-prefix=WHY
// CHECK-NOT: db_

// 1. The next tile depends on the result of this one.
// WHY: remark: hexagon-double-buffer-generic-s1: not double-buffered: the loop writes memory that a copy reads
func.func @case1(%x: memref<8x65536xf32>, %k: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    %v = memref.subview %x[%i, 0] [1, 65536] [1, 1] : memref<8x65536xf32> to memref<65536xf32, strided<[1], offset: ?>>
    %b = memref.alloc() : memref<65536xf32, 1>
    memref.copy %v, %b : memref<65536xf32, strided<[1], offset: ?>> to memref<65536xf32, 1>
    linalg.exp ins(%b : memref<65536xf32, 1>) outs(%b : memref<65536xf32, 1>)
    %j = arith.addi %i, %k : index
    %o = memref.subview %x[%j, 0] [1, 65536] [1, 1] : memref<8x65536xf32> to memref<65536xf32, strided<[1], offset: ?>>
    memref.copy %b, %o : memref<65536xf32, 1> to memref<65536xf32, strided<[1], offset: ?>>
  }
  return
}

// -----
// 2. Bare pointers may overlap.
// WHY: remark: hexagon-double-buffer-generic-s1: not double-buffered: the loop writes memory that a copy reads
func.func @case2(%p: memref<1xf32>, %q: memref<1xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    %v = memref.reinterpret_cast %p to offset: [%i], sizes: [65536], strides: [1] : memref<1xf32> to memref<65536xf32, strided<[1], offset: ?>>
    %b = memref.alloc() : memref<65536xf32, 1>
    memref.copy %v, %b : memref<65536xf32, strided<[1], offset: ?>> to memref<65536xf32, 1>
    %w = memref.reinterpret_cast %q to offset: [%i], sizes: [65536], strides: [1] : memref<1xf32> to memref<65536xf32, strided<[1], offset: ?>>
    memref.copy %b, %w : memref<65536xf32, 1> to memref<65536xf32, strided<[1], offset: ?>>
  }
  return
}

// -----
// 3. The address of a copy is loaded from memory that the loop may write.
// WHY: remark: hexagon-double-buffer-generic-s1: not double-buffered: where a copy reads depends on what the loop computes
func.func @case3(%x: memref<8x65536xf32>, %where: memref<8xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    %j = memref.load %where[%i] : memref<8xindex>
    %v = memref.subview %x[%j, 0] [1, 65536] [1, 1] : memref<8x65536xf32> to memref<65536xf32, strided<[1], offset: ?>>
    %b = memref.alloc() : memref<65536xf32, 1>
    memref.copy %v, %b : memref<65536xf32, strided<[1], offset: ?>> to memref<65536xf32, 1>
    linalg.exp ins(%b : memref<65536xf32, 1>) outs(%b : memref<65536xf32, 1>)
  }
  return
}

// -----
// 4. Columns: every element has a stride.
// WHY: remark: hexagon-double-buffer-generic-s1: not double-buffered: the innermost dimension of a copy is strided
func.func @case4(%x: memref<65536x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    %v = memref.subview %x[0, %i] [65536, 1] [1, 1] : memref<65536x8xf32> to memref<65536xf32, strided<[8], offset: ?>>
    %b = memref.alloc() : memref<65536xf32, 1>
    memref.copy %v, %b : memref<65536xf32, strided<[8], offset: ?>> to memref<65536xf32, 1>
    linalg.exp ins(%b : memref<65536xf32, 1>) outs(%b : memref<65536xf32, 1>)
  }
  return
}

// -----
// 5. One tile only.
// WHY: remark: hexagon-double-buffer-generic-s1: not double-buffered: a single tile
func.func @case5(%x: memref<8x65536xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c8 {
    %v = memref.subview %x[%i, 0] [1, 65536] [1, 1] : memref<8x65536xf32> to memref<65536xf32, strided<[1], offset: ?>>
    %b = memref.alloc() : memref<65536xf32, 1>
    memref.copy %v, %b : memref<65536xf32, strided<[1], offset: ?>> to memref<65536xf32, 1>
    linalg.exp ins(%b : memref<65536xf32, 1>) outs(%b : memref<65536xf32, 1>)
  }
  return
}

// -----
// 6. A called function may read any memory.
// WHY: remark: hexagon-double-buffer-generic-s1: not double-buffered: func.call may touch any memory
func.func @case6(%x: memref<8x65536xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    %v = memref.subview %x[%i, 0] [1, 65536] [1, 1] : memref<8x65536xf32> to memref<65536xf32, strided<[1], offset: ?>>
    %b = memref.alloc() : memref<65536xf32, 1>
    memref.copy %v, %b : memref<65536xf32, strided<[1], offset: ?>> to memref<65536xf32, 1>
    func.call @g() : () -> ()
  }
  return
}
func.func private @g()

// -----
// 7. Every iteration stores to the same address: the order matters.
// WHY: remark: hexagon-double-buffer-generic-s1: not double-buffered: two iterations may store to the same place
func.func @case7(%x: memref<65536xf32>, %f: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    %b = memref.alloc() : memref<65536xf32, 1>
    linalg.fill ins(%f : f32) outs(%b : memref<65536xf32, 1>)
    %v = memref.subview %x[0] [65536] [1] : memref<65536xf32> to memref<65536xf32, strided<[1]>>
    memref.copy %b, %v : memref<65536xf32, 1> to memref<65536xf32, strided<[1]>>
  }
  return
}

// -----
// 8. 128 bytes a tile: the core has copied it before an engine has started.
// WHY: remark: hexagon-double-buffer-generic-s1: not double-buffered: the transfers are too short to pay
func.func @case8(%x: memref<8x32xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    %v = memref.subview %x[%i, 0] [1, 32] [1, 1] : memref<8x32xf32> to memref<32xf32, strided<[1], offset: ?>>
    %b = memref.alloc() : memref<32xf32, 1>
    memref.copy %v, %b : memref<32xf32, strided<[1], offset: ?>> to memref<32xf32, 1>
    linalg.exp ins(%b : memref<32xf32, 1>) outs(%b : memref<32xf32, 1>)
  }
  return
}

// -----
// 9. A loop-carried buffer that is live for two iterations.
// WHY: remark: hexagon-double-buffer-generic-s1: not double-buffered: a later iteration reads a buffer that this one writes
func.func @case9(%x: memref<8x65536xf32>, %first: memref<65536xf32, 1>, %out: memref<65536xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %last:2 = scf.for %i = %c0 to %c8 step %c1 iter_args(%old = %first, %older = %first)
      -> (memref<65536xf32, 1>, memref<65536xf32, 1>) {
    %v = memref.subview %x[%i, 0] [1, 65536] [1, 1] : memref<8x65536xf32> to memref<65536xf32, strided<[1], offset: ?>>
    %b = memref.alloc() : memref<65536xf32, 1>
    memref.copy %v, %b : memref<65536xf32, strided<[1], offset: ?>> to memref<65536xf32, 1>
    %new = memref.alloc() : memref<65536xf32, 1>
    linalg.max ins(%b, %old : memref<65536xf32, 1>, memref<65536xf32, 1>) outs(%new : memref<65536xf32, 1>)
    linalg.sub ins(%older, %new : memref<65536xf32, 1>, memref<65536xf32, 1>) outs(%b : memref<65536xf32, 1>)
    scf.yield %new, %old : memref<65536xf32, 1>, memref<65536xf32, 1>
  }
  memref.copy %last#1, %out : memref<65536xf32, 1> to memref<65536xf32>
  return
}
