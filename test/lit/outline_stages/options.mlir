// The least work that is outlined, operations in loops included.
// RUN: hexmlir-opt %s --outline-stages=operations=4 | filecheck %s --check-prefix=MOVE
// RUN: hexmlir-opt %s --outline-stages=operations=5 | filecheck %s --check-prefix=STAY
// RUN: hexmlir-opt %s --outline-stages | filecheck %s --check-prefix=STAY
// RUN: not hexmlir-opt %s --outline-stages=work=1 2>&1 | filecheck %s --check-prefix=BAD

// MOVE: func.func private @f_stage(
// MOVE: func.func private @f_stage_0(
// STAY-NOT: @f_stage
// BAD: error: {{.*}}work
func.func @f(%a: memref<64xf32>, %b: memref<64xf32>, %n: index, %p: i1, %q: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.if %p {
    scf.for %i = %c0 to %n step %c1 {
      %v = memref.load %a[%i] : memref<64xf32>
      memref.store %v, %a[%c0] : memref<64xf32>
    }
  } {hexagon.db_ping_stage = 0 : i64}
  scf.if %q {
    scf.for %i = %c0 to %n step %c1 {
      %v = memref.load %b[%i] : memref<64xf32>
      memref.store %v, %b[%c0] : memref<64xf32>
    }
  } {hexagon.db_pong_stage = 1 : i64}
  return
}
