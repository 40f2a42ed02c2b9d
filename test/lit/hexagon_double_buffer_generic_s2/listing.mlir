// The paper's GELU listing: 1,048,576 elements in tiles of 262,144. Four transfers have a tag each; a tile is waited for
// after the next one was started, a result before its buffer is written again, two tiles later, and at the end.
// RUN: hexmlir-opt %s --hexagon-double-buffer-generic-s2 --canonicalize --cse | filecheck %s

// CHECK-LABEL: func.func @gelu
// CHECK: memref.dma_start %{{.*}}, %{{.*}}, %c262144, %[[IN0:.*]][%c0]
// CHECK: scf.for %[[I:.*]] = %c0 to %c1048576 step %c262144
// CHECK:   scf.if
// CHECK:     scf.if
// CHECK:       memref.dma_start %{{.*}}, %{{.*}}, %c262144, %[[IN1:.*]][%c0]
// CHECK:     } {hexagon.db_prefetch = 0 : i64}
// CHECK-NEXT: memref.dma_wait %[[IN0]][%c0], %c1
// CHECK-NEXT: %[[AGAIN:.*]] = arith.cmpi sge, %[[I]], %c524288
// CHECK-NEXT: scf.if %[[AGAIN]] {
// CHECK-NEXT:   memref.dma_wait %[[OUT0:.*]][%c0], %c1
// CHECK:     scf.forall
// CHECK:     memref.dma_start %{{.*}}, %{{.*}}, %c262144, %[[OUT0]][%c0]
// CHECK:   } {hexagon.db_ping_stage = 0 : i64}
// CHECK:     memref.dma_start {{.*}} %[[IN0]][%c0]
// CHECK:     memref.dma_wait %[[IN1]][%c0], %c1
// CHECK:       memref.dma_wait %[[OUT1:.*]][%c0], %c1
// CHECK:     scf.forall
// CHECK:     memref.dma_start {{.*}} %[[OUT1]][%c0]
// CHECK:   } {hexagon.db_pong_stage = 1 : i64}
// CHECK: } {hexagon.db_loop = 0 : i64}
// CHECK-NEXT: memref.dma_wait %[[OUT0]][%c0], %c1
// CHECK-NEXT: memref.dma_wait %[[OUT1]][%c0], %c1
// CHECK-NOT: memref.copy
!slice = memref<262144xf32, strided<[1], offset: ?>>
!first = memref<262144xf32, strided<[1]>>
!tile = memref<262144xf32, 1>
!set = memref<1048576xi8, 1>
!part = memref<65536xf32, strided<[1], offset: ?>, 1>
!all = memref<1048576xf32>
!arena = memref<4194304xi8, 1>
#map = affine_map<(d0) -> (d0)>
func.func @gelu(%arg0: !all, %arg1: !all) {
  %alloc = memref.alloc() {alignment = 128 : i64} : !arena
  %c0 = arith.constant 0 : index
  %view = memref.view %alloc[%c0][] {hexagon.tcm_slot} : !arena to !set
  %c1048576 = arith.constant 1048576 : index
  %view_0 = memref.view %alloc[%c1048576][] {hexagon.tcm_slot} : !arena to !set
  %c2097152 = arith.constant 2097152 : index
  %view_1 = memref.view %alloc[%c2097152][] {hexagon.tcm_slot} : !arena to !set
  %c3145728 = arith.constant 3145728 : index
  %view_2 = memref.view %alloc[%c3145728][] {hexagon.tcm_slot} : !arena to !set
  %c1 = arith.constant 1 : index
  %c262144 = arith.constant 262144 : index
  %c1048576_3 = arith.constant 1048576 : index
  %c0_4 = arith.constant 0 : index
  %c0_5 = arith.constant 0 : index
  %view_6 = memref.view %view[%c0_5][] : !set to !set
  %c0_7 = arith.constant 0 : index
  %view_8 = memref.view %view_0[%c0_7][] : !set to !set
  %c0_9 = arith.constant 0 : index
  %view_10 = memref.view %view_1[%c0_9][] : !set to !set
  %c0_11 = arith.constant 0 : index
  %view_12 = memref.view %view_2[%c0_11][] : !set to !set
  %view_13 = memref.view %view_6[%c0_4][] : !set to !tile
  %subview = memref.subview %arg0[0] [262144] [1] : !all to !first
  memref.copy %subview, %view_13 {hexagon.db_fetch = array<i64: 0, 0, 0>} : !first to !tile
  %0 = scf.for %arg2 = %c0_4 to %c1048576_3 step %c262144 iter_args(%arg3 = %c0_4) -> (index) {
    %1 = arith.cmpi eq, %arg3, %c0_4 : index
    scf.if %1 {
      %5 = arith.addi %arg2, %c262144 : index
      %6 = arith.cmpi slt, %5, %c1048576_3 : index
      scf.if %6 {
        %view_16 = memref.view %view_8[%c0_4][] : !set to !tile
        %subview_17 = memref.subview %arg0[%5] [262144] [1] : !all to !slice
        memref.copy %subview_17, %view_16 {hexagon.db_fetch = array<i64: 0, 1, 0>} : !slice to !tile
      } {hexagon.db_prefetch = 0 : i64}
      %view_14 = memref.view %view_10[%c0_4][] : !set to !tile
      scf.forall (%arg4) = (0) to (262144) step (65536) {
        %subview_16 = memref.subview %view_13[%arg4] [65536] [1] : !tile to !part
        %subview_17 = memref.subview %view_14[%arg4] [65536] [1] : !tile to !part
        linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%subview_16 : !part) outs(%subview_17 : !part) {
        ^bb0(%in: f32, %out: f32):
          %7 = math.exp %in : f32
          linalg.yield %7 : f32
        }
      }
      %subview_15 = memref.subview %arg1[%arg2] [262144] [1] : !all to !slice
      memref.copy %view_14, %subview_15 {hexagon.db_store = array<i64: 0, 0, 0>} : !tile to !slice
    } {hexagon.db_ping_stage = 0 : i64}
    %2 = arith.cmpi eq, %arg3, %c1 : index
    scf.if %2 {
      %5 = arith.addi %arg2, %c262144 : index
      %6 = arith.cmpi slt, %5, %c1048576_3 : index
      scf.if %6 {
        %subview_17 = memref.subview %arg0[%5] [262144] [1] : !all to !slice
        memref.copy %subview_17, %view_13 {hexagon.db_fetch = array<i64: 0, 0, 0>} : !slice to !tile
      } {hexagon.db_prefetch = 0 : i64}
      %view_14 = memref.view %view_8[%c0_4][] : !set to !tile
      %view_15 = memref.view %view_12[%c0_4][] : !set to !tile
      scf.forall (%arg4) = (0) to (262144) step (65536) {
        %subview_17 = memref.subview %view_14[%arg4] [65536] [1] : !tile to !part
        %subview_18 = memref.subview %view_15[%arg4] [65536] [1] : !tile to !part
        linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%subview_17 : !part) outs(%subview_18 : !part) {
        ^bb0(%in: f32, %out: f32):
          %7 = math.exp %in : f32
          linalg.yield %7 : f32
        }
      }
      %subview_16 = memref.subview %arg1[%arg2] [262144] [1] : !all to !slice
      memref.copy %view_15, %subview_16 {hexagon.db_store = array<i64: 0, 1, 0>} : !tile to !slice
    } {hexagon.db_pong_stage = 1 : i64}
    %3 = arith.addi %arg3, %c1 : index
    %4 = arith.select %2, %c0_4, %3 : index
    scf.yield %4 : index
  } {hexagon.db_loop = 0 : i64}
  memref.dealloc %alloc : !arena
  return
}
