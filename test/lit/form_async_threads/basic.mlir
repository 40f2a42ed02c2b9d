// Parallel loops become a group of tasks; the main thread takes the first share and waits for the others.
// RUN: hexmlir-opt %s --form-async-threads --canonicalize --split-input-file | filecheck %s

// 1. As many iterations as tasks: each task runs one, the group counts all but the main thread's.
// CHECK-LABEL: func.func private @block_thread(%arg0: index,
// CHECK-SAME: attributes {llvm.passthrough = ["noinline"]}
// CHECK-NOT: scf.for
// CHECK: %[[AT:.*]] = arith.muli %arg0, %c64 : index
// CHECK: memref.subview %{{.*}}[%[[AT]]] [64] [1]
// CHECK: linalg.fill
// CHECK-LABEL: func.func @block
// CHECK: %[[GROUP:.*]] = async.create_group %c3 : !async.group {hexagon.group = 0 : i64}
// CHECK: scf.for %[[I:.*]] = %c1 to %c4 step %c1 {
// CHECK-NEXT: %[[TOKEN:.*]] = async.execute {
// CHECK-NEXT: func.call @block_thread(%[[I]],
// CHECK-NEXT: async.yield
// CHECK-NEXT: }
// CHECK-NEXT: async.add_to_group %[[TOKEN]], %[[GROUP]]
// CHECK-NEXT: }
// CHECK-NEXT: call @block_thread(%c0,
// CHECK-NEXT: async.await_all %[[GROUP]]
// CHECK-NEXT: return
func.func @block(%x: memref<256xf32>, %v: f32) {
  scf.forall (%i) = (0) to (256) step (64) {
    %s = memref.subview %x[%i] [64] [1] : memref<256xf32> to memref<64xf32, strided<[1], offset: ?>>
    linalg.fill ins(%v : f32) outs(%s : memref<64xf32, strided<[1], offset: ?>>)
  }
  return
}

// -----
// 2. More iterations than tasks: block-cyclic. Seven iterations on four tasks are three tasks and the main thread's.
// CHECK-LABEL: func.func private @cyclic_thread(%arg0: index, %arg1: index, %arg2: index,
// CHECK: scf.for %{{.*}} = %arg0 to %arg1 step %arg2
// CHECK-LABEL: func.func @cyclic
// CHECK: async.create_group %c3
// CHECK: scf.for %[[I:.*]] = %c1 to %c4
// CHECK: func.call @cyclic_thread(%[[I]], %c7, %c4,
// CHECK: call @cyclic_thread(%c0, %c7, %c4,
func.func @cyclic(%x: memref<7xf32>, %v: f32) {
  scf.forall (%i) in (7) {
    memref.store %v, %x[%i] : memref<7xf32>
  }
  return
}

// -----
// 3. Two loops are numbered together, the inner one fastest; bounds and steps of both hold.
// CHECK-LABEL: func.func private @rank2_thread
// CHECK: scf.for %[[N:.*]] = %arg0 to %arg1 step %arg2
// CHECK: %[[J:.*]] = arith.remui %[[N]], %c3
// CHECK: %[[J2:.*]] = arith.muli %[[J]], %c2
// CHECK: %[[J3:.*]] = arith.addi %[[J2]], %c1
// CHECK: %[[I:.*]] = arith.divui %[[N]], %c3
// CHECK: memref.store %{{.*}}, %{{.*}}[%[[I]], %[[J3]]]
// CHECK-LABEL: func.func @rank2
func.func @rank2(%x: memref<5x8xf32>, %v: f32) {
  scf.forall (%i, %j) = (0, 1) to (5, 7) step (1, 2) {
    memref.store %v, %x[%i, %j] : memref<5x8xf32>
  }
  return
}

// -----
// 4. A range known at run time: the group is sized by it, and is empty when there is nothing to do.
// CHECK-LABEL: func.func @ragged
// CHECK: %[[TRIPS:.*]] = arith.maxsi %arg1, %c0
// CHECK: %[[FEW:.*]] = arith.minsi %[[TRIPS]], %c4
// CHECK: %[[TASKS:.*]] = arith.maxsi %[[FEW]], %c1
// CHECK: %[[OTHERS:.*]] = arith.subi %[[TASKS]], %c1
// CHECK: async.create_group %[[OTHERS]]
// CHECK: scf.for %{{.*}} = %c1 to %[[TASKS]] step %c1
func.func @ragged(%x: memref<64xf32>, %n: index, %v: f32) {
  scf.forall (%i) in (%n) {
    memref.store %v, %x[%i] : memref<64xf32>
  }
  return
}

