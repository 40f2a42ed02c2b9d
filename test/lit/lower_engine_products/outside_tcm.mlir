// Tiles outside TCM are an error.
// RUN: not hexmlir-opt %s --lower-engine-products 2>&1 | filecheck %s
// CHECK: outside_tcm.mlir:[[# @LINE + 4]]:3: error: lower-engine-products: tiles outside TCM
// CHECK: hint: the matrix engine reads and writes TCM only
func.func @ddr(%a: memref<1x1x16x32x2xf16, 1>, %w: memref<1x1x16x32x2xf16, 1>, %t: memref<1x2x32xi32, 1>,
    %out: memref<1x1x16x32x2xf16>) {
  "hexagon.engine_product"(%a, %w, %t, %out) : (memref<1x1x16x32x2xf16, 1>, memref<1x1x16x32x2xf16, 1>,
      memref<1x2x32xi32, 1>, memref<1x1x16x32x2xf16>) -> ()
  "hexagon.engine_wait"() : () -> ()
  return
}
