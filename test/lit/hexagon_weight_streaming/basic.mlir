// The first tile is in the caller's TCM; a later kernel's tile is started after the last fetch.
// RUN: hexmlir-opt %s --hexagon-weight-streaming --split-input-file | filecheck %s

// 1. All weights at once: the later tile starts before the work. Slots after the removed one move down, as do those that an
// scf.forall indexes; an argument that is not given before the run (argument 1) is no tile.
// CHECK-LABEL: func.func @whole
// CHECK-SAME: %arg3: memref<262144xi8, 1>, %arg4: index, %arg5: memref<266240xi8, 1>, %arg6: index, %arg7: index)
// CHECK-SAME: hexagon.tcm = {arena = 266240 : i64, spare = {{[1-9].*}} : i64, tile = array<i64: 0, 0, 262144, 1, 262144, 262144>}
// CHECK: %[[ARENA:.*]] = memref.assume_alignment %arg5, 128
// CHECK: %[[TILE:.*]] = memref.assume_alignment %arg3, 128
// CHECK: %[[SLOT:.*]] = memref.view %[[TILE]]{{.*}} {hexagon.tcm_slot}
// CHECK: memref.copy %arg1,
// CHECK: %[[P:.*]] = memref.extract_aligned_pointer_as_index %[[SLOT]]
// CHECK: %[[TAG:.*]] = call @hexmlir_rt_tile_start(%arg4, %[[P]]) : (index, index) -> i32
// CHECK: call @hexmlir_rt_dma_wait(%[[TAG]])
// CHECK: call @hexmlir_rt_tile_start(%arg6, %arg7)
// CHECK: scf.forall
// CHECK: %[[NEW:.*]] = arith.subi %{{.*}}, %c262144
// CHECK: memref.view %[[ARENA]][%[[NEW]]]
// CHECK-NOT: memref.dealloc
func.func @whole(%w: memref<256x256xf32>, %x: memref<512x128xf32>, %y: memref<256xf32>)
    attributes {hexagon.in_model = array<i64: 0>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c262144 = arith.constant 262144 : index
  %c524288 = arith.constant 524288 : index
  %c1024 = arith.constant 1024 : index
  %arena = memref.alloc() {alignment = 128 : i64} : memref<528384xi8, 1>
  %s = memref.view %arena[%c0][] {hexagon.tcm_slot} : memref<528384xi8, 1> to memref<262144xi8, 1>
  %o = memref.view %arena[%c262144][] {hexagon.tcm_slot} : memref<528384xi8, 1> to memref<262144xi8, 1>
  %t = memref.view %s[%c0][] : memref<262144xi8, 1> to memref<256x256xf32, 1>
  %u = memref.view %o[%c0][] : memref<262144xi8, 1> to memref<512x128xf32, 1>
  memref.copy %x, %u : memref<512x128xf32> to memref<512x128xf32, 1>
  memref.copy %w, %t : memref<256x256xf32> to memref<256x256xf32, 1>
  scf.forall (%i) in (4) {
    %part = arith.muli %i, %c1024 : index
    %at = arith.addi %part, %c524288 : index
    %p = memref.view %arena[%at][] {hexagon.tcm_slot} : memref<528384xi8, 1> to memref<1024xi8, 1>
    %q = memref.view %p[%c0][] : memref<1024xi8, 1> to memref<256xf32, 1>
    %row = memref.subview %t[%i, 0] [1, 256] [1, 1]
      : memref<256x256xf32, 1> to memref<256xf32, strided<[1], offset: ?>, 1>
    scf.for %k = %c0 to %c1024 step %c1 {
      linalg.exp ins(%row : memref<256xf32, strided<[1], offset: ?>, 1>) outs(%q : memref<256xf32, 1>)
    }
  }
  memref.dealloc %arena : memref<528384xi8, 1>
  return
}

