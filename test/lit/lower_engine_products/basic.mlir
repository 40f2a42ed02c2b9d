// Products of tiles become scopes that hold the engine, in which a tile of results is multiplied, converted and stored.
// RUN: hexmlir-opt %s --lower-engine-products --canonicalize --cse --split-input-file | filecheck %s

// 1. A loop over columns of tiles; what is waited for at once is no task.
// CHECK-LABEL: func.func @row
// CHECK-NOT: async.execute
// CHECK: "hexagon.engine_scope"() ({
// CHECK-NEXT: scf.for %[[J:.*]] = %c0 to %c2 step %c1 {
// CHECK-NEXT: %[[W:.*]] = memref.subview %arg1[%[[J]], 0, 0, 0, 0] [1, 5, 16, 32, 2]
// CHECK-NEXT: "hexagon.engine_multiply"(%arg0, %[[W]])
// CHECK-NEXT: %[[T:.*]] = memref.subview %arg2[%[[J]], 0, 0] [1, 2, 32]
// CHECK-NEXT: %[[O:.*]] = memref.subview %arg3[0, %[[J]], 0, 0, 0] [1, 1, 16, 32, 2]
// CHECK-NEXT: "hexagon.engine_convert"(%[[T]]) {to = f16}
// CHECK-NEXT: "hexagon.engine_store"(%[[O]])
// CHECK-NEXT: }
// CHECK-NEXT: }) : () -> ()
// CHECK-NEXT: return
func.func @row(%a: memref<1x5x16x32x2xf16, 1>, %w: memref<2x5x16x32x2xf16, 1>, %t: memref<2x2x32xi32, 1>,
    %out: memref<1x2x16x32x2xf16, 1>) {
  "hexagon.engine_product"(%a, %w, %t, %out) : (memref<1x5x16x32x2xf16, 1>, memref<2x5x16x32x2xf16, 1>,
      memref<2x2x32xi32, 1>, memref<1x2x16x32x2xf16, 1>) -> ()
  "hexagon.engine_wait"() : () -> ()
  return
}

// -----
// 2. Several rows, one column of tiles: a loop over rows.
// CHECK-LABEL: func.func @rows
// CHECK: scf.for %[[I:.*]] = %c0 to %c3 step %c1 {
// CHECK-NEXT: %[[A:.*]] = memref.subview %arg0[%[[I]], 0, 0, 0, 0] [1, 5, 16, 32, 2]
// CHECK-NEXT: "hexagon.engine_multiply"(%[[A]], %arg1)
// CHECK-NOT: scf.for
// CHECK: "hexagon.engine_store"
func.func @rows(%a: memref<3x5x16x32x2xf16, 1>, %w: memref<1x5x16x32x2xf16, 1>, %t: memref<1x2x32xi32, 1>,
    %out: memref<3x1x16x32x2xf16, 1>) {
  "hexagon.engine_product"(%a, %w, %t, %out) : (memref<3x5x16x32x2xf16, 1>, memref<1x5x16x32x2xf16, 1>,
      memref<1x2x32xi32, 1>, memref<3x1x16x32x2xf16, 1>) -> ()
  "hexagon.engine_wait"() : () -> ()
  return
}

// -----
// 3. Work of HVX between product and wait: two tasks, each awaited at the next wait.
// CHECK-LABEL: func.func @meanwhile
// CHECK: %[[FIRST:.*]] = async.execute {
// CHECK-NEXT: hexagon.engine_scope
// CHECK: async.yield
// CHECK: linalg.exp
// CHECK-NEXT: async.await %[[FIRST]]
// CHECK: %[[SECOND:.*]] = async.execute {
// CHECK-NEXT: hexagon.engine_scope
// CHECK: linalg.exp
// CHECK-NEXT: async.await %[[SECOND]]
func.func @meanwhile(%a: memref<1x1x16x32x2xf16, 1>, %w: memref<1x1x16x32x2xf16, 1>, %t: memref<1x2x32xi32, 1>,
    %out: memref<1x1x16x32x2xf16, 1>, %x: memref<64xf32>) {
  "hexagon.engine_product"(%a, %w, %t, %out) : (memref<1x1x16x32x2xf16, 1>, memref<1x1x16x32x2xf16, 1>,
      memref<1x2x32xi32, 1>, memref<1x1x16x32x2xf16, 1>) -> ()
  linalg.exp ins(%x : memref<64xf32>) outs(%x : memref<64xf32>)
  "hexagon.engine_wait"() : () -> ()
  "hexagon.engine_product"(%out, %w, %t, %a) : (memref<1x1x16x32x2xf16, 1>, memref<1x1x16x32x2xf16, 1>,
      memref<1x2x32xi32, 1>, memref<1x1x16x32x2xf16, 1>) -> ()
  linalg.exp ins(%x : memref<64xf32>) outs(%x : memref<64xf32>)
  "hexagon.engine_wait"() : () -> ()
  return
}

