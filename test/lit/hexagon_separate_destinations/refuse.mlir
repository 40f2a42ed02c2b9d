// What is shared and stays so.
// RUN: hexmlir-opt %s --hexagon-separate-destinations --split-input-file | filecheck %s

// 1. A fill that is only read.
// CHECK-LABEL: func.func @read
// CHECK-COUNT-1: linalg.fill
// CHECK-NOT: linalg.fill
func.func @read(%o: tensor<4xf32>, %p: tensor<4xf32>, %one: f32) -> (tensor<4xf32>, tensor<4xf32>) {
  %e = tensor.empty() : tensor<4xf32>
  %f = linalg.fill ins(%one : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %a = linalg.add ins(%f, %f : tensor<4xf32>, tensor<4xf32>) outs(%o : tensor<4xf32>) -> tensor<4xf32>
  %b = linalg.mul ins(%f, %f : tensor<4xf32>, tensor<4xf32>) outs(%p : tensor<4xf32>) -> tensor<4xf32>
  return %a, %b : tensor<4xf32>, tensor<4xf32>
}

// -----
// 2. A tensor that was computed: it would be computed twice.
// CHECK-LABEL: func.func @computed
// CHECK-COUNT-1: linalg.exp
// CHECK-NOT: linalg.exp
func.func @computed(%x: tensor<4x8xf32>, %s: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %e = tensor.empty() : tensor<4xf32>
  %z = linalg.exp ins(%s : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %a = linalg.reduce { arith.addf } ins(%x : tensor<4x8xf32>) outs(%z : tensor<4xf32>) dimensions = [1]
  %b = linalg.reduce { arith.mulf } ins(%x : tensor<4x8xf32>) outs(%z : tensor<4xf32>) dimensions = [1]
  return %a, %b : tensor<4xf32>, tensor<4xf32>
}
