// RUN: hexmlir-opt %s --share-tcm-copies=threads=2 | filecheck %s
// RUN: hexmlir-opt %s --share-tcm-copies=threads=1 | filecheck %s --check-prefix=ONE
// CHECK: scf.forall (%{{.*}}) = (0) to (1024) step (512)
// ONE-NOT: scf.forall
// ONE: memref.copy
func.func @rows(%x: memref<1024x128xf32, 1>, %y: memref<1024x128xf32, 1>) {
  memref.copy %x, %y : memref<1024x128xf32, 1> to memref<1024x128xf32, 1>
  return
}
