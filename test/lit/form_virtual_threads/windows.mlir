// A convolution of an image whose sizes are known at run time: threads share its rows, each with the rows around them.
// RUN: hexmlir-opt %s --form-virtual-threads | filecheck %s

// CHECK: #[[ROWS:.*]] = affine_map<(d0) -> (d0 + 2)>
// CHECK-LABEL: func.func @convolution(
// CHECK-SAME: %[[X:arg0]]: tensor<?x?x16xf32>, %{{.*}}: tensor<3x3x16x16xf32>, %[[OUT:arg2]]: tensor<?x?x16xf32>
func.func @convolution(%x: tensor<?x?x16xf32>, %w: tensor<3x3x16x16xf32>, %out: tensor<?x?x16xf32>) -> tensor<?x?x16xf32> {
  %z = arith.constant 0.0 : f32
  // CHECK: %[[HEIGHT:.*]] = tensor.dim %[[OUT]], %{{.*}}
  // CHECK: scf.forall (%[[FIRST:.*]]) = (0) to (%[[HEIGHT]]) step (%[[STEP:.*]]) shared_outs(
  // CHECK: %[[COUNT:.*]] = affine.min #{{.*}}(%[[FIRST]])[%[[HEIGHT]], %[[STEP]]]
  // CHECK: linalg.fill
  %f = linalg.fill ins(%z : f32) outs(%out : tensor<?x?x16xf32>) -> tensor<?x?x16xf32>
  // CHECK: %[[READ:.*]] = affine.apply #[[ROWS]](%[[COUNT]])
  // CHECK: %[[WIDTH:.*]] = tensor.dim %[[X]], %{{.*}}
  // CHECK: tensor.extract_slice %[[X]][%[[FIRST]], 0, 0] [%[[READ]], %[[WIDTH]], 16] [1, 1, 1]
  %0 = linalg.generic {
      indexing_maps = [affine_map<(h, w, n, i, j, c) -> (h + i, w + j, c)>, affine_map<(h, w, n, i, j, c) -> (i, j, c, n)>,
                       affine_map<(h, w, n, i, j, c) -> (h, w, n)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %w : tensor<?x?x16xf32>, tensor<3x3x16x16xf32>) outs(%f : tensor<?x?x16xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %p = arith.mulf %a, %b : f32
      %s = arith.addf %p, %o : f32
      linalg.yield %s : f32
  } -> tensor<?x?x16xf32>
  return %0 : tensor<?x?x16xf32>
}
