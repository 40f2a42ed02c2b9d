// RUN: not hexmlir-opt %s --narrow-integers='bits=8' 2>&1 | filecheck %s

// It has no options.
// CHECK: unknown option 'bits'
func.func @f(%x: tensor<64xi32>) -> tensor<64xi32> {
  return %x : tensor<64xi32>
}
