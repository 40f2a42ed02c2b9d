// The first tile is in the caller's TCM; a later kernel's tile is started after the last fetch.
// RUN: hexmlir-opt %s --hexagon-weight-streaming --split-input-file | filecheck %s

// 1. All weights at once: the later tile starts before the work. Slots after the removed one move down, as do those that an
// scf.forall indexes; an argument that is not given before the run (argument 1) is no tile.
// CHECK-LABEL: func.func @whole
// CHECK-SAME: %arg3: memref<262144xi8, 1>, %arg4: index, %arg5: memref<266240xi8, 1>, %arg6: index, %arg7: index)
// CHECK-SAME: hexagon.tcm = {arena = 266240 : i64, spare = {{[1-9].*}} : i64, tiles = [array<i64: 0, 0, 262144, 1, 262144, 262144>]}
// CHECK: %[[ARENA:.*]] = memref.assume_alignment %arg5, 128
// CHECK: %[[TILE:.*]] = memref.assume_alignment %arg3, 128
// CHECK: memref.view %[[TILE]]{{.*}} {hexagon.tcm_slot}
// CHECK: memref.copy %arg1,
// CHECK: %[[TAG:.*]] = call @hexmlir_rt_tile_start(%arg4, %c0{{.*}}, %c1{{.*}}) : (index, index, index) -> i32
// CHECK: call @hexmlir_rt_dma_wait(%[[TAG]])
// CHECK: call @hexmlir_rt_tile_start(%arg6, %c0{{.*}}, %arg7)
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
// Both transfers are tiles: a slot that an scf.forall indexes moves down by the bytes of each.
// CHECK-LABEL: func.func @two
// CHECK-SAME: hexagon.tcm = {arena = 4096 : i64
// CHECK: scf.forall
// CHECK: %[[ONE:.*]] = arith.subi %{{.*}}, %c262144
// CHECK: %[[BOTH:.*]] = arith.subi %[[ONE]], %c262144
// CHECK: memref.view %{{.*}}[%[[BOTH]]]
func.func @two(%w: memref<256x256xf32>, %x: memref<256x256xf32>, %y: memref<256xf32>)
    attributes {hexagon.in_model = array<i64: 0, 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c262144 = arith.constant 262144 : index
  %c524288 = arith.constant 524288 : index
  %c1024 = arith.constant 1024 : index
  %arena = memref.alloc() {alignment = 128 : i64} : memref<528384xi8, 1>
  %s = memref.view %arena[%c0][] {hexagon.tcm_slot} : memref<528384xi8, 1> to memref<262144xi8, 1>
  %o = memref.view %arena[%c262144][] {hexagon.tcm_slot} : memref<528384xi8, 1> to memref<262144xi8, 1>
  %t = memref.view %s[%c0][] : memref<262144xi8, 1> to memref<256x256xf32, 1>
  %u = memref.view %o[%c0][] : memref<262144xi8, 1> to memref<256x256xf32, 1>
  %c65536 = arith.constant 65536 : index
  %tags = memref.alloc() : memref<2xi32>
  memref.dma_start %x[%c0, %c0], %u[%c0, %c0], %c65536, %tags[%c0]
    : memref<256x256xf32>, memref<256x256xf32, 1>, memref<2xi32>
  memref.dma_start %w[%c0, %c0], %t[%c0, %c0], %c65536, %tags[%c1]
    : memref<256x256xf32>, memref<256x256xf32, 1>, memref<2xi32>
  memref.dma_wait %tags[%c0], %c65536 : memref<2xi32>
  memref.dma_wait %tags[%c1], %c65536 : memref<2xi32>
  scf.forall (%i) in (4) {
    %part = arith.muli %i, %c1024 : index
    %at = arith.addi %part, %c524288 : index
    %p = memref.view %arena[%at][] {hexagon.tcm_slot} : memref<528384xi8, 1> to memref<1024xi8, 1>
    %q = memref.view %p[%c0][] : memref<1024xi8, 1> to memref<256xf32, 1>
    %row = memref.subview %t[%i, 0] [1, 256] [1, 1]
      : memref<256x256xf32, 1> to memref<256xf32, strided<[1], offset: ?>, 1>
    %other = memref.subview %u[%i, 0] [1, 256] [1, 1]
      : memref<256x256xf32, 1> to memref<256xf32, strided<[1], offset: ?>, 1>
    scf.for %k = %c0 to %c1024 step %c1 {
      linalg.exp ins(%row : memref<256xf32, strided<[1], offset: ?>, 1>) outs(%q : memref<256xf32, 1>)
      linalg.exp ins(%other : memref<256xf32, strided<[1], offset: ?>, 1>) outs(%q : memref<256xf32, 1>)
    }
  }
  memref.dealloc %arena : memref<528384xi8, 1>
  return
}

