// Unchanged: a transpose, a reduction, a window, an output without one of the loops.
// RUN: hexmlir-opt %s --hexagon-loop-interchange | filecheck %s

// CHECK-DAG: #[[SAME:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[SWAPPED:.*]] = affine_map<(d0, d1) -> (d1, d0)>
// CHECK-DAG: #[[SHIFTED:.*]] = affine_map<(d0, d1) -> (d1 + 1, d0)>
// CHECK-DAG: #[[ROWS:.*]] = affine_map<(d0, d1) -> (d1)>

// CHECK-LABEL: func.func @transpose
// CHECK: indexing_maps = [#[[SAME]], #[[SWAPPED]]]
func.func @transpose(%x: tensor<64x32xf32>, %y: tensor<32x64xf32>) -> tensor<32x64xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1, d0)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<64x32xf32>) outs(%y : tensor<32x64xf32>) {
    ^bb0(%a: f32, %o: f32):
      linalg.yield %a : f32
  } -> tensor<32x64xf32>
  return %r : tensor<32x64xf32>
}

// CHECK-LABEL: func.func @sum
// CHECK: indexing_maps = [#[[SWAPPED]], #[[ROWS]]]
func.func @sum(%x: tensor<64x32xf32>, %y: tensor<64xf32>) -> tensor<64xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d1)>],
                       iterator_types = ["reduction", "parallel"]}
      ins(%x : tensor<64x32xf32>) outs(%y : tensor<64xf32>) {
    ^bb0(%a: f32, %o: f32):
      %s = arith.addf %a, %o : f32
      linalg.yield %s : f32
  } -> tensor<64xf32>
  return %r : tensor<64xf32>
}

// CHECK-LABEL: func.func @shifted
// CHECK: indexing_maps = [#[[SHIFTED]], #[[SWAPPED]]]
func.func @shifted(%x: tensor<65x32xf32>, %y: tensor<64x32xf32>) -> tensor<64x32xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1 + 1, d0)>, affine_map<(d0, d1) -> (d1, d0)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<65x32xf32>) outs(%y : tensor<64x32xf32>) {
    ^bb0(%a: f32, %o: f32):
      linalg.yield %a : f32
  } -> tensor<64x32xf32>
  return %r : tensor<64x32xf32>
}
