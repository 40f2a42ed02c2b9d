// Marked copies become transfers: fetches are waited for after the next one was started, stores when their buffer is
// needed again and after the loop.
// RUN: hexmlir-opt %s --hexagon-double-buffer-generic-s2 --canonicalize --cse --split-input-file | filecheck %s

// 1. One tag per transfer; rows of a matrix in one 2-D transfer with the stride of DDR.
// CHECK-LABEL: func.func @rows
// CHECK: %[[F0:.*]] = memref.alloc() : memref<1xi32>
// CHECK: %[[F1:.*]] = memref.alloc() : memref<1xi32>
// CHECK: %[[S0:.*]] = memref.alloc() : memref<1xi32>
// CHECK: %[[S1:.*]] = memref.alloc() : memref<1xi32>
// CHECK: memref.dma_start %{{.*}}, %arg2[%c0, %c0], %c512, %[[F0]][%c0], %c100, %c64
// CHECK: scf.for %[[I:.*]] = %c0 to %c8
// CHECK:   scf.if %[[MORE:.*]] {
// CHECK:     memref.dma_start {{.*}} %[[F1]][%c0], %c100, %c64
// CHECK:   } {hexagon.db_prefetch = 0 : i64}
// CHECK-NEXT: memref.dma_wait %[[F0]][%c0], %c1
// CHECK-NEXT: %[[REUSED:.*]] = arith.cmpi sge, %[[I]], %c2
// CHECK-NEXT: scf.if %[[REUSED]] {
// CHECK-NEXT:   memref.dma_wait %[[S0]][%c0], %c1
// CHECK: linalg.exp
// CHECK: memref.dma_start %arg4[%c0, %c0], {{.*}} %[[S0]][%c0], %c100, %c64
// CHECK: } {hexagon.db_ping_stage = 0 : i64}
// CHECK: memref.dma_wait %[[F1]][%c0]
// CHECK: memref.dma_wait %[[S1]][%c0]
// CHECK: } {hexagon.db_pong_stage = 1 : i64}
// CHECK: {hexagon.db_loop = 0 : i64}
// CHECK-NEXT: memref.dma_wait %[[S0]][%c0], %c1
// CHECK-NEXT: memref.dma_wait %[[S1]][%c0], %c1
// CHECK-NEXT: memref.dealloc %[[F0]]
!tile = memref<8x64xf32, 1>
!slice = memref<8x64xf32, strided<[100, 1], offset: ?>>
func.func @rows(%x: memref<64x100xf32>, %y: memref<64x100xf32>, %a: !tile, %b: !tile, %c: !tile, %d: !tile) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %first = memref.subview %x[%c0, 0] [8, 64] [1, 1] : memref<64x100xf32> to !slice
  memref.copy %first, %a {hexagon.db_fetch = array<i64: 0, 0, 0>} : !slice to !tile
  %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%set = %c0) -> (index) {
    %next = arith.addi %i, %c1 : index
    %more = arith.cmpi slt, %next, %c8 : index
    %xs = memref.subview %x[%next, 0] [8, 64] [1, 1] : memref<64x100xf32> to !slice
    %ys = memref.subview %y[%i, 0] [8, 64] [1, 1] : memref<64x100xf32> to !slice
    %ping = arith.cmpi eq, %set, %c0 : index
    scf.if %ping {
      scf.if %more {
        memref.copy %xs, %b {hexagon.db_fetch = array<i64: 0, 1, 0>} : !slice to !tile
      } {hexagon.db_prefetch = 0 : i64}
      linalg.exp ins(%a : !tile) outs(%c : !tile)
      memref.copy %c, %ys {hexagon.db_store = array<i64: 0, 0, 0>} : !tile to !slice
    } {hexagon.db_ping_stage = 0 : i64}
    %pong = arith.cmpi eq, %set, %c1 : index
    scf.if %pong {
      scf.if %more {
        memref.copy %xs, %a {hexagon.db_fetch = array<i64: 0, 0, 0>} : !slice to !tile
      } {hexagon.db_prefetch = 0 : i64}
      linalg.exp ins(%b : !tile) outs(%d : !tile)
      memref.copy %d, %ys {hexagon.db_store = array<i64: 0, 1, 0>} : !tile to !slice
    } {hexagon.db_pong_stage = 1 : i64}
    %other = arith.subi %c1, %set : index
    scf.yield %other : index
  } {hexagon.db_loop = 0 : i64}
  return
}

