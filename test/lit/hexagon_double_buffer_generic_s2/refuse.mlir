// Copies that stay copies, and inconsistent marks.
// RUN: not hexmlir-opt %s --hexagon-double-buffer-generic-s2 --split-input-file --remarks 2>&1 | filecheck %s

// 1. Columns: no descriptor has a stride between elements.
// CHECK: remark: hexagon-double-buffer-generic-s2: stays a copy: strided elements, or rows too long for a descriptor
func.func @column(%x: memref<64x8xf32>, %a: memref<64xf32, 1>, %n: index, %p: i1, %q: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    scf.if %p {
      %v = memref.subview %x[0, %i] [64, 1] [1, 1] : memref<64x8xf32> to memref<64xf32, strided<[8], offset: ?>>
      memref.copy %a, %v {hexagon.db_store = array<i64: 0, 0, 0>} : memref<64xf32, 1> to memref<64xf32, strided<[8], offset: ?>>
    } {hexagon.db_ping_stage = 0 : i64}
    scf.if %q {
      linalg.exp ins(%a : memref<64xf32, 1>) outs(%a : memref<64xf32, 1>)
    } {hexagon.db_pong_stage = 1 : i64}
  } {hexagon.db_loop = 0 : i64}
  return
}

// -----
// 2. A loop without its parts.
// CHECK: error: hexagon-double-buffer-generic-s2: hexagon.db_loop without a hexagon.db_ping_stage and a hexagon.db_pong_stage part in the loop
func.func @no_parts(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
  } {hexagon.db_loop = 0 : i64}
  return
}

// -----
// 3. A copy of a loop that does not exist.
// CHECK: error: hexagon-double-buffer-generic-s2: hexagon.db_fetch does not name a double-buffered loop, its set of buffers and a number
func.func @no_loop(%x: memref<64xf32>, %a: memref<64xf32, 1>) {
  memref.copy %x, %a {hexagon.db_fetch = array<i64: 3, 0, 0>} : memref<64xf32> to memref<64xf32, 1>
  return
}

// -----
// 4. Marks that are no numbers, and a mark on an op that is no loop.
// CHECK: :[[# @LINE + 1]]:1: error: hexagon-double-buffer-generic-s2: hexagon.db_loop is "x", not a number
func.func @text() attributes {hexagon.db_loop = "x"} {
  return
}

// -----
func.func @unit(%n: index, %p: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    // CHECK: :[[# @LINE + 1]]:5: error: hexagon-double-buffer-generic-s2: hexagon.db_ping_stage is unit, not a number
    scf.if %p {
    } {hexagon.db_ping_stage}
  } {hexagon.db_loop = 0 : i64}
  return
}

// -----
func.func @no_for(%p: i1) {
  // CHECK: :[[# @LINE + 1]]:3: error: hexagon-double-buffer-generic-s2: hexagon.db_loop on an operation that is no scf.for
  scf.if %p {
  } {hexagon.db_loop = 0 : i64}
  return
}

// -----
// 5. Two loops of the same number: copies are ambiguous.
func.func @twice(%n: index, %p: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    scf.if %p {
    } {hexagon.db_ping_stage = 0 : i64}
    scf.if %p {
    } {hexagon.db_pong_stage = 1 : i64}
  } {hexagon.db_loop = 0 : i64}
  // CHECK: :[[# @LINE + 1]]:3: error: hexagon-double-buffer-generic-s2: two loops are hexagon.db_loop 0
  scf.for %i = %c0 to %n step %c1 {
    scf.if %p {
    } {hexagon.db_ping_stage = 0 : i64}
    scf.if %p {
    } {hexagon.db_pong_stage = 1 : i64}
  } {hexagon.db_loop = 0 : i64}
  return
}

// -----
// A copy that was moved out of its loop's function.
func.func @loop(%n: index, %p: i1, %a: memref<64xf32, 1>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    scf.if %p {
    } {hexagon.db_ping_stage = 0 : i64}
    scf.if %p {
      linalg.exp ins(%a : memref<64xf32, 1>) outs(%a : memref<64xf32, 1>)
    } {hexagon.db_pong_stage = 1 : i64}
  } {hexagon.db_loop = 0 : i64}
  return
}
func.func @elsewhere(%x: memref<64xf32>, %a: memref<64xf32, 1>) {
  // CHECK: :[[# @LINE + 1]]:3: error: hexagon-double-buffer-generic-s2: hexagon.db_fetch names a double-buffered loop of another block
  memref.copy %x, %a {hexagon.db_fetch = array<i64: 0, 0, 0>} : memref<64xf32> to memref<64xf32, 1>
  return
}
