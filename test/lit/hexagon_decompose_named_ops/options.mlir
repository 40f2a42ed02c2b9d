// The pass takes no options.
// RUN: not hexmlir-opt %s --hexagon-decompose-named-ops=softmax=true 2>&1 | filecheck %s
// CHECK: error: hexagon-decompose-named-ops: unknown option 'softmax'
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
