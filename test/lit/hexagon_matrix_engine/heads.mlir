// A result that is cut into heads goes to where they are read; no whole result is left.
// RUN: hexmlir-opt %s --hexagon-matrix-engine=always=true | filecheck %s

// CHECK-LABEL: func.func @heads
// CHECK: %[[TILES:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<2x8x16x32x2xf16>)
// CHECK: %[[CUT:.*]] = tensor.expand_shape %[[TILES]] {{.*}} : tensor<2x8x16x32x2xf16> into tensor<2x4x2x16x32x2xf16>
// CHECK: %[[ROWS:.*]] = linalg.transpose ins(%[[CUT]] : {{.*}}) outs({{.*}} : tensor<4x2x16x2x2x32xf16>) permutation = [1, 0, 3, 5, 2, 4]
// CHECK: %[[HEADS:.*]] = tensor.collapse_shape %[[ROWS]] {{.*}} into tensor<4x64x64xf16>
// CHECK: %[[FIRST:.*]] = tensor.extract_slice %[[HEADS]][0, 0, 0] [2, 45, 64] [1, 1, 1]
// CHECK: %[[A:.*]] = tensor.insert_slice %[[FIRST]] into %{{.*}}[0, 0, 0] [2, 45, 64] [1, 1, 1] : tensor<2x45x64xf16> into tensor<2x45x64xf16>
// CHECK: %[[SECOND:.*]] = tensor.extract_slice %[[HEADS]][2, 0, 0] [2, 45, 64] [1, 1, 1]
// CHECK: %[[B:.*]] = tensor.insert_slice %[[SECOND]] into %{{.*}}[0, 0, 0] [2, 45, 64] [1, 1, 1] : tensor<2x45x64xf16> into tensor<2x45x64xf16>
// CHECK: return %[[A]], %[[B]]
#heads = affine_map<(h, m, w) -> (h, m, w)>
#rows = affine_map<(h, m, w) -> (m, h, w)>
func.func @heads(%a: tensor<45x64xf16>, %b: tensor<64x256xf16>) -> (tensor<2x45x64xf16>, tensor<2x45x64xf16>) {
  %zero = arith.constant 0.0 : f16
  %init = tensor.empty() : tensor<45x256xf16>
  %start = linalg.fill ins(%zero : f16) outs(%init : tensor<45x256xf16>) -> tensor<45x256xf16>
  %0 = linalg.matmul ins(%a, %b : tensor<45x64xf16>, tensor<64x256xf16>) outs(%start : tensor<45x256xf16>) -> tensor<45x256xf16>
  %left = tensor.extract_slice %0[0, 0] [45, 128] [1, 1] : tensor<45x256xf16> to tensor<45x128xf16>
  %right = tensor.extract_slice %0[0, 128] [45, 128] [1, 1] : tensor<45x256xf16> to tensor<45x128xf16>
  %1 = tensor.expand_shape %left [[0], [1, 2]] output_shape [45, 2, 64] : tensor<45x128xf16> into tensor<45x2x64xf16>
  %2 = tensor.expand_shape %right [[0], [1, 2]] output_shape [45, 2, 64] : tensor<45x128xf16> into tensor<45x2x64xf16>
  %out = tensor.empty() : tensor<2x45x64xf16>
  %3 = linalg.generic {indexing_maps = [#rows, #heads], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%1 : tensor<45x2x64xf16>) outs(%out : tensor<2x45x64xf16>) {
    ^bb0(%in: f16, %old: f16):
      linalg.yield %in : f16
  } -> tensor<2x45x64xf16>
  %4 = linalg.generic {indexing_maps = [#rows, #heads], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%2 : tensor<45x2x64xf16>) outs(%out : tensor<2x45x64xf16>) {
    ^bb0(%in: f16, %old: f16):
      linalg.yield %in : f16
  } -> tensor<2x45x64xf16>
  return %3, %4 : tensor<2x45x64xf16>, tensor<2x45x64xf16>
}
