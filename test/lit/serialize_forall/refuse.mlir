// Loops that are not merged.
// RUN: hexmlir-opt %s --serialize-forall --split-input-file --verify-diagnostics | filecheck %s

// 1. The function has no fork permission argument.
// CHECK-LABEL: func.func @always_forks
// CHECK: scf.forall (%{{.*}}) = (0) to (64) step (32)
#id = affine_map<(d0) -> (d0)>
func.func @always_forks(%x: memref<64xf32>) {
  scf.forall (%i) = (0) to (64) step (32) {
    %a = memref.subview %x[%i] [32] [1] : memref<64xf32> to memref<32xf32, strided<[1], offset: ?>>
    linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%a : memref<32xf32, strided<[1], offset: ?>>) {
    ^bb0(%out: f32):
      %0 = arith.addf %out, %out : f32
      linalg.yield %0 : f32
    }
  }
  return
}

// -----
// 2. The last block is shorter.
// CHECK-LABEL: func.func @uneven
// CHECK: scf.forall (%{{.*}}) = (0) to (65) step (32)
func.func @uneven(%x: memref<65xf32>, %v: f32, %fork: i1 {hexagon.may_fork}) {
  // expected-remark@+1 {{chunks are not merged: not one loop cut into chunks of the same length}}
  scf.forall (%i) = (0) to (65) step (32) {
    memref.store %v, %x[%i] : memref<65xf32>
  }
  return
}

// -----
// 3. Work that is not elementwise.
// CHECK-LABEL: func.func @one_element
// CHECK: scf.forall (%{{.*}}) = (0) to (64) step (32)
func.func @one_element(%x: memref<64xf32>, %v: f32, %fork: i1 {hexagon.may_fork}) {
  // expected-remark@+1 {{chunks are not merged: memref.store is not elementwise work on slices}}
  scf.forall (%i) = (0) to (64) step (32) {
    memref.store %v, %x[%i] : memref<64xf32>
  }
  return
}

// -----
// 4. Each block has a sum of its own.
// CHECK-LABEL: func.func @sums
// CHECK: scf.forall (%{{.*}}) = (0) to (64) step (32)
#id = affine_map<(d0) -> (d0)>
func.func @sums(%x: memref<64xf32>, %sum: memref<f32>, %fork: i1 {hexagon.may_fork}) {
  // expected-remark@+1 {{chunks are not merged: linalg.generic is not elementwise work on slices}}
  scf.forall (%i) = (0) to (64) step (32) {
    %a = memref.subview %x[%i] [32] [1] : memref<64xf32> to memref<32xf32, strided<[1], offset: ?>>
    linalg.generic {indexing_maps = [#id, affine_map<(d0) -> ()>], iterator_types = ["reduction"]} ins(%a : memref<32xf32, strided<[1], offset: ?>>) outs(%sum : memref<f32>) {
    ^bb0(%in: f32, %out: f32):
      %0 = arith.addf %in, %out : f32
      linalg.yield %0 : f32
    }
  }
  return
}

// -----
// 5. Every element gets the number of its block.
// CHECK-LABEL: func.func @numbers
// CHECK: scf.forall (%{{.*}}) = (0) to (64) step (32)
#id = affine_map<(d0) -> (d0)>
func.func @numbers(%x: memref<64xi32>, %fork: i1 {hexagon.may_fork}) {
  // expected-remark@+1 {{chunks are not merged: arith.index_cast is not elementwise work on slices}}
  scf.forall (%i) = (0) to (64) step (32) {
    %n = arith.index_cast %i : index to i32
    %a = memref.subview %x[%i] [32] [1] : memref<64xi32> to memref<32xi32, strided<[1], offset: ?>>
    linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%a : memref<32xi32, strided<[1], offset: ?>>) {
    ^bb0(%out: i32):
      linalg.yield %n : i32
    }
  }
  return
}

// -----
// 6. The same inside the body.
// CHECK-LABEL: func.func @inside
// CHECK: scf.forall (%{{.*}}) = (0) to (64) step (32)
#id = affine_map<(d0) -> (d0)>
func.func @inside(%x: memref<64xi32>, %fork: i1 {hexagon.may_fork}) {
  // expected-remark@+1 {{chunks are not merged: linalg.generic is not elementwise work on slices}}
  scf.forall (%i) = (0) to (64) step (32) {
    %a = memref.subview %x[%i] [32] [1] : memref<64xi32> to memref<32xi32, strided<[1], offset: ?>>
    linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%a : memref<32xi32, strided<[1], offset: ?>>) {
    ^bb0(%out: i32):
      %n = arith.index_cast %i : index to i32
      linalg.yield %n : i32
    }
  }
  return
}

// -----
// 7. The mark is on a number.
// expected-error@+1 {{hexagon.may_fork on an argument of type i32}}
func.func @number(%fork: i32 {hexagon.may_fork}) {
  return
}
