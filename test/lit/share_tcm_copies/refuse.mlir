// RUN: hexmlir-opt %s --share-tcm-copies | filecheck %s
// CHECK-NOT: scf.forall (%{{.*}}) = (0)

// Few vectors: one thread copies them sooner.
func.func @small(%x: memref<16x32xf32, 1>, %y: memref<16x32xf32, 1>) {
  memref.copy %x, %y : memref<16x32xf32, 1> to memref<16x32xf32, 1>
  return
}

// DMA fetches from DDR.
func.func @fetch(%x: memref<1024x128xf32>, %y: memref<1024x128xf32, 1>) {
  memref.copy %x, %y : memref<1024x128xf32> to memref<1024x128xf32, 1>
  return
}

// Other threads work already.
func.func @inside(%x: memref<1024x128xf32, 1>, %y: memref<4x1024x128xf32, 1>) {
  scf.forall (%i) in (4) {
    %v = memref.subview %y[%i, 0, 0] [1, 1024, 128] [1, 1, 1]
      : memref<4x1024x128xf32, 1> to memref<1024x128xf32, strided<[128, 1], offset: ?>, 1>
    memref.copy %x, %v : memref<1024x128xf32, 1> to memref<1024x128xf32, strided<[128, 1], offset: ?>, 1>
  }
  return
}
