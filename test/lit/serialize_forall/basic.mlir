// Blocks of an scf.forall are merged where the function may not fork.
// RUN: hexmlir-opt %s --serialize-forall --split-input-file | filecheck %s

// 1. The step is the block size. A block's private buffer becomes a slice of one for all; indices are relative to it.
// CHECK-LABEL: func.func @own_buffer
// CHECK-SAME: %arg1: i1 {hexagon.may_fork})
// CHECK: %[[N:.*]] = arith.select %arg1, %c32{{[^,]*}}, %c128
// CHECK: %[[ALL:.*]] = memref.alloc() {alignment = 128 : i64} : memref<128xi32, 1>
// CHECK: scf.forall (%[[AT:.*]]) = (0) to (128) step (%[[N]]) {
// CHECK-NOT: memref.alloc
// CHECK: %[[T:.*]] = memref.subview %[[ALL]][%[[AT]]] [%[[N]]] [1] : {{.*}} to memref<?xi32, strided<[1], offset: ?>, 1>
// CHECK: linalg.generic {{.*}} outs(%[[T]] : memref<?xi32
// CHECK: arith.addi %{{.*}}, %[[AT]] : index
// CHECK: %[[Y:.*]] = memref.subview %arg0[%[[AT]]] [%[[N]]] [1]
// CHECK: linalg.generic {{.*}} ins(%[[T]] : {{.*}} outs(%[[Y]] :
// CHECK-NOT: memref.dealloc
// CHECK: }
// CHECK: memref.dealloc %[[ALL]]
// CHECK: return
#id = affine_map<(d0) -> (d0)>
func.func @own_buffer(%y: memref<128xi32>, %fork: i1 {hexagon.may_fork}) {
  scf.forall (%i) = (0) to (128) step (32) {
    %t = memref.alloc() {alignment = 128 : i64} : memref<32xi32, 1>
    linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%t : memref<32xi32, 1>) {
    ^bb0(%out: i32):
      %0 = linalg.index 0 : index
      %1 = arith.addi %0, %i : index
      %2 = arith.index_cast %1 : index to i32
      linalg.yield %2 : i32
    }
    %b = memref.subview %y[%i] [32] [1] : memref<128xi32> to memref<32xi32, strided<[1], offset: ?>>
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%t : memref<32xi32, 1>) outs(%b : memref<32xi32, strided<[1], offset: ?>>) {
    ^bb0(%in: i32, %out: i32):
      %0 = arith.muli %in, %in : i32
      linalg.yield %0 : i32
    }
    memref.dealloc %t : memref<32xi32, 1>
  }
  return
}

// -----
// 2. Blocks of rows; operands along the columns alone are not sliced.
// CHECK-LABEL: func.func @rows
// CHECK: scf.forall (%[[AT:.*]]) = (0) to (8) step (%[[N:[0-9]+]]) {
// CHECK: %[[A:.*]] = memref.subview %arg0[%[[AT]], 0] [%[[N]], 64] [1, 1] : {{.*}} to memref<?x64xf32, strided<[64, 1], offset: ?>>
// CHECK: linalg.generic {{.*}} ins(%arg1 : memref<64xf32>) outs(%[[A]] :
func.func @rows(%x: memref<8x64xf32>, %bias: memref<64xf32>, %fork: i1 {hexagon.may_fork}) {
  scf.forall (%i) = (0) to (8) step (2) {
    %a = memref.subview %x[%i, 0] [2, 64] [1, 1] : memref<8x64xf32> to memref<2x64xf32, strided<[64, 1], offset: ?>>
    linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%bias : memref<64xf32>) outs(%a : memref<2x64xf32, strided<[64, 1], offset: ?>>) {
    ^bb0(%in: f32, %out: f32):
      %0 = arith.addf %in, %out : f32
      linalg.yield %0 : f32
    }
  }
  return
}
