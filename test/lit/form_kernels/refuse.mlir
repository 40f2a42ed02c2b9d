// Functions of several blocks stay whole.
// RUN: hexmlir-opt %s --form-kernels --remarks 2>%t | filecheck %s
// RUN: hexmlir-opt %s --form-kernels --remarks 2>&1 >%t | filecheck %s --check-prefix=WHY

// CHECK: func.func @branches
// CHECK: linalg.exp
// CHECK-NOT: call
// WHY: refuse.mlir:[[# @LINE + 1]]:{{.*}}: remark: form-kernels: not split: it has several blocks
func.func @branches(%x: tensor<64xf32>, %c: i1) -> tensor<64xf32> {
  cf.cond_br %c, ^a, ^b
^a:
  %0 = linalg.exp ins(%x : tensor<64xf32>) outs(%x : tensor<64xf32>) -> tensor<64xf32>
  return %0 : tensor<64xf32>
^b:
  return %x : tensor<64xf32>
}