// -----
// 2. Tiles of columns: the tag is stored where the loop reads it, the later tile starts when no fetch is left.
// CHECK-LABEL: func.func @tiles
// CHECK-SAME: tiles = [array<i64: 0, 0, 512, 256, 2048, 131072>]}
// CHECK: %[[TAG:.*]] = call @hexmlir_rt_tile_start(%arg3,
// CHECK: memref.store %[[TAG]], %[[TAGS:.*]][%{{.*}}]
// CHECK: scf.for
// CHECK: %[[MORE:.*]] = arith.cmpi slt
// CHECK: scf.if %[[MORE]] {
// CHECK: memref.dma_start
// CHECK: } {hexagon.db_prefetch = 0 : i64}
// CHECK: %[[NO:.*]] = arith.xori %[[MORE]], %true
// CHECK: scf.if %[[NO]] {
// CHECK-NEXT: arith.constant 0
// CHECK-NEXT: func.call @hexmlir_rt_tile_start(%arg5, %{{.*}}, %arg6)
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

// -----
// Products on the matrix engine: the later tile starts after the last fetch, beside the products, before the last
// result is stored. A transfer of another argument's rows is no tile.
// CHECK-LABEL: func.func @engine
// CHECK-SAME: hexagon.tcm = {arena = 139264 : i64, spare = 8192 : i64, tiles = [array<i64: 0, 0, 2097152, 1, 2097152, 2097152>]}
// CHECK: %[[TAG:.*]] = call @hexmlir_rt_tile_start(
// CHECK: memref.store %[[TAG]], %[[TAGS:.*]][%{{.*}}]
// CHECK: memref.dma_start %arg1
// CHECK: call @hexmlir_rt_tile_start(
// CHECK: memref.dma_wait %[[TAGS]]
// CHECK: hexagon.engine_product
// CHECK: memref.copy %{{.*}}, %arg2
// CHECK-NOT: call @hexmlir_rt_tile_start(
func.func @engine(%w: memref<32x32x16x32x2xf16>, %x: memref<1x32x16x32x2xf16>, %y: memref<1x32x16x32x2xf16>)
    attributes {hexagon.in_model = array<i64: 0>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %weights = arith.constant 1048576 : index
  %row = arith.constant 32768 : index
  %c2097152 = arith.constant 2097152 : index
  %c2162688 = arith.constant 2162688 : index
  %c2228224 = arith.constant 2228224 : index
  %arena = memref.alloc() {alignment = 2048 : i64} : memref<2236416xi8, 1>
  %s = memref.view %arena[%c0][] {hexagon.tcm_slot} : memref<2236416xi8, 1> to memref<2097152xi8, 1>
  %o = memref.view %arena[%c2097152][] {hexagon.tcm_slot} : memref<2236416xi8, 1> to memref<65536xi8, 1>
  %p = memref.view %arena[%c2162688][] {hexagon.tcm_slot} : memref<2236416xi8, 1> to memref<65536xi8, 1>
  %b = memref.view %arena[%c2228224][] {hexagon.tcm_slot} : memref<2236416xi8, 1> to memref<8192xi8, 1>
  %t = memref.view %s[%c0][] : memref<2097152xi8, 1> to memref<32x32x16x32x2xf16, 1>
  %u = memref.view %o[%c0][] : memref<65536xi8, 1> to memref<1x32x16x32x2xf16, 1>
  %v = memref.view %p[%c0][] : memref<65536xi8, 1> to memref<1x32x16x32x2xf16, 1>
  %bias = memref.view %b[%c0][] : memref<8192xi8, 1> to memref<32x2x32xi32, 1>
  %first = memref.alloc() : memref<1xi32>
  memref.dma_start %w[%c0, %c0, %c0, %c0, %c0], %t[%c0, %c0, %c0, %c0, %c0], %weights, %first[%c0]
    : memref<32x32x16x32x2xf16>, memref<32x32x16x32x2xf16, 1>, memref<1xi32>
  %second = memref.alloc() : memref<1xi32>
  memref.dma_start %x[%c0, %c0, %c0, %c0, %c0], %u[%c0, %c0, %c0, %c0, %c0], %row, %second[%c0]
    : memref<1x32x16x32x2xf16>, memref<1x32x16x32x2xf16, 1>, memref<1xi32>
  memref.dma_wait %first[%c0], %c1 : memref<1xi32>
  memref.dma_wait %second[%c0], %c1 : memref<1xi32>
  "hexagon.engine_product"(%u, %t, %bias, %v) : (memref<1x32x16x32x2xf16, 1>, memref<32x32x16x32x2xf16, 1>,
    memref<32x2x32xi32, 1>, memref<1x32x16x32x2xf16, 1>) -> ()
  "hexagon.engine_wait"() : () -> ()
  memref.copy %v, %y : memref<1x32x16x32x2xf16, 1> to memref<1x32x16x32x2xf16>
  memref.dealloc %arena : memref<2236416xi8, 1>
  return
}

