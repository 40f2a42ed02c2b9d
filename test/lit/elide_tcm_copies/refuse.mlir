// RUN: not hexmlir-opt %s --elide-tcm-copies 2>&1 | filecheck %s
// CHECK: error: elide-tcm-copies: hexagon.in_tcm has 2, which is not the number of a tensor or buffer
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> attributes {hexagon.in_tcm = array<i64: 0, 2>} {
  return %x : tensor<4xf32>
}
