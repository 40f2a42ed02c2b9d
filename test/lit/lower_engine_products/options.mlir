// One thread makes no tasks.
// RUN: hexmlir-opt %s --lower-engine-products=threads=1 | filecheck %s
// RUN: hexmlir-opt %s --lower-engine-products=threads=2 | filecheck %s --check-prefix=TASK
// RUN: not hexmlir-opt %s --lower-engine-products=tiles=1 2>&1 | filecheck %s --check-prefix=BAD
// CHECK-NOT: async
// CHECK: hexagon.engine_multiply
// CHECK-NOT: async
// TASK: async.execute
// TASK: hexagon.engine_multiply
// TASK: async.await
// BAD: error: lower-engine-products: unknown option 'tiles'
// BAD-NEXT: hint: options of lower-engine-products: threads
func.func @f(%a: memref<1x1x16x32x2xf16, 1>, %w: memref<1x1x16x32x2xf16, 1>, %t: memref<1x2x32xi32, 1>,
    %out: memref<1x1x16x32x2xf16, 1>, %x: memref<64xf32>) {
  "hexagon.engine_product"(%a, %w, %t, %out) : (memref<1x1x16x32x2xf16, 1>, memref<1x1x16x32x2xf16, 1>,
      memref<1x2x32xi32, 1>, memref<1x1x16x32x2xf16, 1>) -> ()
  linalg.exp ins(%x : memref<64xf32>) outs(%x : memref<64xf32>)
  "hexagon.engine_wait"() : () -> ()
  return
}
