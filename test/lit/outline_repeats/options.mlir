// How much a nest must be before it moves.
// RUN: hexmlir-opt %s --outline-repeats | filecheck %s --check-prefix=STAY
// RUN: hexmlir-opt %s --outline-repeats='operations=4 work=257' | filecheck %s --check-prefix=STAY
// RUN: hexmlir-opt %s --outline-repeats='operations=5 work=256' | filecheck %s --check-prefix=STAY
// RUN: hexmlir-opt %s --outline-repeats='operations=4 work=256' | filecheck %s --check-prefix=MOVE

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
