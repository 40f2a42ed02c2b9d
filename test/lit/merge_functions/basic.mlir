// Private functions that differ only in name are merged, and then their callers are.
// RUN: hexmlir-opt %s --merge-functions | filecheck %s

// CHECK: func.func private @tile(
// CHECK: func.func private @part(
// CHECK: call @tile(
// CHECK: func.func private @other(
// CHECK-LABEL: func.func @f
// CHECK-NOT: @tile_0
// CHECK-NOT: @part_0
// CHECK: call @part(
// CHECK: call @part(
// CHECK: call @other(
// CHECK-NOT: @tile_0
// CHECK-NOT: @part_0
func.func private @tile(%x: memref<32xf32>, %v: f32) {
  %c0 = arith.constant 0 : index
  memref.store %v, %x[%c0] : memref<32xf32>
  return
}
func.func private @tile_0(%x: memref<32xf32>, %v: f32) {
  %c0 = arith.constant 0 : index
  memref.store %v, %x[%c0] : memref<32xf32>
  return
}
func.func private @part(%x: memref<32xf32>, %v: f32) {
  call @tile(%x, %v) : (memref<32xf32>, f32) -> ()
  return
}
func.func private @part_0(%x: memref<32xf32>, %v: f32) {
  call @tile_0(%x, %v) : (memref<32xf32>, f32) -> ()
  return
}
func.func private @other(%x: memref<32xf32>, %v: f32) {
  %c1 = arith.constant 1 : index
  memref.store %v, %x[%c1] : memref<32xf32>
  return
}
func.func @f(%x: memref<32xf32>, %y: memref<32xf32>, %v: f32) {
  call @part(%x, %v) : (memref<32xf32>, f32) -> ()
  call @part_0(%y, %v) : (memref<32xf32>, f32) -> ()
  call @other(%y, %v) : (memref<32xf32>, f32) -> ()
  return
}
