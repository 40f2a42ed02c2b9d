// The pass takes no options.
// RUN: not hexmlir-opt %s --hexagon-argument-aliasing=all=true 2>&1 | filecheck %s
// CHECK: error: hexagon-argument-aliasing: unknown option 'all'
func.func @alias(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
