// Two loops of the same operations on the same types are outlined; values from outside become arguments, constants
// are cloned, and buffers that alias nothing are noalias.
// RUN: hexmlir-opt %s --outline-similar-nests='operations=5 work=10' | filecheck %s
// RUN: hexmlir-opt %s --outline-similar-nests='operations=5 work=10' --merge-functions | filecheck %s --check-prefix=MERGED

// CHECK: func.func private @f_nest(%{{.*}}: memref<64xf32> {llvm.align = 128 : i64, llvm.noalias, llvm.nocapture}, %{{.*}}: f32)
// CHECK-SAME: noinline
// CHECK: arith.constant 64 : index
// CHECK: scf.for
// CHECK: func.func private @f_nest_0(
// CHECK: func.func @f(
// CHECK-NOT: scf.for
// CHECK: call @f_nest(%[[A:.*]], %[[V:.*]]) :
// CHECK: call @f_nest_0(%{{.*}}, %[[V]]) :
// CHECK: scf.for

// MERGED: func.func private @f_nest(
// MERGED-NOT: @f_nest_0
// MERGED: call @f_nest(
// MERGED: call @f_nest(

// Tiles of the matrix engine become rows, in whole buffers in TCM.
// MERGED: func.func private @tiles_nest(
// MERGED-NOT: @tiles_nest_0
// MERGED: func.func @tiles(
// MERGED-NOT: linalg
// MERGED: call @tiles_nest(%{{.*}}, %[[ROWS:.*]]) :
// MERGED: call @tiles_nest(%{{.*}}, %[[ROWS]]) :
func.func @f(%v: f32, %out: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %a = memref.alloc() {alignment = 128 : i64} : memref<64xf32>
  %b = memref.alloc() {alignment = 128 : i64} : memref<64xf32>
  scf.for %i = %c0 to %c64 step %c1 {
    %x = memref.load %a[%i] : memref<64xf32>
    %y = arith.addf %x, %v : f32
    memref.store %y, %a[%i] : memref<64xf32>
  }
  scf.for %i = %c0 to %c64 step %c1 {
    %x = memref.load %b[%i] : memref<64xf32>
    %y = arith.addf %x, %v : f32
    memref.store %y, %b[%i] : memref<64xf32>
  }
  // another operation: alone of its form
  scf.for %i = %c0 to %c64 step %c1 {
    %x = memref.load %b[%i] : memref<64xf32>
    %y = arith.mulf %x, %v : f32
    memref.store %y, %out[%i] : memref<64xf32>
  }
  return
}
#identity = affine_map<(a, b, c, d, e) -> (a, b, c, d, e)>
#rows = affine_map<(a, b, c, d, e) -> (a, d, b, e, c)>
func.func @tiles(%x: memref<1x2x16x32x2xf16, 1>, %y: memref<1x2x16x32x2xf16, 1>, %rows: memref<1x16x2x2x32xf16, 1>) {
  linalg.generic {indexing_maps = [#rows, #identity], iterator_types = ["parallel", "parallel", "parallel", "parallel",
      "parallel"]} ins(%x : memref<1x2x16x32x2xf16, 1>) outs(%rows : memref<1x16x2x2x32xf16, 1>) {
  ^bb0(%in: f16, %out: f16):
    linalg.yield %in : f16
  }
  linalg.generic {indexing_maps = [#rows, #identity], iterator_types = ["parallel", "parallel", "parallel", "parallel",
      "parallel"]} ins(%y : memref<1x2x16x32x2xf16, 1>) outs(%rows : memref<1x16x2x2x32xf16, 1>) {
  ^bb0(%in: f16, %out: f16):
    linalg.yield %in : f16
  }
  return
}
