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
