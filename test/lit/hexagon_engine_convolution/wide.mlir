// An image of f32 that is rounded for this convolution alone is transferred as it is, and rounded into its frame in TCM.
// RUN: hexmlir-opt %s --hexagon-engine-convolution=always=true --split-input-file | filecheck %s

// 1. The transfers of several parts start, and the borders are filled, before the first one is rounded into its frame.
// CHECK-LABEL: func.func @rounded
// CHECK-NOT: arith.truncf
// CHECK: bufferization.alloc_tensor() copy({{.*}}) {memory_space = 1 : i64} : tensor<[[ROWS:[0-9]+]]x2560xf32>
// CHECK-NOT: linalg.fill
// CHECK: bufferization.alloc_tensor() copy({{.*}}) {memory_space = 1 : i64} : tensor<{{[0-9]+}}x2560xf32>
// CHECK: linalg.fill {{.*}} outs({{.*}} : tensor<1x2752xf16>)
// CHECK: linalg.fill {{.*}} outs({{.*}} : tensor<[[ROWS]]x64xf16>)
// CHECK: linalg.fill {{.*}} outs({{.*}} : tensor<[[ROWS]]x128xf16>)
// CHECK: %[[FRAME:.*]] = tensor.insert_slice
// CHECK: %[[INSIDE:.*]] = tensor.extract_slice %[[FRAME]][1, 64] [[[ROWS]], 2560] [1, 1]
// CHECK: %[[ROUNDED:.*]] = linalg.generic {{.*}} ins({{.*}} : tensor<[[ROWS]]x2560xf32>) outs(%[[INSIDE]] : tensor<[[ROWS]]x2560xf16>)
// CHECK: arith.truncf
// CHECK: tensor.insert_slice %[[ROUNDED]] into %[[FRAME]][1, 64]
// CHECK: hexagon.windows
#same = affine_map<(n, y, x, o) -> (n, y, x, o)>
func.func @rounded(%wide: tensor<1x40x40x64xf32>, %weights: tensor<3x3x64x64xf16>) -> tensor<1x40x40x64xf16> {
  %none = arith.constant 0.0 : f32
  %zero = arith.constant 0.0 : f16
  %n = tensor.empty() : tensor<1x40x40x64xf16>
  %image = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%wide : tensor<1x40x40x64xf32>) outs(%n : tensor<1x40x40x64xf16>) {
    ^bb0(%x: f32, %old: f16):
      %t = arith.truncf %x : f32 to f16
      linalg.yield %t : f16
  } -> tensor<1x40x40x64xf16>
  %f = tensor.empty() : tensor<1x42x42x64xf16>
  %z = linalg.fill ins(%zero : f16) outs(%f : tensor<1x42x42x64xf16>) -> tensor<1x42x42x64xf16>
  %p = tensor.insert_slice %image into %z[0, 1, 1, 0] [1, 40, 40, 64] [1, 1, 1, 1] : tensor<1x40x40x64xf16> into tensor<1x42x42x64xf16>
  %e = tensor.empty() : tensor<1x40x40x64xf32>
  %i = linalg.fill ins(%none : f32) outs(%e : tensor<1x40x40x64xf32>) -> tensor<1x40x40x64xf32>
  %0 = linalg.conv_2d_nhwc_hwcf ins(%p, %weights : tensor<1x42x42x64xf16>, tensor<3x3x64x64xf16>)
      outs(%i : tensor<1x40x40x64xf32>) -> tensor<1x40x40x64xf32>
  %1 = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%0 : tensor<1x40x40x64xf32>) outs(%n : tensor<1x40x40x64xf16>) {
    ^bb0(%x: f32, %old: f16):
      %t = arith.truncf %x : f32 to f16
      linalg.yield %t : f16
  } -> tensor<1x40x40x64xf16>
  return %1 : tensor<1x40x40x64xf16>
}

