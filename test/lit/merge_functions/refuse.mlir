// Not merged: public functions, other attributes of arguments, a function whose address is taken, other constants.
// RUN: hexmlir-opt %s --merge-functions | filecheck %s

// CHECK: func.func @public_a
// CHECK: func.func @public_b
// CHECK: func.func private @alone(
// CHECK: func.func private @shared(
// CHECK: func.func private @pointed_at(
// CHECK: func.func private @one(
// CHECK: func.func private @two(
func.func @public_a(%x: memref<8xf32>) {
  return
}
func.func @public_b(%x: memref<8xf32>) {
  return
}
func.func private @alone(%x: memref<8xf32> {llvm.noalias}) {
  return
}
func.func private @shared(%x: memref<8xf32>) {
  return
}
func.func private @pointed_at(%x: memref<8xf32>) {
  return
}
func.func private @one() -> i32 {
  %c = arith.constant 1 : i32
  return %c : i32
}
func.func private @two() -> i32 {
  %c = arith.constant 2 : i32
  return %c : i32
}
func.func @f(%x: memref<8xf32>) -> i32 {
  %p = func.constant @pointed_at : (memref<8xf32>) -> ()
  func.call_indirect %p(%x) : (memref<8xf32>) -> ()
  call @alone(%x) : (memref<8xf32>) -> ()
  call @shared(%x) : (memref<8xf32>) -> ()
  %a = call @one() : () -> i32
  %b = call @two() : () -> i32
  %c = arith.addi %a, %b : i32
  return %c : i32
}
