// Sharing of memory, requested or forced by a small TCM.
// RUN: hexmlir-opt %s --hexagon-tcm-allocation='reuse=always' | filecheck %s
// RUN: hexmlir-opt %s --hexagon-tcm-allocation='tcm-bytes=640' | filecheck %s
// RUN: hexmlir-opt %s --hexagon-tcm-allocation='reuse=always' --remarks 2>&1 >/dev/null | filecheck %s --check-prefix=WHY

// An elementwise op writes to its dead operand's bytes; a later buffer gets the same offset. The buffer that is live
// throughout the loop (%d) has 256 bytes of its own.
// CHECK-LABEL: func.func @shared
// CHECK: memref.alloc() {alignment = 128 : i64} : memref<512xi8, 1>
// CHECK: %[[S0:.*]] = memref.view %{{.*}} {hexagon.tcm_slot} : memref<512xi8, 1> to memref<256xi8, 1>
// CHECK: %[[S1:.*]] = memref.view %{{.*}} {hexagon.tcm_slot} : memref<512xi8, 1> to memref<256xi8, 1>
// CHECK: %[[D:.*]] = memref.view %[[S:.*]][%{{.*}}][] : memref<256xi8, 1> to memref<64xf32, 1>
// CHECK: scf.for
// CHECK: %[[A:.*]] = memref.view %[[T:.*]][%{{.*}}][] : memref<256xi8, 1> to memref<64xf32, 1>
// CHECK: %[[B:.*]] = memref.view %[[T]][%{{.*}}][] : memref<256xi8, 1> to memref<64xf32, 1>
// CHECK: linalg.generic {{.*}} ins(%[[A]], %[[D]] : {{.*}}) outs(%[[B]] :
// CHECK: %[[E:.*]] = memref.view %[[T]][%{{.*}}][] : memref<256xi8, 1> to memref<16xf32, 1>
// WHY: remark: hexagon-tcm-allocation: TCM: buffers need 832 bytes, the arena has 512, the lower bound is 512
#id = affine_map<(d0) -> (d0)>
func.func @shared(%x: memref<64xf32>, %c: f32, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %d = memref.alloc() : memref<64xf32, 1>
  linalg.fill ins(%c : f32) outs(%d : memref<64xf32, 1>)
  scf.for %i = %c0 to %n step %c1 {
    %a = memref.alloc() : memref<64xf32, 1>
    memref.copy %x, %a : memref<64xf32> to memref<64xf32, 1>
    %b = memref.alloc() : memref<64xf32, 1>
    linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
        ins(%a, %d : memref<64xf32, 1>, memref<64xf32, 1>) outs(%b : memref<64xf32, 1>) {
      ^bb0(%p: f32, %q: f32, %o: f32):
        %s = arith.addf %p, %q : f32
        linalg.yield %s : f32
    }
    memref.copy %b, %x : memref<64xf32, 1> to memref<64xf32>
    %e = memref.alloc() : memref<16xf32, 1>
    linalg.fill ins(%c : f32) outs(%e : memref<16xf32, 1>)
    memref.dealloc %a : memref<64xf32, 1>
    memref.dealloc %b : memref<64xf32, 1>
    memref.dealloc %e : memref<16xf32, 1>
  }
  memref.dealloc %d : memref<64xf32, 1>
  return
}