// -----
// A kernel without a tile starts that of a later one, once its own rows are on their way; one without fetches at once.
// CHECK-LABEL: func.func @none
// CHECK-SAME: %arg2: memref<262144xi8, 1>, %arg3: index, %arg4: index) attributes {hexagon.tcm = {arena = 262144 : i64, spare = {{[0-9]+}} : i64}}
// CHECK: memref.copy %arg0,
// CHECK: call @hexmlir_rt_tile_start(%arg3, %c0{{.*}}, %arg4)
// CHECK: scf.for
func.func @none(%x: memref<65536xf32>, %y: memref<65536xf32>) attributes {hexagon.in_model = array<i64>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %arena = memref.alloc() {alignment = 128 : i64} : memref<262144xi8, 1>
  %s = memref.view %arena[%c0][] {hexagon.tcm_slot} : memref<262144xi8, 1> to memref<262144xi8, 1>
  %t = memref.view %s[%c0][] : memref<262144xi8, 1> to memref<65536xf32, 1>
  memref.copy %x, %t : memref<65536xf32> to memref<65536xf32, 1>
  scf.for %i = %c0 to %c8 step %c1 {
    linalg.exp ins(%t : memref<65536xf32, 1>) outs(%t : memref<65536xf32, 1>)
  }
  memref.copy %t, %y : memref<65536xf32, 1> to memref<65536xf32>
  memref.dealloc %arena : memref<262144xi8, 1>
  return
}

