// RUN: hexmlir-opt %s --share-tcm-copies | filecheck %s

// CHECK-LABEL: func.func @rows
// CHECK: memref.subview %arg0[1024, 0] [1, 128]
// CHECK: memref.copy %{{.*}} : memref<1x128xf32
// CHECK: scf.forall (%[[I:.*]]) = (0) to (1024) step (256)
// CHECK: memref.subview %arg0[%[[I]], 0] [256, 128]
// CHECK: memref.copy %{{.*}} : memref<256x128xf32
func.func @rows(%x: memref<1025x128xf32, 1>, %y: memref<1025x128xf32, strided<[256, 1]>, 1>) {
  memref.copy %x, %y : memref<1025x128xf32, 1> to memref<1025x128xf32, strided<[256, 1]>, 1>
  return
}

// The longest dimension is shared, not the first one.
// CHECK-LABEL: func.func @planes
// CHECK: scf.forall (%[[I:.*]]) = (0) to (512) step (128)
// CHECK: memref.subview %arg0[0, %[[I]], 0] [3, 128, 128]
func.func @planes(%x: memref<3x512x128xf32, 1>, %y: memref<3x512x128xf32, 1>) {
  memref.copy %x, %y : memref<3x512x128xf32, 1> to memref<3x512x128xf32, 1>
  return
}
