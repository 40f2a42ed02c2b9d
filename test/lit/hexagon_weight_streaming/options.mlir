// Small transfers are streamed only on request.
// RUN: hexmlir-opt %s --hexagon-weight-streaming | filecheck %s --check-prefix=LARGE
// RUN: hexmlir-opt %s --hexagon-weight-streaming='tile-bytes=4096' | filecheck %s --check-prefix=ANY
// RUN: hexmlir-opt %s --hexagon-weight-streaming='tile-bytes=4097' | filecheck %s --check-prefix=LARGE

// LARGE: hexagon.tcm = {arena = 8192 : i64, spare = {{[0-9]+}} : i64}
// LARGE: memref.copy %arg0,
// ANY: hexagon.tcm = {arena = 4096 : i64, leading = 1 : i64, spare = {{[0-9]+}} : i64, tiles = [array<i64: 0, 0, 4096, 1, 4096, 4096>]}
// ANY-NOT: memref.copy %arg0,
func.func @f(%w: memref<1024xf32>, %y: memref<1024xf32>) attributes {hexagon.in_model = array<i64: 0>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4096 = arith.constant 4096 : index
  %arena = memref.alloc() {alignment = 128 : i64} : memref<8192xi8, 1>
  %s = memref.view %arena[%c0][] {hexagon.tcm_slot} : memref<8192xi8, 1> to memref<4096xi8, 1>
  %o = memref.view %arena[%c4096][] {hexagon.tcm_slot} : memref<8192xi8, 1> to memref<4096xi8, 1>
  %t = memref.view %s[%c0][] : memref<4096xi8, 1> to memref<1024xf32, 1>
  %u = memref.view %o[%c0][] : memref<4096xi8, 1> to memref<1024xf32, 1>
  memref.copy %w, %t : memref<1024xf32> to memref<1024xf32, 1>
  scf.for %i = %c0 to %c4096 step %c1 {
    linalg.exp ins(%t : memref<1024xf32, 1>) outs(%u : memref<1024xf32, 1>)
  }
  memref.copy %u, %y : memref<1024xf32, 1> to memref<1024xf32>
  memref.dealloc %arena : memref<8192xi8, 1>
  return
}
