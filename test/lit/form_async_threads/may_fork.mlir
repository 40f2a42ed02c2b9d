// A function with an argument for the fork permission, and the functions it calls.
// RUN: hexmlir-opt %s --form-async-threads --split-input-file | filecheck %s

// 1. An iteration for each task: one thread calls the body for each.
// CHECK-LABEL: func.func @told
// CHECK-SAME: i1)
// CHECK: scf.if %arg2
// CHECK: async.create_group
// CHECK: async.execute
// CHECK: async.await_all
// CHECK: } else {
// CHECK: scf.for
// CHECK-NEXT: func.call @told_thread(%{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}}) :
// CHECK-NOT: async
func.func @told(%x: memref<4xf32>, %v: f32, %may: i1 {hexagon.may_fork}) {
  scf.forall (%i) in (4) {
    memref.store %v, %x[%i] : memref<4xf32>
  }
  return
}

// -----
// 2. More iterations than tasks: the body loops over them, from 0, all of them, by 1.
// CHECK-LABEL: func.func @more
// CHECK: } else {
// CHECK-DAG: %[[ZERO:.*]] = arith.constant 0
// CHECK-DAG: %[[ALL:.*]] = arith.constant 40
// CHECK-DAG: %[[ONE:.*]] = arith.constant 1
// CHECK: func.call @more_thread(%[[ZERO]], %[[ALL]], %[[ONE]],
func.func @more(%x: memref<40xf32>, %v: f32, %may: i1 {hexagon.may_fork}) {
  scf.forall (%i) in (40) {
    memref.store %v, %x[%i] : memref<40xf32>
  }
  return
}

// -----
// 3. The loop has moved into a function, which a function that may always fork calls as well.
// CHECK-LABEL: func.func private @part(
// CHECK-SAME: i1)
// CHECK: scf.if
// CHECK-LABEL: func.func private @between(
// CHECK-SAME: %arg1: i1)
// CHECK: call @part(%arg0, %arg1)
// CHECK-LABEL: func.func @caller(
// CHECK: %[[R:.*]] = call @between(%arg0, %arg1)
// CHECK: return %[[R]]
// CHECK-LABEL: func.func @always(
// CHECK: %[[YES:.*]] = arith.constant true
// CHECK: call @part(%arg0, %[[YES]])
// CHECK-LABEL: func.func private @alone(
// CHECK-NOT: i1
func.func private @part(%x: memref<4xf32>) {
  %v = arith.constant 1.0 : f32
  scf.forall (%i) in (4) {
    memref.store %v, %x[%i] : memref<4xf32>
  }
  return
}
func.func private @between(%x: memref<4xf32>) -> i32 {
  func.call @part(%x) : (memref<4xf32>) -> ()
  %c = arith.constant 1 : i32
  return %c : i32
}
func.func @caller(%x: memref<4xf32>, %may: i1 {hexagon.may_fork}) -> i32 {
  func.call @alone() : () -> ()
  %r = func.call @between(%x) : (memref<4xf32>) -> i32
  return %r : i32
}
func.func @always(%x: memref<4xf32>) {
  func.call @part(%x) : (memref<4xf32>) -> ()
  return
}
func.func private @alone() {
  return
}

// -----
// 4. The loop's size permits one thread only: no selection by the argument.
// CHECK-LABEL: func.func @single
// CHECK-NOT: scf.if
// CHECK: return
// CHECK-NOT: may_fork
func.func @single(%x: memref<4xf32>, %v: f32, %may: i1 {hexagon.may_fork}) {
  scf.forall (%i) in (1) {
    memref.store %v, %x[%i] : memref<4xf32>
  }
  return
}

// -----
// 5. Where the function may not fork, one block is the whole range: one call.
// CHECK-LABEL: func.func private @joined_thread(
// CHECK-SAME: %[[TASK:arg0]]: index
// CHECK: arith.muli %[[TASK]], %arg
// CHECK-NOT: scf.for
// CHECK-LABEL: func.func @joined(
// CHECK: %[[STEP:.*]] = arith.select %arg2
// CHECK: scf.if %arg2
// CHECK: %[[GROUP:.*]] = async.create_group %{{.*}}
// CHECK: func.call @joined_thread
// CHECK: } else {
// CHECK-NEXT: %[[ZERO:.*]] = arith.constant 0
// CHECK-NEXT: func.call @joined_thread(%[[ZERO]],
// CHECK-NEXT: }
func.func @joined(%x: memref<64xf32>, %v: f32, %may: i1 {hexagon.may_fork}) {
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %step = arith.select %may, %c16, %c64 : index
  scf.forall (%i) = (0) to (64) step (%step) {
    memref.store %v, %x[%i] : memref<64xf32>
  }
  return
}

// -----
// A step of zero where the function may not fork: it stays selected.
// CHECK-LABEL: func.func @none(
// CHECK: %[[STEP:.*]] = arith.select %arg2
// CHECK: arith.ceildivsi %{{.*}}, %{{.*}} : index
func.func @none(%x: memref<64xf32>, %v: f32, %may: i1 {hexagon.may_fork}) {
  %c16 = arith.constant 16 : index
  %c0 = arith.constant 0 : index
  %step = arith.select %may, %c16, %c0 : index
  scf.forall (%i) = (0) to (64) step (%step) {
    memref.store %v, %x[%i] : memref<64xf32>
  }
  return
}
