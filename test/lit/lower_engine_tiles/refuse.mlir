// What no routine does is an error; without scopes nothing changes.
// RUN: not hexmlir-opt %s --lower-engine-tiles --split-input-file 2>/dev/null | filecheck %s
// RUN: not hexmlir-opt %s --lower-engine-tiles --split-input-file 2>&1 >/dev/null | filecheck %s --check-prefix=ERROR

// CHECK-LABEL: func.func @none
// CHECK-NOT: private
// CHECK-NEXT: return
// CHECK-NOT: private
func.func @none() {
  return
}

// -----
// 1. A store of what was not converted.
// ERROR: refuse.mlir:[[# @LINE + 4]]:5: error: lower-engine-tiles: no routine does this with the operations that follow it
// ERROR: hint: see passes/engine_lowering/routines.py for what the routines do
func.func @stored(%out: memref<16x32x2xf16, 1>) {
  "hexagon.engine_scope"() ({
    "hexagon.engine_store"(%out) : (memref<16x32x2xf16, 1>) -> ()
  }) : () -> ()
  return
}

// -----
// 2. Two products in one sum.
// ERROR: refuse.mlir:[[# @LINE + 4]]:5: error: lower-engine-tiles: no routine does this with the operations that follow it
func.func @two_products(%a: memref<16x32x2xf16, 1>, %w: memref<16x32x2xf16, 1>, %t: memref<2x32xi32, 1>,
    %out: memref<16x32x2xf16, 1>) {
  "hexagon.engine_scope"() ({
    "hexagon.engine_multiply"(%a, %w) : (memref<16x32x2xf16, 1>, memref<16x32x2xf16, 1>) -> ()
    "hexagon.engine_multiply"(%a, %w) : (memref<16x32x2xf16, 1>, memref<16x32x2xf16, 1>) -> ()
    "hexagon.engine_convert"(%t) {to = f16} : (memref<2x32xi32, 1>) -> ()
    "hexagon.engine_store"(%out) : (memref<16x32x2xf16, 1>) -> ()
  }) : () -> ()
  return
}

// -----
// 3. Pieces that do not follow each other.
// ERROR: refuse.mlir:[[# @LINE + 7]]:5: error: lower-engine-tiles: no routine does this with the operations that follow it
func.func @pieces(%a: memref<1x16x32x2xf16, 1>, %w: memref<1x16x32x2xf16, 1>, %t: memref<640xi32, 1>,
    %first: memref<16x32x2xf16, 1>, %second: memref<16x32x2xf16, 1>) {
  "hexagon.engine_scope"() ({
    %t0 = memref.subview %t[512] [64] [1] : memref<640xi32, 1> to memref<64xi32, strided<[1], offset: 512>, 1>
    %t1 = memref.subview %t[576] [64] [1] : memref<640xi32, 1> to memref<64xi32, strided<[1], offset: 576>, 1>
    %minus = memref.subview %t[0] [512] [1] : memref<640xi32, 1> to memref<512xi32, strided<[1]>, 1>
    "hexagon.engine_multiply"(%a, %w) : (memref<1x16x32x2xf16, 1>, memref<1x16x32x2xf16, 1>) -> ()
    "hexagon.engine_convert"(%t0) {retain, to = f16} : (memref<64xi32, strided<[1], offset: 512>, 1>) -> ()
    "hexagon.engine_store"(%first) : (memref<16x32x2xf16, 1>) -> ()
    "hexagon.engine_multiply"(%first, %minus) : (memref<16x32x2xf16, 1>, memref<512xi32, strided<[1]>, 1>) -> ()
    "hexagon.engine_convert"(%t1) {to = f16} : (memref<64xi32, strided<[1], offset: 576>, 1>) -> ()
    "hexagon.engine_store"(%second) : (memref<16x32x2xf16, 1>) -> ()
  }) : () -> ()
  return
}
