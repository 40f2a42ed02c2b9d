// The number of sets: chosen, set by the option, none.
// RUN: hexmlir-opt %s --hexagon-double-buffer-generic-s1 | filecheck %s --check-prefix=CHOSEN
// RUN: hexmlir-opt %s --hexagon-double-buffer-generic-s1=buffers=2 | filecheck %s --check-prefix=TWO
// RUN: hexmlir-opt %s --hexagon-double-buffer-generic-s1=tcm-bytes=49152 | filecheck %s --check-prefix=TIGHT
// RUN: hexmlir-opt %s --hexagon-double-buffer-generic-s1=buffers=1 | filecheck %s --check-prefix=NONE
// RUN: hexmlir-opt %s --hexagon-double-buffer-generic-s1=tcm-bytes=20000 --remarks 2>&1 >/dev/null | filecheck %s --check-prefix=SMALL

// Tiles of 16 KiB take 560 cycles, but the first byte 1650 on an idle engine: with slightly more work than that,
// fetches are two tiles ahead. With less work the engine is never idle, and two sets suffice.
// CHOSEN: func.func @chain
// CHOSEN-COUNT-3: memref.alloc() : memref<16384xi8, 1>
// CHOSEN-COUNT-2: {hexagon.db_prologue = 0 : i64}
// CHOSEN: {hexagon.db_ping_stage = 0 : i64}
// CHOSEN: {hexagon.db_pong_stage = 1 : i64}
// CHOSEN: {hexagon.db_pong_stage = 2 : i64}
// CHOSEN: func.func @sums
// CHOSEN: {hexagon.db_pong_stage = 1 : i64}
// CHOSEN-NOT: hexagon.db_pong_stage
// TWO: func.func @chain
// TWO-COUNT-2: memref.alloc() : memref<16384xi8, 1>
// TWO: {hexagon.db_pong_stage = 1 : i64}
// TWO-NOT: {hexagon.db_pong_stage = 2
// NONE-NOT: db_
// SMALL: remark: hexagon-double-buffer-generic-s1: not double-buffered: no room for a second set of 16384 bytes in 20000 bytes of TCM
func.func @chain(%x: memref<64x4096xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = memref.alloc() : memref<4096xf32, 1>
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.subview %x[%i, 0] [1, 4096] [1, 1] : memref<64x4096xf32> to memref<4096xf32, strided<[1], offset: ?>>
    %b = memref.alloc() : memref<4096xf32, 1>
    memref.copy %v, %b : memref<4096xf32, strided<[1], offset: ?>> to memref<4096xf32, 1>
    linalg.mul ins(%b, %t : memref<4096xf32, 1>, memref<4096xf32, 1>) outs(%t : memref<4096xf32, 1>)
  }
  return
}
func.func @sums(%x: memref<64x4096xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %sum = memref.alloc() : memref<f32>
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.subview %x[%i, 0] [1, 4096] [1, 1] : memref<64x4096xf32> to memref<4096xf32, strided<[1], offset: ?>>
    %b = memref.alloc() : memref<4096xf32, 1>
    memref.copy %v, %b : memref<4096xf32, strided<[1], offset: ?>> to memref<4096xf32, 1>
    linalg.reduce ins(%b : memref<4096xf32, 1>) outs(%sum : memref<f32>) dimensions = [0]
      (%in: f32, %out: f32) {
        %a = arith.addf %in, %out : f32
        linalg.yield %a : f32
      }
  }
  return
}

