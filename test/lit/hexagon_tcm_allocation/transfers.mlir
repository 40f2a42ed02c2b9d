// RUN: hexmlir-opt %s --hexagon-tcm-allocation='reuse=always' | filecheck %s

// What transfers that a loop starts read is in use until another loop has waited for them: %b is elsewhere. %c, which
// is used after it, takes the place of %a.
// CHECK-LABEL: func.func @started_in_a_loop
// CHECK: memref.alloc() {alignment = 128 : i64} : memref<2048xi8, 1>
func.func @started_in_a_loop(%x: memref<2x256xf32>, %n: f32) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %length = arith.constant 128 : index
  %a = memref.alloc() : memref<2x128xf32, 1>
  %b = memref.alloc() : memref<256xf32, 1>
  %c = memref.alloc() : memref<256xf32, 1>
  %tags = memref.alloc() : memref<2xi32>
  linalg.fill ins(%n : f32) outs(%a : memref<2x128xf32, 1>)
  scf.for %i = %zero to %two step %one {
    memref.dma_start %a[%i, %zero], %x[%i, %zero], %length, %tags[%i] : memref<2x128xf32, 1>, memref<2x256xf32>, memref<2xi32>
  }
  linalg.fill ins(%n : f32) outs(%b : memref<256xf32, 1>)
  scf.for %i = %zero to %two step %one {
    memref.dma_wait %tags[%i], %one : memref<2xi32>
  }
  linalg.fill ins(%n : f32) outs(%c : memref<256xf32, 1>)
  memref.dealloc %tags : memref<2xi32>
  memref.dealloc %c : memref<256xf32, 1>
  memref.dealloc %b : memref<256xf32, 1>
  memref.dealloc %a : memref<2x128xf32, 1>
  return
}
