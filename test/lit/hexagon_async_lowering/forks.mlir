// A loop that starts a task for each of its numbers becomes one call of the runtime; other tasks are coroutines.
// RUN: hexmlir-opt %s --hexagon-async-lowering --split-input-file --verify-levels | filecheck %s
// RUN: hexmlir-opt %s --hexagon-async-lowering --split-input-file --remarks 2>&1 >%t | filecheck %s --check-prefix=WHY

// 1. What tasks read is written to a frame; the frame is not allocated in a loop, and two forks of one function share
// the function that reads it.
// CHECK-LABEL: func.func private @f_thread_task(%arg0: memref<1xi8>, %arg1: i32) attributes {llvm.passthrough = ["noinline"]}
// CHECK: %[[FRAME:.*]] = memref.reinterpret_cast %arg0 {{.*}} to memref<85xi8>
// CHECK: %[[C64:.*]] = arith.constant 64
// CHECK: %[[SLOT:.*]] = memref.view %[[FRAME]][%[[C64]]][] : memref<85xi8> to memref<1xf32>
// CHECK: %[[V:.*]] = memref.load %[[SLOT]]
// CHECK: %[[ADDRESS:.*]] = memref.load %{{.*}} : memref<1xindex>
// CHECK: %[[POINTER:.*]] = call @hexmlir_frame_pointer(%[[ADDRESS]]) : (index) -> memref<1xi8>
// CHECK: %[[X:.*]] = memref.view %{{.*}} : memref<32xi8> to memref<8xf32>
// CHECK: memref.load %{{.*}} : memref<1xi32>
// CHECK: memref.load %{{.*}} : memref<1xi8>
// CHECK: %[[NUMBER:.*]] = arith.index_cast %arg1 : i32 to index
// CHECK: call @f_thread(%[[NUMBER]], %[[V]], %[[X]], %{{.*}}, %{{.*}}) : (index, f32, memref<8xf32>, index, i8) -> ()
// CHECK-LABEL: func.func @f(
// CHECK-COUNT-2: memref.alloca() {alignment = 8 : i64} : memref<85xi8>
// CHECK-NOT: memref.alloca
// CHECK: scf.for
// CHECK: memref.store %arg1, %{{.*}} : memref<1xf32>
// CHECK: %[[START:.*]] = memref.extract_aligned_pointer_as_index %arg0
// CHECK: memref.store %[[START]], %{{.*}} : memref<1xindex>
// CHECK: %[[FIRST:.*]] = arith.index_cast %c1 : index to i32
// CHECK: %[[END:.*]] = arith.index_cast %arg2 : index to i32
// CHECK: %[[TASK:.*]] = func.constant @f_thread_task
// CHECK: call @hexmlir_rt_fork(%{{.*}}, %[[TASK]], %[[FIRST]], %[[END]])
// CHECK: call @f_thread
// CHECK: call @hexmlir_rt_join
// CHECK: call @hexmlir_rt_fork
// CHECK: call @hexmlir_rt_join
// CHECK-NOT: async
func.func private @f_thread(index, f32, memref<8xf32>, index, i8)
func.func @f(%x: memref<8xf32>, %v: f32, %n: index, %b: i8) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %g = async.create_group %n : !async.group {hexagon.group = 0 : i64}
    scf.for %t = %c1 to %n step %c1 {
      %token = async.execute {
        func.call @f_thread(%t, %v, %x, %i, %b) : (index, f32, memref<8xf32>, index, i8) -> ()
        async.yield
      }
      %rank = async.add_to_group %token, %g : !async.token
    }
    func.call @f_thread(%c0, %v, %x, %i, %b) : (index, f32, memref<8xf32>, index, i8) -> ()
    async.await_all %g
  }
  %h = async.create_group %n : !async.group {hexagon.group = 1 : i64}
  scf.for %t = %c0 to %n step %c1 {
    %token = async.execute {
      func.call @f_thread(%t, %v, %x, %n, %b) : (index, f32, memref<8xf32>, index, i8) -> ()
      async.yield
    }
    %rank = async.add_to_group %token, %h : !async.token
  }
  async.await_all %h
  return
}

// -----
// 2. Coroutines, and why. A function of the name that a task would have keeps it.
// CHECK-LABEL: func.func private @mine_task_(%arg0: memref<1xi8>, %arg1: i32)
// CHECK-LABEL: func.func @others
// CHECK-COUNT-4: call @mlirAsyncRuntimeAwaitAllInGroup
// CHECK: call @hexmlir_rt_join
// CHECK-NOT: call @hexmlir_rt_join
// WHY: remark: hexagon-async-lowering: its tasks are coroutines, queued one by one: the step of the loop that starts its tasks is not 1
// WHY: remark: hexagon-async-lowering: its tasks are coroutines, queued one by one: no loop starts its tasks
// WHY: remark: hexagon-async-lowering: its tasks are coroutines, queued one by one: the number of a task is not the first argument of its call alone
// WHY: remark: hexagon-async-lowering: its tasks are coroutines, queued one by one: a task gets a value of type 'vector<4xi1>'
// WHY-NOT: remark
func.func private @mine(index)
func.func private @mine_task(index)
func.func private @masked(index, vector<4xi1>)
func.func @others(%n: index, %m: vector<4xi1>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %a = async.create_group %c1 : !async.group {hexagon.group = 0 : i64}
  scf.for %t = %c0 to %n step %c2 {
    %token = async.execute {
      func.call @mine(%t) : (index) -> ()
      async.yield
    }
    %rank = async.add_to_group %token, %a : !async.token
  }
  async.await_all %a
  %b = async.create_group %c1 : !async.group {hexagon.group = 1 : i64}
  %token = async.execute {
    func.call @mine(%n) : (index) -> ()
    async.yield
  }
  %rank = async.add_to_group %token, %b : !async.token
  async.await_all %b
  %c = async.create_group %c1 : !async.group {hexagon.group = 2 : i64}
  scf.for %t = %c0 to %n step %c1 {
    %one = async.execute {
      func.call @mine(%n) : (index) -> ()
      async.yield
    }
    %r = async.add_to_group %one, %c : !async.token
  }
  async.await_all %c
  %d = async.create_group %c1 : !async.group {hexagon.group = 3 : i64}
  scf.for %t = %c0 to %n step %c1 {
    %one = async.execute {
      func.call @masked(%t, %m) : (index, vector<4xi1>) -> ()
      async.yield
    }
    %r = async.add_to_group %one, %d : !async.token
  }
  async.await_all %d
  %e = async.create_group %c1 : !async.group {hexagon.group = 4 : i64}
  scf.for %t = %c0 to %n step %c1 {
    %one = async.execute {
      func.call @mine(%t) : (index) -> ()
      async.yield
    }
    %r = async.add_to_group %one, %e : !async.token
  }
  async.await_all %e
  return
}
