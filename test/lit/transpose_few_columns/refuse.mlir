// Products that stay, and the reasons.
// RUN: hexmlir-opt %s --transpose-few-columns --remarks 2>/dev/null | filecheck %s
// RUN: hexmlir-opt %s --transpose-few-columns --remarks 2>&1 >/dev/null | filecheck %s --check-prefix=WHY

// 1. A short left factor.
// WHY: refuse.mlir:[[# @LINE + 9]]:8: remark: transpose-few-columns: its columns stay lanes: fewer than 32 rows
// CHECK-NOT: linalg.transpose
#left = affine_map<(m, n, k) -> (m, k)>
#right = affine_map<(m, n, k) -> (n, k)>
#columns = affine_map<(m, n, k) -> (k, n)>
#sum = affine_map<(m, n, k) -> (m, n)>
func.func @few_rows(%x: tensor<31x64xf32>, %w: tensor<4x64xf32>, %z: tensor<31x4xf32>) -> tensor<31x4xf32> {
  %zero = arith.constant 0.0 : f32
  %s = linalg.fill ins(%zero : f32) outs(%z : tensor<31x4xf32>) -> tensor<31x4xf32>
  %y = linalg.generic {indexing_maps = [#left, #right, #sum],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<31x64xf32>, tensor<4x64xf32>) outs(%s : tensor<31x4xf32>) {
  ^bb0(%a: f32, %b: f32, %old: f32):
    %p = arith.mulf %a, %b : f32
    %t = arith.addf %old, %p : f32
    linalg.yield %t : f32
  } -> tensor<31x4xf32>
  return %y : tensor<31x4xf32>
}

// 2. Short rows.
// WHY: its columns stay lanes: fewer than 64 elements in a row
func.func @short_rows(%x: tensor<64x63xf32>, %w: tensor<4x63xf32>, %z: tensor<64x4xf32>) -> tensor<64x4xf32> {
  %zero = arith.constant 0.0 : f32
  %s = linalg.fill ins(%zero : f32) outs(%z : tensor<64x4xf32>) -> tensor<64x4xf32>
  %y = linalg.generic {indexing_maps = [#left, #right, #sum],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<64x63xf32>, tensor<4x63xf32>) outs(%s : tensor<64x4xf32>) {
  ^bb0(%a: f32, %b: f32, %old: f32):
    %p = arith.mulf %a, %b : f32
    %t = arith.addf %old, %p : f32
    linalg.yield %t : f32
  } -> tensor<64x4xf32>
  return %y : tensor<64x4xf32>
}

// 3. Many columns, few elements.
// WHY: its columns stay lanes: fewer than 16384 elements in all rows
func.func @few_elements(%x: tensor<64x64xf32>, %w: tensor<9x64xf32>, %z: tensor<64x9xf32>) -> tensor<64x9xf32> {
  %zero = arith.constant 0.0 : f32
  %s = linalg.fill ins(%zero : f32) outs(%z : tensor<64x9xf32>) -> tensor<64x9xf32>
  %y = linalg.generic {indexing_maps = [#left, #right, #sum],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<64x64xf32>, tensor<9x64xf32>) outs(%s : tensor<64x9xf32>) {
  ^bb0(%a: f32, %b: f32, %old: f32):
    %p = arith.mulf %a, %b : f32
    %t = arith.addf %old, %p : f32
    linalg.yield %t : f32
  } -> tensor<64x9xf32>
  return %y : tensor<64x9xf32>
}

// 4. A number of rows known at run time only.
// WHY: its columns stay lanes: sizes known at run time only
func.func @dynamic(%x: tensor<?x64xf32>, %w: tensor<4x64xf32>, %z: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %zero = arith.constant 0.0 : f32
  %s = linalg.fill ins(%zero : f32) outs(%z : tensor<?x4xf32>) -> tensor<?x4xf32>
  %y = linalg.generic {indexing_maps = [#left, #right, #sum],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<?x64xf32>, tensor<4x64xf32>) outs(%s : tensor<?x4xf32>) {
  ^bb0(%a: f32, %b: f32, %old: f32):
    %p = arith.mulf %a, %b : f32
    %t = arith.addf %old, %p : f32
    linalg.yield %t : f32
  } -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

// 5. One column, and more than sixteen: no remark.
// WHY-NOT: remark
func.func @one(%x: tensor<64x64xf32>, %w: tensor<1x64xf32>, %z: tensor<64x1xf32>) -> tensor<64x1xf32> {
  %zero = arith.constant 0.0 : f32
  %s = linalg.fill ins(%zero : f32) outs(%z : tensor<64x1xf32>) -> tensor<64x1xf32>
  %y = linalg.generic {indexing_maps = [#left, #right, #sum],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<64x64xf32>, tensor<1x64xf32>) outs(%s : tensor<64x1xf32>) {
  ^bb0(%a: f32, %b: f32, %old: f32):
    %p = arith.mulf %a, %b : f32
    %t = arith.addf %old, %p : f32
    linalg.yield %t : f32
  } -> tensor<64x1xf32>
  return %y : tensor<64x1xf32>
}

func.func @many(%x: tensor<512x64xf32>, %w: tensor<17x64xf32>, %z: tensor<512x17xf32>) -> tensor<512x17xf32> {
  %zero = arith.constant 0.0 : f32
  %s = linalg.fill ins(%zero : f32) outs(%z : tensor<512x17xf32>) -> tensor<512x17xf32>
  %y = linalg.generic {indexing_maps = [#left, #right, #sum],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<512x64xf32>, tensor<17x64xf32>) outs(%s : tensor<512x17xf32>) {
  ^bb0(%a: f32, %b: f32, %old: f32):
    %p = arith.mulf %a, %b : f32
    %t = arith.addf %old, %p : f32
    linalg.yield %t : f32
  } -> tensor<512x17xf32>
  return %y : tensor<512x17xf32>
}