// -----
// 2. Three dimensions with strides of their own: a loop of 2-D transfers, as many tags, and the number in flight.
// CHECK-LABEL: func.func @cubes
// CHECK: %[[TAGS:.*]] = memref.alloc() : memref<4xi32>
// CHECK: %[[COUNT:.*]] = memref.alloc() : memref<1xindex>
// CHECK: scf.for %[[I:.*]] = %c0 to %arg2
// CHECK: memref.load %[[COUNT]]
// CHECK: scf.for
// CHECK: memref.dma_wait %[[TAGS]][%{{.*}}]
// CHECK: memref.store %c4, %[[COUNT]][%c0]
// CHECK: scf.for %[[K:.*]] = %c0 to %c4
// CHECK: memref.dma_start {{.*}}[%[[K]], %c0, %c0], %c80, %[[TAGS]][%[[K]]], %c100, %c10
func.func @cubes(%x: memref<8x50x100xf32>, %a: memref<4x8x10xf32, 1>, %n: index, %p: i1, %q: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    scf.if %p {
      %v = memref.subview %x[0, %i, 0] [4, 8, 10] [1, 1, 1]
        : memref<8x50x100xf32> to memref<4x8x10xf32, strided<[5000, 100, 1], offset: ?>>
      memref.copy %a, %v {hexagon.db_store = array<i64: 0, 0, 0>}
        : memref<4x8x10xf32, 1> to memref<4x8x10xf32, strided<[5000, 100, 1], offset: ?>>
    } {hexagon.db_ping_stage = 0 : i64}
    scf.if %q {
      linalg.exp ins(%a : memref<4x8x10xf32, 1>) outs(%a : memref<4x8x10xf32, 1>)
    } {hexagon.db_pong_stage = 1 : i64}
  } {hexagon.db_loop = 0 : i64}
  return
}

// -----
// 3. Ragged rows: the first fetch has a static size and is contiguous, later ones have dynamic sizes and are cut into
// rows. They share a tag.
// CHECK-LABEL: func.func @ragged
// CHECK: %[[F0:.*]] = memref.alloc() : memref<1xi32>
// CHECK: memref.dma_start %arg0[%c0, %c0], %arg1[%c0, %c0], %c512, %[[F0]][%c0] :
// CHECK: scf.for
// CHECK:   memref.dma_wait %[[F0]][%c0], %c1
// CHECK:   linalg.exp
// CHECK:   memref.dma_start %{{.*}}, %{{.*}}, %{{.*}}, %[[F0]][%c0], %{{.*}}, %c64
// CHECK-NOT: memref.copy
!part = memref<1x?x64xf32, strided<[1280, 64, 1], offset: ?>>
!rows = memref<?x64xf32, strided<[?, 1], offset: ?>>
func.func @ragged(%x: memref<8x64xf32>, %a: memref<8x64xf32, 1>, %b: memref<8x64xf32, 1>, %y: memref<1x20x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c20 = arith.constant 20 : index
  memref.copy %x, %a {hexagon.db_fetch = array<i64: 0, 0, 0>} : memref<8x64xf32> to memref<8x64xf32, 1>
  %r = scf.for %i = %c0 to %c20 step %c8 iter_args(%set = %c0) -> (index) {
    %ping = arith.cmpi eq, %set, %c0 : index
    scf.if %ping {
      linalg.exp ins(%a : memref<8x64xf32, 1>) outs(%b : memref<8x64xf32, 1>)
    } {hexagon.db_ping_stage = 0 : i64}
    %pong = arith.cmpi eq, %set, %c1 : index
    scf.if %pong {
      %rows = affine.min affine_map<(d0) -> (-d0 + 20, 8)>(%i)
      %part = memref.subview %y[0, %i, 0] [1, %rows, 64] [1, 1, 1] : memref<1x20x64xf32> to !part
      %ys = memref.collapse_shape %part [[0, 1], [2]] : !part into !rows
      %as = memref.subview %a[0, 0] [%rows, 64] [1, 1] : memref<8x64xf32, 1> to memref<?x64xf32, strided<[64, 1]>, 1>
      memref.copy %ys, %as {hexagon.db_fetch = array<i64: 0, 0, 0>} : !rows to memref<?x64xf32, strided<[64, 1]>, 1>
      linalg.exp ins(%b : memref<8x64xf32, 1>) outs(%b : memref<8x64xf32, 1>)
    } {hexagon.db_pong_stage = 1 : i64}
    %other = arith.subi %c1, %set : index
    scf.yield %other : index
  } {hexagon.db_loop = 0 : i64}
  return
}
