// Four steps of the reduction become neighbours; the function's argument too.
// RUN: hexmlir-opt %s --pack-word-weights | filecheck %s

// CHECK-DAG: #[[LEFT:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d2, d3)>
// CHECK-DAG: #[[RIGHT:.*]] = affine_map<(d0, d1, d2, d3) -> (d2, d1, d3)>
// CHECK-DAG: #[[SUMS:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1)>
// CHECK-LABEL: func.func private @kernel
// CHECK-SAME: %arg1: tensor<9x70x4xi8>)
// CHECK: %[[A:.*]] = tensor.expand_shape %arg0 {{\[}}[0], [1, 2]{{\]}} output_shape [5, 9, 4]
// CHECK: linalg.generic {indexing_maps = [#[[LEFT]], #[[RIGHT]], #[[SUMS]]], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%[[A]], %arg1 :
// CHECK: arith.extui %in : i8 to i32
// CHECK: arith.extsi %in_{{.*}} : i8 to i32
func.func private @kernel(%a: tensor<5x36xi8>, %b: tensor<36x70xi8>) -> tensor<5x70xi32> {
  %zero = arith.constant 0 : i32
  %init = tensor.empty() : tensor<5x70xi32>
  %sums = linalg.fill ins(%zero : i32) outs(%init : tensor<5x70xi32>) -> tensor<5x70xi32>
  %0 = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
      affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<5x36xi8>, tensor<36x70xi8>) outs(%sums : tensor<5x70xi32>) {
    ^bb0(%p: i8, %q: i8, %old: i32):
      %u = arith.extui %p : i8 to i32
      %v = arith.extsi %q : i8 to i32
      %m = arith.muli %u, %v : i32
      %s = arith.addi %old, %m : i32
      linalg.yield %s : i32
  } -> tensor<5x70xi32>
  return %0 : tensor<5x70xi32>
}
// CHECK-LABEL: func.func @model
// CHECK-SAME: %arg1: tensor<9x70x4xi8>)
// CHECK-SAME: hexagon.word_weights = array<i64: 1>
func.func @model(%a: tensor<5x36xi8>, %b: tensor<36x70xi8>) -> tensor<5x70xi32> attributes {hexagon.constants = array<i64: 1>} {
  %0 = call @kernel(%a, %b) : (tensor<5x36xi8>, tensor<36x70xi8>) -> tensor<5x70xi32>
  return %0 : tensor<5x70xi32>
}
