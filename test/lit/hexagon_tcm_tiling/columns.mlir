// The transposed copy of a few columns, which all rows are multiplied with, is made before the loop over tiles of rows.
// RUN: hexmlir-opt %s --transpose-few-columns --hexagon-tcm-tiling | filecheck %s
// CHECK: linalg.transpose ins(%{{.*}} : tensor<512x4xf32>)
// CHECK: scf.for
// CHECK: tensor.extract_slice %arg0[%{{.*}}, 0] [128, 512]
// CHECK: linalg.generic
// CHECK: linalg.transpose ins(%{{.*}} : tensor<4x128xf32>)
func.func @f(%a: tensor<512x512xf32>, %b: tensor<512x4xf32>, %e: tensor<512x4xf32>) -> tensor<512x4xf32> {
  %zero = arith.constant 0.0 : f32
  %s = linalg.fill ins(%zero : f32) outs(%e : tensor<512x4xf32>) -> tensor<512x4xf32>
  %r = linalg.matmul ins(%a, %b : tensor<512x512xf32>, tensor<512x4xf32>) outs(%s : tensor<512x4xf32>)
      -> tensor<512x4xf32>
  return %r : tensor<512x4xf32>
}
