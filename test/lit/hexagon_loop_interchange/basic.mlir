// Loops in another order than the data are interchanged; indices follow their loops.
// RUN: hexmlir-opt %s --hexagon-loop-interchange --split-input-file | filecheck %s

// CHECK-DAG: #[[SAME:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-LABEL: func.func @columns_first
// CHECK: linalg.generic {indexing_maps = [#[[SAME]], #[[SAME]]], iterator_types = ["parallel", "parallel"]}
// CHECK: linalg.index 0
func.func @columns_first(%x: tensor<2048x1024xf32>, %y: tensor<2048x1024xf32> {bufferization.writable = false})
    -> tensor<2048x1024xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d1, d0)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<2048x1024xf32>) outs(%y : tensor<2048x1024xf32>) {
    ^bb0(%a: f32, %o: f32):
      %i = linalg.index 1 : index
      %n = arith.index_cast %i : index to i32
      %w = arith.sitofp %n : i32 to f32
      %t = arith.addf %a, %w : f32
      linalg.yield %t : f32
  } -> tensor<2048x1024xf32>
  return %r : tensor<2048x1024xf32>
}

// -----
// Three loops: the output's order, a bias along the innermost.
// CHECK-DAG: #[[SAME:.*]] = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
// CHECK-DAG: #[[BIAS:.*]] = affine_map<(d0, d1, d2) -> (d2)>
// CHECK-LABEL: func.func @bias
// CHECK: linalg.generic {indexing_maps = [#[[SAME]], #[[BIAS]], #[[SAME]]]
func.func @bias(%x: tensor<4x8x64xf32>, %b: tensor<64xf32>, %y: tensor<4x8x64xf32>) -> tensor<4x8x64xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(a, b, c) -> (c, a, b)>, affine_map<(a, b, c) -> (b)>,
                                        affine_map<(a, b, c) -> (c, a, b)>],
                       iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %b : tensor<4x8x64xf32>, tensor<64xf32>) outs(%y : tensor<4x8x64xf32>) {
    ^bb0(%p: f32, %q: f32, %o: f32):
      %s = arith.addf %p, %q : f32
      linalg.yield %s : f32
  } -> tensor<4x8x64xf32>
  return %r : tensor<4x8x64xf32>
}
