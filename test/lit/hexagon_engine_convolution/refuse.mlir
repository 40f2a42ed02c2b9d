// Convolutions that the engine is not given.
// RUN: hexmlir-opt %s --hexagon-engine-convolution=always=true --split-input-file --verify-diagnostics --remarks | filecheck %s

// CHECK-LABEL: func.func @floats
// CHECK: linalg.conv_2d_nhwc_hwcf
func.func @floats(%image: tensor<1x8x8x32xf32>, %weights: tensor<3x3x32x32xf32>, %e: tensor<1x6x6x32xf32>) -> tensor<1x6x6x32xf32> {
  // expected-remark@+1 {{hexagon-engine-convolution: left to HVX: factors of f32 and f32, not f16}}
  %0 = linalg.conv_2d_nhwc_hwcf ins(%image, %weights : tensor<1x8x8x32xf32>, tensor<3x3x32x32xf32>)
      outs(%e : tensor<1x6x6x32xf32>) -> tensor<1x6x6x32xf32>
  return %0 : tensor<1x6x6x32xf32>
}

// -----
// CHECK-LABEL: func.func @sums
// CHECK: linalg.conv_2d_nhwc_hwcf
func.func @sums(%image: tensor<1x8x8x32xf16>, %weights: tensor<3x3x32x32xf16>, %e: tensor<1x6x6x32xf32>) -> tensor<1x6x6x32xf32> {
  %zero = arith.constant 0.0 : f32
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<1x6x6x32xf32>) -> tensor<1x6x6x32xf32>
  // expected-remark@+1 {{hexagon-engine-convolution: left to HVX: its sums are not rounded to f16}}
  %0 = linalg.conv_2d_nhwc_hwcf ins(%image, %weights : tensor<1x8x8x32xf16>, tensor<3x3x32x32xf16>)
      outs(%i : tensor<1x6x6x32xf32>) -> tensor<1x6x6x32xf32>
  return %0 : tensor<1x6x6x32xf32>
}

// -----
// CHECK-LABEL: func.func @accumulates
// CHECK: linalg.conv_2d_nhwc_hwcf
func.func @accumulates(%image: tensor<1x8x8x32xf16>, %weights: tensor<3x3x32x32xf16>, %e: tensor<1x6x6x32xf32>) -> tensor<1x6x6x32xf32> {
  // expected-remark@+1 {{hexagon-engine-convolution: left to HVX: its sums start neither from zero nor from a bias}}
  %0 = linalg.conv_2d_nhwc_hwcf ins(%image, %weights : tensor<1x8x8x32xf16>, tensor<3x3x32x32xf16>)
      outs(%e : tensor<1x6x6x32xf32>) -> tensor<1x6x6x32xf32>
  return %0 : tensor<1x6x6x32xf32>
}

// -----
// CHECK-LABEL: func.func @depthwise
// CHECK: linalg.depthwise_conv_2d_nhwc_hwc
func.func @depthwise(%image: tensor<1x8x8x32xf16>, %weights: tensor<3x3x32xf16>, %e: tensor<1x6x6x32xf32>) -> tensor<1x6x6x32xf32> {
  // expected-remark@+1 {{hexagon-engine-convolution: left to HVX: not an image with channels last, or groups of channels}}
  %0 = linalg.depthwise_conv_2d_nhwc_hwc ins(%image, %weights : tensor<1x8x8x32xf16>, tensor<3x3x32xf16>)
      outs(%e : tensor<1x6x6x32xf32>) -> tensor<1x6x6x32xf32>
  return %0 : tensor<1x6x6x32xf32>
}

// -----
// CHECK-LABEL: func.func @channels_first
// CHECK: linalg.conv_2d_nchw_fchw
func.func @channels_first(%image: tensor<1x32x8x8xf16>, %weights: tensor<32x32x3x3xf16>, %e: tensor<1x32x6x6xf32>) -> tensor<1x32x6x6xf32> {
  // expected-remark@+1 {{hexagon-engine-convolution: left to HVX: not an image with channels last, or groups of channels}}
  %0 = linalg.conv_2d_nchw_fchw ins(%image, %weights : tensor<1x32x8x8xf16>, tensor<32x32x3x3xf16>)
      outs(%e : tensor<1x32x6x6xf32>) -> tensor<1x32x6x6xf32>
  return %0 : tensor<1x32x6x6xf32>
}

// -----
// CHECK-LABEL: func.func @unknown
// CHECK: linalg.conv_2d_nhwc_hwcf
func.func @unknown(%image: tensor<1x?x8x32xf16>, %weights: tensor<3x3x32x32xf16>, %e: tensor<1x?x6x32xf32>) -> tensor<1x?x6x32xf32> {
  // expected-remark@+1 {{hexagon-engine-convolution: left to HVX: its sizes are not known, or it is empty}}
  %0 = linalg.conv_2d_nhwc_hwcf ins(%image, %weights : tensor<1x?x8x32xf16>, tensor<3x3x32x32xf16>)
      outs(%e : tensor<1x?x6x32xf32>) -> tensor<1x?x6x32xf32>
  return %0 : tensor<1x?x6x32xf32>
}

