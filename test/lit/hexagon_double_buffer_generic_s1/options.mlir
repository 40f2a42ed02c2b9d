// The number of sets: chosen, set by the option, none.
// RUN: hexmlir-opt %s --hexagon-double-buffer-generic-s1 | filecheck %s --check-prefix=CHOSEN
// RUN: hexmlir-opt %s --hexagon-double-buffer-generic-s1=buffers=2 | filecheck %s --check-prefix=TWO
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
