// Outlined parallel loops get the fork permission of their function. Work without such loops does not.
// RUN: hexmlir-opt %s --outline-stages=operations=2 --split-input-file | filecheck %s

// CHECK: func.func private @f_stage(%{{.*}}: f32, %{{.*}}: memref<64xf32>{{.*}}, %{{.*}}: i1 {hexagon.may_fork})
// CHECK: scf.forall
// CHECK: func.func private @f_stage_0(%{{.*}}: f32, %{{.*}}: memref<64xf32>
// CHECK-NOT: may_fork
// CHECK: func.func @f(
// CHECK-SAME: %[[FORK:[a-z0-9]+]]: i1 {hexagon.may_fork}
// CHECK: call @f_stage(%{{.*}}, %{{.*}}, %[[FORK]]) :
// CHECK: call @f_stage_0(%{{.*}}, %{{.*}}) :
func.func @f(%x: memref<64xf32>, %v: f32, %p: i1, %q: i1, %fork: i1 {hexagon.may_fork}) {
  scf.if %p {
    scf.forall (%i) in (64) {
      memref.store %v, %x[%i] : memref<64xf32>
    }
  } {hexagon.db_ping_stage = 0 : i64}
  scf.if %q {
    %c0 = arith.constant 0 : index
    memref.store %v, %x[%c0] : memref<64xf32>
  } {hexagon.db_pong_stage = 1 : i64}
  return
}

// -----

// Without an argument it may fork.
// CHECK: func.func private @g_stage(%{{.*}}: f32, %{{.*}}: memref<64xf32>
// CHECK-NOT: may_fork
func.func @g(%x: memref<64xf32>, %v: f32, %p: i1) {
  scf.if %p {
    scf.forall (%i) in (64) {
      memref.store %v, %x[%i] : memref<64xf32>
    }
  } {hexagon.db_ping_stage = 0 : i64}
  return
}
