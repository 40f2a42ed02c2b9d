// Sums of f32 with a bias for each column: it is added where HVX puts the pieces of the sums together, tile by tile.
// RUN: hexmlir-opt %s --hexagon-matrix-engine=always=true | filecheck %s

// CHECK: #[[COLUMNS:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d1, d3)>
// CHECK-LABEL: func.func @biased
// CHECK: %[[BIAS:.*]] = tensor.expand_shape %{{.*}} output_shape [2, 32] : tensor<64xf32> into tensor<2x32xf32>
// CHECK: linalg.generic {indexing_maps = [#{{.*}}, #{{.*}}, #[[COLUMNS]], #{{.*}}]{{.*}} ins(%{{.*}}, %{{.*}}, %[[BIAS]] : tensor<2x2x16x32x2xf16>, tensor<2x2x16x32x2xf16>, tensor<2x32xf32>) outs(%{{.*}} : tensor<2x16x2x2x32xf32>)
// CHECK: tensor.extract_slice %{{.*}} : tensor<64x64xf32> to tensor<45x60xf32>
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @biased(%a: tensor<45x64xf16>, %b: tensor<64x60xf16>, %bias: tensor<60xf32>) -> tensor<45x60xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<45x60xf32>
  %c = linalg.fill ins(%zero : f32) outs(%e : tensor<45x60xf32>) -> tensor<45x60xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<45x64xf16>, tensor<64x60xf16>) outs(%c : tensor<45x60xf32>) -> tensor<45x60xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (n)>, affine_map<(m, n) -> (m, n)>],
      iterator_types = ["parallel", "parallel"]} ins(%0, %bias : tensor<45x60xf32>, tensor<60xf32>) outs(%e : tensor<45x60xf32>) {
  ^bb0(%x: f32, %y: f32, %old: f32):
    %2 = arith.addf %x, %y : f32
    linalg.yield %2 : f32
  } -> tensor<45x60xf32>
  return %1 : tensor<45x60xf32>
}
