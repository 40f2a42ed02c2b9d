// Convolutions of f16 become products of tiles in TCM.
// RUN: hexmlir-opt %s --hexagon-engine-convolution=always=true --split-input-file | filecheck %s

// 1. The image goes into its frame in TCM, not in DDR, in parts, three of them before the first one is packed, after the
// weights; windows become tiles; a bias and a maximum with zero become part of the rounding. HVX unpacks a part after the
// next two have been multiplied. Five rows of tiles serve three rows of results and three taps.
// CHECK-DAG: #[[WINDOW:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0 + d3 * 3, d1 * 32 + (d4 * 2 + d6) * 320 + d2 * 32 + d5)>
// CHECK-DAG: #[[SHARED:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d0 floordiv 5 + d5 floordiv 6, (d0 mod 5) * 2 + d5 mod 6, 0, d2, d6 * 2 + d7, d4)>
// CHECK-LABEL: func.func @padded
// CHECK-NOT: outs({{.*}} : tensor<1x42x42x64xf16>)
// CHECK: bufferization.alloc_tensor() copy({{.*}}) {memory_space = 1 : i64} : tensor<1x576x64xf16>
// CHECK: %[[ZEROS:.*]] = linalg.fill {{.*}} outs({{.*}} : tensor<14x2752xf16>)
// CHECK: %[[ROWS:.*]] = tensor.insert_slice {{.*}} into %[[ZEROS]][1, 64] [13, 2560] [1, 1]
// CHECK: tensor.insert_slice {{.*}}[0, 64] [22, 2560] [1, 1]
// CHECK: tensor.insert_slice {{.*}}[0, 64] [9, 2560] [1, 1]
// CHECK: %[[BIAS:.*]] = bufferization.alloc_tensor() copy(%arg2) {memory_space = 1 : i64} : tensor<64xf32>
// CHECK: %[[WEIGHTS:.*]] = linalg.transpose {{.*}} outs({{.*}} : tensor<2x18x16x32x2xf16>) permutation = [3, 0, 1, 4, 2]
// CHECK: linalg.generic {indexing_maps = [#[[WINDOW]], {{.*}} ins(%[[ROWS]] : tensor<14x2752xf16>) outs({{.*}} : tensor<5x14x1x4x4x32x2xf16>)
// CHECK: %[[SUMS:.*]] = linalg.generic {indexing_maps = [#[[SHARED]], {{.*}} ins({{.*}}, %[[WEIGHTS]] : tensor<5x14x1x16x32x2xf16>, tensor<2x18x16x32x2xf16>)
// CHECK-SAME: attrs = {hexagon.windows = array<i64: 5, 1, 1, 2, 6>}
// CHECK: linalg.generic {{.*}} ins(%[[SUMS]], {{.*}} : tensor<15x2x16x32x2xf32>, tensor<2x32xf32>) outs({{.*}} : tensor<15x2x16x32x2xf16>)
// CHECK: arith.addf
// CHECK-NEXT: arith.maximumf
// CHECK-NEXT: arith.truncf
// CHECK: hexagon.windows
// CHECK: hexagon.windows
// CHECK: linalg.transpose ins({{.*}} : tensor<3x5x2x4x4x32x2xf16>) outs({{.*}} : tensor<4x3x4x2x5x2x32xf16>) permutation = [3, 0, 4, 6, 1, 2, 5]
// CHECK: tensor.insert_slice {{.*}}[0, 0, 0, 0] [1, 12, 40, 64] [1, 1, 1, 1]
// CHECK: tensor.insert_slice {{.*}}[0, 32, 0, 0] [1, 8, 40, 64] [1, 1, 1, 1]
#same = affine_map<(n, y, x, o) -> (n, y, x, o)>
func.func @padded(%image: tensor<1x40x40x64xf16>, %weights: tensor<3x3x64x64xf16>, %bias: tensor<64xf32>) -> tensor<1x40x40x64xf16> {
  %zero = arith.constant 0.0 : f16
  %f = tensor.empty() : tensor<1x42x42x64xf16>
  %z = linalg.fill ins(%zero : f16) outs(%f : tensor<1x42x42x64xf16>) -> tensor<1x42x42x64xf16>
  %p = tensor.insert_slice %image into %z[0, 1, 1, 0] [1, 40, 40, 64] [1, 1, 1, 1] : tensor<1x40x40x64xf16> into tensor<1x42x42x64xf16>
  %e = tensor.empty() : tensor<1x40x40x64xf32>
  %i = linalg.broadcast ins(%bias : tensor<64xf32>) outs(%e : tensor<1x40x40x64xf32>) dimensions = [0, 1, 2]
  %0 = linalg.conv_2d_nhwc_hwcf ins(%p, %weights : tensor<1x42x42x64xf16>, tensor<3x3x64x64xf16>)
      outs(%i : tensor<1x40x40x64xf32>) -> tensor<1x40x40x64xf32>
  %h = tensor.empty() : tensor<1x40x40x64xf16>
  %1 = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%0 : tensor<1x40x40x64xf32>) outs(%h : tensor<1x40x40x64xf16>) {
    ^bb0(%x: f32, %old: f16):
      %t = arith.truncf %x : f32 to f16
      %g = arith.cmpf ugt, %t, %zero : f16
      %m = arith.select %g, %t, %zero : f16
      linalg.yield %m : f16
  } -> tensor<1x40x40x64xf16>
  return %1 : tensor<1x40x40x64xf16>
}

