// The paper's GELU listing: four tasks share a tile of 262,144 elements, in either half of the double-buffered loop.
// RUN: hexmlir-opt %s --form-async-threads --canonicalize | filecheck %s

// CHECK-LABEL: func.func private @gelu_thread(%arg0: index,
// CHECK: %[[AT:.*]] = arith.muli %arg0, %c65536 : index
// CHECK: memref.subview %{{.*}}[%[[AT]]] [65536] [1]
// CHECK: scf.for
// CHECK-LABEL: func.func @gelu
// CHECK: scf.for
// CHECK: func.call @hexmlir_rt_dma_wait
// CHECK: %[[PING:.*]] = async.create_group %c3 : !async.group {hexagon.group = 0 : i64}
// CHECK: scf.for %[[I:.*]] = %c1 to %c4 step %c1 {
// CHECK-NEXT: async.execute {
// CHECK-NEXT: func.call @gelu_thread(%[[I]],
// CHECK: func.call @gelu_thread(%c0,
// CHECK-NEXT: async.await_all %[[PING]]
// CHECK: func.call @hexmlir_rt_dma_start_2d
// CHECK: {hexagon.db_ping_stage = 0 : i64}
// CHECK: async.create_group %c3
// CHECK: async.await_all
// CHECK: {hexagon.db_pong_stage = 1 : i64}
// CHECK-NOT: scf.forall
!slice = memref<262144xf32, strided<[1], offset: ?>>
!first = memref<262144xf32, strided<[1]>>
!tile = memref<262144xf32, 1>
!set = memref<1048576xi8, 1>
!part = memref<65536xf32, strided<[1], offset: ?>, 1>
!all = memref<1048576xf32>
!arena = memref<4194304xi8, 1>
func.func private @hexmlir_rt_dma_wait(i32)
func.func private @hexmlir_rt_dma_start_2d(index, index, i32, i32, i32, i32) -> i32
func.func @gelu(%arg0: !all, %arg1: !all) {
  %c1_i32 = arith.constant 1 : i32
  %c1048576_i32 = arith.constant 1048576 : i32
  %c4 = arith.constant 4 : index
  %c256 = arith.constant 256 : index
  %c524288 = arith.constant 524288 : index
  %c262144 = arith.constant 262144 : index
  %c1 = arith.constant 1 : index
  %c3145728 = arith.constant 3145728 : index
  %c2097152 = arith.constant 2097152 : index
  %c1048576 = arith.constant 1048576 : index
  %c0 = arith.constant 0 : index
  %alloc = memref.alloc() {alignment = 128 : i64} : !arena
  %view = memref.view %alloc[%c0][] {hexagon.tcm_slot} : !arena to !set
  %view_0 = memref.view %alloc[%c1048576][] {hexagon.tcm_slot} : !arena to !set
  %view_1 = memref.view %alloc[%c2097152][] {hexagon.tcm_slot} : !arena to !set
  %view_2 = memref.view %alloc[%c3145728][] {hexagon.tcm_slot} : !arena to !set
  %view_3 = memref.view %view[%c0][] : !set to !tile
  %subview = memref.subview %arg0[0] [262144] [1] : !all to !first
  %alloc_4 = memref.alloc() : memref<1xi32>
  %alloc_5 = memref.alloc() : memref<1xi32>
  %alloc_6 = memref.alloc() : memref<1xi32>
  %alloc_7 = memref.alloc() : memref<1xi32>
  %intptr = memref.extract_aligned_pointer_as_index %view_3 : !tile -> index
  %intptr_8 = memref.extract_aligned_pointer_as_index %subview : !first -> index
  %0 = call @hexmlir_rt_dma_start_2d(%intptr, %intptr_8, %c1048576_i32, %c1_i32, %c1048576_i32, %c1048576_i32) : (index, index, i32, i32, i32, i32) -> i32
  memref.store %0, %alloc_4[%c0] : memref<1xi32>
  %1 = scf.for %arg2 = %c0 to %c1048576 step %c262144 iter_args(%arg3 = %c0) -> (index) {
    %4 = arith.cmpi eq, %arg3, %c0 : index
    scf.if %4 {
      %8 = arith.addi %arg2, %c262144 : index
      %9 = arith.cmpi slt, %8, %c1048576 : index
      scf.if %9 {
        %view_13 = memref.view %view_0[%c0][] : !set to !tile
        %subview_14 = memref.subview %arg0[%8] [262144] [1] : !all to !slice
        %intptr_15 = memref.extract_aligned_pointer_as_index %view_13 : !tile -> index
        %base_buffer_16, %offset_17, %sizes_18, %strides_19 = memref.extract_strided_metadata %subview_14 : !slice -> memref<f32>, index, index, index
        %intptr_20 = memref.extract_aligned_pointer_as_index %subview_14 : !slice -> index
        %15 = arith.muli %offset_17, %c4 : index
        %16 = arith.addi %intptr_20, %15 : index
        %17 = func.call @hexmlir_rt_dma_start_2d(%intptr_15, %16, %c1048576_i32, %c1_i32, %c1048576_i32, %c1048576_i32) : (index, index, i32, i32, i32, i32) -> i32
        memref.store %17, %alloc_5[%c0] : memref<1xi32>
      } {hexagon.db_prefetch = 0 : i64}
      %10 = memref.load %alloc_4[%c0] : memref<1xi32>
      func.call @hexmlir_rt_dma_wait(%10) : (i32) -> ()
      %11 = arith.cmpi sge, %arg2, %c524288 : index
      scf.if %11 {
        %15 = memref.load %alloc_6[%c0] : memref<1xi32>
        func.call @hexmlir_rt_dma_wait(%15) : (i32) -> ()
      }
      %view_9 = memref.view %view_1[%c0][] : !set to !tile
      scf.forall (%arg4) = (0) to (262144) step (65536) {
        %subview_13 = memref.subview %view_3[%arg4] [65536] [1] : !tile to !part
        %subview_14 = memref.subview %view_9[%arg4] [65536] [1] : !tile to !part
        scf.for %arg5 = %c0 to %c256 step %c1 {
          %15 = arith.muli %arg5, %c256 : index
          %16 = vector.load %subview_13[%15] {alignment = 128 : i64} : !part, vector<256xf32>
          %17 = math.exp %16 : vector<256xf32>
          vector.store %17, %subview_14[%15] {alignment = 128 : i64} : !part, vector<256xf32>
        }
      }
      %subview_10 = memref.subview %arg1[%arg2] [262144] [1] : !all to !slice
      %base_buffer, %offset, %sizes, %strides = memref.extract_strided_metadata %subview_10 : !slice -> memref<f32>, index, index, index
      %intptr_11 = memref.extract_aligned_pointer_as_index %subview_10 : !slice -> index
      %12 = arith.muli %offset, %c4 : index
      %13 = arith.addi %intptr_11, %12 : index
      %intptr_12 = memref.extract_aligned_pointer_as_index %view_9 : !tile -> index
      %14 = func.call @hexmlir_rt_dma_start_2d(%13, %intptr_12, %c1048576_i32, %c1_i32, %c1048576_i32, %c1048576_i32) : (index, index, i32, i32, i32, i32) -> i32
      memref.store %14, %alloc_6[%c0] : memref<1xi32>
    } {hexagon.db_ping_stage = 0 : i64}
    %5 = arith.cmpi eq, %arg3, %c1 : index
    scf.if %5 {
      %8 = arith.addi %arg2, %c262144 : index
      %9 = arith.cmpi slt, %8, %c1048576 : index
      scf.if %9 {
        %subview_14 = memref.subview %arg0[%8] [262144] [1] : !all to !slice
        %base_buffer_15, %offset_16, %sizes_17, %strides_18 = memref.extract_strided_metadata %subview_14 : !slice -> memref<f32>, index, index, index
        %intptr_19 = memref.extract_aligned_pointer_as_index %subview_14 : !slice -> index
        %15 = arith.muli %offset_16, %c4 : index
        %16 = arith.addi %intptr_19, %15 : index
        %17 = func.call @hexmlir_rt_dma_start_2d(%intptr, %16, %c1048576_i32, %c1_i32, %c1048576_i32, %c1048576_i32) : (index, index, i32, i32, i32, i32) -> i32
        memref.store %17, %alloc_4[%c0] : memref<1xi32>
      } {hexagon.db_prefetch = 0 : i64}
      %10 = memref.load %alloc_5[%c0] : memref<1xi32>
      func.call @hexmlir_rt_dma_wait(%10) : (i32) -> ()
      %11 = arith.cmpi sge, %arg2, %c524288 : index
      scf.if %11 {
        %15 = memref.load %alloc_7[%c0] : memref<1xi32>
        func.call @hexmlir_rt_dma_wait(%15) : (i32) -> ()
      }
      %view_9 = memref.view %view_0[%c0][] : !set to !tile
      %view_10 = memref.view %view_2[%c0][] : !set to !tile
      scf.forall (%arg4) = (0) to (262144) step (65536) {
        %subview_14 = memref.subview %view_9[%arg4] [65536] [1] : !tile to !part
        %subview_15 = memref.subview %view_10[%arg4] [65536] [1] : !tile to !part
        scf.for %arg5 = %c0 to %c256 step %c1 {
          %15 = arith.muli %arg5, %c256 : index
          %16 = vector.load %subview_14[%15] {alignment = 128 : i64} : !part, vector<256xf32>
          %17 = math.exp %16 : vector<256xf32>
          vector.store %17, %subview_15[%15] {alignment = 128 : i64} : !part, vector<256xf32>
        }
      }
      %subview_11 = memref.subview %arg1[%arg2] [262144] [1] : !all to !slice
      %base_buffer, %offset, %sizes, %strides = memref.extract_strided_metadata %subview_11 : !slice -> memref<f32>, index, index, index
      %intptr_12 = memref.extract_aligned_pointer_as_index %subview_11 : !slice -> index
      %12 = arith.muli %offset, %c4 : index
      %13 = arith.addi %intptr_12, %12 : index
      %intptr_13 = memref.extract_aligned_pointer_as_index %view_10 : !tile -> index
      %14 = func.call @hexmlir_rt_dma_start_2d(%13, %intptr_13, %c1048576_i32, %c1_i32, %c1048576_i32, %c1048576_i32) : (index, index, i32, i32, i32, i32) -> i32
      memref.store %14, %alloc_7[%c0] : memref<1xi32>
    } {hexagon.db_pong_stage = 1 : i64}
    %6 = arith.addi %arg3, %c1 : index
    %7 = arith.select %5, %c0, %6 : index
    scf.yield %7 : index
  } {hexagon.db_loop = 0 : i64}
  %2 = memref.load %alloc_6[%c0] : memref<1xi32>
  call @hexmlir_rt_dma_wait(%2) : (i32) -> ()
  %3 = memref.load %alloc_7[%c0] : memref<1xi32>
  call @hexmlir_rt_dma_wait(%3) : (i32) -> ()
  memref.dealloc %alloc_4 : memref<1xi32>
  memref.dealloc %alloc_5 : memref<1xi32>
  memref.dealloc %alloc_6 : memref<1xi32>
  memref.dealloc %alloc_7 : memref<1xi32>
  memref.dealloc %alloc : !arena
  return
}
