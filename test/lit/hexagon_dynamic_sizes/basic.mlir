// An i32 for each dynamic dimension, after the other arguments.
// RUN: hexmlir-opt %s --hexagon-dynamic-sizes | filecheck %s

// 1. Two buffers, a static one between them; attributes stay with their arguments.
// CHECK-LABEL: func.func @two(%arg0: memref<1xf32> {llvm.noalias}, %arg1: memref<4xf32>, %arg2: memref<1xi8>, %arg3: i32, %arg4: i32, %arg5: i32)
// CHECK: %0 = arith.index_cast %arg3 : i32 to index
// CHECK: %1 = arith.index_cast %arg4 : i32 to index
// CHECK: memref.reinterpret_cast %arg0 {{.*}}sizes: [%0, 8, %1]{{.*}} : memref<1xf32> to memref<?x8x?xf32>
// CHECK: %4 = arith.index_cast %arg5 : i32 to index
// CHECK: memref.reinterpret_cast %arg2 {{.*}}sizes: [%4]{{.*}} : memref<1xi8> to memref<?xi8>
func.func @two(%x: memref<?x8x?xf32> {llvm.noalias}, %y: memref<4xf32>, %z: memref<?xi8>) {
  %c0 = arith.constant 0 : index
  %v = memref.load %x[%c0, %c0, %c0] : memref<?x8x?xf32>
  memref.store %v, %y[%c0] : memref<4xf32>
  %b = memref.load %z[%c0] : memref<?xi8>
  memref.store %b, %z[%c0] : memref<?xi8>
  return
}

// 2. Static sizes stay as they are.
// CHECK-LABEL: func.func @static(%arg0: memref<4xf32>)
func.func @static(%x: memref<4xf32>) {
  return
}