// -----
// Of a kernel that branches, each block that fetches starts it, after its own rows.
// CHECK-LABEL: func.func @branches
// CHECK-NOT: call @hexmlir_rt_tile_start(
// CHECK: cf.cond_br
// CHECK: memref.copy %arg0,
// CHECK: call @hexmlir_rt_tile_start([[RECORDS:%.*]], %c0{{.*}}, [[COUNT:%.*]])
// CHECK: scf.for
// CHECK: return
// CHECK: memref.copy %arg1,
// CHECK: call @hexmlir_rt_tile_start([[RECORDS]], %c0{{.*}}, [[COUNT]])
// CHECK: scf.for
func.func @branches(%x: memref<65536xf32>, %z: memref<65536xf32>, %y: memref<65536xf32>, %few: i1)
    attributes {hexagon.in_model = array<i64>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %arena = memref.alloc() {alignment = 128 : i64} : memref<262144xi8, 1>
  %s = memref.view %arena[%c0][] {hexagon.tcm_slot} : memref<262144xi8, 1> to memref<262144xi8, 1>
  %t = memref.view %s[%c0][] : memref<262144xi8, 1> to memref<65536xf32, 1>
  cf.cond_br %few, ^one, ^other
^one:
  memref.copy %x, %t : memref<65536xf32> to memref<65536xf32, 1>
  scf.for %i = %c0 to %c8 step %c1 {
    linalg.exp ins(%t : memref<65536xf32, 1>) outs(%t : memref<65536xf32, 1>)
  }
  memref.copy %t, %y : memref<65536xf32, 1> to memref<65536xf32>
  memref.dealloc %arena : memref<262144xi8, 1>
  return
^other:
  memref.copy %z, %t : memref<65536xf32> to memref<65536xf32, 1>
  scf.for %i = %c0 to %c8 step %c1 {
    linalg.sqrt ins(%t : memref<65536xf32, 1>) outs(%t : memref<65536xf32, 1>)
  }
  memref.copy %t, %y : memref<65536xf32, 1> to memref<65536xf32>
  memref.dealloc %arena : memref<262144xi8, 1>
  return
}

// -----
// CHECK-LABEL: func.func @fetches_nothing
// CHECK: call @hexmlir_rt_tile_start(
// CHECK: scf.for
func.func @fetches_nothing(%y: memref<65536xf32>, %v: f32) attributes {hexagon.in_model = array<i64>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %arena = memref.alloc() {alignment = 128 : i64} : memref<262144xi8, 1>
  %s = memref.view %arena[%c0][] {hexagon.tcm_slot} : memref<262144xi8, 1> to memref<262144xi8, 1>
  %t = memref.view %s[%c0][] : memref<262144xi8, 1> to memref<65536xf32, 1>
  linalg.fill ins(%v : f32) outs(%t : memref<65536xf32, 1>)
  scf.for %i = %c0 to %c8 step %c1 {
    linalg.exp ins(%t : memref<65536xf32, 1>) outs(%t : memref<65536xf32, 1>)
  }
  memref.copy %t, %y : memref<65536xf32, 1> to memref<65536xf32>
  memref.dealloc %arena : memref<262144xi8, 1>
  return
}

// -----
// 4. The tile is a view of a view, both from the start of its slot on.
// CHECK-LABEL: func.func @nested
// CHECK-SAME: tiles = [array<i64: 0, 0, 131072, 1, 131072, 131072>]
// CHECK: call @hexmlir_rt_tile_start(
// CHECK-NOT: memref.copy %arg0
func.func @nested(%w: memref<32768xf32>, %y: memref<32768xf32>) attributes {hexagon.in_model = array<i64: 0>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c131072 = arith.constant 131072 : index
  %arena = memref.alloc() {alignment = 128 : i64} : memref<262144xi8, 1>
  %slot = memref.view %arena[%c0][] {hexagon.tcm_slot} : memref<262144xi8, 1> to memref<131072xi8, 1>
  %other = memref.view %arena[%c131072][] {hexagon.tcm_slot} : memref<262144xi8, 1> to memref<131072xi8, 1>
  %inner = memref.view %slot[%c0][] : memref<131072xi8, 1> to memref<131072xi8, 1>
  %t = memref.view %inner[%c0][] : memref<131072xi8, 1> to memref<32768xf32, 1>
  %u = memref.view %other[%c0][] : memref<131072xi8, 1> to memref<32768xf32, 1>
  memref.copy %w, %t : memref<32768xf32> to memref<32768xf32, 1>
  scf.for %i = %c0 to %c131072 step %c1 {
    linalg.exp ins(%t : memref<32768xf32, 1>) outs(%u : memref<32768xf32, 1>)
  }
  memref.copy %u, %y : memref<32768xf32, 1> to memref<32768xf32>
  memref.dealloc %arena : memref<262144xi8, 1>
  return
}

