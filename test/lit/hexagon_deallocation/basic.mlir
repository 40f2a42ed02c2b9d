// Buffers are freed at the end of the block that allocates them.
// RUN: hexmlir-opt %s --hexagon-deallocation --split-input-file | filecheck %s

// 1. Inside a loop in every iteration, in the order of the allocations; views are followed.
// CHECK-LABEL: func.func @in_blocks
// CHECK: %[[A:.*]] = memref.alloc() : memref<8xf32>
// CHECK: scf.for
// CHECK: %[[B:.*]] = memref.alloc() : memref<8xf32, 1>
// CHECK: %[[C:.*]] = memref.alloc() : memref<8xf32>
// CHECK: linalg.copy
// CHECK: linalg.copy
// CHECK: linalg.copy
// CHECK-NEXT: memref.dealloc %[[B]] : memref<8xf32, 1>
// CHECK-NEXT: memref.dealloc %[[C]] : memref<8xf32>
// CHECK-NEXT: }
// CHECK-NEXT: linalg.copy
// CHECK-NEXT: memref.dealloc %[[A]] : memref<8xf32>
// CHECK-NEXT: return
func.func @in_blocks(%x: memref<8xf32>, %y: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %a = memref.alloc() : memref<8xf32>
  scf.for %i = %c0 to %c4 step %c1 {
    %b = memref.alloc() : memref<8xf32, 1>
    %c = memref.alloc() : memref<8xf32>
    linalg.copy ins(%x : memref<8xf32>) outs(%b : memref<8xf32, 1>)
    %part = memref.subview %b[%i] [4] [1] : memref<8xf32, 1> to memref<4xf32, strided<[1], offset: ?>, 1>
    %other = memref.subview %c[%i] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1], offset: ?>>
    linalg.copy ins(%part : memref<4xf32, strided<[1], offset: ?>, 1>) outs(%other : memref<4xf32, strided<[1], offset: ?>>)
    linalg.copy ins(%c : memref<8xf32>) outs(%a : memref<8xf32>)
  }
  linalg.copy ins(%a : memref<8xf32>) outs(%y : memref<8xf32>)
  return
}

// -----

// 2. Buffers of threads: before the end of their parallel region. The called function is not inlined.
// CHECK-LABEL: func.func private @in_threads
// CHECK: scf.forall
// CHECK: %[[A:.*]] = memref.alloc() : memref<8xf32>
// CHECK: memref.dealloc %[[A]]
// CHECK-NEXT: }
// CHECK-LABEL: func.func @caller
// CHECK: %[[A:.*]] = memref.alloc() : memref<32xf32>
// CHECK: call @in_threads(%arg0, %[[A]])
// CHECK: memref.dealloc %[[A]]
func.func private @in_threads(%x: memref<32xf32>, %y: memref<32xf32>) attributes {no_inline} {
  scf.forall (%i) = (0) to (32) step (8) {
    %a = memref.alloc() : memref<8xf32>
    %from = memref.subview %x[%i] [8] [1] : memref<32xf32> to memref<8xf32, strided<[1], offset: ?>>
    %to = memref.subview %y[%i] [8] [1] : memref<32xf32> to memref<8xf32, strided<[1], offset: ?>>
    linalg.exp ins(%from : memref<8xf32, strided<[1], offset: ?>>) outs(%a : memref<8xf32>)
    linalg.exp ins(%a : memref<8xf32>) outs(%to : memref<8xf32, strided<[1], offset: ?>>)
  }
  return
}
func.func @caller(%x: memref<32xf32>, %y: memref<32xf32>) {
  %a = memref.alloc() : memref<32xf32>
  func.call @in_threads(%x, %a) : (memref<32xf32>, memref<32xf32>) -> ()
  linalg.copy ins(%a : memref<32xf32>) outs(%y : memref<32xf32>)
  return
}