// -----
// 2. Large weights: the windows are packed once, parts of the result's channels follow. Two ops read the sums; both
// compute on each part.
// CHECK-LABEL: func.func @channels
// CHECK: tensor.extract_slice {{.*}}[0, 0, 0] [1, 2304, 128] [1, 1, 1]
// CHECK: tensor.extract_slice {{.*}}[0, 0, 128] [1, 2304, 128] [1, 1, 1]
// CHECK: linalg.generic {{.*}} outs({{.*}} : tensor<4x24x1x4x4x32x2xf16>)
// CHECK: linalg.generic {{.*}} ins({{.*}} : tensor<7x7x128xf16>) outs({{.*}} : tensor<7x7x128xf32>)
// CHECK-NEXT: ^bb0(%[[X:.*]]: f16, %{{.*}}: f32)
// CHECK-NEXT: arith.extf %[[X]] : f16 to f32
// CHECK: %[[WIDE:.*]] = tensor.insert_slice {{.*}}[0, 0, 0, 128] [1, 7, 7, 128] [1, 1, 1, 1] {{.*}} into tensor<1x7x7x256xf32>
// CHECK: %[[HALF:.*]] = tensor.insert_slice {{.*}}[0, 0, 0, 128] [1, 7, 7, 128] [1, 1, 1, 1] {{.*}} into tensor<1x7x7x256xf16>
// CHECK: return %[[WIDE]], %[[HALF]]
#same = affine_map<(n, y, x, o) -> (n, y, x, o)>
func.func @channels(%image: tensor<1x9x9x256xf16>, %weights: tensor<3x3x256x256xf16>) -> (tensor<1x7x7x256xf32>, tensor<1x7x7x256xf16>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x7x7x256xf32>
  %h = tensor.empty() : tensor<1x7x7x256xf16>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<1x7x7x256xf32>) -> tensor<1x7x7x256xf32>
  %0 = linalg.conv_2d_nhwc_hwcf ins(%image, %weights : tensor<1x9x9x256xf16>, tensor<3x3x256x256xf16>)
      outs(%i : tensor<1x7x7x256xf32>) -> tensor<1x7x7x256xf32>
  %1 = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%0 : tensor<1x7x7x256xf32>) outs(%e : tensor<1x7x7x256xf32>) {
    ^bb0(%x: f32, %old: f32):
      %t = arith.truncf %x : f32 to f16
      %w = arith.extf %t : f16 to f32
      linalg.yield %w : f32
  } -> tensor<1x7x7x256xf32>
  %2 = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%0 : tensor<1x7x7x256xf32>) outs(%h : tensor<1x7x7x256xf16>) {
    ^bb0(%x: f32, %old: f16):
      %t = arith.truncf %x : f32 to f16
      linalg.yield %t : f16
  } -> tensor<1x7x7x256xf16>
  return %1, %2 : tensor<1x7x7x256xf32>, tensor<1x7x7x256xf16>
}

