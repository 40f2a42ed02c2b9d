// A group that reads the result of a loop: the loop stays where it is, in front of the loop over tiles.
// RUN: hexmlir-opt %s --hexagon-tcm-tiling=tile-sizes=8,0 | filecheck %s

// CHECK-LABEL: func.func @rows
// CHECK: %[[FIRST:.*]] = scf.for %{{.*}} = %c0 to %c64 step %c32
// CHECK: linalg.exp
// CHECK: scf.for %{{.*}} = %c0 to %c64 step %c8
// CHECK-NOT: scf.for
// CHECK: tensor.extract_slice %[[FIRST]]
// CHECK-NOT: scf.for
// CHECK: return
func.func @rows(%x: tensor<64x64xf32>, %sums: tensor<64xf32>, %y: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %e = tensor.empty() : tensor<64x64xf32>
  %0 = scf.for %i = %c0 to %c64 step %c32 iter_args(%so_far = %e) -> (tensor<64x64xf32>) {
    %a = tensor.extract_slice %x[0, %i] [64, 32] [1, 1] : tensor<64x64xf32> to tensor<64x32xf32>
    %b = bufferization.alloc_tensor() copy(%a) {memory_space = 1 : i64} : tensor<64x32xf32>
    %c = bufferization.alloc_tensor() {memory_space = 1 : i64} : tensor<64x32xf32>
    %d = linalg.exp ins(%b : tensor<64x32xf32>) outs(%c : tensor<64x32xf32>) -> tensor<64x32xf32>
    %f = tensor.insert_slice %d into %so_far[0, %i] [64, 32] [1, 1] : tensor<64x32xf32> into tensor<64x64xf32>
    scf.yield %f : tensor<64x64xf32>
  }
  %1 = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m)>],
      iterator_types = ["parallel", "reduction"]} ins(%0 : tensor<64x64xf32>) outs(%sums : tensor<64xf32>) {
    ^bb0(%p: f32, %old: f32):
      %s = arith.addf %p, %old : f32
      linalg.yield %s : f32
  } -> tensor<64xf32>
  %2 = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m)>,
      affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
      ins(%0, %1 : tensor<64x64xf32>, tensor<64xf32>) outs(%y : tensor<64x64xf32>) {
    ^bb0(%p: f32, %q: f32, %old: f32):
      %s = arith.subf %p, %q : f32
      linalg.yield %s : f32
  } -> tensor<64x64xf32>
  return %2 : tensor<64x64xf32>
}