// A kernel of a model that multiplies by weights in blocks has all sets that fit, up to four; outside a model two.
// CHOSEN: func.func @in_model
// CHOSEN-COUNT-4: memref.alloc() : memref<65536xi8, 1>
// CHOSEN-COUNT-3: {hexagon.db_prologue
// CHOSEN: {hexagon.db_pong_stage = 3 : i64}
// CHOSEN: func.func @alone
// CHOSEN: {hexagon.db_pong_stage = 1 : i64}
// CHOSEN-NOT: {hexagon.db_pong_stage
#rows = affine_map<(r, t, c, s, b, p, j, h, k) -> (r, b, p, j, h, k)>
#units = affine_map<(r, t, c, s, b, p, j, h, k) -> (r, b)>
#sums = affine_map<(r, t, c, s, b, p, j, h, k) -> (r, b, p)>
#codes = affine_map<(r, t, c, s, b, p, j, h, k) -> (t, b, j, s, c, k)>
#scales = affine_map<(r, t, c, s, b, p, j, h, k) -> (t, b, s, c)>
#result = affine_map<(r, t, c, s, b, p, j, h, k) -> (r, t, c, s)>
func.func @in_model(%x: memref<1x64x1x4x1x4xi8>, %u: memref<1x64xf32>, %s: memref<1x64x1xi32>,
    %w: memref<8x64x4x2x32x4xi8>, %scales: memref<1x64x2x32xf32, 1>, %y: memref<8x1x1x32x2xf32, 1>)
    attributes {hexagon.in_model = array<i64: 3>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    %v = memref.subview %w[%i, 0, 0, 0, 0, 0] [1, 64, 4, 2, 32, 4] [1, 1, 1, 1, 1, 1]
      : memref<8x64x4x2x32x4xi8> to memref<1x64x4x2x32x4xi8, strided<[65536, 1024, 256, 128, 4, 1], offset: ?>>
    %b = memref.alloc() : memref<1x64x4x2x32x4xi8, 1>
    memref.copy %v, %b : memref<1x64x4x2x32x4xi8, strided<[65536, 1024, 256, 128, 4, 1], offset: ?>>
      to memref<1x64x4x2x32x4xi8, 1>
    %z = memref.subview %y[%i, 0, 0, 0, 0] [1, 1, 1, 32, 2] [1, 1, 1, 1, 1]
      : memref<8x1x1x32x2xf32, 1> to memref<1x1x32x2xf32, strided<[64, 64, 2, 1], offset: ?>, 1>
    linalg.generic {indexing_maps = [#rows, #units, #sums, #codes, #scales, #result], iterator_types = ["parallel",
        "parallel", "parallel", "parallel", "reduction", "reduction", "reduction", "reduction", "reduction"],
        hexagon.block_product = 8 : i64}
        ins(%x, %u, %s, %b, %scales : memref<1x64x1x4x1x4xi8>, memref<1x64xf32>, memref<1x64x1xi32>,
        memref<1x64x4x2x32x4xi8, 1>, memref<1x64x2x32xf32, 1>)
        outs(%z : memref<1x1x32x2xf32, strided<[64, 64, 2, 1], offset: ?>, 1>) {
    ^bb0(%byte: i8, %unit: f32, %sum: i32, %code: i8, %scale: f32, %old: f32):
      linalg.yield %old : f32
    }
  }
  return
}
func.func @alone(%x: memref<1x64x1x4x1x4xi8>, %u: memref<1x64xf32>, %s: memref<1x64x1xi32>,
    %w: memref<8x64x4x2x32x4xi8>, %scales: memref<1x64x2x32xf32, 1>, %y: memref<8x1x1x32x2xf32, 1>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    %v = memref.subview %w[%i, 0, 0, 0, 0, 0] [1, 64, 4, 2, 32, 4] [1, 1, 1, 1, 1, 1]
      : memref<8x64x4x2x32x4xi8> to memref<1x64x4x2x32x4xi8, strided<[65536, 1024, 256, 128, 4, 1], offset: ?>>
    %b = memref.alloc() : memref<1x64x4x2x32x4xi8, 1>
    memref.copy %v, %b : memref<1x64x4x2x32x4xi8, strided<[65536, 1024, 256, 128, 4, 1], offset: ?>>
      to memref<1x64x4x2x32x4xi8, 1>
    %z = memref.subview %y[%i, 0, 0, 0, 0] [1, 1, 1, 32, 2] [1, 1, 1, 1, 1]
      : memref<8x1x1x32x2xf32, 1> to memref<1x1x32x2xf32, strided<[64, 64, 2, 1], offset: ?>, 1>
    linalg.generic {indexing_maps = [#rows, #units, #sums, #codes, #scales, #result], iterator_types = ["parallel",
        "parallel", "parallel", "parallel", "reduction", "reduction", "reduction", "reduction", "reduction"],
        hexagon.block_product = 8 : i64}
        ins(%x, %u, %s, %b, %scales : memref<1x64x1x4x1x4xi8>, memref<1x64xf32>, memref<1x64x1xi32>,
        memref<1x64x4x2x32x4xi8, 1>, memref<1x64x2x32xf32, 1>)
        outs(%z : memref<1x1x32x2xf32, strided<[64, 64, 2, 1], offset: ?>, 1>) {
    ^bb0(%byte: i8, %unit: f32, %sum: i32, %code: i8, %scale: f32, %old: f32):
      linalg.yield %old : f32
    }
  }
  return
}

