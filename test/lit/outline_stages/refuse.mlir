// Not outlined: parts with results, parts that take vectors, and code that is no part of a double-buffered loop.
// RUN: hexmlir-opt %s --outline-stages=operations=1 | filecheck %s

// CHECK-NOT: _part
func.func @hands_on(%a: memref<64xf32>, %s: f32, %p: i1) -> f32 {
  %c0 = arith.constant 0 : index
  %r = scf.if %p -> f32 {
    %v = memref.load %a[%c0] : memref<64xf32>
    scf.yield %v : f32
  } else {
    scf.yield %s : f32
  } {hexagon.db_ping_stage = 0 : i64}
  return %r : f32
}
func.func @vectors(%a: memref<64xf32>, %v: vector<32xf32>, %p: i1) {
  %c0 = arith.constant 0 : index
  scf.if %p {
    vector.store %v, %a[%c0] : memref<64xf32>, vector<32xf32>
  } {hexagon.db_ping_stage = 0 : i64}
  return
}
func.func @only_transfers(%a: memref<64xf32>, %b: memref<64xf32, 1>, %tag: memref<1xi32>, %p: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  scf.if %p {
    memref.dma_start %a[%c0], %b[%c0], %c64, %tag[%c0] : memref<64xf32>, memref<64xf32, 1>, memref<1xi32>
    memref.dma_wait %tag[%c0], %c1 : memref<1xi32>
  } {hexagon.db_pong_stage = 1 : i64}
  return
}
func.func @plain(%a: memref<64xf32>, %v: f32, %p: i1) {
  %c0 = arith.constant 0 : index
  scf.if %p {
    memref.store %v, %a[%c0] : memref<64xf32>
  }
  return
}
