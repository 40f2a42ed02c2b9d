// The paper's GELU listing: two groups of three tasks, each queued by one call of the runtime.
// RUN: hexmlir-opt %s --hexagon-async-lowering | filecheck %s

// CHECK-LABEL: func.func @gelu
// CHECK-COUNT-2: memref.alloca() {alignment = 8 : i64} : memref<80xi8>
// CHECK: constant @gelu_thread_task
// CHECK: call @hexmlir_rt_fork
// CHECK: call @hexmlir_rt_join
// CHECK: constant @gelu_thread_1_task
// CHECK: call @hexmlir_rt_fork
// CHECK: call @hexmlir_rt_join
// CHECK-NOT: async
// CHECK-NOT: presplitcoroutine
!slice = memref<262144xf32, strided<[1], offset: ?>>
!first = memref<262144xf32, strided<[1]>>
!all = memref<1048576xf32>
func.func private @hexmlir_rt_tcm_alloc(i32, i32) -> (memref<1xi8>)
func.func private @hexmlir_tcm_slot(index) -> (memref<1xi8>)
func.func private @hexmlir_rt_tcm_free(index)
func.func private @hexmlir_rt_dma_wait(i32)
func.func private @hexmlir_rt_dma_start_2d(index, index, i32, i32, i32, i32) -> i32
func.func private @gelu_thread(%arg0: index, %arg1: memref<1048576xi8> {llvm.align = 128 : i64, llvm.noalias}, %arg2: memref<1048576xi8> {llvm.align = 128 : i64, llvm.noalias}) attributes {llvm.passthrough = ["noinline"]} {
  %c65536 = arith.constant 65536 : index
  %c1 = arith.constant 1 : index
  %c256 = arith.constant 256 : index
  %c0 = arith.constant 0 : index
  %view = memref.view %arg1[%c0][] : memref<1048576xi8> to memref<262144xf32>
  %view_0 = memref.view %arg2[%c0][] : memref<1048576xi8> to memref<262144xf32>
  %0 = arith.muli %arg0, %c65536 : index
  %subview = memref.subview %view[%0] [65536] [1] : memref<262144xf32> to memref<65536xf32, strided<[1], offset: ?>>
  %subview_1 = memref.subview %view_0[%0] [65536] [1] : memref<262144xf32> to memref<65536xf32, strided<[1], offset: ?>>
  scf.for %arg3 = %c0 to %c256 step %c1 {
    %1 = arith.muli %arg3, %c256 : index
    %2 = vector.load %subview[%1] {alignment = 128 : i64} : memref<65536xf32, strided<[1], offset: ?>>, vector<256xf32>
    %3 = math.exp %2 : vector<256xf32>
    vector.store %3, %subview_1[%1] {alignment = 128 : i64} : memref<65536xf32, strided<[1], offset: ?>>, vector<256xf32>
  }
  return
}
func.func private @gelu_thread_1(%arg0: index, %arg1: memref<1048576xi8> {llvm.align = 128 : i64, llvm.noalias}, %arg2: memref<1048576xi8> {llvm.align = 128 : i64, llvm.noalias}) attributes {llvm.passthrough = ["noinline"]} {
  %c65536 = arith.constant 65536 : index
  %c1 = arith.constant 1 : index
  %c256 = arith.constant 256 : index
  %c0 = arith.constant 0 : index
  %view = memref.view %arg1[%c0][] : memref<1048576xi8> to memref<262144xf32>
  %view_0 = memref.view %arg2[%c0][] : memref<1048576xi8> to memref<262144xf32>
  %0 = arith.muli %arg0, %c65536 : index
  %subview = memref.subview %view[%0] [65536] [1] : memref<262144xf32> to memref<65536xf32, strided<[1], offset: ?>>
  %subview_1 = memref.subview %view_0[%0] [65536] [1] : memref<262144xf32> to memref<65536xf32, strided<[1], offset: ?>>
  scf.for %arg3 = %c0 to %c256 step %c1 {
    %1 = arith.muli %arg3, %c256 : index
    %2 = vector.load %subview[%1] {alignment = 128 : i64} : memref<65536xf32, strided<[1], offset: ?>>, vector<256xf32>
    %3 = math.exp %2 : vector<256xf32>
    vector.store %3, %subview_1[%1] {alignment = 128 : i64} : memref<65536xf32, strided<[1], offset: ?>>, vector<256xf32>
  }
  return
}
func.func @gelu(%arg0: !all, %arg1: !all) {
  %alloca = memref.alloca() {alignment = 128 : i64} : memref<1xi32>
  %alloca_0 = memref.alloca() {alignment = 128 : i64} : memref<1xi32>
  %alloca_1 = memref.alloca() {alignment = 128 : i64} : memref<1xi32>
  %alloca_2 = memref.alloca() {alignment = 128 : i64} : memref<1xi32>
  %c3 = arith.constant 3 : index
  %c1_i32 = arith.constant 1 : i32
  %c1048576_i32 = arith.constant 1048576 : i32
  %c4 = arith.constant 4 : index
  %c524288 = arith.constant 524288 : index
  %c262144 = arith.constant 262144 : index
  %c1 = arith.constant 1 : index
  %c3145728 = arith.constant 3145728 : index
  %c2097152 = arith.constant 2097152 : index
  %c1048576 = arith.constant 1048576 : index
  %c0 = arith.constant 0 : index
  %c4194304 = arith.constant 4194304 : index
  %c128_i32 = arith.constant 128 : i32
  %0 = arith.index_cast %c4194304 : index to i32
  %1 = call @hexmlir_rt_tcm_alloc(%0, %c128_i32) : (i32, i32) -> memref<1xi8>
  %reinterpret_cast = memref.reinterpret_cast %1 to offset: [0], sizes: [4194304], strides: [1] : memref<1xi8> to memref<4194304xi8>
  %c0_3 = arith.constant 0 : index
  %view = memref.view %reinterpret_cast[%c0_3][] : memref<4194304xi8> to memref<4194304xi8>
  %intptr = memref.extract_aligned_pointer_as_index %view : memref<4194304xi8> -> index
  %2 = arith.addi %intptr, %c0 : index
  %3 = call @hexmlir_tcm_slot(%2) : (index) -> memref<1xi8>
  %reinterpret_cast_4 = memref.reinterpret_cast %3 to offset: [0], sizes: [1048576], strides: [1] : memref<1xi8> to memref<1048576xi8>
  %intptr_5 = memref.extract_aligned_pointer_as_index %view : memref<4194304xi8> -> index
  %4 = arith.addi %intptr_5, %c1048576 : index
  %5 = call @hexmlir_tcm_slot(%4) : (index) -> memref<1xi8>
  %reinterpret_cast_6 = memref.reinterpret_cast %5 to offset: [0], sizes: [1048576], strides: [1] : memref<1xi8> to memref<1048576xi8>
  %intptr_7 = memref.extract_aligned_pointer_as_index %view : memref<4194304xi8> -> index
  %6 = arith.addi %intptr_7, %c2097152 : index
  %7 = call @hexmlir_tcm_slot(%6) : (index) -> memref<1xi8>
  %reinterpret_cast_8 = memref.reinterpret_cast %7 to offset: [0], sizes: [1048576], strides: [1] : memref<1xi8> to memref<1048576xi8>
  %intptr_9 = memref.extract_aligned_pointer_as_index %view : memref<4194304xi8> -> index
  %8 = arith.addi %intptr_9, %c3145728 : index
  %9 = call @hexmlir_tcm_slot(%8) : (index) -> memref<1xi8>
  %reinterpret_cast_10 = memref.reinterpret_cast %9 to offset: [0], sizes: [1048576], strides: [1] : memref<1xi8> to memref<1048576xi8>
  %view_11 = memref.view %reinterpret_cast_4[%c0][] : memref<1048576xi8> to memref<262144xf32>
  %subview = memref.subview %arg0[0] [262144] [1] : !all to !first
  %intptr_12 = memref.extract_aligned_pointer_as_index %view_11 : memref<262144xf32> -> index
  %intptr_13 = memref.extract_aligned_pointer_as_index %subview : !first -> index
  %10 = call @hexmlir_rt_dma_start_2d(%intptr_12, %intptr_13, %c1048576_i32, %c1_i32, %c1048576_i32, %c1048576_i32) : (index, index, i32, i32, i32, i32) -> i32
  memref.store %10, %alloca_2[%c0] : memref<1xi32>
  %11 = scf.for %arg2 = %c0 to %c1048576 step %c262144 iter_args(%arg3 = %c0) -> (index) {
    %14 = arith.cmpi eq, %arg3, %c0 : index
    scf.if %14 {
      %18 = arith.addi %arg2, %c262144 : index
      %19 = arith.cmpi slt, %18, %c1048576 : index
      scf.if %19 {
        %view_19 = memref.view %reinterpret_cast_6[%c0][] : memref<1048576xi8> to memref<262144xf32>
        %subview_20 = memref.subview %arg0[%18] [262144] [1] : !all to !slice
        %intptr_21 = memref.extract_aligned_pointer_as_index %view_19 : memref<262144xf32> -> index
        %base_buffer_22, %offset_23, %sizes_24, %strides_25 = memref.extract_strided_metadata %subview_20 : !slice -> memref<f32>, index, index, index
        %intptr_26 = memref.extract_aligned_pointer_as_index %subview_20 : !slice -> index
        %26 = arith.muli %offset_23, %c4 : index
        %27 = arith.addi %intptr_26, %26 : index
        %28 = func.call @hexmlir_rt_dma_start_2d(%intptr_21, %27, %c1048576_i32, %c1_i32, %c1048576_i32, %c1048576_i32) : (index, index, i32, i32, i32, i32) -> i32
        memref.store %28, %alloca_1[%c0] : memref<1xi32>
      } {hexagon.db_prefetch = 0 : i64}
      %20 = memref.load %alloca_2[%c0] : memref<1xi32>
      func.call @hexmlir_rt_dma_wait(%20) : (i32) -> ()
      %21 = arith.cmpi sge, %arg2, %c524288 : index
      scf.if %21 {
        %26 = memref.load %alloca_0[%c0] : memref<1xi32>
        func.call @hexmlir_rt_dma_wait(%26) : (i32) -> ()
      }
      %view_15 = memref.view %reinterpret_cast_8[%c0][] : memref<1048576xi8> to memref<262144xf32>
      %22 = async.create_group %c3 : !async.group {hexagon.group = 0 : i64}
      scf.for %arg4 = %c1 to %c4 step %c1 {
        %token = async.execute {
          func.call @gelu_thread(%arg4, %reinterpret_cast_4, %reinterpret_cast_8) : (index, memref<1048576xi8>, memref<1048576xi8>) -> ()
          async.yield
        }
        %26 = async.add_to_group %token, %22 : !async.token
      }
      func.call @gelu_thread(%c0, %reinterpret_cast_4, %reinterpret_cast_8) : (index, memref<1048576xi8>, memref<1048576xi8>) -> ()
      async.await_all %22
      %subview_16 = memref.subview %arg1[%arg2] [262144] [1] : !all to !slice
      %base_buffer, %offset, %sizes, %strides = memref.extract_strided_metadata %subview_16 : !slice -> memref<f32>, index, index, index
      %intptr_17 = memref.extract_aligned_pointer_as_index %subview_16 : !slice -> index
      %23 = arith.muli %offset, %c4 : index
      %24 = arith.addi %intptr_17, %23 : index
      %intptr_18 = memref.extract_aligned_pointer_as_index %view_15 : memref<262144xf32> -> index
      %25 = func.call @hexmlir_rt_dma_start_2d(%24, %intptr_18, %c1048576_i32, %c1_i32, %c1048576_i32, %c1048576_i32) : (index, index, i32, i32, i32, i32) -> i32
      memref.store %25, %alloca_0[%c0] : memref<1xi32>
    } {hexagon.db_ping_stage = 0 : i64}
    %15 = arith.cmpi eq, %arg3, %c1 : index
    scf.if %15 {
      %18 = arith.addi %arg2, %c262144 : index
      %19 = arith.cmpi slt, %18, %c1048576 : index
      scf.if %19 {
        %subview_19 = memref.subview %arg0[%18] [262144] [1] : !all to !slice
        %base_buffer_20, %offset_21, %sizes_22, %strides_23 = memref.extract_strided_metadata %subview_19 : !slice -> memref<f32>, index, index, index
        %intptr_24 = memref.extract_aligned_pointer_as_index %subview_19 : !slice -> index
        %26 = arith.muli %offset_21, %c4 : index
        %27 = arith.addi %intptr_24, %26 : index
        %28 = func.call @hexmlir_rt_dma_start_2d(%intptr_12, %27, %c1048576_i32, %c1_i32, %c1048576_i32, %c1048576_i32) : (index, index, i32, i32, i32, i32) -> i32
        memref.store %28, %alloca_2[%c0] : memref<1xi32>
      } {hexagon.db_prefetch = 0 : i64}
      %20 = memref.load %alloca_1[%c0] : memref<1xi32>
      func.call @hexmlir_rt_dma_wait(%20) : (i32) -> ()
      %21 = arith.cmpi sge, %arg2, %c524288 : index
      scf.if %21 {
        %26 = memref.load %alloca[%c0] : memref<1xi32>
        func.call @hexmlir_rt_dma_wait(%26) : (i32) -> ()
      }
      %view_15 = memref.view %reinterpret_cast_10[%c0][] : memref<1048576xi8> to memref<262144xf32>
      %22 = async.create_group %c3 : !async.group {hexagon.group = 1 : i64}
      scf.for %arg4 = %c1 to %c4 step %c1 {
        %token = async.execute {
          func.call @gelu_thread_1(%arg4, %reinterpret_cast_6, %reinterpret_cast_10) : (index, memref<1048576xi8>, memref<1048576xi8>) -> ()
          async.yield
        }
        %26 = async.add_to_group %token, %22 : !async.token
      }
      func.call @gelu_thread_1(%c0, %reinterpret_cast_6, %reinterpret_cast_10) : (index, memref<1048576xi8>, memref<1048576xi8>) -> ()
      async.await_all %22
      %subview_16 = memref.subview %arg1[%arg2] [262144] [1] : !all to !slice
      %base_buffer, %offset, %sizes, %strides = memref.extract_strided_metadata %subview_16 : !slice -> memref<f32>, index, index, index
      %intptr_17 = memref.extract_aligned_pointer_as_index %subview_16 : !slice -> index
      %23 = arith.muli %offset, %c4 : index
      %24 = arith.addi %intptr_17, %23 : index
      %intptr_18 = memref.extract_aligned_pointer_as_index %view_15 : memref<262144xf32> -> index
      %25 = func.call @hexmlir_rt_dma_start_2d(%24, %intptr_18, %c1048576_i32, %c1_i32, %c1048576_i32, %c1048576_i32) : (index, index, i32, i32, i32, i32) -> i32
      memref.store %25, %alloca[%c0] : memref<1xi32>
    } {hexagon.db_pong_stage = 1 : i64}
    %16 = arith.addi %arg3, %c1 : index
    %17 = arith.select %15, %c0, %16 : index
    scf.yield %17 : index
  } {hexagon.db_loop = 0 : i64}
  %12 = memref.load %alloca_0[%c0] : memref<1xi32>
  call @hexmlir_rt_dma_wait(%12) : (i32) -> ()
  %13 = memref.load %alloca[%c0] : memref<1xi32>
  call @hexmlir_rt_dma_wait(%13) : (i32) -> ()
  %intptr_14 = memref.extract_aligned_pointer_as_index %view : memref<4194304xi8> -> index
  call @hexmlir_rt_tcm_free(%intptr_14) : (index) -> ()
  return
}