// As many sets as tiles: all are fetched before the loop, which fetches nothing.
// CHOSEN: func.func @all_ahead
// CHOSEN-COUNT-4: {hexagon.db_prologue
// CHOSEN-NOT: hexagon.db_prefetch
// CHOSEN: {hexagon.db_pong_stage = 3 : i64}
// CHOSEN-NOT: {hexagon.db_pong_stage
func.func @all_ahead(%x: memref<1x64x1x4x1x4xi8>, %u: memref<1x64xf32>, %s: memref<1x64x1xi32>,
    %w: memref<4x64x4x2x32x4xi8>, %scales: memref<1x64x2x32xf32, 1>, %y: memref<4x1x1x32x2xf32, 1>)
    attributes {hexagon.in_model = array<i64: 3>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %c4 step %c1 {
    %v = memref.subview %w[%i, 0, 0, 0, 0, 0] [1, 64, 4, 2, 32, 4] [1, 1, 1, 1, 1, 1]
      : memref<4x64x4x2x32x4xi8> to memref<1x64x4x2x32x4xi8, strided<[65536, 1024, 256, 128, 4, 1], offset: ?>>
    %b = memref.alloc() : memref<1x64x4x2x32x4xi8, 1>
    memref.copy %v, %b : memref<1x64x4x2x32x4xi8, strided<[65536, 1024, 256, 128, 4, 1], offset: ?>>
      to memref<1x64x4x2x32x4xi8, 1>
    %z = memref.subview %y[%i, 0, 0, 0, 0] [1, 1, 1, 32, 2] [1, 1, 1, 1, 1]
      : memref<4x1x1x32x2xf32, 1> to memref<1x1x32x2xf32, strided<[64, 64, 2, 1], offset: ?>, 1>
    linalg.generic {indexing_maps = [#rows, #units, #sums, #codes, #scales, #result], iterator_types = ["parallel",
        "parallel", "parallel", "parallel", "reduction", "reduction", "reduction", "reduction", "reduction"],
        hexagon.block_product = 8 : i64}
        ins(%x, %u, %s, %b, %scales : memref<1x64x1x4x1x4xi8>, memref<1x64xf32>, memref<1x64x1xi32>,
        memref<1x64x4x2x32x4xi8, 1>, memref<1x64x2x32xf32, 1>)
        outs(%z : memref<1x1x32x2xf32, strided<[64, 64, 2, 1], offset: ?>, 1>) {
    ^bb0(%byte: i8, %unit: f32, %sum: i32, %code: i8, %scale: f32, %old: f32):
      linalg.yield %old : f32
    }
  }
  return
}

