// Programs of a grid that do not have room for their arenas at the same time.
// RUN: hexmlir-opt %s --hexagon-tcm-allocation='tcm-bytes=1024' | filecheck %s
// RUN: hexmlir-opt %s --hexagon-tcm-allocation='tcm-bytes=1024' --remarks 2>&1 >/dev/null | filecheck %s --check-prefix=WHY
// RUN: hexmlir-opt %s --hexagon-tcm-allocation='tcm-bytes=1024 threads=2' | filecheck %s --check-prefix=TWO
// RUN: hexmlir-opt %s --hexagon-tcm-allocation='tcm-bytes=640' | filecheck %s --check-prefix=ONE

// One vector stays free after each arena, so a program takes 384 bytes.
// CHECK-LABEL: func.func @f.grid
// CHECK: scf.forall
// CHECK-NEXT: func.call @f.program
// CHECK-NEXT: } {hexagon.most_tasks = 2 : i64}
// WHY: remark: hexagon-tcm-allocation: at most 2 of 4 threads run programs at the same time: each takes 384 bytes of 1024
// TWO-NOT: most_tasks
// ONE-LABEL: func.func @f.grid
// ONE-NOT: scf.forall
// ONE: scf.for
// ONE-NEXT: func.call @f.in_order
// ONE-NOT: scf.forall
// ONE-LABEL: func.func @g
// ONE: } {hexagon.most_tasks = 1 : i64}
module {
  func.func private @f.program(%x: memref<64xf32>) {
    %t = memref.alloc() : memref<64xf32, 1>
    memref.copy %x, %t : memref<64xf32> to memref<64xf32, 1>
    memref.copy %t, %x : memref<64xf32, 1> to memref<64xf32>
    memref.dealloc %t : memref<64xf32, 1>
    return
  }
  func.func private @f.in_order(%x: memref<64xf32>) {
    return
  }
  func.func @f.grid(%x: memref<64xf32>, %n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %enough = arith.cmpi sge, %n, %c8 : index
    scf.if %enough {
      scf.forall (%i) = (0) to (%n) step (1) {
        func.call @f.program(%x) : (memref<64xf32>) -> ()
      }
    } else {
      scf.for %i = %c0 to %n step %c1 {
        func.call @f.in_order(%x) : (memref<64xf32>) -> ()
      }
    }
    return
  }
  func.func @g(%x: memref<64xf32>) {
    scf.forall (%i) in (8) {
      func.call @f.program(%x) : (memref<64xf32>) -> ()
    }
    return
  }
}
