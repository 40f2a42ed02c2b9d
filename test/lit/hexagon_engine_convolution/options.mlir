// Which convolutions pay, and what fits the budget.
// RUN: hexmlir-opt %s --hexagon-engine-convolution --remarks 2>&1 | filecheck %s --check-prefixes=CHOSEN
// RUN: hexmlir-opt %s --hexagon-engine-convolution=always=true | filecheck %s --check-prefixes=ALWAYS
// RUN: hexmlir-opt %s --hexagon-engine-convolution='tcm-bytes=400000' | filecheck %s --check-prefixes=SMALL
// RUN: hexmlir-opt %s --hexagon-engine-convolution='tcm-bytes=8192' --remarks 2>&1 | filecheck %s --check-prefixes=NONE
// RUN: hexmlir-opt %s --hexagon-engine-convolution='always=true matrix-engine=false' | filecheck %s --check-prefixes=OLD
// RUN: hexmlir-opt %s --hexagon-engine-convolution=always=true --target=v68 | filecheck %s --check-prefixes=OLD
// RUN: not hexmlir-opt %s --hexagon-engine-convolution=tiles=1 2>&1 | filecheck %s --check-prefix=BAD
// RUN: hexmlir-opt %s --hexagon-engine-convolution=close=engine | filecheck %s --check-prefix=ALWAYS
// RUN: not hexmlir-opt %s --hexagon-engine-convolution=close=refused 2>&1 | filecheck %s --check-prefix=REFUSED

// CHOSEN: remark: hexagon-engine-convolution: left to HVX, which is estimated to compute it in less time
// CHOSEN-LABEL: func.func @few
// CHOSEN: linalg.conv_2d_nhwc_hwcf
// CHOSEN-LABEL: func.func @many
// CHOSEN-NOT: linalg.conv_2d_nhwc_hwcf
// ALWAYS-NOT: linalg.conv_2d_nhwc_hwcf
// SMALL-LABEL: func.func @many
// SMALL: scf.for %[[ROW:.*]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args
// SMALL: %[[AT:.*]] = arith.muli %[[ROW]], %c1
// SMALL: tensor.extract_slice {{.*}}[0, %[[AT]], 0]
// NONE: remark: hexagon-engine-convolution: left to HVX: one row of tiles exceeds the TCM budget
// NONE-LABEL: func.func @many
// NONE: linalg.conv_2d_nhwc_hwcf
// OLD-COUNT-2: linalg.conv_2d_nhwc_hwcf
// BAD: error: hexagon-engine-convolution: unknown option 'tiles'
// BAD-NEXT: hint: options of hexagon-engine-convolution: tcm-bytes, matrix-engine, always, close
// REFUSED: error: hexagon-engine-convolution: estimated to take {{[0-9]+}} cycles on the engine, {{[0-9]+}} on HVX
// REFUSED: hint: close=estimated takes the lesser one
#same = affine_map<(n, y, x, o) -> (n, y, x, o)>
func.func @few(%image: tensor<1x4x4x8xf16>, %weights: tensor<3x3x8x8xf16>) -> tensor<1x2x2x8xf16> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x2x2x8xf32>
  %h = tensor.empty() : tensor<1x2x2x8xf16>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<1x2x2x8xf32>) -> tensor<1x2x2x8xf32>
  %0 = linalg.conv_2d_nhwc_hwcf ins(%image, %weights : tensor<1x4x4x8xf16>, tensor<3x3x8x8xf16>)
      outs(%i : tensor<1x2x2x8xf32>) -> tensor<1x2x2x8xf32>
  %1 = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%0 : tensor<1x2x2x8xf32>) outs(%h : tensor<1x2x2x8xf16>) {
    ^bb0(%x: f32, %old: f16):
      %t = arith.truncf %x : f32 to f16
      linalg.yield %t : f16
  } -> tensor<1x2x2x8xf16>
  return %1 : tensor<1x2x2x8xf16>
}
func.func @many(%image: tensor<1x66x66x32xf16>, %weights: tensor<3x3x32x32xf16>) -> tensor<1x64x64x32xf16> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x64x64x32xf32>
  %h = tensor.empty() : tensor<1x64x64x32xf16>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<1x64x64x32xf32>) -> tensor<1x64x64x32xf32>
  %0 = linalg.conv_2d_nhwc_hwcf ins(%image, %weights : tensor<1x66x66x32xf16>, tensor<3x3x32x32xf16>)
      outs(%i : tensor<1x64x64x32xf32>) -> tensor<1x64x64x32xf32>
  %1 = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%0 : tensor<1x64x64x32xf32>) outs(%h : tensor<1x64x64x32xf16>) {
    ^bb0(%x: f32, %old: f16):
      %t = arith.truncf %x : f32 to f16
      linalg.yield %t : f16
  } -> tensor<1x64x64x32xf16>
  return %1 : tensor<1x64x64x32xf16>
}