// -----
// The first wait leaves the second product running.
// CHECK-LABEL: func.func @pending
// CHECK: %[[FIRST:.*]] = async.execute
// CHECK: %[[SECOND:.*]] = async.execute
// CHECK: async.await %[[FIRST]]
// CHECK-NEXT: linalg.exp
// CHECK-NEXT: async.await %[[SECOND]]
// CHECK-NEXT: return
func.func @pending(%a: memref<1x1x16x32x2xf16, 1>, %w: memref<1x1x16x32x2xf16, 1>, %t: memref<1x2x32xi32, 1>,
    %o: memref<1x1x16x32x2xf16, 1>, %p: memref<1x1x16x32x2xf16, 1>, %x: memref<64xf32>) {
  "hexagon.engine_product"(%a, %w, %t, %o) : (memref<1x1x16x32x2xf16, 1>, memref<1x1x16x32x2xf16, 1>,
      memref<1x2x32xi32, 1>, memref<1x1x16x32x2xf16, 1>) -> ()
  "hexagon.engine_product"(%a, %w, %t, %p) : (memref<1x1x16x32x2xf16, 1>, memref<1x1x16x32x2xf16, 1>,
      memref<1x2x32xi32, 1>, memref<1x1x16x32x2xf16, 1>) -> ()
  "hexagon.engine_wait"() {pending = 1 : i64} : () -> ()
  linalg.exp ins(%x : memref<64xf32>) outs(%x : memref<64xf32>)
  "hexagon.engine_wait"() : () -> ()
  return
}

// -----
// 4. Results in two pieces: the first conversion keeps the sums, from which the first piece times the table's tile of
// weights is subtracted.
// CHECK-LABEL: func.func @pieces
// CHECK: "hexagon.engine_multiply"(%arg0, %arg1)
// CHECK: %[[FIRST:.*]] = memref.subview %arg3[0, 0, 0, 0, 0, 0] [1, 1, 1, 16, 32, 2]
// CHECK: %[[T0:.*]] = memref.subview %arg2[512] [64] [1]
// CHECK: %[[T1:.*]] = memref.subview %arg2[576] [64] [1]
// CHECK: "hexagon.engine_convert"(%[[T0]]) {retain, to = f16}
// CHECK-NEXT: "hexagon.engine_store"(%[[FIRST]])
// CHECK: %[[MINUS:.*]] = memref.subview %arg2[0] [512] [1]
// CHECK-NEXT: "hexagon.engine_multiply"(%[[FIRST]], %[[MINUS]])
// CHECK: %[[SECOND:.*]] = memref.subview %arg3[0, 0, 1, 0, 0, 0] [1, 1, 1, 16, 32, 2]
// CHECK-NEXT: "hexagon.engine_convert"(%[[T1]]) {to = f16}
// CHECK-NEXT: "hexagon.engine_store"(%[[SECOND]])
func.func @pieces(%a: memref<1x5x16x32x2xf16, 1>, %w: memref<1x5x16x32x2xf16, 1>, %t: memref<640xi32, 1>,
    %out: memref<1x1x2x16x32x2xf16, 1>) {
  "hexagon.engine_product"(%a, %w, %t, %out) : (memref<1x5x16x32x2xf16, 1>, memref<1x5x16x32x2xf16, 1>,
      memref<640xi32, 1>, memref<1x1x2x16x32x2xf16, 1>) -> ()
  "hexagon.engine_wait"() : () -> ()
  return
}

// -----
// Sums of bytes: four planes, of which the last conversion clears the accumulators.
// CHECK-LABEL: func.func @planes
// CHECK: hexagon.engine_multiply
// CHECK-COUNT-3: {retain, to = i8}
// CHECK: %[[TABLE:.*]] = memref.subview %arg2[3, 0, 0] [1, 2, 32] [1, 1, 1]
// CHECK: "hexagon.engine_convert"(%[[TABLE]]) {to = i8}
// CHECK-NEXT: hexagon.engine_store
// CHECK-NOT: hexagon.engine_store
func.func @planes(%a: memref<1x3x64x32xi8, 1>, %w: memref<1x3x8x32x4xi8, 1>, %t: memref<4x2x32xi32, 1>,
    %out: memref<1x1x4x64x32xi8, 1>) {
  "hexagon.engine_product"(%a, %w, %t, %out) : (memref<1x3x64x32xi8, 1>, memref<1x3x8x32x4xi8, 1>,
      memref<4x2x32xi32, 1>, memref<1x1x4x64x32xi8, 1>) -> ()
  "hexagon.engine_wait"() : () -> ()
  return
}

// -----
// Windows of two groups of channels that share activations: 3 x 4 result tiles. 3 rows of a window are 2 rows of tiles
// apart, 2 taps wide; the second group's row is the next one.
// CHECK-LABEL: func.func @windows
// CHECK: scf.for %[[Y:.*]] = %c0 to %c3 step
// CHECK-NEXT: scf.for %[[X:.*]] = %c0 to %c4 step
// CHECK-NEXT: scf.for %[[G:.*]] = %c0 to %c2 step
// CHECK-DAG: %[[Y2:.*]] = arith.muli %[[Y]], %c2
// CHECK-DAG: %[[ROW:.*]] = arith.addi %[[Y2]], %[[G]]
// CHECK-DAG: %[[A:.*]] = memref.subview %arg0[%[[ROW]], %[[X]], 0, 0, 0, 0] [3, 2, 1, 16, 32, 2] [2, 1, 1, 1, 1, 1]
// CHECK-DAG: %[[W:.*]] = memref.subview %arg1[%[[G]], 0, 0, 0, 0] [1, 6, 16, 32, 2]
// CHECK: "hexagon.engine_multiply"(%[[A]], %[[W]])
func.func @windows(%a: memref<10x5x1x16x32x2xf16, 1>, %w: memref<2x6x16x32x2xf16, 1>, %t: memref<2x2x32xi32, 1>,
    %out: memref<12x2x16x32x2xf16, 1>) {
  "hexagon.engine_product"(%a, %w, %t, %out) {hexagon.windows = array<i64: 4, 2, 2, 1, 2, 1>} :
      (memref<10x5x1x16x32x2xf16, 1>, memref<2x6x16x32x2xf16, 1>, memref<2x2x32xi32, 1>,
      memref<12x2x16x32x2xf16, 1>) -> ()
  "hexagon.engine_wait"() : () -> ()
  return
}
