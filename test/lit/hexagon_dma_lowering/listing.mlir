// The paper's GELU listing: a transfer of a tile is one row of 1,048,576 bytes; tags are loaded where they are waited for.
// RUN: hexmlir-opt %s --hexagon-dma-lowering --canonicalize --cse | filecheck %s

// CHECK-LABEL: func.func @gelu
// CHECK: %[[TAG:.*]] = call @hexmlir_rt_dma_start_2d(%{{.*}}, %{{.*}}, %c1048576_i32, %c1_i32, %c1048576_i32, %c1048576_i32)
// CHECK: memref.store %[[TAG]], %[[IN0:.*]][%c0]
// CHECK: scf.for
// CHECK: func.call @hexmlir_rt_dma_start_2d
// CHECK: {hexagon.db_prefetch = 0 : i64}
// CHECK-NEXT: %[[SAME:.*]] = memref.load %[[IN0]][%c0]
// CHECK-NEXT: func.call @hexmlir_rt_dma_wait(%[[SAME]]) : (i32) -> ()
// CHECK-COUNT-3: func.call @hexmlir_rt_dma_wait
// CHECK-COUNT-2: call @hexmlir_rt_dma_wait
// CHECK-NOT: memref.dma_
!slice = memref<262144xf32, strided<[1], offset: ?>>
!first = memref<262144xf32, strided<[1]>>
!tile = memref<262144xf32, 1>
!set = memref<1048576xi8, 1>
!part = memref<65536xf32, strided<[1], offset: ?>, 1>
!all = memref<1048576xf32>
!arena = memref<4194304xi8, 1>
func.func @gelu(%arg0: !all, %arg1: !all) {
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
  memref.dma_start %subview[%c0], %view_3[%c0], %c262144, %alloc_4[%c0] : !first, !tile, memref<1xi32>
  %0 = scf.for %arg2 = %c0 to %c1048576 step %c262144 iter_args(%arg3 = %c0) -> (index) {
    %1 = arith.cmpi eq, %arg3, %c0 : index
    scf.if %1 {
      %5 = arith.addi %arg2, %c262144 : index
      %6 = arith.cmpi slt, %5, %c1048576 : index
      scf.if %6 {
        %view_10 = memref.view %view_0[%c0][] : !set to !tile
        %subview_11 = memref.subview %arg0[%5] [262144] [1] : !all to !slice
        memref.dma_start %subview_11[%c0], %view_10[%c0], %c262144, %alloc_5[%c0] : !slice, !tile, memref<1xi32>
      } {hexagon.db_prefetch = 0 : i64}
      memref.dma_wait %alloc_4[%c0], %c1 : memref<1xi32>
      %7 = arith.cmpi sge, %arg2, %c524288 : index
      scf.if %7 {
        memref.dma_wait %alloc_6[%c0], %c1 : memref<1xi32>
      }
      %view_8 = memref.view %view_1[%c0][] : !set to !tile
      scf.forall (%arg4) = (0) to (262144) step (65536) {
        %subview_10 = memref.subview %view_3[%arg4] [65536] [1] : !tile to !part
        %subview_11 = memref.subview %view_8[%arg4] [65536] [1] : !tile to !part
        scf.for %arg5 = %c0 to %c256 step %c1 {
          %8 = arith.muli %arg5, %c256 : index
          %9 = vector.load %subview_10[%8] {alignment = 128 : i64} : !part, vector<256xf32>
          %10 = math.exp %9 : vector<256xf32>
          vector.store %10, %subview_11[%8] {alignment = 128 : i64} : !part, vector<256xf32>
        }
      }
      %subview_9 = memref.subview %arg1[%arg2] [262144] [1] : !all to !slice
      memref.dma_start %view_8[%c0], %subview_9[%c0], %c262144, %alloc_6[%c0] : !tile, !slice, memref<1xi32>
    } {hexagon.db_ping_stage = 0 : i64}
    %2 = arith.cmpi eq, %arg3, %c1 : index
    scf.if %2 {
      %5 = arith.addi %arg2, %c262144 : index
      %6 = arith.cmpi slt, %5, %c1048576 : index
      scf.if %6 {
        %subview_11 = memref.subview %arg0[%5] [262144] [1] : !all to !slice
        memref.dma_start %subview_11[%c0], %view_3[%c0], %c262144, %alloc_4[%c0] : !slice, !tile, memref<1xi32>
      } {hexagon.db_prefetch = 0 : i64}
      memref.dma_wait %alloc_5[%c0], %c1 : memref<1xi32>
      %7 = arith.cmpi sge, %arg2, %c524288 : index
      scf.if %7 {
        memref.dma_wait %alloc_7[%c0], %c1 : memref<1xi32>
      }
      %view_8 = memref.view %view_0[%c0][] : !set to !tile
      %view_9 = memref.view %view_2[%c0][] : !set to !tile
      scf.forall (%arg4) = (0) to (262144) step (65536) {
        %subview_11 = memref.subview %view_8[%arg4] [65536] [1] : !tile to !part
        %subview_12 = memref.subview %view_9[%arg4] [65536] [1] : !tile to !part
        scf.for %arg5 = %c0 to %c256 step %c1 {
          %8 = arith.muli %arg5, %c256 : index
          %9 = vector.load %subview_11[%8] {alignment = 128 : i64} : !part, vector<256xf32>
          %10 = math.exp %9 : vector<256xf32>
          vector.store %10, %subview_12[%8] {alignment = 128 : i64} : !part, vector<256xf32>
        }
      }
      %subview_10 = memref.subview %arg1[%arg2] [262144] [1] : !all to !slice
      memref.dma_start %view_9[%c0], %subview_10[%c0], %c262144, %alloc_7[%c0] : !tile, !slice, memref<1xi32>
    } {hexagon.db_pong_stage = 1 : i64}
    %3 = arith.addi %arg3, %c1 : index
    %4 = arith.select %2, %c0, %3 : index
    scf.yield %4 : index
  } {hexagon.db_loop = 0 : i64}
  memref.dma_wait %alloc_6[%c0], %c1 : memref<1xi32>
  memref.dma_wait %alloc_7[%c0], %c1 : memref<1xi32>
  memref.dealloc %alloc_4 : memref<1xi32>
  memref.dealloc %alloc_5 : memref<1xi32>
  memref.dealloc %alloc_6 : memref<1xi32>
  memref.dealloc %alloc_7 : memref<1xi32>
  memref.dealloc %alloc : !arena
  return
}
