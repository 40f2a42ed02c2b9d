// Nests that stay: with allocations, results, or values that cannot be arguments; and copies that transpose no rows.
// RUN: hexmlir-opt %s --outline-similar-nests='operations=2 work=2' | filecheck %s

// CHECK-NOT: _nest
func.func @allocates(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.alloc() : memref<64xf32>
    memref.dealloc %v : memref<64xf32>
  }
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.alloc() : memref<64xf32>
    memref.dealloc %v : memref<64xf32>
  }
  return
}
func.func @results(%n: index, %s: f32) -> (f32, f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = scf.for %i = %c0 to %n step %c1 iter_args(%t = %s) -> f32 {
    %u = arith.addf %t, %t : f32
    scf.yield %u : f32
  }
  %b = scf.for %i = %c0 to %n step %c1 iter_args(%t = %s) -> f32 {
    %u = arith.addf %t, %t : f32
    scf.yield %u : f32
  }
  return %a, %b : f32, f32
}
func.func @vectors(%n: index, %v: vector<32xf32>, %x: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    vector.store %v, %x[%c0] : memref<64xf32>, vector<32xf32>
  }
  scf.for %i = %c0 to %n step %c1 {
    vector.store %v, %x[%c0] : memref<64xf32>, vector<32xf32>
  }
  return
}
func.func @rows(%x: memref<4x8x64xf32>, %y: memref<8x4x64xf32>) {
  linalg.transpose ins(%x : memref<4x8x64xf32>) outs(%y : memref<8x4x64xf32>) permutation = [1, 0, 2]
  linalg.transpose ins(%x : memref<4x8x64xf32>) outs(%y : memref<8x4x64xf32>) permutation = [1, 0, 2]
  return
}
