// What is no task, what stays as it is, and what is an error.
// RUN: not hexmlir-opt %s --lower-engine-products --split-input-file 2>/dev/null | filecheck %s
// RUN: not hexmlir-opt %s --lower-engine-products --split-input-file 2>&1 >/dev/null | filecheck %s --check-prefix=ERROR

// 1. A function that may not always fork multiplies itself.
// CHECK-LABEL: func.func @programs
// CHECK-NOT: async
// CHECK: hexagon.engine_multiply
func.func @programs(%a: memref<1x1x16x32x2xf16, 1>, %w: memref<1x1x16x32x2xf16, 1>, %t: memref<1x2x32xi32, 1>,
    %out: memref<1x1x16x32x2xf16, 1>, %x: memref<64xf32>, %fork: i1 {hexagon.may_fork}) {
  "hexagon.engine_product"(%a, %w, %t, %out) : (memref<1x1x16x32x2xf16, 1>, memref<1x1x16x32x2xf16, 1>,
      memref<1x2x32xi32, 1>, memref<1x1x16x32x2xf16, 1>) -> ()
  linalg.exp ins(%x : memref<64xf32>) outs(%x : memref<64xf32>)
  "hexagon.engine_wait"() : () -> ()
  return
}

// -----
// 2. Without products nothing changes.
// CHECK-LABEL: func.func @none
// CHECK-NEXT: return
func.func @none() {
  return
}

// -----
// 3. A product that nothing waits for.
// ERROR: refuse.mlir:[[# @LINE + 4]]:3: error: lower-engine-products: a product that nothing waits for in its block
// ERROR: hint: write a hexagon.engine_wait after it
func.func @forgotten(%a: memref<1x1x16x32x2xf16, 1>, %w: memref<1x1x16x32x2xf16, 1>, %t: memref<1x2x32xi32, 1>,
    %out: memref<1x1x16x32x2xf16, 1>) {
  "hexagon.engine_product"(%a, %w, %t, %out) : (memref<1x1x16x32x2xf16, 1>, memref<1x1x16x32x2xf16, 1>,
      memref<1x2x32xi32, 1>, memref<1x1x16x32x2xf16, 1>) -> ()
  return
}

// -----
// 4. Activations with a dimension for windows, and no windows.
// ERROR: refuse.mlir:[[# @LINE + 4]]:3: error: lower-engine-products: windows and activations that do not fit each other
// ERROR: hint: activations that windows share have three dimensions of tiles, others two
func.func @no_windows(%a: memref<1x1x1x16x32x2xf16, 1>, %w: memref<1x1x16x32x2xf16, 1>, %t: memref<1x2x32xi32, 1>,
    %out: memref<1x1x16x32x2xf16, 1>) {
  "hexagon.engine_product"(%a, %w, %t, %out) : (memref<1x1x1x16x32x2xf16, 1>, memref<1x1x16x32x2xf16, 1>,
      memref<1x2x32xi32, 1>, memref<1x1x16x32x2xf16, 1>) -> ()
  "hexagon.engine_wait"() : () -> ()
  return
}
