// Tensors that stay shared.
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
// 2. A computed tensor: it would be computed twice.
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

// -----
// 3. Slices that are the whole tensor: the second result is a copy of values.
// CHECK-LABEL: func.func @whole
// CHECK-COUNT-1: tensor.insert_slice %arg0
// CHECK-NOT: tensor.insert_slice %arg0
func.func @whole(%x: tensor<4x4xf32>, %y: tensor<4x4xf32>, %p: tensor<4xf32>, %q: tensor<4xf32>)
    -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %e = tensor.empty() : tensor<4x8xf32>
  %s = tensor.insert_slice %x into %e[0, 0] [4, 4] [1, 1] : tensor<4x4xf32> into tensor<4x8xf32>
  %t = tensor.insert_slice %y into %s[0, 4] [4, 4] [1, 1] : tensor<4x4xf32> into tensor<4x8xf32>
  %a = tensor.insert_slice %p into %t[0, 0] [4, 1] [1, 1] : tensor<4xf32> into tensor<4x8xf32>
  %b = tensor.insert_slice %q into %t[0, 0] [4, 1] [1, 1] : tensor<4xf32> into tensor<4x8xf32>
  return %a, %b : tensor<4x8xf32>, tensor<4x8xf32>
}
