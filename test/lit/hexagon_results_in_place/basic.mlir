// A buffer that is copied to an argument, reshaped, is replaced by that argument.
// RUN: hexmlir-opt %s --hexagon-results-in-place --split-input-file | filecheck %s

// 1. Tiles are written directly to the argument, through two reshapes.
// CHECK-LABEL: func.func @tiles
// CHECK-NOT: memref.alloc
// CHECK: %[[MATRIX:.*]] = memref.collapse_shape %arg1 {{.*}} : memref<1x8x1x9xf32> into memref<8x1x9xf32>
// CHECK: %[[ROWS:.*]] = memref.collapse_shape %[[MATRIX]] {{.*}} : memref<8x1x9xf32> into memref<8x9xf32>
// CHECK: scf.for
// CHECK: memref.subview %[[ROWS]]
// CHECK-NOT: memref.copy
func.func @tiles(%x: memref<8x9xf32>, %y: memref<1x8x1x9xf32>) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %a = memref.alloc() : memref<8x9xf32>
  scf.for %i = %c0 to %c8 step %c4 {
    %s = memref.subview %x[%i, 0] [4, 9] [1, 1] : memref<8x9xf32> to memref<4x9xf32, strided<[9, 1], offset: ?>>
    %t = memref.subview %a[%i, 0] [4, 9] [1, 1] : memref<8x9xf32> to memref<4x9xf32, strided<[9, 1], offset: ?>>
    linalg.exp ins(%s : memref<4x9xf32, strided<[9, 1], offset: ?>>) outs(%t : memref<4x9xf32, strided<[9, 1], offset: ?>>)
  }
  %b = memref.expand_shape %a [[0, 1], [2]] output_shape [8, 1, 9] : memref<8x9xf32> into memref<8x1x9xf32>
  %c = memref.expand_shape %b [[0, 1], [2], [3]] output_shape [1, 8, 1, 9] : memref<8x1x9xf32> into memref<1x8x1x9xf32>
  memref.copy %c, %y : memref<1x8x1x9xf32> to memref<1x8x1x9xf32>
  return
}

// -----
// 2. One buffer for two results: the first is computed in place, the second is a copy of it.
// CHECK-LABEL: func.func @twice
// CHECK: %[[A:.*]] = memref.collapse_shape %arg1
// CHECK: linalg.exp ins(%arg0 : memref<4xf32>) outs(%[[A]] : memref<4xf32>)
// CHECK: memref.copy %{{.*}}, %arg2
func.func @twice(%x: memref<4xf32>, %y: memref<1x4xf32>, %z: memref<1x4xf32>) {
  %a = memref.alloc() : memref<4xf32>
  linalg.exp ins(%x : memref<4xf32>) outs(%a : memref<4xf32>)
  %b = memref.expand_shape %a [[0, 1]] output_shape [1, 4] : memref<4xf32> into memref<1x4xf32>
  memref.copy %b, %y : memref<1x4xf32> to memref<1x4xf32>
  memref.copy %b, %z : memref<1x4xf32> to memref<1x4xf32>
  return
}

// -----
// 9. A copy of a buffer to itself is erased.
// CHECK-LABEL: func.func @itself
// CHECK-NEXT: memref.copy %arg0, %arg1
// CHECK-NEXT: return
func.func @itself(%x: memref<4xf32>, %y: memref<4xf32>) {
  memref.copy %x, %x : memref<4xf32> to memref<4xf32>
  memref.copy %x, %y : memref<4xf32> to memref<4xf32>
  return
}

// The result takes the place of the argument whose memory it has.
// CHECK-LABEL: func.func @changed
// CHECK-SAME:    %{{.*}}: memref<8xf32>, %[[V:.*]]: f32, %[[R:.*]]: memref<8xf32>
// CHECK-NEXT:    %[[C:.*]] = arith.constant 3
// CHECK-NEXT:    memref.store %[[V]], %[[R]][%[[C]]]
// CHECK-NEXT:    return
func.func @changed(%x: memref<8xf32>, %v: f32, %r: memref<8xf32>) attributes {hexagon.in_place = array<i64: 0>} {
  %c3 = arith.constant 3 : index
  memref.store %v, %x[%c3] : memref<8xf32>
  memref.copy %x, %r : memref<8xf32> to memref<8xf32>
  return
}

// -----
// An argument that was a result overlaps nothing else.
// CHECK-LABEL: func.func @marked
// CHECK-SAME: (%arg0: memref<4xf32> {llvm.noalias}, %arg1: memref<4xf32>, %arg2: memref<4xf32> {llvm.noalias})
func.func @marked(%x: memref<4xf32> {llvm.noalias}, %p: memref<4xf32>, %y: memref<4xf32> {bufferize.result}) {
  linalg.exp ins(%x : memref<4xf32>) outs(%y : memref<4xf32>)
  return
}