// -----
// 5. Not at the start of its slot: no tile.
// CHECK-LABEL: func.func @inside
// CHECK-NOT: tiles = [array
// CHECK: memref.copy %arg0
func.func @inside(%w: memref<16384xf32>, %y: memref<16384xf32>) attributes {hexagon.in_model = array<i64: 0>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c65536 = arith.constant 65536 : index
  %c131072 = arith.constant 131072 : index
  %arena = memref.alloc() {alignment = 128 : i64} : memref<262144xi8, 1>
  %slot = memref.view %arena[%c0][] {hexagon.tcm_slot} : memref<262144xi8, 1> to memref<131072xi8, 1>
  %other = memref.view %arena[%c131072][] {hexagon.tcm_slot} : memref<262144xi8, 1> to memref<131072xi8, 1>
  %inner = memref.view %slot[%c65536][] : memref<131072xi8, 1> to memref<65536xi8, 1>
  %t = memref.view %inner[%c0][] : memref<65536xi8, 1> to memref<16384xf32, 1>
  %u = memref.view %other[%c0][] : memref<131072xi8, 1> to memref<16384xf32, 1>
  memref.copy %w, %t : memref<16384xf32> to memref<16384xf32, 1>
  scf.for %i = %c0 to %c131072 step %c1 {
    linalg.exp ins(%t : memref<16384xf32, 1>) outs(%u : memref<16384xf32, 1>)
  }
  memref.copy %u, %y : memref<16384xf32, 1> to memref<16384xf32>
  memref.dealloc %arena : memref<262144xi8, 1>
  return
}

// -----
// 6. Codes and their scales, which the same loop works on, are both tiles, however small the scales are. Their
// transfers are started before the work on the activations, and waited for after it. Nothing else is fetched: those of a
// later kernel follow at once.
// CHECK-LABEL: func.func @scales
// CHECK-SAME: tiles = [array<i64: 0, 0, 262144, 1, 262144, 262144>, array<i64: 1, 0, 4096, 1, 4096, 4096>]}
// CHECK: %[[CODES:.*]] = call @hexmlir_rt_tile_start(%[[RECORDS:.*]], %c0{{.*}}, %c1
// CHECK-NEXT: %{{.*}} = arith.constant 1
// CHECK-NEXT: %{{.*}} = arith.constant 1
// CHECK-NEXT: %[[SCALES:.*]] = call @hexmlir_rt_tile_start(%[[RECORDS]],
// CHECK: call @hexmlir_rt_tile_start(%[[LATER:.*]], %c0{{.*}}, %[[COUNT:.*]]) :
// CHECK: linalg.exp ins(%arg2
// CHECK: memref.store %[[CODES]],
// CHECK: memref.store %[[SCALES]],
// CHECK: memref.dma_wait
// CHECK: scf.for
func.func @scales(%w: memref<65536xf32>, %s: memref<1024xf32>, %x: memref<1024xf32>, %y: memref<1024xf32>)
    attributes {hexagon.in_model = array<i64: 0, 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c1024 = arith.constant 1024 : index
  %c65536 = arith.constant 65536 : index
  %c262144 = arith.constant 262144 : index
  %arena = memref.alloc() {alignment = 128 : i64} : memref<266240xi8, 1>
  %a = memref.view %arena[%c0][] {hexagon.tcm_slot} : memref<266240xi8, 1> to memref<262144xi8, 1>
  %b = memref.view %arena[%c262144][] {hexagon.tcm_slot} : memref<266240xi8, 1> to memref<4096xi8, 1>
  %t = memref.view %a[%c0][] : memref<262144xi8, 1> to memref<65536xf32, 1>
  %u = memref.view %b[%c0][] : memref<4096xi8, 1> to memref<1024xf32, 1>
  linalg.exp ins(%x : memref<1024xf32>) outs(%y : memref<1024xf32>)
  %tags = memref.alloc() : memref<1xi32>
  %others = memref.alloc() : memref<1xi32>
  memref.dma_start %w[%c0], %t[%c0], %c65536, %tags[%c0] : memref<65536xf32>, memref<65536xf32, 1>, memref<1xi32>
  memref.dma_start %s[%c0], %u[%c0], %c1024, %others[%c0] : memref<1024xf32>, memref<1024xf32, 1>, memref<1xi32>
  memref.dma_wait %tags[%c0], %c1 : memref<1xi32>
  memref.dma_wait %others[%c0], %c1 : memref<1xi32>
  scf.for %k = %c0 to %c1024 step %c1 {
    linalg.exp ins(%t : memref<65536xf32, 1>) outs(%t : memref<65536xf32, 1>)
    linalg.exp ins(%u : memref<1024xf32, 1>) outs(%u : memref<1024xf32, 1>)
  }
  memref.dealloc %tags : memref<1xi32>
  memref.dealloc %others : memref<1xi32>
  memref.dealloc %arena : memref<266240xi8, 1>
  return
}