// -----
// CHECK-LABEL: func.func @groups
// CHECK: linalg.generic
#image = affine_map<(n, y, x, o, ky, kx, c) -> (n, y + ky, x + kx, o floordiv 16 * 16 + c)>
#kernel = affine_map<(n, y, x, o, ky, kx, c) -> (ky, kx, c, o)>
#out = affine_map<(n, y, x, o, ky, kx, c) -> (n, y, x, o)>
func.func @groups(%image: tensor<1x8x8x32xf16>, %weights: tensor<3x3x16x32xf16>) -> tensor<1x6x6x32xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x6x6x32xf32>
  %start = linalg.fill ins(%zero : f32) outs(%e : tensor<1x6x6x32xf32>) -> tensor<1x6x6x32xf32>
  // expected-remark@+1 {{hexagon-engine-convolution: left to HVX: groups of channels that are no whole tiles}}
  %0 = linalg.generic {indexing_maps = [#image, #kernel, #out], iterator_types = ["parallel", "parallel", "parallel",
      "parallel", "reduction", "reduction", "reduction"]}
      ins(%image, %weights : tensor<1x8x8x32xf16>, tensor<3x3x16x32xf16>)
      outs(%start : tensor<1x6x6x32xf32>) {
    ^bb0(%a: f16, %b: f16, %old: f32):
      %u = arith.extf %a : f16 to f32
      %v = arith.extf %b : f16 to f32
      %m = arith.mulf %u, %v : f32
      %new = arith.addf %old, %m : f32
      linalg.yield %new : f32
  } -> tensor<1x6x6x32xf32>
  return %0 : tensor<1x6x6x32xf32>
}

// -----
// CHECK-LABEL: func.func @short_rows_of_bytes_of_few_channels
// CHECK: linalg.conv_2d_nhwc_hwcf
func.func @short_rows_of_bytes_of_few_channels(%image: tensor<1x8x8x3xi8>, %weights: tensor<3x3x3x32xi8>, %e: tensor<1x6x6x32xi32>) -> tensor<1x6x6x32xi32> {
  // expected-remark@+1 {{hexagon-engine-convolution: left to HVX: rows of few bytes}}
  %0 = linalg.conv_2d_nhwc_hwcf ins(%image, %weights : tensor<1x8x8x3xi8>, tensor<3x3x3x32xi8>)
      outs(%e : tensor<1x6x6x32xi32>) -> tensor<1x6x6x32xi32>
  return %0 : tensor<1x6x6x32xi32>
}

// -----
// CHECK-LABEL: func.func @bytes_of_part_of_a_tile
// CHECK: linalg.conv_2d_nhwc_hwcf
func.func @bytes_of_part_of_a_tile(%image: tensor<1x8x8x40xi8>, %weights: tensor<3x3x40x32xi8>, %e: tensor<1x6x6x32xi32>) -> tensor<1x6x6x32xi32> {
  // expected-remark@+1 {{hexagon-engine-convolution: left to HVX: bytes of groups of channels, of channels that are no whole tiles, or of taps that are no neighbours}}
  %0 = linalg.conv_2d_nhwc_hwcf ins(%image, %weights : tensor<1x8x8x40xi8>, tensor<3x3x40x32xi8>)
      outs(%e : tensor<1x6x6x32xi32>) -> tensor<1x6x6x32xi32>
  return %0 : tensor<1x6x6x32xi32>
}

// -----
// CHECK-LABEL: func.func @bytes_dilated
// CHECK: linalg.conv_2d_nhwc_hwcf
func.func @bytes_dilated(%image: tensor<1x8x8x32xi8>, %weights: tensor<3x3x32x32xi8>, %e: tensor<1x4x4x32xi32>) -> tensor<1x4x4x32xi32> {
  // expected-remark@+1 {{hexagon-engine-convolution: left to HVX: bytes of groups of channels, of channels that are no whole tiles, or of taps that are no neighbours}}
  %0 = linalg.conv_2d_nhwc_hwcf {dilations = dense<2> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
      ins(%image, %weights : tensor<1x8x8x32xi8>, tensor<3x3x32x32xi8>) outs(%e : tensor<1x4x4x32xi32>) -> tensor<1x4x4x32xi32>
  return %0 : tensor<1x4x4x32xi32>
}

// -----
// CHECK-LABEL: func.func @bytes_that_accumulate
// CHECK: linalg.conv_2d_nhwc_hwcf
func.func @bytes_that_accumulate(%image: tensor<1x8x8x32xi8>, %weights: tensor<3x3x32x32xi8>, %e: tensor<1x6x6x32xi32>) -> tensor<1x6x6x32xi32> {
  // expected-remark@+1 {{hexagon-engine-convolution: left to HVX: its sums start neither from zero nor from a bias}}
  %0 = linalg.conv_2d_nhwc_hwcf ins(%image, %weights : tensor<1x8x8x32xi8>, tensor<3x3x32x32xi8>)
      outs(%e : tensor<1x6x6x32xi32>) -> tensor<1x6x6x32xi32>
  return %0 : tensor<1x6x6x32xi32>
}
