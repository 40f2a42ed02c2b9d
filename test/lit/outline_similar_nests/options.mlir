// The least size of a nest that is outlined.
// RUN: hexmlir-opt %s --outline-similar-nests | filecheck %s --check-prefix=NONE
// RUN: hexmlir-opt %s --outline-similar-nests='operations=4 work=194' | filecheck %s --check-prefix=STAY
// RUN: hexmlir-opt %s --outline-similar-nests='operations=5 work=193' | filecheck %s --check-prefix=STAY
// RUN: hexmlir-opt %s --outline-similar-nests='operations=4 work=193' | filecheck %s --check-prefix=MOVE

// STAY-NOT: @f_nest
// MOVE: func.func private @f_nest(
// MOVE: func.func private @f_nest_0(
func.func @f(%x: memref<64xf32>, %y: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  scf.for %i = %c0 to %c64 step %c1 {
    %v = memref.load %x[%i] : memref<64xf32>
    memref.store %v, %y[%i] : memref<64xf32>
  }
  scf.for %i = %c0 to %c64 step %c1 {
    %v = memref.load %y[%i] : memref<64xf32>
    memref.store %v, %x[%i] : memref<64xf32>
  }
  return
}

// The number of executed operations counts, in nested loops too.
// RUN: hexmlir-opt %s --outline-similar-nests='operations=6 work=12000' | filecheck %s --check-prefix=INNER
// RUN: hexmlir-opt %s --outline-similar-nests='operations=6 work=13000' | filecheck %s --check-prefix=NONE

// NONE-NOT: _nest
// INNER: func.func private @g_nest(
// INNER: func.func private @g_nest_0(
// INNER-NOT: @f_nest
func.func @g(%x: memref<64x64xf32>, %y: memref<64x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  scf.for %i = %c0 to %c64 step %c1 {
    scf.for %j = %c0 to %c64 step %c1 {
      %v = memref.load %x[%i, %j] : memref<64x64xf32>
      memref.store %v, %y[%i, %j] : memref<64x64xf32>
    }
  }
  scf.for %i = %c0 to %c64 step %c1 {
    scf.for %j = %c0 to %c64 step %c1 {
      %v = memref.load %y[%i, %j] : memref<64x64xf32>
      memref.store %v, %x[%i, %j] : memref<64x64xf32>
    }
  }
  return
}
