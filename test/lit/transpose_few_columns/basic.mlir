// Products with few columns are computed with rows in lanes, and their results transposed.
// RUN: hexmlir-opt %s --transpose-few-columns | filecheck %s
// RUN: hexmlir-opt %s --transpose-few-columns --target=v67 | filecheck %s --check-prefix=NONE
// NONE-NOT: permutation = [0, 2, 1]

// 1. Columns are transposed first; what the product adds to is added after it.
// CHECK-DAG: #[[L:.*]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK-DAG: #[[R:.*]] = affine_map<(d0, d1, d2) -> (d1, d2)>
// CHECK-DAG: #[[T:.*]] = affine_map<(d0, d1, d2) -> (d1, d0)>
// CHECK-LABEL: func.func @adds
// CHECK: %[[W:.*]] = linalg.transpose ins(%arg1 : tensor<64x4xf32>)
// CHECK: %[[Z:.*]] = linalg.fill
// CHECK: %[[P:.*]] = linalg.generic {indexing_maps = [#[[L]], #[[R]], #[[T]]], {{.*}} ins(%arg0, %[[W]] : {{.*}}) outs(%[[Z]] : tensor<4x64xf32>)
// CHECK: %[[Y:.*]] = linalg.transpose ins(%[[P]] : tensor<4x64xf32>)
// CHECK: linalg.generic {{.*}} ["parallel", "parallel"]} ins(%[[Y]] : tensor<64x4xf32>) outs(%arg2 : tensor<64x4xf32>)
// CHECK: arith.addf
#left = affine_map<(m, n, k) -> (m, k)>
#right = affine_map<(m, n, k) -> (n, k)>
#columns = affine_map<(m, n, k) -> (k, n)>
#sum = affine_map<(m, n, k) -> (m, n)>
func.func @adds(%x: tensor<64x64xf32>, %w: tensor<64x4xf32>, %z: tensor<64x4xf32>) -> tensor<64x4xf32> {
  %y = linalg.generic {indexing_maps = [#left, #columns, #sum],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<64x64xf32>, tensor<64x4xf32>) outs(%z : tensor<64x4xf32>) {
  ^bb0(%a: f32, %b: f32, %old: f32):
    %p = arith.mulf %a, %b : f32
    %t = arith.addf %old, %p : f32
    linalg.yield %t : f32
  } -> tensor<64x4xf32>
  return %y : tensor<64x4xf32>
}

// 2. Products of f16 with sums of f32.
// CHECK-LABEL: func.func @halves
// CHECK: linalg.transpose ins(%{{.*}} : tensor<16x256xf32>)
func.func @halves(%x: tensor<256x64xf16>, %w: tensor<16x64xf16>, %z: tensor<256x16xf32>) -> tensor<256x16xf32> {
  %zero = arith.constant 0.0 : f32
  %s = linalg.fill ins(%zero : f32) outs(%z : tensor<256x16xf32>) -> tensor<256x16xf32>
  %y = linalg.generic {indexing_maps = [#left, #right, #sum],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<256x64xf16>, tensor<16x64xf16>) outs(%s : tensor<256x16xf32>) {
  ^bb0(%a: f16, %b: f16, %old: f32):
    %v = arith.extf %a : f16 to f32
    %u = arith.extf %b : f16 to f32
    %p = arith.mulf %v, %u : f32
    %t = arith.addf %old, %p : f32
    linalg.yield %t : f32
  } -> tensor<256x16xf32>
  return %y : tensor<256x16xf32>
}

// 3. A transposed copy of rows is not transposed back.
// CHECK-LABEL: func.func @weights
// CHECK: ins(%arg0, %arg1 : tensor<64x64xf32>, tensor<4x64xf32>)
func.func @weights(%x: tensor<64x64xf32>, %w: tensor<4x64xf32>, %e: tensor<64x4xf32>) -> tensor<64x4xf32> {
  %zero = arith.constant 0.0 : f32
  %s = linalg.fill ins(%zero : f32) outs(%e : tensor<64x4xf32>) -> tensor<64x4xf32>
  %t = linalg.transpose ins(%w : tensor<4x64xf32>) outs(%e : tensor<64x4xf32>) permutation = [1, 0]
  %y = linalg.matmul ins(%x, %t : tensor<64x64xf32>, tensor<64x4xf32>) outs(%s : tensor<64x4xf32>) -> tensor<64x4xf32>
  return %y : tensor<64x4xf32>
}

// 4. Each matrix of a batch; columns that all batches share stay so.
// CHECK-LABEL: func.func @batch
// CHECK: linalg.transpose ins(%arg1 : tensor<3x64x2xf32>) outs(%{{.*}} : tensor<3x2x64xf32>) permutation = [0, 2, 1]
// CHECK: linalg.transpose ins(%{{.*}} : tensor<3x2x64xf32>) outs(%{{.*}} : tensor<3x64x2xf32>) permutation = [0, 2, 1]
func.func @batch(%x: tensor<3x64x64xf32>, %w: tensor<3x64x2xf32>, %e: tensor<3x64x2xf32>) -> tensor<3x64x2xf32> {
  %zero = arith.constant 0.0 : f32
  %s = linalg.fill ins(%zero : f32) outs(%e : tensor<3x64x2xf32>) -> tensor<3x64x2xf32>
  %y = linalg.batch_matmul ins(%x, %w : tensor<3x64x64xf32>, tensor<3x64x2xf32>) outs(%s : tensor<3x64x2xf32>)
      -> tensor<3x64x2xf32>
  return %y : tensor<3x64x2xf32>
}
