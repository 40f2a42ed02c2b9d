// Tasks become coroutines; on a 32-bit machine their frames are allocated with 32-bit sizes.
// RUN: hexmlir-opt %s --hexagon-async-lowering --split-input-file --verify-levels | filecheck %s

// 1. The frame is allocated by the same function as other buffers; group sizes are 64 bits wide in the runtime.
// CHECK: func.func private @free(index)
// CHECK: func.func private @aligned_alloc(i32, i32) -> memref<1xi8>
// CHECK-LABEL: func.func @f
// CHECK: %[[SIZE:.*]] = arith.index_cast %c1 : index to i64
// CHECK: call @mlirAsyncRuntimeCreateGroup(%[[SIZE]])
// CHECK: call @mlirAsyncRuntimeAwaitAllInGroup
// CHECK-LABEL: func.func private @async_execute_fn(%arg0: f32, %arg1: memref<8xf32>
// CHECK-SAME: presplitcoroutine
// CHECK: llvm.intr.coro.size
// CHECK: call @aligned_alloc(%{{.*}}, %{{.*}}) : (i32, i32) -> memref<1xi8>
// CHECK: llvm.intr.coro.begin
// CHECK: call @mlirAsyncRuntimeExecute
// CHECK: llvm.intr.coro.suspend
// CHECK: memref.store
// CHECK: call @mlirAsyncRuntimeEmplaceToken
// CHECK: call @free
// CHECK-NOT: unrealized_conversion_cast
// CHECK-NOT: GetValueStorage
func.func @f(%x: memref<8xf32>, %v: f32) {
  %c1 = arith.constant 1 : index
  %g = async.create_group %c1 : !async.group
  %t = async.execute {
    %c0 = arith.constant 0 : index
    memref.store %v, %x[%c0] : memref<8xf32>
    async.yield
  }
  %r = async.add_to_group %t, %g : !async.token
  async.await_all %g
  return
}

// -----
// 2. Existing functions of these names keep their type.
// CHECK-LABEL: func.func private @aligned_alloc(i32, i32) -> (memref<1xi8> {llvm.noalias})
// CHECK: call @aligned_alloc(%c8_i32, %c8_i32)
// CHECK: call @free
func.func private @aligned_alloc(i32, i32) -> (memref<1xi8> {llvm.noalias})
func.func private @free(index)
func.func @buffers() {
  %c8 = arith.constant 8 : i32
  %b = func.call @aligned_alloc(%c8, %c8) : (i32, i32) -> memref<1xi8>
  %t = async.execute {
    async.yield
  }
  async.await %t : !async.token
  %p = memref.extract_aligned_pointer_as_index %b : memref<1xi8> -> index
  func.call @free(%p) : (index) -> ()
  return
}
