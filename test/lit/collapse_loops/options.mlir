// The pass has no options; what is a whole vector depends on the target.
// RUN: hexmlir-opt %s --collapse-loops | filecheck %s
// RUN: not hexmlir-opt %s --collapse-loops=all=true 2>&1 | filecheck %s --check-prefix=UNKNOWN

// UNKNOWN: error: collapse-loops: unknown option 'all'
// CHECK-LABEL: func.func @whole_vectors
// CHECK-NOT: collapse_shape
// CHECK-LABEL: func.func @half_vectors
// CHECK: tensor.collapse_shape %arg0 {{\[\[}}0, 1]] : tensor<64x32xf16> into tensor<2048xf16>
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @whole_vectors(%x: tensor<64x64xf16>, %y: tensor<64x64xf16>) -> tensor<64x64xf16> {
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<64x64xf16>) outs(%y : tensor<64x64xf16>) {
    ^bb0(%a: f16, %o: f16):
      %1 = arith.addf %a, %a : f16
      linalg.yield %1 : f16
  } -> tensor<64x64xf16>
  return %0 : tensor<64x64xf16>
}
func.func @half_vectors(%x: tensor<64x32xf16>, %y: tensor<64x32xf16>) -> tensor<64x32xf16> {
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<64x32xf16>) outs(%y : tensor<64x32xf16>) {
    ^bb0(%a: f16, %o: f16):
      %1 = arith.addf %a, %a : f16
      linalg.yield %1 : f16
  } -> tensor<64x32xf16>
  return %0 : tensor<64x32xf16>
}
