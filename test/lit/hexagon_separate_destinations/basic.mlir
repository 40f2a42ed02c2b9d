// Empty and filled tensors with several users, one for each.
// RUN: hexmlir-opt %s --hexagon-separate-destinations --split-input-file | filecheck %s

// 1. The zeros of two sums.
// CHECK-LABEL: func.func @sums
// CHECK: %[[E:.*]] = tensor.empty
// CHECK: %[[Z:.*]] = linalg.fill {{.*}} outs(%[[E]]
// CHECK: linalg.reduce {{.*}} outs(%[[Z]]
// CHECK: %[[E1:.*]] = tensor.empty
// CHECK: %[[Z1:.*]] = linalg.fill {{.*}} outs(%[[E1]]
// CHECK: linalg.reduce {{.*}} outs(%[[Z1]]
func.func @sums(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>, %zero: f32) -> (tensor<4xf32>, tensor<4xf32>) {
  %e = tensor.empty() : tensor<4xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %a = linalg.reduce { arith.addf } ins(%x : tensor<4x8xf32>) outs(%z : tensor<4xf32>) dimensions = [1]
  %b = linalg.reduce { arith.addf } ins(%y : tensor<4x8xf32>) outs(%z : tensor<4xf32>) dimensions = [1]
  return %a, %b : tensor<4xf32>, tensor<4xf32>
}

// -----
// 2. The initial value of a loop, and of an op inside it; a fill may have become a linalg.generic.
// CHECK-LABEL: func.func @loop
// CHECK: %[[Z:.*]] = linalg.generic
// CHECK: scf.for {{.*}} iter_args(%[[A:.*]] = %[[Z]])
// CHECK: %[[Z1:.*]] = linalg.generic
// CHECK: linalg.add ins({{.*}}) outs(%[[Z1]]
func.func @loop(%x: tensor<8xf32>, %zero: f32, %n: index) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.empty() : tensor<8xf32>
  %z = linalg.generic {indexing_maps = [affine_map<(d0) -> ()>, affine_map<(d0) -> (d0)>],
                       iterator_types = ["parallel"]} ins(%zero : f32) outs(%e : tensor<8xf32>) {
    ^bb0(%a: f32, %o: f32):
      linalg.yield %a : f32
  } -> tensor<8xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %z) -> tensor<8xf32> {
    %s = linalg.add ins(%acc, %x : tensor<8xf32>, tensor<8xf32>) outs(%z : tensor<8xf32>) -> tensor<8xf32>
    scf.yield %s : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}

// -----
// 3. Two results of one op, and dynamic sizes.
// CHECK-LABEL: func.func @both(%arg0: tensor<?xf32>, %arg1: index)
// CHECK-DAG: %[[A:.*]] = tensor.empty(%arg1)
// CHECK-DAG: %[[B:.*]] = tensor.empty(%arg1)
// CHECK: linalg.generic {{.*}} outs(%[[A:.*]], %[[B:.*]] : tensor<?xf32>, tensor<?xf32>)
func.func @both(%x: tensor<?xf32>, %n: index) -> (tensor<?xf32>, tensor<?xf32>) {
  %e = tensor.empty(%n) : tensor<?xf32>
  %r:2 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>,
                                          affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%x : tensor<?xf32>) outs(%e, %e : tensor<?xf32>, tensor<?xf32>) {
    ^bb0(%a: f32, %o: f32, %p: f32):
      linalg.yield %a, %a : f32, f32
  } -> (tensor<?xf32>, tensor<?xf32>)
  return %r#0, %r#1 : tensor<?xf32>, tensor<?xf32>
}

