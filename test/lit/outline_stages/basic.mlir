// The work of both parts is outlined, transfers stay; shared values stay and are recomputed inside. The slots
// are noalias arguments with their alignment.
// RUN: hexmlir-opt %s --outline-stages=operations=2 | filecheck %s
// RUN: hexmlir-opt %s --outline-stages=operations=2 --merge-functions | filecheck %s --check-prefix=MERGED

// CHECK: func.func private @f_stage(%{{.*}}: index, %{{.*}}: f32,
// CHECK-SAME: %{{.*}}: memref<256xi8, 1> {llvm.align = 128 : i64, llvm.noalias}) attributes {{.*}}noinline
// CHECK: memref.assume_alignment
// CHECK: arith.addi
// CHECK: memref.store
// CHECK: memref.load
// CHECK-NOT: memref.dma
// CHECK: return
// CHECK: func.func private @f_stage_0(
// CHECK: func.func @f(
// CHECK: scf.if
// CHECK-NEXT: memref.dma_wait
// CHECK-NEXT: call @f_stage(%[[I:.*]], %[[V:.*]], %[[A:.*]]) :
// CHECK: %[[NEXT:.*]] = arith.addi
// CHECK-NEXT: memref.dma_start
// CHECK-SAME: %[[NEXT]]
// CHECK: scf.if
// CHECK: call @f_stage_0(%[[I]], %[[V]], %{{.*}}) :

// MERGED: func.func private @f_stage(
// MERGED-NOT: @f_stage_0
// MERGED: call @f_stage(%[[I:.*]], %{{.*}}, %[[A:.*]]) :
// MERGED-NOT: call @f_stage({{.*}}%[[A]]) :
// MERGED: call @f_stage(%[[I]],
func.func @f(%v: f32, %out: memref<64xf32>, %tag: memref<1xi32>, %i: index, %p: i1, %q: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c256 = arith.constant 256 : index
  %c64 = arith.constant 64 : index
  %arena = memref.alloc() {alignment = 128 : i64} : memref<512xi8, 1>
  %s = memref.view %arena[%c0][] {hexagon.tcm_slot} : memref<512xi8, 1> to memref<256xi8, 1>
  %t = memref.view %arena[%c256][] {hexagon.tcm_slot} : memref<512xi8, 1> to memref<256xi8, 1>
  scf.if %p {
    memref.dma_wait %tag[%c0], %c1 : memref<1xi32>
    %a = memref.view %s[%c0][] : memref<256xi8, 1> to memref<64xf32, 1>
    %j = arith.addi %i, %c1 : index
    memref.store %v, %a[%j] : memref<64xf32, 1>
    %w = memref.load %a[%j] : memref<64xf32, 1>
    memref.store %w, %a[%i] : memref<64xf32, 1>
    memref.dma_start %a[%c0], %out[%j], %c64, %tag[%c0] : memref<64xf32, 1>, memref<64xf32>, memref<1xi32>
  } {hexagon.db_ping_stage = 0 : i64}
  scf.if %q {
    memref.dma_wait %tag[%c0], %c1 : memref<1xi32>
    %a = memref.view %t[%c0][] : memref<256xi8, 1> to memref<64xf32, 1>
    %j = arith.addi %i, %c1 : index
    memref.store %v, %a[%j] : memref<64xf32, 1>
    %w = memref.load %a[%j] : memref<64xf32, 1>
    memref.store %w, %a[%i] : memref<64xf32, 1>
    memref.dma_start %a[%c0], %out[%j], %c64, %tag[%c0] : memref<64xf32, 1>, memref<64xf32>, memref<1xi32>
  } {hexagon.db_pong_stage = 1 : i64}
  return
}

// A value that stays and its operands are recomputed inside.
// CHECK: func.func @chain(
// CHECK: call @chain_stage(
// CHECK-NEXT: %[[K:.*]] = arith.addi
// CHECK-NEXT: %[[J:.*]] = arith.muli %[[K]], %[[K]]
// CHECK-NEXT: memref.dma_start %{{.*}}[%[[J]]]
func.func @chain(%v: f32, %a: memref<64xf32>, %out: memref<64xf32, 1>, %tag: memref<1xi32>, %i: index, %p: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  scf.if %p {
    %k = arith.addi %i, %c1 : index
    %j = arith.muli %k, %k : index
    memref.store %v, %a[%k] : memref<64xf32>
    memref.dma_start %a[%j], %out[%c0], %c64, %tag[%c0] : memref<64xf32>, memref<64xf32, 1>, memref<1xi32>
  } {hexagon.db_ping_stage = 0 : i64}
  return
}

// One stage has its view from outside, where the transfer before the loop needs it too; the other has its own, and a
// constant: their functions are equal nevertheless.
// CHECK: func.func private @prologue_stage(
// CHECK: func.func private @prologue_stage_{{[0-9]+}}(
// MERGED: func.func private @prologue_stage(
// MERGED-NOT: @prologue_stage_
func.func @prologue(%v: f32, %w: f32, %in: memref<64xf32>, %tag: memref<1xi32>, %i: index, %p: i1, %q: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c256 = arith.constant 256 : index
  %c64 = arith.constant 64 : index
  %arena = memref.alloc() {alignment = 128 : i64} : memref<512xi8, 1>
  %s = memref.view %arena[%c0][] {hexagon.tcm_slot} : memref<512xi8, 1> to memref<256xi8, 1>
  %t = memref.view %arena[%c256][] {hexagon.tcm_slot} : memref<512xi8, 1> to memref<256xi8, 1>
  %a = memref.view %s[%c0][] : memref<256xi8, 1> to memref<64xf32, 1>
  memref.dma_start %in[%c0], %a[%c0], %c64, %tag[%c0] : memref<64xf32>, memref<64xf32, 1>, memref<1xi32>
  scf.if %p {
    memref.dma_wait %tag[%c0], %c1 : memref<1xi32>
    %c2 = arith.constant 2 : index
    memref.store %v, %a[%c2] : memref<64xf32, 1>
    memref.store %w, %a[%i] : memref<64xf32, 1>
  } {hexagon.db_ping_stage = 0 : i64}
  scf.if %q {
    memref.dma_wait %tag[%c0], %c1 : memref<1xi32>
    %b = memref.view %t[%c0][] : memref<256xi8, 1> to memref<64xf32, 1>
    %c2 = arith.constant 2 : index
    memref.store %v, %b[%c2] : memref<64xf32, 1>
    memref.store %w, %b[%i] : memref<64xf32, 1>
  } {hexagon.db_pong_stage = 1 : i64}
  return
}
