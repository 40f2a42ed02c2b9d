// Copies that transfers cannot express, or would not make faster, stay with the core, however large.
// RUN: hexmlir-opt %s --hexagon-copy-lowering --split-input-file | filecheck %s

// 1. Elements apart from each other.
// CHECK-LABEL: func.func @strided_elements
// CHECK-NOT: call
// CHECK: linalg.copy
func.func @strided_elements(%x: memref<1048576xf32, strided<[2]>>, %y: memref<1048576xf32>) {
  memref.copy %x, %y : memref<1048576xf32, strided<[2]>> to memref<1048576xf32>
  return
}

// -----
// 2. Planes of few and short rows: a transfer each would not pay.
// CHECK-LABEL: func.func @three_dimensions
// CHECK-NOT: call
// CHECK: linalg.copy
func.func @three_dimensions(%x: memref<64x2x8xf32, strided<[16384, 8, 1]>>, %y: memref<64x2x8xf32, strided<[20, 10, 1]>>) {
  memref.copy %x, %y : memref<64x2x8xf32, strided<[16384, 8, 1]>> to memref<64x2x8xf32, strided<[20, 10, 1]>>
  return
}

// -----
// 3. Other operations are unchanged.
// CHECK-LABEL: func.func @no_copy
// CHECK-NEXT: memref.load
// CHECK-NEXT: return
func.func @no_copy(%x: memref<4xf32>, %i: index) -> f32 {
  %0 = memref.load %x[%i] : memref<4xf32>
  return %0 : f32
}
