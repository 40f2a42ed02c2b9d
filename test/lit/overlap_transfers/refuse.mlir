// Copies that stay copies.
// RUN: hexmlir-opt %s --overlap-transfers --split-input-file | filecheck %s

// 1. In a block without a product: what the core copies sooner; a store; rows with gaps between them; fetches of loops
// over tiles, which are double-buffered.
// CHECK-LABEL: func.func @no_product
// CHECK-NOT: dma_start
// CHECK-COUNT-4: memref.copy
// CHECK-NOT: dma_start
!rows = memref<512x128xf32, strided<[256, 1]>>
func.func @no_product(%x: memref<1024xf32>, %y: memref<1024xf32, 1>, %o: memref<65536xf32>, %t: memref<65536xf32, 1>,
    %r: !rows, %s: memref<512x128xf32, 1>) {
  memref.copy %x, %y : memref<1024xf32> to memref<1024xf32, 1>
  linalg.exp ins(%y : memref<1024xf32, 1>) outs(%y : memref<1024xf32, 1>)
  memref.copy %t, %o : memref<65536xf32, 1> to memref<65536xf32>
  memref.copy %r, %s : !rows to memref<512x128xf32, 1>
  memref.copy %o, %t {hexagon.db_fetch} : memref<65536xf32> to memref<65536xf32, 1>
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
