// RUN: hexmlir-opt %s --elide-tcm-copies | filecheck %s

// A contiguous tile of an argument, and one with rows of whole vectors, are slices; a tile of a result is computed there,
// and the copy to DDR of the result is gone.
// CHECK-LABEL: func.func @tiles
// CHECK: %[[E:.*]] = tensor.empty() : tensor<8x64xf32>
// CHECK: %[[S:.*]] = tensor.extract_slice %arg0[0, 0] [4, 64]
// CHECK: %[[O:.*]] = tensor.empty() : tensor<4x64xf32>
// CHECK: %[[Y:.*]] = linalg.exp ins(%[[S]] : tensor<4x64xf32>) outs(%[[O]]
// CHECK: %[[T:.*]] = tensor.extract_slice %arg0[4, 32] [4, 32]
// CHECK: linalg.exp ins(%[[T]] : tensor<4x32xf32>)
// CHECK: %[[R:.*]] = tensor.insert_slice %[[Y]] into %[[E]]
// CHECK: return %{{.*}}, %[[R]]
func.func @tiles(%x: tensor<8x64xf32>) -> (tensor<4x32xf32>, tensor<8x64xf32>)
    attributes {hexagon.in_tcm = array<i64: 0, 2>} {
  %e = bufferization.alloc_tensor() {memory_space = 1 : i64} : tensor<8x64xf32>
  %s = tensor.extract_slice %x[0, 0] [4, 64] [1, 1] : tensor<8x64xf32> to tensor<4x64xf32>
  %t = bufferization.alloc_tensor() copy(%s) {memory_space = 1 : i64} : tensor<4x64xf32>
  %o = bufferization.alloc_tensor() {memory_space = 1 : i64} : tensor<4x64xf32>
  %y = linalg.exp ins(%t : tensor<4x64xf32>) outs(%o : tensor<4x64xf32>) -> tensor<4x64xf32>
  %s2 = tensor.extract_slice %x[4, 32] [4, 32] [1, 1] : tensor<8x64xf32> to tensor<4x32xf32>
  %t2 = bufferization.alloc_tensor() copy(%s2) {memory_space = 1 : i64} : tensor<4x32xf32>
  %o2 = bufferization.alloc_tensor() {memory_space = 1 : i64} : tensor<4x32xf32>
  %y2 = linalg.exp ins(%t2 : tensor<4x32xf32>) outs(%o2 : tensor<4x32xf32>) -> tensor<4x32xf32>
  %r = tensor.insert_slice %y into %e[0, 0] [4, 64] [1, 1] : tensor<4x64xf32> into tensor<8x64xf32>
  %d = bufferization.alloc_tensor() copy(%r) {memory_space = 0 : i64} : tensor<8x64xf32>
  return %y2, %d : tensor<4x32xf32>, tensor<8x64xf32>
}

// What is in DDR is copied; so is a tile of columns that are no whole vectors, and one of columns of a result is.
// CHECK-LABEL: func.func @copies
// CHECK: bufferization.alloc_tensor() copy(%{{.*}}) {memory_space = 1 : i64} : tensor<8x8xf32>
// CHECK: bufferization.alloc_tensor() copy(%{{.*}}) {memory_space = 1 : i64} : tensor<8x8xf32>
// CHECK: bufferization.alloc_tensor() {memory_space = 1 : i64} : tensor<8x8xf32>
// CHECK: tensor.insert_slice
func.func @copies(%x: tensor<8x64xf32>, %z: tensor<8x8xf32>) -> tensor<8x64xf32>
    attributes {hexagon.in_tcm = array<i64: 0, 2>} {
  %e = tensor.empty() : tensor<8x64xf32>
  %s = tensor.extract_slice %x[0, 4] [8, 8] [1, 1] : tensor<8x64xf32> to tensor<8x8xf32>
  %t = bufferization.alloc_tensor() copy(%s) {memory_space = 1 : i64} : tensor<8x8xf32>
  %u = bufferization.alloc_tensor() copy(%z) {memory_space = 1 : i64} : tensor<8x8xf32>
  %o = bufferization.alloc_tensor() {memory_space = 1 : i64} : tensor<8x8xf32>
  %y = linalg.add ins(%t, %u : tensor<8x8xf32>, tensor<8x8xf32>) outs(%o : tensor<8x8xf32>) -> tensor<8x8xf32>
  %r = tensor.insert_slice %y into %e[0, 8] [8, 8] [1, 1] : tensor<8x8xf32> into tensor<8x64xf32>
  return %r : tensor<8x64xf32>
}