// -----
// 7. A parallel loop that fetches in each iteration: 10 on 4 threads are three rounds, in each of which the first
// thread starts a third of the tiles, after its first operation.
// CHECK-LABEL: func.func @rounds
// CHECK-SAME: %[[RECORDS:arg[0-9]+]]: index, %[[COUNT:arg[0-9]+]]: index) attributes {hexagon.tcm = {arena
// CHECK-SAME: spare =
// CHECK: scf.forall (%[[I:.*]]) in (10)
// CHECK: memref.copy
// CHECK: linalg.exp
// CHECK: arith.remui %[[I]], %[[THREADS:.*]] : index
// CHECK: scf.if
// CHECK: %[[SUM:.*]] = arith.addi %[[COUNT]], %c2{{.*}} : index
// CHECK: %[[SHARE:.*]] = arith.divui %[[SUM]], %c3{{.*}} : index
// CHECK: %[[ROUND:.*]] = arith.divui %[[I]], %[[THREADS]] : index
// CHECK: %[[PASSED:.*]] = arith.muli %[[ROUND]], %[[SHARE]] : index
// CHECK: %[[FIRST:.*]] = arith.minui %[[PASSED]], %[[COUNT]] : index
// CHECK: %[[LEFT:.*]] = arith.subi %[[COUNT]], %[[FIRST]] : index
// CHECK: %[[NUMBER:.*]] = arith.minui %[[SHARE]], %[[LEFT]] : index
// CHECK: func.call @hexmlir_rt_tile_start(%[[RECORDS]], %[[FIRST]], %[[NUMBER]])
// CHECK: linalg.exp
// CHECK-NOT: @hexmlir_rt_tile_start
func.func @rounds(%x: memref<10x32768xf32>, %y: memref<10x32768xf32>) attributes {hexagon.in_model = array<i64>} {
  %c0 = arith.constant 0 : index
  %c131072 = arith.constant 131072 : index
  %arena = memref.alloc() {alignment = 128 : i64} : memref<1310720xi8, 1>
  scf.forall (%i) in (10) {
    %at = arith.muli %i, %c131072 : index
    %slot = memref.view %arena[%at][] {hexagon.tcm_slot} : memref<1310720xi8, 1> to memref<131072xi8, 1>
    %t = memref.view %slot[%c0][] : memref<131072xi8, 1> to memref<32768xf32, 1>
    %from = memref.subview %x[%i, 0] [1, 32768] [1, 1] : memref<10x32768xf32> to memref<32768xf32, strided<[1], offset: ?>>
    %to = memref.subview %y[%i, 0] [1, 32768] [1, 1] : memref<10x32768xf32> to memref<32768xf32, strided<[1], offset: ?>>
    memref.copy %from, %t : memref<32768xf32, strided<[1], offset: ?>> to memref<32768xf32, 1>
    linalg.exp ins(%t : memref<32768xf32, 1>) outs(%t : memref<32768xf32, 1>)
    linalg.exp ins(%t : memref<32768xf32, 1>) outs(%t : memref<32768xf32, 1>)
    memref.copy %t, %to : memref<32768xf32, 1> to memref<32768xf32, strided<[1], offset: ?>>
  }
  memref.dealloc %arena : memref<1310720xi8, 1>
  return
}
