// Copies that stay copies.
// RUN: hexmlir-opt %s --overlap-transfers --split-input-file | filecheck %s

// 1. A block without a product.
// CHECK-LABEL: func.func @no_product
// CHECK-NOT: dma_start
// CHECK: memref.copy
// CHECK-NOT: dma_start
func.func @no_product(%x: memref<65536xf32>, %y: memref<65536xf32, 1>) {
  memref.copy %x, %y : memref<65536xf32> to memref<65536xf32, 1>
  linalg.exp ins(%y : memref<65536xf32, 1>) outs(%y : memref<65536xf32, 1>)
  return
}

// -----
// 2. Within TCM; of a size that is not known; elements apart.
// CHECK-LABEL: func.func @others
// CHECK-NOT: dma_start
// CHECK-COUNT-3: memref.copy
// CHECK-NOT: dma_start
!tile = memref<1x1x16x32x2xf16, 1>
!apart = memref<4096xf32, strided<[2]>>
func.func @others(%x: memref<65536xf32, 1>, %y: memref<65536xf32, 1>, %p: memref<?xf32>, %q: memref<?xf32, 1>,
    %r: !apart, %s: memref<4096xf32, 1>, %a: !tile, %t: memref<1x2x32xi32, 1>) {
  memref.copy %x, %y : memref<65536xf32, 1> to memref<65536xf32, 1>
  memref.copy %p, %q : memref<?xf32> to memref<?xf32, 1>
  memref.copy %r, %s : !apart to memref<4096xf32, 1>
  "hexagon.engine_product"(%a, %a, %t, %a) : (!tile, !tile, memref<1x2x32xi32, 1>, !tile) -> ()
  "hexagon.engine_wait"() : () -> ()
  return
}