// -----
// 3. One dimension; 20 channels in a window of 3 are 60 neighbouring elements, filled up to 64.
// CHECK-DAG: #[[WINDOW:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7, d8) -> (d0 + d2 + d5, d1 * 20 + d3 + (d6 * 2 + d8) * 40 + d4 * 32 + d7)>
// CHECK-LABEL: func.func @line
// CHECK: tensor.insert_slice {{.*}}[0, 0, 0] [1, 60, 33] [1, 1, 1] : tensor<1x60x33xf16> into tensor<1x64x64xf16>
// CHECK: linalg.generic {indexing_maps = [#[[WINDOW]]
// CHECK: %[[RESULT:.*]] = tensor.extract_slice {{.*}}[0, 0, 0] [1, 50, 33] [1, 1, 1]
// CHECK: return %{{.*}} : tensor<50x33xf16>
func.func @line(%image: tensor<1040xf16>, %weights: tensor<60x33xf16>) -> tensor<50x33xf16> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<50x33xf32>
  %h = tensor.empty() : tensor<50x33xf16>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<50x33xf32>) -> tensor<50x33xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(x, o, r) -> (x * 20 + r)>, affine_map<(x, o, r) -> (r, o)>,
      affine_map<(x, o, r) -> (x, o)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%image, %weights : tensor<1040xf16>, tensor<60x33xf16>) outs(%i : tensor<50x33xf32>) {
    ^bb0(%a: f16, %b: f16, %old: f32):
      %u = arith.extf %a : f16 to f32
      %v = arith.extf %b : f16 to f32
      %m = arith.mulf %u, %v : f32
      %s = arith.addf %old, %m : f32
      linalg.yield %s : f32
  } -> tensor<50x33xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(x, o) -> (x, o)>, affine_map<(x, o) -> (x, o)>],
      iterator_types = ["parallel", "parallel"]} ins(%0 : tensor<50x33xf32>) outs(%h : tensor<50x33xf16>) {
    ^bb0(%x: f32, %old: f16):
      %t = arith.truncf %x : f32 to f16
      linalg.yield %t : f16
  } -> tensor<50x33xf16>
  return %1 : tensor<50x33xf16>
}

// -----
// 4. Weights that are tiles since compile time: those of all channels at once.
// CHECK-LABEL: func.func @tiles
// CHECK-NOT: hexagon.weight_matrix
// CHECK: %[[WEIGHTS:.*]] = bufferization.alloc_tensor() copy(%arg1) {memory_space = 1 : i64} : tensor<2x9x16x32x2xf16>
// CHECK: linalg.generic {{.*}} ins({{.*}}, %[[WEIGHTS]] : tensor<{{.*}}>, tensor<2x9x16x32x2xf16>)
#same = affine_map<(n, y, x, o) -> (n, y, x, o)>
func.func @tiles(%image: tensor<1x18x18x32xf16>, %tiles: tensor<2x9x16x32x2xf16>) -> tensor<1x16x16x64xf16> {
  %matrix = "hexagon.weight_matrix"(%tiles) : (tensor<2x9x16x32x2xf16>) -> tensor<288x64xf16>
  %w = tensor.expand_shape %matrix [[0, 1, 2], [3]] output_shape [3, 3, 32, 64]
      : tensor<288x64xf16> into tensor<3x3x32x64xf16>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x16x16x64xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<1x16x16x64xf32>) -> tensor<1x16x16x64xf32>
  %0 = linalg.conv_2d_nhwc_hwcf ins(%image, %w : tensor<1x18x18x32xf16>, tensor<3x3x32x64xf16>)
      outs(%z : tensor<1x16x16x64xf32>) -> tensor<1x16x16x64xf32>
  %h = tensor.empty() : tensor<1x16x16x64xf16>
  %1 = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%0 : tensor<1x16x16x64xf32>) outs(%h : tensor<1x16x16x64xf16>) {
    ^bb0(%x: f32, %old: f16):
      %t = arith.truncf %x : f32 to f16
      linalg.yield %t : f16
  } -> tensor<1x16x16x64xf16>
  return %1 : tensor<1x16x16x64xf16>
}