// -----
// 2. What another op reads, too, is rounded before.
// CHECK-LABEL: func.func @shared
// CHECK: %[[IMAGE:.*]] = linalg.generic {{.*}} ins(%arg0 : tensor<1x9x9x32xf32>)
// CHECK-NEXT: ^bb0
// CHECK-NEXT: arith.truncf
// CHECK: tensor.collapse_shape %[[IMAGE]]
// CHECK-NOT: memory_space = 1 : i64} : tensor<{{[0-9]+}}x288xf32>
// CHECK: return %{{.*}}, %[[IMAGE]]
#same = affine_map<(n, y, x, o) -> (n, y, x, o)>
func.func @shared(%wide: tensor<1x9x9x32xf32>, %weights: tensor<3x3x32x32xf16>) -> (tensor<1x7x7x32xf16>, tensor<1x9x9x32xf16>) {
  %none = arith.constant 0.0 : f32
  %n = tensor.empty() : tensor<1x9x9x32xf16>
  %image = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%wide : tensor<1x9x9x32xf32>) outs(%n : tensor<1x9x9x32xf16>) {
    ^bb0(%x: f32, %old: f16):
      %t = arith.truncf %x : f32 to f16
      linalg.yield %t : f16
  } -> tensor<1x9x9x32xf16>
  %e = tensor.empty() : tensor<1x7x7x32xf32>
  %i = linalg.fill ins(%none : f32) outs(%e : tensor<1x7x7x32xf32>) -> tensor<1x7x7x32xf32>
  %0 = linalg.conv_2d_nhwc_hwcf ins(%image, %weights : tensor<1x9x9x32xf16>, tensor<3x3x32x32xf16>)
      outs(%i : tensor<1x7x7x32xf32>) -> tensor<1x7x7x32xf32>
  %h = tensor.empty() : tensor<1x7x7x32xf16>
  %1 = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%0 : tensor<1x7x7x32xf32>) outs(%h : tensor<1x7x7x32xf16>) {
    ^bb0(%x: f32, %old: f16):
      %t = arith.truncf %x : f32 to f16
      linalg.yield %t : f16
  } -> tensor<1x7x7x32xf16>
  return %1, %image : tensor<1x7x7x32xf16>, tensor<1x9x9x32xf16>
}

// -----
// 3. An op that reads the sums alone follows on rows of tiles, before they are rows of pixels: threads do both at once.
// CHECK-LABEL: func.func @results
// CHECK: %[[PIXELS:.*]] = linalg.transpose {{.*}} permutation = [1, 0, 2, 4, 3]
// CHECK-NEXT: %[[PLACE:.*]] = bufferization.alloc_tensor() {memory_space = 1 : i64} : tensor<[[SHAPE:[0-9x]+]]xf32>
// CHECK-NEXT: %[[WIDE:.*]] = linalg.generic {{.*}} ins(%[[PIXELS]] : tensor<[[SHAPE]]xf16>) outs(%[[PLACE]] : tensor<[[SHAPE]]xf32>)
// CHECK: arith.extf
// CHECK: tensor.collapse_shape %[[WIDE]]
#same = affine_map<(n, y, x, o) -> (n, y, x, o)>
func.func @results(%image: tensor<1x16x16x32xf16>, %weights: tensor<1x1x32x32xf16>) -> tensor<1x16x16x32xf32> {
  %none = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x16x16x32xf32>
  %i = linalg.fill ins(%none : f32) outs(%e : tensor<1x16x16x32xf32>) -> tensor<1x16x16x32xf32>
  %0 = linalg.conv_2d_nhwc_hwcf ins(%image, %weights : tensor<1x16x16x32xf16>, tensor<1x1x32x32xf16>)
      outs(%i : tensor<1x16x16x32xf32>) -> tensor<1x16x16x32xf32>
  %1 = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%0 : tensor<1x16x16x32xf32>) outs(%e : tensor<1x16x16x32xf32>) {
    ^bb0(%x: f32, %old: f32):
      %t = arith.truncf %x : f32 to f16
      %w = arith.extf %t : f16 to f32
      linalg.yield %w : f32
  } -> tensor<1x16x16x32xf32>
  return %1 : tensor<1x16x16x32xf32>
}