// What a loop carries is in one memory space: the copy that it begins with, and the tile that it goes on with and puts
// into a result, stay in TCM of their own. So does a copy that is changed.
// CHECK-LABEL: func.func @state
// CHECK: %[[B:.*]] = bufferization.alloc_tensor() copy(%arg0) {memory_space = 1 : i64} : tensor<1x64xf32>
// CHECK: %[[W:.*]] = bufferization.alloc_tensor() copy(%arg0) {memory_space = 1 : i64} : tensor<1x64xf32>
// CHECK: linalg.exp ins(%arg0 : tensor<1x64xf32>) outs(%[[W]]
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[B]]
// CHECK: %[[O:.*]] = bufferization.alloc_tensor() {memory_space = 1 : i64} : tensor<1x64xf32>
// CHECK: linalg.exp {{.*}} outs(%[[O]]
func.func @state(%x: tensor<1x64xf32>, %n: index) -> (tensor<8x64xf32>, tensor<1x64xf32>)
    attributes {hexagon.in_tcm = array<i64: 0, 2>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.empty() : tensor<8x64xf32>
  %b = bufferization.alloc_tensor() copy(%x) {memory_space = 1 : i64} : tensor<1x64xf32>
  %t = bufferization.alloc_tensor() copy(%x) {memory_space = 1 : i64} : tensor<1x64xf32>
  %w = bufferization.alloc_tensor() copy(%x) {memory_space = 1 : i64} : tensor<1x64xf32>
  %u = linalg.exp ins(%t : tensor<1x64xf32>) outs(%w : tensor<1x64xf32>) -> tensor<1x64xf32>
  %h, %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %b, %d = %e) -> (tensor<1x64xf32>, tensor<8x64xf32>) {
    %o = bufferization.alloc_tensor() {memory_space = 1 : i64} : tensor<1x64xf32>
    %y = linalg.exp ins(%s : tensor<1x64xf32>) outs(%o : tensor<1x64xf32>) -> tensor<1x64xf32>
    %p = tensor.insert_slice %y into %d[%i, 0] [1, 64] [1, 1] : tensor<1x64xf32> into tensor<8x64xf32>
    scf.yield %y, %p : tensor<1x64xf32>, tensor<8x64xf32>
  }
  %z = linalg.add ins(%h, %u : tensor<1x64xf32>, tensor<1x64xf32>) outs(%h : tensor<1x64xf32>) -> tensor<1x64xf32>
  return %r, %z : tensor<8x64xf32>, tensor<1x64xf32>
}

// Columns of tiles of the matrix engine are computed in place: each row of them is long.
// CHECK-LABEL: func.func @columns
// CHECK: %[[O:.*]] = tensor.empty() : tensor<2x1x16x64xf16>
// CHECK: linalg.exp {{.*}} outs(%[[O]]
func.func @columns(%x: tensor<2x1x16x64xf16>) -> tensor<2x3x16x64xf16> attributes {hexagon.in_tcm = array<i64: 0, 1>} {
  %e = tensor.empty() : tensor<2x3x16x64xf16>
  %o = bufferization.alloc_tensor() {memory_space = 1 : i64} : tensor<2x1x16x64xf16>
  %y = linalg.exp ins(%x : tensor<2x1x16x64xf16>) outs(%o : tensor<2x1x16x64xf16>) -> tensor<2x1x16x64xf16>
  %r = tensor.insert_slice %y into %e[0, 1, 0, 0] [2, 1, 16, 64] [1, 1, 1, 1] : tensor<2x1x16x64xf16> into tensor<2x3x16x64xf16>
  return %r : tensor<2x3x16x64xf16>
}
