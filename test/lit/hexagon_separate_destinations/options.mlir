// The pass takes no options.
// RUN: not hexmlir-opt %s --hexagon-separate-destinations=all=true 2>&1 | filecheck %s
// CHECK: error: hexagon-separate-destinations: unknown option 'all'
func.func @same(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
