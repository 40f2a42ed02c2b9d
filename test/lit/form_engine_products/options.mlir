// The pass has no options; another chip's tiles are the same.
// RUN: not hexmlir-opt %s --form-engine-products=tiles=1 2>&1 | filecheck %s
// RUN: hexmlir-opt %s --form-engine-products --target=v79 | filecheck %s --check-prefix=OTHER
// CHECK: error: form-engine-products: unknown option 'tiles'
// CHECK-NEXT: hint: options of form-engine-products: none
// OTHER-NOT: hexagon.engine
func.func @copies(%a: memref<1x1x16x32x2xf16, 1>, %b: memref<1x1x16x32x2xf16, 1>) {
  memref.copy %a, %b : memref<1x1x16x32x2xf16, 1> to memref<1x1x16x32x2xf16, 1>
  return
}
