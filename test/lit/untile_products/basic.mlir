// Loops that add up products of blocks.
// RUN: hexmlir-opt %s --untile-products=always=true --split-input-file | filecheck %s

// 1. Both matrices are collected; one product starts from the zeros of the loop.
// CHECK-LABEL: func.func @blocks
// CHECK: %[[ZEROS:.*]] = linalg.fill
// CHECK: %[[BOTH:.*]]:2 = scf.for %[[K:.*]] = %c0{{.*}} iter_args(%[[A:.*]] = %{{.*}}, %[[B:.*]] = %{{.*}}) -> (tensor<32x64xf16>, tensor<64x32xf16>)
// CHECK: tensor.insert_slice %{{.*}} into %[[A]][0, %[[K]]] [32, 32] [1, 1]
// CHECK: tensor.insert_slice %{{.*}} into %[[B]][%[[K]], 0] [32, 32] [1, 1]
// CHECK-NOT: linalg.generic
// CHECK: scf.yield
// CHECK: linalg.generic {{.*}} ins(%[[BOTH]]#0, %[[BOTH]]#1 : tensor<32x64xf16>, tensor<64x32xf16>) outs(%[[ZEROS]] : tensor<32x32xf32>)
// CHECK: arith.truncf
#left = affine_map<(i, j, k) -> (i, k)>
#right = affine_map<(i, j, k) -> (k, j)>
#sum = affine_map<(i, j, k) -> (i, j)>
#same = affine_map<(i, j) -> (i, j)>
func.func @blocks(%a: tensor<32x64xf16>, %b: tensor<64x32xf16>) -> tensor<32x32xf16> {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %none = tensor.empty() : tensor<32x32xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%none : tensor<32x32xf32>) -> tensor<32x32xf32>
  %sums = scf.for %k = %c0 to %c64 step %c32 iter_args(%old = %zeros) -> (tensor<32x32xf32>) {
    %x = tensor.extract_slice %a[0, %k] [32, 32] [1, 1] : tensor<32x64xf16> to tensor<32x32xf16>
    %y = tensor.extract_slice %b[%k, 0] [32, 32] [1, 1] : tensor<64x32xf16> to tensor<32x32xf16>
    %new = linalg.generic {indexing_maps = [#left, #right, #sum], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%x, %y : tensor<32x32xf16>, tensor<32x32xf16>) outs(%old : tensor<32x32xf32>) {
    ^bb0(%xe: f16, %ye: f16, %s: f32):
    %xw = arith.extf %xe : f16 to f32
    %yw = arith.extf %ye : f16 to f32
    %p = arith.mulf %xw, %yw : f32
      %t = arith.addf %s, %p : f32
      linalg.yield %t : f32
    } -> tensor<32x32xf32>
    scf.yield %new : tensor<32x32xf32>
  }
  %half = tensor.empty() : tensor<32x32xf16>
  %result = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]}
      ins(%sums : tensor<32x32xf32>) outs(%half : tensor<32x32xf16>) {
  ^bb0(%s: f32, %o: f16):
    %h = arith.truncf %s : f32 to f16
    linalg.yield %h : f16
  } -> tensor<32x32xf16>
  return %result : tensor<32x32xf16>
}

// -----
// 2. A transposed factor, and a loop that counts otherwise: its second iteration is the second block.
// CHECK-LABEL: func.func @counted
// CHECK: scf.for %[[K:.*]] = %c16{{.*}} -> (tensor<48x48xf16>, tensor<32x48xf16>)
// CHECK: %[[FROM:.*]] = arith.subi %[[K]], %c16{{.*}} : index
// CHECK: %[[NUMBER:.*]] = arith.divui %[[FROM]], %c32{{.*}} : index
// CHECK: %[[AT:.*]] = arith.muli %[[NUMBER]], %c16{{.*}} : index
// CHECK: tensor.insert_slice {{.*}}[0, %[[AT]]] [48, 16] [1, 1] : tensor<48x16xf16> into tensor<48x48xf16>
// CHECK: tensor.insert_slice {{.*}} [32, 16] [1, 1] : tensor<32x16xf16> into tensor<32x48xf16>
#left = affine_map<(i, j, k) -> (i, k)>
#right = affine_map<(i, j, k) -> (j, k)>
#sum = affine_map<(i, j, k) -> (i, j)>
#same = affine_map<(i, j) -> (i, j)>
func.func @counted(%a: tensor<48x96xf16>, %b: tensor<32x96xf16>) -> tensor<48x32xf16> {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c96 = arith.constant 96 : index
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %c32 = arith.constant 32 : index
  %none = tensor.empty() : tensor<48x32xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%none : tensor<48x32xf32>) -> tensor<48x32xf32>
  %sums = scf.for %k = %c16 to %c96 step %c32 iter_args(%old = %zeros) -> (tensor<48x32xf32>) {
    %x = tensor.extract_slice %a[0, %k] [48, 16] [1, 1] : tensor<48x96xf16> to tensor<48x16xf16>
    %y = tensor.extract_slice %b[0, %k] [32, 16] [1, 1] : tensor<32x96xf16> to tensor<32x16xf16>
    %new = linalg.generic {indexing_maps = [#left, #right, #sum], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%x, %y : tensor<48x16xf16>, tensor<32x16xf16>) outs(%old : tensor<48x32xf32>) {
    ^bb0(%xe: f16, %ye: f16, %s: f32):
    %xw = arith.extf %xe : f16 to f32
    %yw = arith.extf %ye : f16 to f32
    %p = arith.mulf %xw, %yw : f32
      %t = arith.addf %s, %p : f32
      linalg.yield %t : f32
    } -> tensor<48x32xf32>
    scf.yield %new : tensor<48x32xf32>
  }
  %half = tensor.empty() : tensor<48x32xf16>
  %result = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]}
      ins(%sums : tensor<48x32xf32>) outs(%half : tensor<48x32xf16>) {
  ^bb0(%s: f32, %o: f16):
    %h = arith.truncf %s : f32 to f16
    linalg.yield %h : f16
  } -> tensor<48x32xf16>
  return %result : tensor<48x32xf16>
}