// -----
// 5. Several images: a loop.
// CHECK-LABEL: func.func @images
// CHECK: linalg.transpose {{.*}} outs({{.*}} : tensor<2x9x16x32x2xf16>)
// CHECK: %[[LOOP:.*]] = scf.for {{.*}} iter_args({{.*}}) -> (tensor<3x8x8x64xf16>)
// CHECK: arith.mulf
// CHECK: tensor.insert_slice {{.*}}[%{{.*}}, 4, 0, 0] [1, 4, 8, 64] [1, 1, 1, 1]
// CHECK: return %[[LOOP]]
#same = affine_map<(n, y, x, o) -> (n, y, x, o)>
func.func @images(%image: tensor<3x10x10x32xf16>, %w: tensor<3x3x32x64xf16>) -> tensor<3x8x8x64xf16> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x8x8x64xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<3x8x8x64xf32>) -> tensor<3x8x8x64xf32>
  %0 = linalg.conv_2d_nhwc_hwcf ins(%image, %w : tensor<3x10x10x32xf16>, tensor<3x3x32x64xf16>)
      outs(%z : tensor<3x8x8x64xf32>) -> tensor<3x8x8x64xf32>
  %h = tensor.empty() : tensor<3x8x8x64xf16>
  %1 = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%0 : tensor<3x8x8x64xf32>) outs(%h : tensor<3x8x8x64xf16>) {
    ^bb0(%x: f32, %old: f16):
      %t = arith.truncf %x : f32 to f16
      linalg.yield %t : f16
  } -> tensor<3x8x8x64xf16>
  return %1 : tensor<3x8x8x64xf16>
}

// -----
// 6. Two groups of 64 channels, of which 32 results each: tiles of a row of pixels are followed by those of the next group, so
// that a row of the image is 2 rows of tiles.
// CHECK-DAG: #[[PACKED:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d0 + d4 * {{.*}}, d2 * 128 + d1 * 64 + (d5 * 2 + d7) * {{.*}} + d3 * 32 + d6)>
// CHECK-DAG: #[[SHARED:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> ({{.*}} + d1, {{.*}} mod 3, d5 mod 2, d2, d6 * 2 + d7, d4)>
// CHECK-LABEL: func.func @groups
// CHECK: linalg.generic {indexing_maps = [#[[PACKED]]
// CHECK: linalg.generic {indexing_maps = [#[[SHARED]]
// CHECK-SAME: attrs = {hexagon.windows = array<i64: {{.*}}, 2, 2, 1, 3, 1>}
#image = affine_map<(n, y, x, o, ky, kx, c) -> (n, y + ky, x + kx, o floordiv 32 * 64 + c)>
#kernel = affine_map<(n, y, x, o, ky, kx, c) -> (ky, kx, c, o)>
#out = affine_map<(n, y, x, o, ky, kx, c) -> (n, y, x, o)>
#same = affine_map<(n, y, x, o) -> (n, y, x, o)>
func.func @groups(%image: tensor<1x8x8x128xf16>, %weights: tensor<3x3x64x64xf16>) -> tensor<1x6x6x64xf16> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x6x6x64xf32>
  %start = linalg.fill ins(%zero : f32) outs(%e : tensor<1x6x6x64xf32>) -> tensor<1x6x6x64xf32>
  %0 = linalg.generic {indexing_maps = [#image, #kernel, #out], iterator_types = ["parallel", "parallel", "parallel",
      "parallel", "reduction", "reduction", "reduction"]}
      ins(%image, %weights : tensor<1x8x8x128xf16>, tensor<3x3x64x64xf16>)
      outs(%start : tensor<1x6x6x64xf32>) {
    ^bb0(%a: f16, %b: f16, %old: f32):
      %u = arith.extf %a : f16 to f32
      %v = arith.extf %b : f16 to f32
      %m = arith.mulf %u, %v : f32
      %new = arith.addf %old, %m : f32
      linalg.yield %new : f32
  } -> tensor<1x6x6x64xf32>
  %h = tensor.empty() : tensor<1x6x6x64xf16>
  %1 = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%0 : tensor<1x6x6x64xf32>) outs(%h : tensor<1x6x6x64xf16>) {
    ^bb0(%x: f32, %old: f16):
      %t = arith.truncf %x : f32 to f16
      linalg.yield %t : f16
  } -> tensor<1x6x6x64xf16>
  return %1 : tensor<1x6x6x64xf16>
}
