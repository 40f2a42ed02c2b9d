// What a loop of the program carries or reads in every iteration moves to TCM before the loop.
// RUN: hexmlir-opt %s --hexagon-tcm-tiling --split-input-file | filecheck %s

// 1. The weights, and the state, which the loop computes; the rows of the result stay in DDR.
// CHECK-LABEL: func.func @recurrence
// CHECK-DAG: %[[STATE:.*]] = bufferization.alloc_tensor() copy(%arg0) {memory_space = 1 : i64} : tensor<1x512xf32>
// CHECK-DAG: %[[WEIGHT:.*]] = bufferization.alloc_tensor() copy(%arg1) {memory_space = 1 : i64} : tensor<512x512xf32>
// CHECK: %[[LOOP:.*]]:2 = scf.for {{.*}} iter_args(%[[H:.*]] = %[[STATE]], %[[ROWS:.*]] = %{{.*}})
// CHECK: linalg.matmul ins(%[[H]], %[[WEIGHT]] :
// CHECK: %[[LAST:.*]] = bufferization.alloc_tensor() copy(%[[LOOP]]#0) {memory_space = 0 : i64}
// CHECK: return %[[LAST]], %[[LOOP]]#1
func.func @recurrence(%h: tensor<1x512xf32>, %w: tensor<512x512xf32>) -> (tensor<1x512xf32>, tensor<8x512xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  %rows = tensor.empty() : tensor<8x512xf32>
  %last, %all = scf.for %i = %c0 to %c8 step %c1 iter_args(%s = %h, %r = %rows)
      -> (tensor<1x512xf32>, tensor<8x512xf32>) {
    %e = tensor.empty() : tensor<1x512xf32>
    %z = linalg.fill ins(%zero : f32) outs(%e : tensor<1x512xf32>) -> tensor<1x512xf32>
    %n = linalg.matmul ins(%s, %w : tensor<1x512xf32>, tensor<512x512xf32>) outs(%z : tensor<1x512xf32>)
      -> tensor<1x512xf32>
    %q = tensor.insert_slice %n into %r[%i, 0] [1, 512] [1, 1] : tensor<1x512xf32> into tensor<8x512xf32>
    scf.yield %n, %q : tensor<1x512xf32>, tensor<8x512xf32>
  }
  return %last, %all : tensor<1x512xf32>, tensor<8x512xf32>
}

// -----
// 2. Weights that take more than half of the TCM are fetched tile by tile in each iteration.
// CHECK-LABEL: func.func @too_large
// CHECK-NOT: copy(%arg1)
// CHECK: scf.for
// CHECK: scf.for
// CHECK: tensor.extract_slice %arg1
func.func @too_large(%h: tensor<1x1024xf32>, %w: tensor<1024x2048xf32>) -> tensor<1x2048xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %e = tensor.empty() : tensor<1x2048xf32>
  %last = scf.for %i = %c0 to %c8 step %c1 iter_args(%s = %e) -> (tensor<1x2048xf32>) {
    %n = linalg.matmul ins(%h, %w : tensor<1x1024xf32>, tensor<1024x2048xf32>) outs(%s : tensor<1x2048xf32>)
      -> tensor<1x2048xf32>
    scf.yield %n : tensor<1x2048xf32>
  }
  return %last : tensor<1x2048xf32>
}

// -----
// A loop whose quotient indexes rows of scales is not cut: tiles take all of them.
// CHECK-LABEL: func.func @quotient
// CHECK: scf.for %[[C:.*]] = %{{.*}} to %c2097152 step %c{{[0-9]+}}
// CHECK: %[[X:.*]] = tensor.extract_slice %arg0[0, %[[C]]] [64, %[[N:.*]]] [1, 1]
// CHECK: %[[S:.*]] = tensor.extract_slice %arg1[0, %[[C]]] [4, %[[N]]] [1, 1]
// CHECK: %[[A:.*]] = bufferization.alloc_tensor() copy(%[[X]]) {memory_space = 1 : i64}
// CHECK: %[[B:.*]] = bufferization.alloc_tensor() copy(%[[S]]) {memory_space = 1 : i64}
// CHECK: linalg.generic {{.*}} ins(%[[A]], %[[B]] :
func.func @quotient(%x: tensor<64x2097152xf32>, %s: tensor<4x2097152xf32>, %y: tensor<2097152xf32>)
    -> tensor<2097152xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(c, k) -> (k, c)>, affine_map<(c, k) -> (k floordiv 16, c)>,
                                        affine_map<(c, k) -> (c)>], iterator_types = ["parallel", "reduction"]}
      ins(%x, %s : tensor<64x2097152xf32>, tensor<4x2097152xf32>) outs(%y : tensor<2097152xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %1 = arith.mulf %a, %b : f32
      %2 = arith.addf %o, %1 : f32
      linalg.yield %2 : f32
  } -> tensor<2097152xf32>
  return %0 : tensor<2097152xf32>
}