// -----
// 2. Tiles of columns: the tag is stored where the loop reads it, the later tile starts when no fetch is left.
// CHECK-LABEL: func.func @tiles
// CHECK-SAME: tile = array<i64: 0, 0, 512, 256, 2048, 131072>}
// CHECK: %[[TAG:.*]] = call @hexmlir_rt_tile_start(%arg3,
// CHECK: memref.store %[[TAG]], %[[TAGS:.*]][%{{.*}}]
// CHECK: scf.for
// CHECK: %[[MORE:.*]] = arith.cmpi slt
// CHECK: scf.if %[[MORE]] {
// CHECK: memref.dma_start
// CHECK: } {hexagon.db_prefetch = 0 : i64}
// CHECK: %[[NO:.*]] = arith.xori %[[MORE]], %true
// CHECK: scf.if %[[NO]] {
// CHECK-NEXT: func.call @hexmlir_rt_tile_start(%arg5, %arg6)
// CHECK: memref.dma_wait %[[TAGS]]
func.func @tiles(%w: memref<256x512xf32>, %y: memref<256x128xf32, 1>) attributes {hexagon.in_model = array<i64: 0>} {
  %true = arith.constant true
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %c512 = arith.constant 512 : index
  %c32768 = arith.constant 32768 : index
  %c131072 = arith.constant 131072 : index
  %arena = memref.alloc() {alignment = 128 : i64} : memref<262144xi8, 1>
  %s = memref.view %arena[%c0][] {hexagon.tcm_slot} : memref<262144xi8, 1> to memref<131072xi8, 1>
  %o = memref.view %arena[%c131072][] {hexagon.tcm_slot} : memref<262144xi8, 1> to memref<131072xi8, 1>
  %t = memref.view %s[%c0][] : memref<131072xi8, 1> to memref<256x128xf32, 1>
  %u = memref.view %o[%c0][] : memref<131072xi8, 1> to memref<256x128xf32, 1>
  %tag = memref.alloc() : memref<1xi32>
  %first = memref.subview %w[0, 0] [256, 128] [1, 1]
    : memref<256x512xf32> to memref<256x128xf32, strided<[512, 1]>>
  memref.dma_start %first[%c0, %c0], %t[%c0, %c0], %c32768, %tag[%c0], %c512, %c128
    : memref<256x128xf32, strided<[512, 1]>>, memref<256x128xf32, 1>, memref<1xi32>
  scf.for %j = %c0 to %c512 step %c128 {
    scf.if %true {
      %next = arith.addi %j, %c128 : index
      %more = arith.cmpi slt, %next, %c512 : index
      scf.if %more {
        %v = memref.subview %w[0, %next] [256, 128] [1, 1]
          : memref<256x512xf32> to memref<256x128xf32, strided<[512, 1], offset: ?>>
        memref.dma_start %v[%c0, %c0], %u[%c0, %c0], %c32768, %tag[%c0], %c512, %c128
          : memref<256x128xf32, strided<[512, 1], offset: ?>>, memref<256x128xf32, 1>, memref<1xi32>
      } {hexagon.db_prefetch = 0 : i64}
      memref.dma_wait %tag[%c0], %c1 : memref<1xi32>
      scf.for %k = %c0 to %c512 step %c1 {
        linalg.exp ins(%t : memref<256x128xf32, 1>) outs(%y : memref<256x128xf32, 1>)
      }
    } {hexagon.db_ping_stage = 0 : i64}
  }
  memref.dealloc %tag : memref<1xi32>
  memref.dealloc %arena : memref<262144xi8, 1>
  return
}

// -----
// 3. No arena: no attribute.
// CHECK-LABEL: func.func @small
// CHECK-SAME: hexagon.tcm = {arena = 0 : i64}
func.func @small(%x: memref<4xf32>) attributes {hexagon.in_model = array<i64: 0>} {
  return
}

// -----
// CHECK-LABEL: func.func @alone
// CHECK: memref.alloc
func.func @alone(%x: memref<4xf32>) {
  %a = memref.alloc() : memref<128xi8, 1>
  memref.dealloc %a : memref<128xi8, 1>
  return
}
