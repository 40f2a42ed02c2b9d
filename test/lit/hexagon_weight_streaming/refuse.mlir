// Kernels that keep their memory, and kernels that start no tile.
// RUN: hexmlir-opt %s --hexagon-weight-streaming='tile-bytes=1024' --split-input-file | filecheck %s
// RUN: hexmlir-opt %s --hexagon-weight-streaming='tile-bytes=1024' --split-input-file --remarks 2>&1 >/dev/null | filecheck %s --check-prefix=WHY

// 1. A buffer outside the arena.
// WHY: remark: hexagon-weight-streaming: keeps all of TCM: it has buffers outside its arena
// CHECK-LABEL: func.func @two
// CHECK-NOT: hexagon.tcm
// CHECK: memref.alloc(%{{.*}}) : memref<?xi8, 1>
func.func @two(%n: index) attributes {hexagon.in_model = array<i64>} {
  %a = memref.alloc(%n) : memref<?xi8, 1>
  memref.dealloc %a : memref<?xi8, 1>
  return
}

// -----
// 2. The slot is used before the fetch: a prefetched tile would be overwritten. An argument that an earlier kernel
// makes does not exist before it.
// WHY: remark: hexagon-weight-streaming: no first tile: no large block is always fetched before all work on it
// WHY: remark: hexagon-weight-streaming: no first tile: no large block is always fetched before all work on it
// CHECK-LABEL: func.func @used
// CHECK-SAME: hexagon.tcm = {arena = 4096 : i64}
// CHECK: memref.copy %arg0,
func.func @used(%w: memref<1024xf32>, %c: f32) attributes {hexagon.in_model = array<i64: 0>} {
  %c0 = arith.constant 0 : index
  %arena = memref.alloc() {alignment = 128 : i64} : memref<4096xi8, 1>
  %s = memref.view %arena[%c0][] {hexagon.tcm_slot} : memref<4096xi8, 1> to memref<4096xi8, 1>
  %t = memref.view %s[%c0][] : memref<4096xi8, 1> to memref<1024xf32, 1>
  linalg.fill ins(%c : f32) outs(%t : memref<1024xf32, 1>)
  memref.copy %w, %t : memref<1024xf32> to memref<1024xf32, 1>
  linalg.exp ins(%t : memref<1024xf32, 1>) outs(%t : memref<1024xf32, 1>)
  memref.dealloc %arena : memref<4096xi8, 1>
  return
}

// -----
// CHECK-LABEL: func.func @made
// CHECK-SAME: hexagon.tcm = {arena = 4096 : i64}
func.func @made(%w: memref<1024xf32>) attributes {hexagon.in_model = array<i64>} {
  %c0 = arith.constant 0 : index
  %arena = memref.alloc() {alignment = 128 : i64} : memref<4096xi8, 1>
  %s = memref.view %arena[%c0][] {hexagon.tcm_slot} : memref<4096xi8, 1> to memref<4096xi8, 1>
  %t = memref.view %s[%c0][] : memref<4096xi8, 1> to memref<1024xf32, 1>
  memref.copy %w, %t : memref<1024xf32> to memref<1024xf32, 1>
  linalg.exp ins(%t : memref<1024xf32, 1>) outs(%t : memref<1024xf32, 1>)
  memref.dealloc %arena : memref<4096xi8, 1>
  return
}

// -----
// 3. The work fetches in each iteration: a later kernel's tile would delay it.
// WHY: remark: hexagon-weight-streaming: prefetches no tile of a later kernel: the loop fetches in more than one way
// CHECK-LABEL: func.func @fetching
// CHECK-SAME: hexagon.tcm = {arena = 4096 : i64, leading = 1 : i64, tiles = [array<i64: 0, 0, 4096, 1, 4096, 4096>]}
// CHECK: call @hexmlir_rt_tile_start(
// CHECK-NOT: call @hexmlir_rt_tile_start(
func.func @fetching(%w: memref<1024xf32>, %x: memref<4x1024xf32>, %y: memref<1024xf32, 1>)
    attributes {hexagon.in_model = array<i64: 0>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c4096 = arith.constant 4096 : index
  %arena = memref.alloc() {alignment = 128 : i64} : memref<8192xi8, 1>
  %s = memref.view %arena[%c0][] {hexagon.tcm_slot} : memref<8192xi8, 1> to memref<4096xi8, 1>
  %o = memref.view %arena[%c4096][] {hexagon.tcm_slot} : memref<8192xi8, 1> to memref<4096xi8, 1>
  %t = memref.view %s[%c0][] : memref<4096xi8, 1> to memref<1024xf32, 1>
  %u = memref.view %o[%c0][] : memref<4096xi8, 1> to memref<1024xf32, 1>
  memref.copy %w, %t : memref<1024xf32> to memref<1024xf32, 1>
  scf.for %i = %c0 to %c4 step %c1 {
    %v = memref.subview %x[%i, 0] [1, 1024] [1, 1] : memref<4x1024xf32> to memref<1024xf32, strided<[1], offset: ?>>
    memref.copy %v, %u : memref<1024xf32, strided<[1], offset: ?>> to memref<1024xf32, 1>
    linalg.add ins(%t, %u : memref<1024xf32, 1>, memref<1024xf32, 1>) outs(%y : memref<1024xf32, 1>)
  }
  memref.dealloc %arena : memref<8192xi8, 1>
  return
}
