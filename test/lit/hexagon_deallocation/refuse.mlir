// Buffers that escape their block, which upstream's pass deallocates.
// RUN: hexmlir-opt %s --hexagon-deallocation --split-input-file | filecheck %s

// 1. A loop carries a buffer: every iteration frees the previous one, where the loop owns it.
// CHECK-LABEL: func.func @carried
// CHECK: scf.for {{.*}} iter_args(%[[LAST:.*]] = %{{.*}}, %[[OWN:.*]] = %{{.*}}) -> (memref<8xf32>, i1)
// CHECK: %[[NEW:.*]] = memref.alloc() : memref<8xf32>
// CHECK: scf.if
// CHECK: memref.dealloc
// CHECK: scf.yield %[[NEW]]
func.func @carried(%x: memref<8xf32>, %y: memref<8xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %first = memref.alloc() : memref<8xf32>
  linalg.copy ins(%x : memref<8xf32>) outs(%first : memref<8xf32>)
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%before = %first) -> (memref<8xf32>) {
    %a = memref.alloc() : memref<8xf32>
    linalg.exp ins(%before : memref<8xf32>) outs(%a : memref<8xf32>)
    scf.yield %a : memref<8xf32>
  }
  linalg.copy ins(%last : memref<8xf32>) outs(%y : memref<8xf32>)
  return
}

// -----

// 2. A function returns its buffer.
// CHECK-LABEL: func.func @given
// CHECK: %[[A:.*]] = memref.alloc() : memref<8xf32>
// CHECK-NOT: memref.dealloc
// CHECK: return %[[A]]
func.func @given(%x: memref<8xf32>) -> memref<8xf32> {
  %a = memref.alloc() : memref<8xf32>
  linalg.exp ins(%x : memref<8xf32>) outs(%a : memref<8xf32>)
  return %a : memref<8xf32>
}

// -----

// 3. One of two buffers, selected at run time.
// CHECK-LABEL: func.func @chosen
// CHECK-COUNT-2: memref.dealloc
// CHECK-NOT: memref.dealloc
func.func @chosen(%x: memref<8xf32>, %y: memref<8xf32>, %p: i1) {
  %a = memref.alloc() : memref<8xf32>
  %b = memref.alloc() : memref<8xf32>
  linalg.exp ins(%x : memref<8xf32>) outs(%a : memref<8xf32>)
  linalg.exp ins(%a : memref<8xf32>) outs(%b : memref<8xf32>)
  %c = arith.select %p, %a, %b : memref<8xf32>
  linalg.exp ins(%c : memref<8xf32>) outs(%y : memref<8xf32>)
  return
}

// -----

// 4. Functions that may be inlined are.
// CHECK-LABEL: func.func @caller
// CHECK-NOT: call
// CHECK: linalg.exp
func.func private @callee(%x: memref<8xf32>, %y: memref<8xf32>) {
  linalg.exp ins(%x : memref<8xf32>) outs(%y : memref<8xf32>)
  return
}
func.func @caller(%x: memref<8xf32>, %y: memref<8xf32>) {
  func.call @callee(%x, %y) : (memref<8xf32>, memref<8xf32>) -> ()
  return
}