// -----
// 5. A view is cloned inside; a buffer of dynamic shape is passed as pointer, offset, sizes and strides.
// CHECK-LABEL: func.func private @captures_thread
// CHECK-SAME: memref<f32> {llvm.noalias}, %[[OFF:.*]]: index, %[[SIZE:.*]]: index
// CHECK: %[[BUF:.*]] = memref.reinterpret_cast %{{.*}} to offset: [0], sizes: [%[[SIZE]]], strides: [1]
// CHECK: memref.subview %[[BUF]]
// CHECK-LABEL: func.func @captures
// CHECK: memref.extract_strided_metadata
func.func @captures(%n: index, %v: f32) {
  %x = memref.alloc(%n) : memref<?xf32>
  %s = memref.subview %x[8] [4] [1] : memref<?xf32> to memref<4xf32, strided<[1], offset: 8>>
  scf.forall (%i) in (4) {
    memref.store %v, %s[%i] : memref<4xf32, strided<[1], offset: 8>>
  }
  memref.dealloc %x : memref<?xf32>
  return
}

// -----
// 6. Inside loops and branches, and two in one function: each has a function of its own.
// CHECK-LABEL: func.func private @nested_thread(
// CHECK: func.func private @nested_thread_1(
// CHECK: func.func @nested
// CHECK: scf.for
// CHECK: async.await_all
// CHECK: scf.if
// CHECK: async.await_all
func.func @nested(%x: memref<8xf32>, %v: f32, %c: i1, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %k = %c0 to %n step %c1 {
    scf.forall (%i) in (2) {
      memref.store %v, %x[%i] : memref<8xf32>
    }
  }
  scf.if %c {
    scf.forall (%i) in (2) {
      memref.store %v, %x[%i] : memref<8xf32>
    }
  }
  return
}

// -----
// 7. Attributes of an argument hold in the task, too.
// CHECK-LABEL: func.func private @promised_thread
// CHECK-SAME: memref<8xf32> {llvm.align = 128 : i64, llvm.noalias}
// CHECK-LABEL: func.func @promised
func.func @promised(%x: memref<8xf32> {llvm.noalias, llvm.align = 128 : i64}, %v: f32) {
  scf.forall (%i) in (2) {
    memref.store %v, %x[%i] : memref<8xf32>
  }
  return
}

// -----
// 8. A slot of an arena that is an argument: its alignment is unknown.
// CHECK-LABEL: func.func private @slot_of_an_argument_thread
// CHECK-SAME: memref<4096xi8, 1> {llvm.noalias})
func.func @slot_of_an_argument(%arena: memref<4096xi8, 1>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : i8
  %v = memref.view %arena[%c0][] {hexagon.tcm_slot} : memref<4096xi8, 1> to memref<4096xi8, 1>
  scf.forall (%i) in (4) {
    memref.store %c1, %v[%i] : memref<4096xi8, 1>
  }
  return
}

// -----
// 9. An asserted alignment holds in the task, and so do the argument's attributes.
// CHECK-LABEL: func.func private @asserted_thread
// CHECK-SAME: memref<8xf32> {llvm.align = 2048 : i64, llvm.noalias}
func.func @asserted(%x: memref<8xf32> {llvm.noalias}, %v: f32) {
  %y = memref.assume_alignment %x, 2048 : memref<8xf32>
  scf.forall (%i) in (2) {
    memref.store %v, %y[%i] : memref<8xf32>
  }
  return
}

// -----
// 10. A mask is recomputed in the task: it could not be passed through memory.
// CHECK-LABEL: func.func private @masked_thread
// CHECK-SAME: (%{{.*}}: index, %{{.*}}: memref<64xf32>, %[[LENGTH:.*]]: i32, %{{.*}}: vector<32xf32>)
// CHECK: %[[LENGTHS:.*]] = vector.broadcast %[[LENGTH]]
// CHECK: %[[MASK:.*]] = arith.cmpi sgt, %[[LENGTHS]], %{{.*}} : vector<32xi32>
// CHECK: %[[ODD:.*]] = arith.xori %[[MASK]], %{{.*}} : vector<32xi1>
// CHECK: vector.maskedstore %{{.*}}, %[[ODD]]
func.func @masked(%x: memref<64xf32>, %v: vector<32xf32>, %n: i32) {
  %lanes = arith.constant dense<[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
                                 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31]> : vector<32xi32>
  %all = arith.constant dense<true> : vector<32xi1>
  %lengths = vector.broadcast %n : i32 to vector<32xi32>
  %mask = arith.cmpi slt, %lanes, %lengths : vector<32xi32>
  %odd = arith.xori %mask, %all : vector<32xi1>
  scf.forall (%i) = (0) to (64) step (32) {
    vector.maskedstore %x[%i], %odd, %v : memref<64xf32>, vector<32xi1>, vector<32xf32>
  }
  return
}
