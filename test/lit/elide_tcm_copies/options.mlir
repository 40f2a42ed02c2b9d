// The pass takes no options.
// RUN: not hexmlir-opt %s --elide-tcm-copies=all=true 2>&1 | filecheck %s
// CHECK: error: elide-tcm-copies: unknown option 'all'
func.func @f(%x: tensor<4xf32>) {
  return
}