// -----
// 4. A result that is computed before a condition and stored under it is not computed in the target.
// CHECK-LABEL: func.func @conditional
// CHECK: %[[E:.*]] = tensor.empty() : tensor<8xf32>
// CHECK: %[[A:.*]] = bufferization.alloc_tensor() : tensor<8xf32>
// CHECK: linalg.add {{.*}} outs(%[[A]]
// CHECK: linalg.sub {{.*}} outs(%[[E]]
func.func @conditional(%x: tensor<8xf32>, %p: memref<8xf32>, %q: memref<8xf32>, %c: i1) {
  %e = tensor.empty() : tensor<8xf32>
  %a = linalg.add ins(%x, %x : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  scf.if %c {
    %b = linalg.sub ins(%a, %x : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    bufferization.materialize_in_destination %a in restrict writable %p : (tensor<8xf32>, memref<8xf32>) -> ()
    bufferization.materialize_in_destination %b in restrict writable %q : (tensor<8xf32>, memref<8xf32>) -> ()
  }
  return
}

// -----
// 5. Nor is the initial value of a loop, which may have no iteration.
// CHECK-LABEL: func.func @carried
// CHECK: %[[A:.*]] = bufferization.alloc_tensor() : tensor<8xf32>
// CHECK: linalg.fill {{.*}} outs(%[[A]]
func.func @carried(%x: tensor<8xf32>, %p: memref<8xf32>, %n: index, %zero: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.empty() : tensor<8xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %z) -> tensor<8xf32> {
    %s = linalg.add ins(%acc, %x : tensor<8xf32>, tensor<8xf32>) outs(%acc : tensor<8xf32>) -> tensor<8xf32>
    bufferization.materialize_in_destination %s in restrict writable %p : (tensor<8xf32>, memref<8xf32>) -> ()
    scf.yield %s : tensor<8xf32>
  }
  return
}

// -----
// 6. A slice of an otherwise empty tensor: a copy would read uninitialized elements of the tensor.
// CHECK-LABEL: func.func @slices
// CHECK: %[[A:.*]] = tensor.empty() : tensor<4x8xf32>
// CHECK: %[[S:.*]] = tensor.insert_slice %arg0 into %[[A]][0, 0]
// CHECK: tensor.insert_slice %arg1 into %[[S]][0, 1]
// CHECK: %[[B:.*]] = tensor.empty() : tensor<4x8xf32>
// CHECK: %[[T:.*]] = tensor.insert_slice %arg0 into %[[B]][0, 0]
// CHECK: tensor.insert_slice %arg2 into %[[T]][0, 1]
func.func @slices(%x: tensor<4xf32>, %y: tensor<4x7xf32>, %z: tensor<4x7xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %e = tensor.empty() : tensor<4x8xf32>
  %s = tensor.insert_slice %x into %e[0, 0] [4, 1] [1, 1] : tensor<4xf32> into tensor<4x8xf32>
  %a = tensor.insert_slice %y into %s[0, 1] [4, 7] [1, 1] : tensor<4x7xf32> into tensor<4x8xf32>
  %b = tensor.insert_slice %z into %s[0, 1] [4, 7] [1, 1] : tensor<4x7xf32> into tensor<4x8xf32>
  return %a, %b : tensor<4x8xf32>, tensor<4x8xf32>
}

// -----
// 7. A tensor that is returned twice, and a scalar that is.
// CHECK-LABEL: func.func @twice
// CHECK: %[[A:.*]] = linalg.exp
// CHECK: %[[B:.*]] = bufferization.alloc_tensor() copy(%[[A]]) : tensor<f32>
// CHECK: return %[[A]], %[[N:.*]], %[[B]], %[[N]] : tensor<f32>, i32, tensor<f32>, i32
func.func @twice(%x: tensor<f32>, %n: i32) -> (tensor<f32>, i32, tensor<f32>, i32) {
  %e = tensor.empty() : tensor<f32>
  %a = linalg.exp ins(%x : tensor<f32>) outs(%e : tensor<f32>) -> tensor<f32>
  return %a, %n, %a, %n : tensor<f32>, i32, tensor<f32>, i32
}

// -----
// 8. A product's initial value with a later reader, through a reshape, is copied; one without a later reader is not.
// CHECK-LABEL: func.func @start_of_a_product
// CHECK: %[[A:.*]] = linalg.exp
// CHECK: %[[B:.*]] = linalg.log
// CHECK: %[[C:.*]] = bufferization.alloc_tensor() copy(%[[A]]) : tensor<4x8xf32>
// CHECK: linalg.matmul {{.*}} outs(%[[C]]
// CHECK: linalg.matmul {{.*}} outs(%[[B]]
// CHECK-NOT: alloc_tensor
func.func @start_of_a_product(%x: tensor<4x8xf32>, %y: tensor<8x8xf32>) -> (tensor<4x8xf32>, tensor<32xf32>, tensor<4x8xf32>) {
  %e = tensor.empty() : tensor<4x8xf32>
  %a = linalg.exp ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  %b = linalg.log ins(%a : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  %p = linalg.matmul ins(%x, %y : tensor<4x8xf32>, tensor<8x8xf32>) outs(%a : tensor<4x8xf32>) -> tensor<4x8xf32>
  %q = linalg.matmul ins(%p, %y : tensor<4x8xf32>, tensor<8x8xf32>) outs(%b : tensor<4x8xf32>) -> tensor<4x8xf32>
  %r = tensor.collapse_shape %a [[0, 1]] : tensor<4x8xf32> into tensor<32xf32>
  return %p, %r, %q : tensor<4x8xf32>, tensor<32xf32>, tensor<4x8xf32>
}

// -----
// A slice that an op starts from, whose result is put back into its place, needs no copy; one that is put elsewhere does.
// CHECK-LABEL: func.func @put_back
// CHECK: %[[Z:.*]] = linalg.exp
// CHECK: %[[S:.*]] = tensor.extract_slice %[[Z]][1, 0]
// CHECK: %[[A:.*]] = linalg.generic {{.*}} outs(%[[S]]
// CHECK: tensor.insert_slice %[[A]] into %[[Z]][1, 0]
// CHECK-LABEL: func.func @put_elsewhere
// CHECK: %[[Z:.*]] = linalg.exp
// CHECK: %[[S:.*]] = tensor.extract_slice %[[Z]][1, 0]
// CHECK: %[[C:.*]] = bufferization.alloc_tensor() copy(%[[S]])
// CHECK: %[[A:.*]] = linalg.generic {{.*}} outs(%[[C]]
// CHECK: tensor.insert_slice %[[A]] into %[[Z]][0, 0]
#same = affine_map<(i, j) -> (i, j)>
func.func @put_back(%x: tensor<4x8xf32>, %y: tensor<2x8xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %z = linalg.exp ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  %s = tensor.extract_slice %z[1, 0] [2, 8] [1, 1] : tensor<4x8xf32> to tensor<2x8xf32>
  %a = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]}
      ins(%y : tensor<2x8xf32>) outs(%s : tensor<2x8xf32>) {
    ^bb0(%p: f32, %old: f32):
      %sum = arith.addf %p, %old : f32
      linalg.yield %sum : f32
  } -> tensor<2x8xf32>
  %r = tensor.insert_slice %a into %z[1, 0] [2, 8] [1, 1] : tensor<2x8xf32> into tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}

func.func @put_elsewhere(%x: tensor<4x8xf32>, %y: tensor<2x8xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %z = linalg.exp ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  %s = tensor.extract_slice %z[1, 0] [2, 8] [1, 1] : tensor<4x8xf32> to tensor<2x8xf32>
  %a = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]}
      ins(%y : tensor<2x8xf32>) outs(%s : tensor<2x8xf32>) {
    ^bb0(%p: f32, %old: f32):
      %sum = arith.addf %p, %old : f32
      linalg.yield %sum : f32
  } -> tensor<2x8xf32>
  %r = tensor.insert_slice %a into %z[0, 0] [2, 8] [1, 1] : tensor<2x8xf32> into tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}
