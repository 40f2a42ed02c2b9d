// The main thread runs the first iterations, more than the others where it would wait for their end otherwise.
// RUN: hexmlir-opt %s --form-async-threads --canonicalize --split-input-file | filecheck %s

// 1. Six of 300 cycles: three tasks of one each, while the main thread runs three.
// CHECK-LABEL: func.func private @short_thread(%arg0: index, %arg1: f32, %arg2: memref<6xf32>)
// CHECK-NOT: scf.for
// CHECK-LABEL: func.func @short
// CHECK: async.create_group %c3
// CHECK: scf.for %[[I:.*]] = %c3 to %c6 step %c1 {
// CHECK: func.call @short_thread(%[[I]],
// CHECK: scf.for %[[MAIN:.*]] = %c0 to %c3 step %c1 {
// CHECK-NEXT: func.call @short_thread(%[[MAIN]],
// CHECK: async.await_all
func.func @short(%x: memref<6xf32>, %v: f32) {
  scf.forall (%i) in (6) {
    memref.store %v, %x[%i] : memref<6xf32>
  } {hexagon.iteration_cycles = 300 : i64}
  return
}

// -----
// 2. Sixteen of 140 cycles: the others are dealt what follows the first seven round-robin.
// CHECK-LABEL: func.func private @dealt_thread(%arg0: index, %arg1: index, %arg2: index,
// CHECK: scf.for %{{.*}} = %arg0 to %arg1 step %arg2
// CHECK-LABEL: func.func @dealt
// CHECK: async.create_group %c3
// CHECK: scf.for %[[I:.*]] = %c7 to %c10 step %c1 {
// CHECK: func.call @dealt_thread(%[[I]], %c16, %c3,
// CHECK: call @dealt_thread(%c0, %c7, %c1,
func.func @dealt(%x: memref<16xf32>, %v: f32) {
  scf.forall (%i) in (16) {
    memref.store %v, %x[%i] : memref<16xf32>
  } {hexagon.iteration_cycles = 140 : i64}
  return
}

// -----
// 3. Long ones are dealt equally, as are those whose time is not known.
// CHECK-LABEL: func.func @long
// CHECK: async.create_group %c3
// CHECK: scf.for %{{.*}} = %c1 to %c4 step %c1 {
// CHECK: call @long_thread(%c0,
func.func @long(%x: memref<4xf32>, %v: f32) {
  scf.forall (%i) in (4) {
    memref.store %v, %x[%i] : memref<4xf32>
  } {hexagon.iteration_cycles = 60000 : i64}
  return
}
