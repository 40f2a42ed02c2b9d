// Loops that become one.
// RUN: hexmlir-opt %s --collapse-loops --split-input-file | filecheck %s

// 1. Rows that are no whole vectors: three loops of a chain, and of what a later op reads, become one.
// CHECK: #[[FLAT:.*]] = affine_map<(d0) -> (d0)>
// CHECK-LABEL: func.func @chain
// CHECK: %[[X:.*]] = tensor.collapse_shape %arg0 {{\[\[}}0, 1, 2]] : tensor<7x33x700xf32> into tensor<161700xf32>
// CHECK: %[[E:.*]] = tensor.empty() : tensor<161700xf32>
// CHECK: %[[EXP:.*]] = linalg.generic {{.*}}["parallel"]} ins(%[[X]] : tensor<161700xf32>) outs(%[[E]]
// CHECK: %[[SUM:.*]] = linalg.generic {{.*}} ins(%[[EXP]], %[[X]] : tensor<161700xf32>, tensor<161700xf32>)
// CHECK: %[[OUT:.*]] = tensor.expand_shape %[[SUM]] {{\[\[}}0, 1, 2]] output_shape [7, 33, 700]
// CHECK: return %[[OUT]]
#id = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
func.func @chain(%x: tensor<7x33x700xf32>) -> tensor<7x33x700xf32> {
  %e = tensor.empty() : tensor<7x33x700xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x : tensor<7x33x700xf32>) outs(%e : tensor<7x33x700xf32>) {
    ^bb0(%a: f32, %o: f32):
      %1 = math.exp %a : f32
      linalg.yield %1 : f32
  } -> tensor<7x33x700xf32>
  %2 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%0, %x : tensor<7x33x700xf32>, tensor<7x33x700xf32>) outs(%e : tensor<7x33x700xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %3 = arith.addf %a, %b : f32
      linalg.yield %3 : f32
  } -> tensor<7x33x700xf32>
  return %2 : tensor<7x33x700xf32>
}

// -----
// 2. Sizes known at run time: rows of a reduction become one loop, the reduced one stays; sizes are multiplied.
// CHECK-LABEL: func.func @rows
// CHECK: %[[M:.*]] = tensor.dim %arg0, %c0
// CHECK: %[[N:.*]] = tensor.dim %arg0, %c1
// CHECK: %[[X:.*]] = tensor.collapse_shape %arg0 {{\[\[}}0, 1], [2]] : tensor<?x?x64xf32> into tensor<?x64xf32>
// CHECK: %[[MN:.*]] = arith.muli %[[M]], %[[N]] : index
// CHECK: %[[E:.*]] = tensor.empty(%[[MN]]) : tensor<?xf32>
// CHECK: %[[SUM:.*]] = linalg.generic {{.*}}["parallel", "reduction"]} ins(%[[X]] : tensor<?x64xf32>) outs(%[[E]]
// CHECK: tensor.expand_shape %[[SUM]] {{\[\[}}0, 1]] output_shape [%[[M]], %[[N]]] : tensor<?xf32> into tensor<?x?xf32>
func.func @rows(%x: tensor<?x?x64xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?x64xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?x64xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x : tensor<?x?x64xf32>) outs(%e : tensor<?x?xf32>) {
    ^bb0(%a: f32, %o: f32):
      %1 = arith.addf %a, %o : f32
      linalg.yield %1 : f32
  } -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
