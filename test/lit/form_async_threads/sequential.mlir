// Loops that one thread runs by itself.
// RUN: hexmlir-opt %s --form-async-threads --split-input-file | filecheck %s

// 1. A forall inside a forall: the threads are in use already.
// CHECK-LABEL: func.func private @inner_thread
// CHECK: scf.for
// CHECK: scf.for
// CHECK-NEXT: memref.store
// CHECK-LABEL: func.func @inner
// CHECK-COUNT-1: async.execute
// CHECK-NOT: async.execute
func.func @inner(%x: memref<8x8xf32>, %v: f32) {
  scf.forall (%i) in (8) {
    scf.forall (%j) in (8) {
      memref.store %v, %x[%i, %j] : memref<8x8xf32>
    }
  }
  return
}

// -----
// 2. One iteration, or none.
// CHECK-LABEL: func.func @one
// CHECK-NOT: async
// CHECK: scf.for
// CHECK: scf.for
func.func @one(%x: memref<8xf32>, %v: f32) {
  scf.forall (%i) in (1) {
    memref.store %v, %x[%i] : memref<8xf32>
  }
  scf.forall (%i) in (0) {
    memref.store %v, %x[%i] : memref<8xf32>
  }
  return
}
