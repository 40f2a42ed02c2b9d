// The paper's GELU listing: 1,048,576 elements in tiles of 262,144. Two input and two output tiles are one arena of 4 MiB.
// RUN: hexmlir-opt %s --hexagon-tcm-allocation | filecheck %s

// CHECK-LABEL: func.func @gelu
// CHECK: %[[ARENA:.*]] = memref.alloc() {alignment = 128 : i64} : memref<4194304xi8, 1>
// CHECK: %[[IN0:.*]] = memref.view %[[ARENA]][%c0][] {hexagon.tcm_slot} : memref<4194304xi8, 1> to memref<1048576xi8, 1>
// CHECK: memref.view %[[ARENA]][%c1048576][]
// CHECK: memref.view %[[ARENA]][%c2097152][]
// CHECK: memref.view %[[ARENA]][%c3145728][]
// CHECK-NOT: memref.alloc
// CHECK: %[[SET:.*]] = memref.view %[[IN0]][%{{.*}}][] : memref<1048576xi8, 1> to memref<1048576xi8, 1>
// CHECK: %[[X:.*]] = memref.view %[[SET]][%{{.*}}][] : memref<1048576xi8, 1> to memref<262144xf32, 1>
// CHECK: memref.copy %{{.*}}, %[[X]] {hexagon.db_fetch = array<i64: 0, 0, 0>}
// CHECK: {hexagon.db_loop = 0 : i64}
// CHECK: memref.dealloc %[[ARENA]]
// CHECK-NEXT: return
!slice = memref<262144xf32, strided<[1], offset: ?>>
!first = memref<262144xf32, strided<[1]>>
!tile = memref<262144xf32, 1>
!set = memref<1048576xi8, 1>
!part = memref<65536xf32, strided<[1], offset: ?>, 1>
!all = memref<1048576xf32>
#map = affine_map<(d0) -> (d0)>
func.func @gelu(%arg0: !all, %arg1: !all) {
  %c1 = arith.constant 1 : index
  %c262144 = arith.constant 262144 : index
  %c1048576 = arith.constant 1048576 : index
  %c0 = arith.constant 0 : index
  %alloc = memref.alloc() : !set
  %alloc_0 = memref.alloc() : !set
  %alloc_1 = memref.alloc() : !set
  %alloc_2 = memref.alloc() : !set
  %view = memref.view %alloc[%c0][] : !set to !tile
  %subview = memref.subview %arg0[0] [262144] [1] : !all to !first
  memref.copy %subview, %view {hexagon.db_fetch = array<i64: 0, 0, 0>} : !first to !tile
  %0 = scf.for %arg2 = %c0 to %c1048576 step %c262144 iter_args(%arg3 = %c0) -> (index) {
    %1 = arith.cmpi eq, %arg3, %c0 : index
    scf.if %1 {
      %5 = arith.addi %arg2, %c262144 : index
      %6 = arith.cmpi slt, %5, %c1048576 : index
      scf.if %6 {
        %view_5 = memref.view %alloc_0[%c0][] : !set to !tile
        %subview_6 = memref.subview %arg0[%5] [262144] [1] : !all to !slice
        memref.copy %subview_6, %view_5 {hexagon.db_fetch = array<i64: 0, 1, 0>} : !slice to !tile
      } {hexagon.db_prefetch = 0 : i64}
      %view_3 = memref.view %alloc_1[%c0][] : !set to !tile
      scf.forall (%arg4) = (0) to (262144) step (65536) {
        %subview_5 = memref.subview %view[%arg4] [65536] [1] : !tile to !part
        %subview_6 = memref.subview %view_3[%arg4] [65536] [1] : !tile to !part
        linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%subview_5 : !part) outs(%subview_6 : !part) {
        ^bb0(%in: f32, %out: f32):
          %7 = math.exp %in : f32
          linalg.yield %7 : f32
        }
      }
      %subview_4 = memref.subview %arg1[%arg2] [262144] [1] : !all to !slice
      memref.copy %view_3, %subview_4 {hexagon.db_store = array<i64: 0, 0, 0>} : !tile to !slice
    } {hexagon.db_ping_stage = 0 : i64}
    %2 = arith.cmpi eq, %arg3, %c1 : index
    scf.if %2 {
      %5 = arith.addi %arg2, %c262144 : index
      %6 = arith.cmpi slt, %5, %c1048576 : index
      scf.if %6 {
        %subview_6 = memref.subview %arg0[%5] [262144] [1] : !all to !slice
        memref.copy %subview_6, %view {hexagon.db_fetch = array<i64: 0, 0, 0>} : !slice to !tile
      } {hexagon.db_prefetch = 0 : i64}
      %view_3 = memref.view %alloc_0[%c0][] : !set to !tile
      %view_4 = memref.view %alloc_2[%c0][] : !set to !tile
      scf.forall (%arg4) = (0) to (262144) step (65536) {
        %subview_6 = memref.subview %view_3[%arg4] [65536] [1] : !tile to !part
        %subview_7 = memref.subview %view_4[%arg4] [65536] [1] : !tile to !part
        linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%subview_6 : !part) outs(%subview_7 : !part) {
        ^bb0(%in: f32, %out: f32):
          %7 = math.exp %in : f32
          linalg.yield %7 : f32
        }
      }
      %subview_5 = memref.subview %arg1[%arg2] [262144] [1] : !all to !slice
      memref.copy %view_4, %subview_5 {hexagon.db_store = array<i64: 0, 1, 0>} : !tile to !slice
    } {hexagon.db_pong_stage = 1 : i64}
    %3 = arith.addi %arg3, %c1 : index
    %4 = arith.select %2, %c0, %3 : index
    scf.yield %4 : index
  } {hexagon.db_loop = 0 : i64}
  memref.dealloc %alloc : !set
  memref.dealloc %alloc_0 : !set
  memref.dealloc %alloc_1 : !set
  memref.dealloc %alloc_2 : !set
  return
}