// The first tile of the second loop comes before the first loop where TCM holds it beside that one's tiles.
// CHOSEN: func.func @one_after_the_other
// CHOSEN-COUNT-2: {hexagon.db_prologue
// CHOSEN: {hexagon.db_loop
// CHOSEN-NOT: {hexagon.db_prologue
// CHOSEN: {hexagon.db_loop
// CHOSEN: func.func @written
// CHOSEN: {hexagon.db_prologue
// CHOSEN: {hexagon.db_loop
// CHOSEN: {hexagon.db_prologue
// CHOSEN: {hexagon.db_loop
// TIGHT-LABEL: func.func @one_after_the_other
// TIGHT: {hexagon.db_prologue
// TIGHT: {hexagon.db_loop
// TIGHT: {hexagon.db_prologue
// TIGHT: {hexagon.db_loop
// TIGHT-LABEL: func.func @written
func.func @one_after_the_other(%x: memref<64x4096xf32>, %y: memref<64x4096xf32>, %n: index, %t: memref<4096xf32, 1>,
    %u: memref<4096xf32, 1>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.subview %x[%i, 0] [1, 4096] [1, 1] : memref<64x4096xf32> to memref<4096xf32, strided<[1], offset: ?>>
    %b = memref.alloc() : memref<4096xf32, 1>
    memref.copy %v, %b : memref<4096xf32, strided<[1], offset: ?>> to memref<4096xf32, 1>
    linalg.mul ins(%b, %t : memref<4096xf32, 1>, memref<4096xf32, 1>) outs(%t : memref<4096xf32, 1>)
  }
  linalg.exp ins(%t : memref<4096xf32, 1>) outs(%u : memref<4096xf32, 1>)
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.subview %y[%i, 0] [1, 4096] [1, 1] : memref<64x4096xf32> to memref<4096xf32, strided<[1], offset: ?>>
    %b = memref.alloc() : memref<4096xf32, 1>
    memref.copy %v, %b : memref<4096xf32, strided<[1], offset: ?>> to memref<4096xf32, 1>
    linalg.mul ins(%b, %u : memref<4096xf32, 1>, memref<4096xf32, 1>) outs(%u : memref<4096xf32, 1>)
  }
  return
}
func.func @written(%x: memref<64x4096xf32>, %y: memref<64x4096xf32>, %n: index, %t: memref<4096xf32, 1>,
    %u: memref<4096xf32, 1>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.subview %x[%i, 0] [1, 4096] [1, 1] : memref<64x4096xf32> to memref<4096xf32, strided<[1], offset: ?>>
    %b = memref.alloc() : memref<4096xf32, 1>
    memref.copy %v, %b : memref<4096xf32, strided<[1], offset: ?>> to memref<4096xf32, 1>
    linalg.mul ins(%b, %t : memref<4096xf32, 1>, memref<4096xf32, 1>) outs(%t : memref<4096xf32, 1>)
  }
  linalg.exp ins(%x : memref<64x4096xf32>) outs(%y : memref<64x4096xf32>)
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.subview %y[%i, 0] [1, 4096] [1, 1] : memref<64x4096xf32> to memref<4096xf32, strided<[1], offset: ?>>
    %b = memref.alloc() : memref<4096xf32, 1>
    memref.copy %v, %b : memref<4096xf32, strided<[1], offset: ?>> to memref<4096xf32, 1>
    linalg.mul ins(%b, %u : memref<4096xf32, 1>, memref<4096xf32, 1>) outs(%u : memref<4096xf32, 1>)
  }
  return
}

// The first loop has two sets and runs: where it has no more tile to fetch, the second one's first tile comes.
// TWO: func.func @known_to_run
// TWO: {hexagon.db_prologue = [[FIRST:.*]] : i64}
// TWO: scf.for
// TWO: hexagon.db_fetch = array<i64: [[FIRST]], 1, 0>
// TWO: } else {
// TWO: hexagon.db_fetch = array<i64: [[SECOND:.*]], 0, 0>
// TWO: {hexagon.db_prefetch = [[FIRST]] : i64}
// TWO: hexagon.db_fetch = array<i64: [[FIRST]], 0, 0>
// TWO: } else {
// TWO: hexagon.db_fetch = array<i64: [[SECOND]], 0, 0>
// TWO: {hexagon.db_prefetch = [[FIRST]] : i64}
// TWO: {hexagon.db_loop = [[FIRST]] : i64}
// TWO-NOT: {hexagon.db_prologue
// TWO: {hexagon.db_loop = [[SECOND]] : i64}
func.func @known_to_run(%x: memref<64x4096xf32>, %y: memref<64x4096xf32>, %t: memref<4096xf32, 1>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  scf.for %i = %c0 to %c64 step %c1 {
    %v = memref.subview %x[%i, 0] [1, 4096] [1, 1] : memref<64x4096xf32> to memref<4096xf32, strided<[1], offset: ?>>
    %b = memref.alloc() : memref<4096xf32, 1>
    memref.copy %v, %b : memref<4096xf32, strided<[1], offset: ?>> to memref<4096xf32, 1>
    linalg.mul ins(%b, %t : memref<4096xf32, 1>, memref<4096xf32, 1>) outs(%t : memref<4096xf32, 1>)
  }
  scf.for %i = %c0 to %c64 step %c1 {
    %v = memref.subview %y[%i, 0] [1, 4096] [1, 1] : memref<64x4096xf32> to memref<4096xf32, strided<[1], offset: ?>>
    %b = memref.alloc() : memref<4096xf32, 1>
    memref.copy %v, %b : memref<4096xf32, strided<[1], offset: ?>> to memref<4096xf32, 1>
    linalg.mul ins(%b, %t : memref<4096xf32, 1>, memref<4096xf32, 1>) outs(%t : memref<4096xf32, 1>)
  }
  return
}
